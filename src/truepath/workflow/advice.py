"""What would make a fitted model better, as far as the data show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from truepath.english import counted
from truepath.workflow.fit import FEW_ROWS, FitResult

#: How many labels with few rows are named
N_NAMED = 5
#: Measures of fewer test rows than this say little
FEW_TEST_ROWS = 20
#: Scores whose sum is further than this share from the number of labels are not probabilities
MISCALIBRATED = 0.2


@dataclass(frozen=True)
class Advice:
    """One thing to try.

    Attributes
    ----------
    text : str
        What, and why.
    options : mapping
        The parameters of :func:`fit_dataset` that do it; empty if none does.
    """

    text: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        ways = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"{self.text}; {ways} does it" if ways else self.text


def advise(result: FitResult) -> list[Advice]:
    """Return what would make a model better.

    Examples
    --------
    >>> from truepath import load_dataset
    >>> from truepath.workflow import advise, fit_dataset
    >>> print(advise(fit_dataset(load_dataset("toy"), "linear"))[0])
    more rows: 5 labels have fewer than 10: a/2 (3), b/1 (3), a/1 (4), b (5), a (7)
    """
    found = [_more_rows(result.few_rows)] if result.few_rows else []
    if result.description.n_label_sets == 1:
        found.append(
            Advice("rows with other labels: all have the same, so there is nothing to tell apart or to measure")
        )
    if result.run is not None and result.run.n_samples < FEW_TEST_ROWS:
        tested = counted(result.run.n_samples, "row")
        found.append(Advice(f"more test rows: measures of {tested} may be far from those of others"))
    true, scores = result.labels_per_row or (0.0, 0.0)
    if abs(scores - true) > MISCALIBRATED * true:
        text = (
            f"calibrate, if scores are to be probabilities: those of a row add up to {scores:.1f} labels where "
            f"{true:.1f} are true"
        )
        found.append(Advice(text, {"calibrate": "auto"}))
    return found


def _more_rows(few: Mapping[str, int]) -> Advice:
    """Name the labels that have too few rows."""
    shown = ", ".join(f"{name} ({n})" for name, n in list(few.items())[:N_NAMED])
    more = f" and {len(few) - N_NAMED} more" if len(few) > N_NAMED else ""
    have = "has" if len(few) == 1 else "have"
    return Advice(f"more rows: {counted(len(few), 'label')} {have} fewer than {FEW_ROWS}: {shown}{more}")

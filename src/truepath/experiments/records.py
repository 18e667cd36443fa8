"""One run of an experiment: its key, and the record that is kept of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from truepath.errors import DataFormatError
from truepath.experiments.store import Finished


class RunKey(NamedTuple):
    """What a run is called: data set, method, seed and fold (0 for the published split)."""

    dataset: str
    method: str
    seed: int
    fold: int

    def __str__(self) -> str:
        return f"{self.dataset} / {self.method} / seed {self.seed} / fold {self.fold}"


@dataclass(frozen=True)
class RunRecord:
    """A finished run.

    Attributes
    ----------
    key : RunKey
    settings : str
        Digest of everything that the run depended on except the measures: method, data, split, seed.
    values : dict of str to float
        The value of each measure; empty if the run failed.
    measures : dict of str to str
        The digest of each measure's options.
    error : str
        Empty, or what the method raised, in one line.
    traceback : str
    fit_seconds, predict_seconds : float
    sizes : dict
        ``n_train``, ``n_test``, ``n_features`` and ``n_labels``.
    versions : dict
        Versions of truepath, Python and the packages behind the numbers.
    """

    key: RunKey
    settings: str
    values: Mapping[str, float] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    traceback: str = ""
    fit_seconds: float = math.nan
    predict_seconds: float = math.nan
    sizes: Mapping[str, int] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        """Whether the method raised."""
        return bool(self.error)

    @classmethod
    def of(cls, finished: Finished) -> RunRecord:
        """Return a finished unit of work as a run."""
        given = finished.value or {}
        is_key = isinstance(finished.key, tuple) and len(finished.key) == len(RunKey._fields)
        if not is_key or not _is_outcome(given, () if finished.error else finished.parts):
            problem = f"what is kept of the run {finished.key!r:.80} is not the outcome of a run."
            raise DataFormatError(problem, remedy="Remove its line from runs.jsonl, or choose another folder.")
        return cls(
            RunKey(*finished.key),
            finished.settings,
            given.get("values", {}),
            finished.parts,
            finished.error,
            finished.traceback,
            given.get("fit_seconds", math.nan),
            given.get("predict_seconds", math.nan),
            finished.about,
            finished.versions,
        )


def _is_outcome(value: Any, measures: Iterable[str]) -> bool:
    """Return whether a value has the form of what a run returns: numbers by name, of all these measures."""
    if not isinstance(value, Mapping) or not isinstance(value.get("values", {}), Mapping):
        return False
    if not set(measures) <= value.get("values", {}).keys():
        return False
    numbers = [*value.get("values", {}).values(), value.get("fit_seconds", 0.0), value.get("predict_seconds", 0.0)]
    return all(isinstance(number, int | float) for number in numbers)

"""What an evaluation found: curves per aspect, the best of each, counts of what did not get in; frames and files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from truepath.cafa.evaluation.curves import AspectCurve
from truepath.extras import import_extra
from truepath.files.names import PathType
from truepath.files.writing import open_atomically

#: What cafaeval calls the quantities in its files
THEIR_NAMES = {
    "n": "n",
    "tp": "tp",
    "fp": "fp",
    "fn": "fn",
    "precision": "pr",
    "recall": "rc",
    "coverage": "cov",
    "misinformation": "mi",
    "remaining_uncertainty": "ru",
    "f": "f",
    "s": "s",
    "micro_precision": "pr_micro",
    "micro_recall": "rc_micro",
    "micro_f": "f_micro",
}


@dataclass(frozen=True)
class Evaluation:
    """The result of :func:`evaluate_predictions`.

    Attributes
    ----------
    curves, weighted : dict of str to AspectCurve
        For each aspect with truth, all quantities at each threshold; ``weighted`` is empty without information
        accretion.
    counts : dict of str to int
        Pairs and targets that got in, and that did not: unknown, obsolete and alternative terms, targets without truth.
    options : dict
        How it was evaluated.
    """

    curves: Mapping[str, AspectCurve]
    weighted: Mapping[str, AspectCurve] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def summary(self) -> list[dict[str, Any]]:
        """Return one record per aspect: Fmax, Smin and coverage, with the thresholds where they are reached.

        Smin is in bits, and weighted, where information accretion was given; in terms otherwise.
        """
        return [self._record(aspect, curve) for aspect, curve in self.curves.items()]

    def _record(self, aspect: str, curve: AspectCurve) -> dict[str, Any]:
        best, micro = curve.best("f"), curve.best("micro_f")
        record = {
            "aspect": aspect,
            "n_targets": curve.n_targets,
            "coverage": float(curve.values["coverage"].max(initial=0.0)),
            "fmax": best.get("f", 0.0),
            "fmax_threshold": best.get("threshold"),
            "micro_fmax": micro.get("micro_f", 0.0),
            "precision": best.get("precision", 0.0),
            "recall": best.get("recall", 0.0),
        }
        weighted = self.weighted.get(aspect)
        if weighted is not None:
            heavy = weighted.best("f")
            record |= {"wfmax": heavy.get("f", 0.0), "wfmax_threshold": heavy.get("threshold")}
        least = (weighted or curve).best("s", least=True)
        return record | {"smin": least.get("s"), "smin_threshold": least.get("threshold")}

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per aspect, threshold and weighting: tidy, as frames like it."""
        return [
            {"aspect": aspect, "weighted": weighted, "threshold": float(curve.thresholds[k])}
            | {name: float(values[k]) for name, values in curve.values.items()}
            for weighted, curves in ((False, self.curves), (True, self.weighted))
            for aspect, curve in curves.items()
            for k in range(curve.thresholds.size)
        ]

    def to_frame(self) -> Any:
        """Return :meth:`rows` as a pandas frame."""
        pd = import_extra("pandas", "A data frame", "report")

        return pd.DataFrame(self.rows())

    def plot(self, quantity: str = "f", **options: Any) -> Any:
        """Draw the curves, one panel per aspect; see :func:`plot_evaluations`."""
        from truepath.cafa.evaluation.plots import plot_evaluations

        return plot_evaluations({"": self}, quantity, **options)

    def __repr__(self) -> str:
        found = ", ".join(f"{record['aspect']} {record['fmax']:.3f}" for record in self.summary())
        return f"Evaluation(Fmax: {found})"


def write_evaluations(found: Mapping[str, Evaluation], path: PathType) -> Path:
    """Write the curves of several evaluations as ``evaluation_all.tsv`` of cafaeval: its columns, its names.

    Parameters
    ----------
    found : mapping of str to Evaluation
        Evaluations by the name of the file of predictions.
    path : path
    """
    has_weights = any(evaluation.weighted for evaluation in found.values())
    names = [*THEIR_NAMES.values(), *(f"{name}_w" for name in THEIR_NAMES.values() if has_weights)]
    lines = ["\t".join(["filename", "ns", "tau", *names])]
    for file, evaluation in found.items():
        for aspect, curve in evaluation.curves.items():
            lines += _lines(file, aspect, curve, evaluation.weighted.get(aspect), has_weights)
    with open_atomically(Path(path)) as out:
        out.write(("\n".join(lines) + "\n").encode())
    return Path(path)


def _lines(file: str, aspect: str, curve: AspectCurve, weighted: AspectCurve | None, has_weights: bool) -> list[str]:
    place = {} if weighted is None else {t: k for k, t in enumerate(weighted.thresholds.tolist())}
    lines = []
    for k, threshold in enumerate(curve.thresholds.tolist()):
        cells = [repr(float(values[k])) for values in curve.values.values()]
        if weighted is not None and threshold in place:
            cells += [repr(float(values[place[threshold]])) for values in weighted.values.values()]
        elif has_weights:
            cells += ["0.0"] * len(THEIR_NAMES)
        lines.append("\t".join([file, aspect, f"{threshold:.12g}", *cells]))
    return lines

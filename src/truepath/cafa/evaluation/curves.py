"""The quantities of CAFA at each threshold, from sums over targets, by one of three normalisations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.metrics.inputs import divide

Floats = NDArray[np.float64]

#: How precision and the other quantities are averaged: over targets with a prediction, or over all with truth
NORMS = ("cafa", "pred", "gt")


@dataclass(frozen=True)
class AspectCurve:
    """The curve of one aspect, unweighted or weighted by information; arrays over ascending thresholds.

    Attributes
    ----------
    aspect : str
    n_targets : int
        Targets with truth in this aspect.
    thresholds : ndarray
        Those at which at least one target has a prediction.
    values : dict of str to ndarray
        ``n`` (targets with a prediction), ``tp``, ``fp``, ``fn`` (averages per target), ``precision``, ``recall``,
        ``coverage``, ``misinformation``, ``remaining_uncertainty``, ``f``, ``s``, ``micro_precision``,
        ``micro_recall`` and ``micro_f``.
    """

    aspect: str
    n_targets: int
    thresholds: Floats
    values: dict[str, Floats]

    def best(self, quantity: str, *, least: bool = False) -> dict[str, Any]:
        """Return all quantities at the threshold where one is greatest, or least; of several, at the first."""
        if not self.thresholds.size:
            return {}
        at = int(np.argmin(self.values[quantity]) if least else np.argmax(self.values[quantity]))
        return {"threshold": float(self.thresholds[at])} | {key: float(of[at]) for key, of in self.values.items()}


def make_curve(aspect: str, n_targets: int, total: float, cuts: NDArray[Any], sums: Floats, norm: str) -> AspectCurve:
    """Average the sums over targets.

    Parameters
    ----------
    aspect : str
    n_targets : int
    total : float
        What the true terms of all targets weigh.
    cuts : ndarray
        Ascending thresholds.
    sums : ndarray, shape (n_cuts, 5)
        As :func:`truepath.metrics.sweep.sweep_scores` makes them, each target counting 1.
    norm : {"cafa", "pred", "gt"}
    """
    is_there = sums[:, 1] > 0.5
    precisions, n, recalls, hit, predicted = sums[is_there].T
    n = np.rint(n)
    everyone = np.full(n.size, float(n_targets))
    over, among = {"cafa": (n, everyone), "pred": (n, n), "gt": (everyone, everyone)}[norm]
    false, missed = np.maximum(predicted - hit, 0.0), np.maximum(total - hit, 0.0)
    micro_precision, micro_recall = divide(hit, predicted, 0.0), divide(hit, hit + missed, 0.0)
    precision, recall = precisions / over, recalls / among
    values = {
        "n": n,
        "tp": hit / among,
        "fp": false / among,
        "fn": missed / among,
        "precision": precision,
        "recall": recall,
        "coverage": n / n_targets,
        "misinformation": false / among,
        "remaining_uncertainty": missed / among,
        "f": _harmonic(precision, recall),
        "s": np.hypot(false / among, missed / among),
        "micro_precision": micro_precision,
        "micro_recall": micro_recall,
        "micro_f": _harmonic(micro_precision, micro_recall),
    }
    return AspectCurve(aspect, n_targets, cuts[is_there].astype(np.float64), values)


def _harmonic(a: Floats, b: Floats) -> Floats:
    return divide(2 * a * b, a + b, 0.0)

"""What conformal decoders promise of label sets, and whether it was kept on rows with known labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.decoders.conformal.losses import LOSSES, missed_losses
from truepath.english import counted
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.parameters import SHARE, check_choice, check_in

Floats = NDArray[np.float64]

#: What is short by at most this many standard errors may be chance
CHANCE = 2.0


@dataclass(frozen=True)
class Promise:
    """What a decoder promises: its kind, and for which share of rows; of a loss, its bound.

    Attributes
    ----------
    kind : str
        "row", "level" or "label": all true labels of these are in the set; "sure": all labels of the set are true;
        "miss-rate", "miss-cost" or "h-loss": the mean loss.
    target : float

    Examples
    --------
    >>> print(Promise("row", 0.5).check([[1, 0], [0, 1], [1, 1]], [[1, 1], [1, 1], [1, 0]], None))
    label sets hold all true labels of their row with a probability of 50.0%; 66.7% on 3 rows, kept. \
Labels in a set: 1.7 on average, median 2, at most 2
    """

    kind: str
    target: float

    def __post_init__(self) -> None:
        check_choice(self, "kind", KINDS)
        check_in("target", self.target, SHARE)

    def __str__(self) -> str:
        return f"{self.says} {self.target:.1%}"

    @property
    def is_loss(self) -> bool:
        """Whether the target is what a mean loss is at most."""
        return self.kind in LOSSES

    @property
    def says(self) -> str:
        """What is promised, up to the number."""
        return f"{_KINDS[self.kind][0]} {'is at most' if self.is_loss else 'with a probability of'}"

    def check(self, y_true: Any, y_pred: Any, hierarchy: Hierarchy | None) -> Kept:
        """Return what came of the promise on rows with known labels."""
        true, sets = (sparse.csr_array(Y, dtype=bool) for Y in (y_true, y_pred))
        count = _KINDS[self.kind][1]
        met, of = count(true, sets, hierarchy or Hierarchy.flat(true.shape[1]))
        reached = float(met.sum() / of.sum()) if of.sum() else float("nan")
        error = float(np.sqrt(((met - reached * of) ** 2).sum()) / of.sum()) if of.sum() else float("nan")
        size = np.diff(sets.indptr)
        sizes = float(size.mean()), float(np.median(size)), float(size.max())
        return Kept(self, reached, error, true.shape[0], sizes)


class Kept(NamedTuple):
    """A promise and what came of it.

    Attributes
    ----------
    promise : Promise
    reached, standard_error : float
        The share, or the mean loss, of the rows given, and how far it is off by chance.
    n_rows : int
    sizes : tuple of float
        The number of labels in a set: mean, median and largest.
    """

    promise: Promise
    reached: float
    standard_error: float
    n_rows: int
    sizes: tuple[float, float, float]

    @property
    def verdict(self) -> str:
        """Whether the promise was kept, as people say it."""
        short = (self.reached - self.promise.target) * (1 if self.promise.is_loss else -1)
        if short <= 0:
            return "kept"
        if short <= CHANCE * self.standard_error:
            return f"kept as far as {counted(self.n_rows, 'row')} can tell"
        return "not kept: are these rows like those that the decoder was fitted on?"

    def __str__(self) -> str:
        mean, median, most = self.sizes
        return (
            f"{self.promise}; {self.reached:.1%} on {counted(self.n_rows, 'row')}, {self.verdict}. "
            f"Labels in a set: {mean:.1f} on average, median {median:g}, at most {most:g}"
        )


Count = Callable[[Any, Any, Hierarchy], tuple[Floats, Floats]]


def _rows_held(true: Any, sets: Any, hierarchy: Hierarchy) -> tuple[Floats, Floats]:
    hits = np.asarray(true.multiply(sets).sum(axis=1)).ravel()
    return np.asarray(hits == np.diff(true.indptr), np.float64), np.ones(true.shape[0])


def _levels_held(true: Any, sets: Any, hierarchy: Hierarchy) -> tuple[Floats, Floats]:
    """Count, for each row, the levels where it has labels, and those of them where all are in its set."""
    at_level = sparse.csr_array(
        (np.ones(hierarchy.n_nodes), (np.arange(hierarchy.n_nodes), hierarchy.depth)),
        shape=(hierarchy.n_nodes, int(hierarchy.depth.max(initial=0)) + 1),
    )
    n_true, n_held = ((matrix.astype(np.float64) @ at_level).toarray() for matrix in (true, true.multiply(sets)))
    is_there = n_true > 0
    return (is_there & (n_held == n_true)).sum(axis=1, dtype=np.float64), is_there.sum(axis=1, dtype=np.float64)


def _labels_held(true: Any, sets: Any, hierarchy: Hierarchy) -> tuple[Floats, Floats]:
    return np.asarray(true.multiply(sets).sum(axis=1), np.float64).ravel(), np.diff(true.indptr).astype(np.float64)


def _all_true(true: Any, sets: Any, hierarchy: Hierarchy) -> tuple[Floats, Floats]:
    return _rows_held(sets, true, hierarchy)


def _lost(kind: str) -> Count:
    """Return what adds up the losses of missed labels."""

    def lost(true: Any, sets: Any, hierarchy: Hierarchy) -> tuple[Floats, Floats]:
        rows, labels, loss = missed_losses(true, hierarchy, kind)
        is_missed = ~np.asarray(as_dense(sets[rows, labels]), bool).ravel()
        return np.asarray(np.bincount(rows, loss * is_missed, true.shape[0])), np.ones(true.shape[0])

    return lost


_KINDS: dict[str, tuple[str, Count]] = {
    "row": ("label sets hold all true labels of their row", _rows_held),
    "level": ("label sets hold all true labels of a level", _levels_held),
    "label": ("label sets hold a true label", _labels_held),
    "sure": ("all labels of a set are true (others may be missing)", _all_true),
    "miss-rate": ("the mean share of true labels that are missed", _lost("miss-rate")),
    "miss-cost": ("the mean cost of missed labels", _lost("miss-cost")),
    "h-loss": ("the mean H-loss of missed labels", _lost("h-loss")),
}
#: What may be promised
KINDS = tuple(_KINDS)

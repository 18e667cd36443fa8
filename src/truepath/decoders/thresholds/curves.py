"""The whole curve of an objective as a function of one threshold for all classes.

Every objective changes only where the threshold passes a score, so one sort and one sweep give its value at every
cut point (Algorithm 1 of Triguero & Vens with all distinct scores as candidates):

* micro-F1: scores and labels sorted together, counts running down;
* HMC-loss and class distribution: class by class, what each of its distinct scores changes is added at that
  score's place among all distinct scores; so also the label cardinality, row by row;
* H-loss: on coherent scores only true classes and their false children ever change it, so only those are sorted.

Losses are summed in whole numbers (see ``searches.py``): ties are exact, and go to the smallest threshold. Between two
neighbouring scores the objective says nothing. Algorithm 1 takes the lower one, so that with true labels scored above
.95 and false ones below .04 a new row scored .05 gets the label; :func:`best_threshold` takes the middle, .495.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath import _kernels
from truepath.decoders.thresholds.cut_points import (
    DistinctScores,
    find_distinct,
    index_distinct,
    iter_cut_points,
)
from truepath.decoders.thresholds.searches import hmc_prices, whole_costs
from truepath.hierarchy.matrices import as_dense, dense_blocks, has_negative
from truepath.records import Record

if TYPE_CHECKING:
    from truepath.decoders.base import HeldOutScores
    from truepath.hierarchy import Hierarchy

__all__ = ["SINGLE_OBJECTIVES", "TIES", "Curve", "best_threshold", "check_ties", "middle", "single_curves"]

SINGLE_OBJECTIVES = ("micro_f1", "hmc_loss", "h_loss", "class_distribution", "label_cardinality")
TIES = ("midpoint", "published")


@Record.enter("truepath.decoders")
class Curve(NamedTuple):
    """An objective's value for a threshold at each cut point; between cut points it stays as it is.

    Attributes
    ----------
    threshold : ndarray, ascending
        Cut points: all distinct scores; for the H-loss only those where it changes, and the lowest.
    value : ndarray of float64
    lowest : float
        The value of a threshold below every score.
    best : int
        Position of the best value, the first of several.
    greater_is_better : bool
    """

    threshold: NDArray[Any]
    value: NDArray[np.float64]
    lowest: float
    best: int
    greater_is_better: bool

    def at(self, t: NDArray[Any]) -> NDArray[np.float64]:
        """Return the objective's value for any thresholds."""
        position = np.searchsorted(self.threshold, t, side="right") - 1
        return np.where(position < 0, self.lowest, self.value[np.maximum(position, 0)])


def check_ties(ties: str) -> None:
    """Refuse what is not a rule for ties."""
    if ties not in TIES:
        raise ValueError(f"ties must be 'midpoint' or 'published'; got {ties!r}.")


def best_threshold(curve: Curve, ties: str, is_grid: bool = False) -> tuple[float, float]:
    """Return the best threshold of a curve and its value.

    Parameters
    ----------
    curve : Curve
    ties : {"midpoint", "published"}
        The middle of the first best stretch, -inf if that is better than all cut points; or the first best cut point.
    is_grid : bool, default=False
        Whether the curve is known at its cut points only; the middle one of the best stretch is then taken.

    Examples
    --------
    >>> curve = Curve(np.array([0.02, 0.04, 0.95, 0.98]), np.array([0.8, 1.0, 0.5, 0.0]), 0.5, 1, True)
    >>> best_threshold(curve, "midpoint"), best_threshold(curve, "published")
    ((0.495, 1.0), (0.04, 1.0))
    """
    value, first = float(curve.value[curve.best]), curve.best
    if ties == "published":
        return float(curve.threshold[first]), value
    if curve.lowest > value if curve.greater_is_better else curve.lowest < value:
        return -np.inf, float(curve.lowest)
    changed = np.flatnonzero(curve.value[first:] != curve.value[first])
    end = first + int(changed[0]) if changed.size else curve.value.size
    if is_grid:
        return float(curve.threshold[(first + end - 1) // 2]), value
    above = curve.threshold[min(end, curve.value.size - 1)]
    return float(middle(np.float64(curve.threshold[first]), np.float64(above))), value


def middle(low: Any, high: Any) -> Any:
    """Return the middle of two numbers, below the higher one: the lower if there is no number between them."""
    with np.errstate(invalid="ignore"):  # of -inf and inf, where thresholds stay as they are
        middle = (low + high) / 2
    return np.where(middle < high, middle, low)


def single_curves(given: HeldOutScores, objectives: Sequence[str], **hmc: Any) -> dict[str, Curve]:
    """Return the curves of several objectives, sharing what they have in common.

    Parameters
    ----------
    given : HeldOutScores
        Checked scores, coherent, with labels and weights.
    objectives : sequence of str
        Out of ``SINGLE_OBJECTIVES``.
    **hmc
        ``alpha``, ``beta`` and ``lambda_`` of the HMC-loss.
    """
    S, Y, weight = given.S, given.y, given.whole_weight
    curves = {}
    by_class = [name for name in objectives if name in ("hmc_loss", "class_distribution")]
    if "micro_f1" in objectives:
        if weight is None and not sparse.issparse(S) and not has_negative(S):
            curves["micro_f1"] = _f1_packed(S, Y)
        else:
            by_class.append("micro_f1")
    if "h_loss" in objectives:
        curves["h_loss"] = _h_loss(S, Y, weight, given.hierarchy)
    if by_class or "label_cardinality" in objectives:
        distinct = find_distinct(S)
        curves |= _by_class(S, Y, weight, given.hierarchy, by_class, distinct, hmc)
        if "label_cardinality" in objectives:
            curves["label_cardinality"] = _label_cardinality(S, Y, weight, distinct)
    return {name: curves[name] for name in objectives}


def _f1_packed(S: Any, Y: Any) -> Curve:
    """Sort packed scores and labels, and sweep."""
    key = np.dtype(f"u{S.dtype.itemsize}")
    labels = as_dense(Y)
    keys = np.ravel(S).view(key) << key.type(1)  # the shift makes -0.0 a 0.0
    keys |= np.ravel(labels)
    keys.sort()
    positives, f1 = int(labels.sum()), np.empty(S.size)
    size = _kernels.thresholds.curves.sweep_f1(keys, positives, S.size - positives, f1)
    for array in (keys, f1):
        array.resize(size, refcheck=False)
    lowest = 2 * positives / (positives + S.size)
    return Curve(keys.view(S.dtype), f1, lowest, int(np.argmax(f1)), True)


def _by_class(
    S: Any, Y: Any, weight: Any, hierarchy: Hierarchy, objectives: Sequence[str], distinct: DistinctScores, hmc: Any
) -> dict[str, Curve]:
    """Pass the classes' cut points once and build the curves that are sums over classes."""
    makers = {name: _MAKERS[name](S, Y, weight, hierarchy, distinct, hmc) for name in objectives}
    for first, block in iter_cut_points(S, Y, weight) if makers else ():
        for maker in makers.values():
            maker.add(first, block)
    return {name: maker.finish() for name, maker in makers.items()}


class _HMCLossCurve:
    """Sum over classes of price times mistakes."""

    def __init__(self, S: Any, Y: Any, weight: Any, hierarchy: Hierarchy, distinct: DistinctScores, hmc: Any):
        self.distinct, self.change = distinct, np.zeros(distinct.value.size, np.int64)
        positives, self.total = _count_positives(Y, weight), _total(S, weight)
        self.negatives = self.total - positives
        self.prices = hmc_prices(positives, self.negatives, hierarchy, **hmc)

    def add(self, first: int, block: Any) -> None:
        last = first + block.ptr.size - 1
        prices = (self.prices.miss[first:last], self.prices.alarm[first:last])
        _kernels.thresholds.curves.add_hmc_loss(*block, *prices, *self.distinct, self.change)

    def finish(self) -> Curve:
        at_first = int(self.prices.alarm @ self.negatives)
        return _finish_losses(self.distinct.value, self.change, at_first, self.prices.unit / self.total)


class _ClassDistributionCurve:
    """Distance between true and predicted shares of positives, sqrt of sum of c_v (CD_v - CD'_v) ** 2."""

    def __init__(self, S: Any, Y: Any, weight: Any, hierarchy: Hierarchy, distinct: DistinctScores, hmc: Any):
        self.distinct, self.change, self.at_first = distinct, np.zeros(distinct.value.size, np.int64), 0
        self.total = _total(S, weight)
        self.costs, self.unit = whole_costs(hierarchy.costs, float(self.total) ** 2)

    def add(self, first: int, block: Any) -> None:
        costs = self.costs[first : first + block.ptr.size - 1]
        self.at_first += _kernels.thresholds.curves.add_class_distribution(*block, costs, *self.distinct, self.change)

    def finish(self) -> Curve:
        return _distance(_finish_losses(self.distinct.value, self.change, self.at_first, self.unit / self.total**2))


class _MicroF1Curve:
    """Counts of positives and negatives at each distinct score; for scores that cannot be packed."""

    def __init__(self, S: Any, Y: Any, weight: Any, hierarchy: Hierarchy, distinct: DistinctScores, hmc: Any):
        self.distinct, self.n_cells = distinct, _total(S, weight) * S.shape[1]
        self.counts = np.zeros((2, distinct.value.size), np.int64)

    def add(self, first: int, block: Any) -> None:
        _kernels.thresholds.curves.add_counts(block.value, block.pos, block.neg, *self.distinct, *self.counts)

    def finish(self) -> Curve:
        f1 = np.empty(self.distinct.value.size)
        positives = _kernels.thresholds.curves.finish_f1(*self.counts, f1)
        return Curve(self.distinct.value, f1, 2 * positives / (positives + self.n_cells), int(np.argmax(f1)), True)


_MAKERS: dict[str, Any] = {
    "hmc_loss": _HMCLossCurve,
    "class_distribution": _ClassDistributionCurve,
    "micro_f1": _MicroF1Curve,
}


def _label_cardinality(S: Any, Y: Any, weight: Any, distinct: DistinctScores) -> Curve:
    """Distance between true and predicted numbers of labels, sqrt of sum_i (LC_i - LC'_i) ** 2."""
    change, at_first = np.zeros(distinct.value.size, np.int64), 0
    n_labels = np.asarray(Y.sum(axis=1), np.int64)
    weight = np.ones(S.shape[0], np.int64) if weight is None else weight
    for rows, (scores,) in dense_blocks(S):
        ordered = np.sort(scores, axis=1)
        at_first += _kernels.thresholds.curves.add_row_counts(ordered, n_labels[rows], weight[rows], *distinct, change)
    return _distance(_finish_losses(distinct.value, change, at_first, 1.0))


def _h_loss(S: Any, Y: Any, weight: Any, hierarchy: Hierarchy) -> Curve:
    """Sort only the scores where the H-loss changes."""
    costs, unit = whole_costs(hierarchy.costs, float(_total(S, weight)))
    weight_of = np.ones(S.shape[0], np.int64) if weight is None else weight
    edges = (hierarchy.parent_ptr, hierarchy.parent_idx, hierarchy.child_ptr, hierarchy.child_idx)
    graph = (*edges, hierarchy.roots)
    lowest = float(S.min())
    value, change, sums = [np.array([lowest], S.dtype)], [np.zeros(1, np.int64)], np.zeros(2, np.int64)
    room = 16 * S.shape[0]
    for rows, (scores, labels) in dense_blocks(S, Y):
        given = (scores, labels, weight_of[rows], costs, *graph, lowest)
        before = sums.copy()
        while True:  # until the lists are long enough
            lists = (np.empty(room, S.dtype), np.empty(room, np.int64))
            size = _kernels.thresholds.curves.list_h_events(*given, *lists, sums)
            if size <= room:
                break
            room, sums[:] = size, before
        value.append(lists[0][:size])
        change.append(lists[1][:size])
    change[0][0] = sums[1]
    at = np.concatenate(value)
    distinct = index_distinct(at)
    total = np.zeros(distinct.value.size, np.int64)
    _kernels.thresholds.curves.add_changes(at, np.concatenate(change), *distinct, total)
    return _finish_losses(distinct.value, total, int(sums[0]), unit / _total(S, weight))


def _finish_losses(threshold: Any, change: NDArray[np.int64], at_first: int, unit: float) -> Curve:
    """Add up changes into losses, in place."""
    loss = change.view(np.float64)
    best = _kernels.thresholds.curves.finish_losses(change, loss, at_first, unit)
    return Curve(threshold, loss, at_first * unit, best, False)


def _distance(curve: Curve) -> Curve:
    """Turn a squared distance into the distance."""
    np.sqrt(np.maximum(curve.value, 0, out=curve.value), out=curve.value)
    return curve._replace(lowest=float(np.sqrt(max(curve.lowest, 0))))


def _total(S: Any, weight: Any) -> int:
    """Return the number of rows, or their total weight."""
    return int(S.shape[0] if weight is None else weight.sum())


def _count_positives(Y: Any, weight: Any) -> NDArray[np.int64]:
    """Return the (weighted) number of positives of each class."""
    if weight is None:
        return np.asarray(Y.sum(axis=0), np.int64)
    return np.asarray(weight @ Y, np.int64)

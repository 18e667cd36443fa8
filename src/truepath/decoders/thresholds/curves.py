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

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath import _kernels
from truepath.decoders.thresholds.cut_points import find_distinct, index_distinct, iter_cut_points
from truepath.decoders.thresholds.searches import hmc_prices, whole_costs
from truepath.hierarchy.matrices import as_dense, dense_blocks, has_negative
from truepath.records import Record

if TYPE_CHECKING:
    from truepath.decoders.base import HeldOutScores

TIES = ("midpoint", "published")
#: Of a long curve each of so many stretches keeps at most four cut points: no picture is as wide
STRETCHES = 1000


@Record.enter("truepath.decoders")
class Curve(NamedTuple):
    """An objective's value for a threshold at each cut point; between cut points it stays as it is.

    Attributes
    ----------
    threshold : ndarray, ascending
        Cut points: all distinct scores, or those that :meth:`thin` keeps; for the H-loss only those where it changes,
        and the lowest.
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

    def stretch(self) -> tuple[int, int]:
        """Return where the first best stretch of equal values begins and where it has ended."""
        changed = np.flatnonzero(self.value[self.best :] != self.value[self.best])
        return self.best, self.best + int(changed[0]) if changed.size else self.value.size

    def thin(self) -> Curve:
        """Return a curve of a few thousand cut points that looks the same and has the same best stretch.

        Of each thousandth of the width the first, the last, the lowest and the highest cut point stay: a line through
        them fills the same points of a picture up to that wide [1]_. A curve that is as short already stays as it is.

        References
        ----------
        .. [1] U. Jugel, Z. Jerzak, G. Hackenbroich, V. Markl. M4: a visualization-oriented time series data
           aggregation. VLDB 7(10), 2014.
        """
        if self.value.size <= 4 * STRETCHES:
            return self
        edges = np.linspace(self.threshold[0], self.threshold[-1], STRETCHES + 1).astype(self.threshold.dtype)
        starts = np.unique(np.append(np.searchsorted(self.threshold, edges), [0, self.value.size]))
        first, end = self.stretch()
        stay = [first, min(end, self.value.size - 1)]
        for start, stop in pairwise(starts.tolist()):
            part = self.value[start:stop]
            stay += [start, start + int(part.argmin()), start + int(part.argmax()), stop - 1]
        kept = np.unique(stay)
        return self._replace(
            threshold=self.threshold[kept], value=self.value[kept], best=int(np.searchsorted(kept, first))
        )


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
    first, end = curve.stretch()
    if is_grid:
        return float(curve.threshold[(first + end - 1) // 2]), value
    above = curve.threshold[min(end, curve.value.size - 1)]
    return float(middle(np.float64(curve.threshold[first]), np.float64(above))), value


def middle(low: Any, high: Any) -> Any:
    """Return the middle of two numbers, below the higher one: the lower if there is no number between them."""
    with np.errstate(invalid="ignore"):  # of -inf and inf, where thresholds stay as they are
        middle = (low + high) / 2
    return np.where(middle < high, middle, low)


def single_curve(given: HeldOutScores, objective: str, **hmc: Any) -> Curve:
    """Return the curve of an objective.

    Parameters
    ----------
    given : HeldOutScores
        Checked scores, coherent, with labels and weights.
    objective : str
        One of ``SINGLE_OBJECTIVES``.
    **hmc
        ``alpha``, ``beta`` and ``lambda_`` of the HMC-loss.
    """
    return _hmc_loss(given, **hmc) if objective == "hmc_loss" else _CURVES[objective](given)


def _micro_f1(given: HeldOutScores) -> Curve:
    """Sort packed scores and labels, and sweep; where they cannot be packed, count them class by class."""
    S, weight = given.S, given.whole_weight
    if sparse.issparse(S) or (weight != 1).any() or has_negative(S):
        return _micro_f1_by_class(given)
    key = np.dtype(f"u{S.dtype.itemsize}")
    labels = as_dense(given.y)
    keys = np.ravel(S).view(key) << key.type(1)  # the shift makes -0.0 a 0.0
    keys |= np.ravel(labels)
    keys.sort()
    positives, f1 = int(labels.sum()), np.empty(S.size)
    size = _kernels.thresholds.curves.sweep_f1(keys, positives, S.size - positives, f1)
    for array in (keys, f1):
        array.resize(size, refcheck=False)
    lowest = 2 * positives / (positives + S.size)
    return Curve(keys.view(S.dtype), f1, lowest, int(np.argmax(f1)), True)


def _micro_f1_by_class(given: HeldOutScores) -> Curve:
    """Count positives and negatives at each distinct score."""
    S, weight, distinct = given.S, given.whole_weight, find_distinct(given.S)
    counts, f1 = np.zeros((2, distinct.value.size), np.int64), np.empty(distinct.value.size)
    for _, block in iter_cut_points(S, given.y, weight):
        _kernels.thresholds.curves.add_counts(block.value, block.pos, block.neg, *distinct, *counts)
    positives = _kernels.thresholds.curves.finish_f1(*counts, f1)
    lowest = 2 * positives / (positives + int(weight.sum()) * S.shape[1])
    return Curve(distinct.value, f1, lowest, int(np.argmax(f1)), True)


def _hmc_loss(given: HeldOutScores, **hmc: Any) -> Curve:
    """Sum over classes of price times mistakes."""
    weight, distinct = given.whole_weight, find_distinct(given.S)
    change, total = np.zeros(distinct.value.size, np.int64), int(weight.sum())
    positives = np.asarray(weight @ given.y, np.int64)
    prices = hmc_prices(positives, total - positives, given.hierarchy, **hmc)
    for nodes, block in iter_cut_points(given.S, given.y, weight):
        miss, alarm = (np.repeat(price[nodes], np.diff(block.ptr)) for price in (prices.miss, prices.alarm))
        by = block.pos * miss - block.neg * alarm
        _kernels.thresholds.curves.add_changes(block.value, by, *distinct, change)
    at_first = int(prices.alarm @ (total - positives))
    return _finish_losses(distinct.value, change, at_first, prices.unit / total)


def _class_distribution(given: HeldOutScores) -> Curve:
    """Distance between true and predicted shares of positives, sqrt of sum of c_v (CD_v - CD'_v) ** 2."""
    weight, distinct = given.whole_weight, find_distinct(given.S)
    change, total, at_first = np.zeros(distinct.value.size, np.int64), int(weight.sum()), 0
    costs, unit = whole_costs(given.hierarchy.costs, float(total) ** 2)
    for nodes, block in iter_cut_points(given.S, given.y, weight):
        at_first += _kernels.thresholds.curves.add_class_distribution(*block, costs[nodes], *distinct, change)
    return _distance(_finish_losses(distinct.value, change, at_first, unit / total**2))


def _label_cardinality(given: HeldOutScores) -> Curve:
    """Distance between true and predicted numbers of labels, sqrt of sum_i (LC_i - LC'_i) ** 2."""
    weight, distinct = given.whole_weight, find_distinct(given.S)
    change, at_first = np.zeros(distinct.value.size, np.int64), 0
    n_labels = np.asarray(given.y.sum(axis=1), np.int64)
    for rows, (scores,) in dense_blocks(given.S):
        ordered = np.sort(scores, axis=1)
        at_first += _kernels.thresholds.curves.add_row_counts(ordered, n_labels[rows], weight[rows], *distinct, change)
    return _distance(_finish_losses(distinct.value, change, at_first, 1.0))


def _h_loss(given: HeldOutScores) -> Curve:
    """Sort only the scores where the H-loss changes."""
    S, weight, hierarchy = given.S, given.whole_weight, given.hierarchy
    costs, unit = whole_costs(hierarchy.costs, float(weight.sum()))
    edges = (hierarchy.parent_ptr, hierarchy.parent_idx, hierarchy.child_ptr, hierarchy.child_idx)
    lowest = float(S.min())
    value, change, sums = [np.array([lowest], S.dtype)], [np.zeros(1, np.int64)], np.zeros(2, np.int64)
    room = 16 * S.shape[0]
    for rows, (scores, labels) in dense_blocks(S, given.y):
        before = sums.copy()
        while True:  # until the lists are long enough
            lists = (np.empty(room, S.dtype), np.empty(room, np.int64))
            size = _kernels.thresholds.curves.list_h_events(
                scores, labels, weight[rows], costs, *edges, hierarchy.roots, lowest, *lists, sums
            )
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
    return _finish_losses(distinct.value, total, int(sums[0]), unit / int(weight.sum()))


def _finish_losses(threshold: Any, change: NDArray[np.int64], at_first: int, unit: float) -> Curve:
    """Add up changes into losses, in place."""
    loss = change.view(np.float64)
    best = _kernels.thresholds.curves.finish_losses(change, loss, at_first, unit)
    return Curve(threshold, loss, at_first * unit, best, False)


def _distance(curve: Curve) -> Curve:
    """Turn a squared distance into the distance."""
    np.sqrt(np.maximum(curve.value, 0, out=curve.value), out=curve.value)
    return curve._replace(lowest=float(np.sqrt(max(curve.lowest, 0))))


_CURVES: dict[str, Callable[[HeldOutScores], Curve]] = {
    "micro_f1": _micro_f1,
    "hmc_loss": _hmc_loss,
    "h_loss": _h_loss,
    "class_distribution": _class_distribution,
    "label_cardinality": _label_cardinality,
}
SINGLE_OBJECTIVES = tuple(_CURVES)

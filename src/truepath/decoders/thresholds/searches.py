r"""Searches for one threshold per class that never falls from parent to child: the exact ones, and the paper's.

**Exact.** A loss that is a sum over classes of price times mistakes is, in each class, a step function f_v of its own
threshold. Minimising sum_v f_v(t_v) subject to t_u <= t_v on every edge is solved exactly

* on trees by a dynamic programme over merged cut points (``_kernels/thresholds/tree.py``),
* on DAGs as a minimum cut (``_kernels/thresholds/cut.py``); ties must respect *every* ancestor, not only parents.

Both return the smallest of all best vectors, so they agree to the last bit. What is a sum over classes:

* the HMC-loss, by definition;
* micro-F1 after Dinkelbach: F1 = 2 TP / (TP + FP + P) exceeds r / s exactly if (2 s - r) TP - r FP exceeds r P. Its
  best vector for the F1 so far improves on it, or proves it best; a few rounds in whole numbers are enough;
* the H-loss on trees. With coherent scores and monotone thresholds a class v with parent u adds
  c_v (#[Y_v = 1, S_v <= t_v] - #[Y_v = 1, S_u <= t_u] + #[Y_u = 1, Y_v = 0, S_v > t_v]): three terms of one threshold
  each. On DAGs the second asks for any of several parents, and no such exact search is known to us.

The candidates are the distinct scores of all classes and -inf, which the paper's searches do not try.

**Greedy.** Algorithms 3, 4 and 5 of Triguero & Vens and the class distribution go over the classes in order and give
each the best threshold that the order so far allows. They are fast and not optimal. What the paper's pseudo-code leaves
open, or prints differently from what its published numbers need:

* Algorithms 3 and 4 leave t = -1 where a class has no cut point from its parents' thresholds on. That would predict a
  class without its parent: such a class takes over the largest of its parents' thresholds.
* Algorithm 5 as printed never updates t. Here all thresholds start at zero and classes are swept again and again;
  each tries its own distinct scores from the least it may take (zero, or what an ancestor was raised to since) up,
  lifting descendants that lie lower, and keeps what beats the best F1 seen so far; a sweep that brings nothing ends
  it. ``order="top_down"``, classes in the hierarchy's order, meets the published number. On hierarchies where top
  classes are predicted for all instances it can collapse; ``"bottom_up"``, the reverse order, then holds.
* The class distribution puts a threshold halfway between two neighbouring scores; a class without positives gets 1
  (or the largest score, if greater), one without negatives -inf.

**Prices.** The HMC-loss (eq. (2)) charges alpha_v c_v for a miss of class v and beta_v c_v for a false alarm. Long sums
of these are compared, so they are rounded to whole numbers of a tiny unit (2 ** -60 of the largest loss possible): then
sums do not depend on their order, equal losses are equal, and the same data give the same thresholds.

References
----------
I. Triguero, C. Vens. Labelling strategies for hierarchical multi-label classification techniques. Pattern
Recognition 56, 2016.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath import _kernels
from truepath.decoders.thresholds.cut_points import CutPoints, column_blocks, index_distinct
from truepath.metrics.priced_mistakes import mistake_prices

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy

Thresholds = NDArray[np.float64]
LARGEST_LOSS = 2.0**60  # leaves room below 2 ** 63 for sums of either sign


class Prices(NamedTuple):
    """``miss[v]`` and ``alarm[v]`` in units of ``unit``."""

    miss: NDArray[np.int64]
    alarm: NDArray[np.int64]
    unit: float

    def charge(self, misses: NDArray[np.int64], alarms: NDArray[np.int64]) -> float:
        """Return the total price of these numbers of mistakes."""
        total = sum(int(p) * int(k) for p, k in zip(self.miss, misses))
        total += sum(int(p) * int(k) for p, k in zip(self.alarm, alarms))
        return total * self.unit


def hmc_prices(
    positives: NDArray[np.int64],
    negatives: NDArray[np.int64],
    hierarchy: Hierarchy,
    *,
    alpha: ArrayLike | None = None,
    beta: ArrayLike | None = None,
    lambda_: str | ArrayLike | None = None,
) -> Prices:
    """Return the prices of the HMC-loss (:func:`~truepath.metrics.priced_mistakes.mistake_prices`) as whole numbers.

    With one lambda for each class, lambda_v = n-_v / n+_v, the prices are c_v n-_v and c_v n+_v times one common
    factor, which keeps ties within a class exact. A class without positives then has free false alarms, one
    without negatives free misses: the limits of the formula.
    """
    total = int(positives[0] + negatives[0])
    if alpha is None and beta is None and (lambda_ is None or (isinstance(lambda_, str) and lambda_ == "per_class")):
        whole, unit = whole_costs(hierarchy.costs, float(total) ** 2)
        return Prices(whole * negatives, whole * positives, 2 * unit / total)
    prices = mistake_prices(positives, total, hierarchy.n_nodes, alpha=alpha, beta=beta, lambda_=lambda_)
    whole, unit = whole_costs(np.concatenate(prices) * np.tile(hierarchy.costs, 2), float(total))
    return Prices(whole[: hierarchy.n_nodes], whole[hierarchy.n_nodes :], unit)


def whole_costs(costs: NDArray[np.float64], n_times: float) -> tuple[NDArray[np.int64], float]:
    """Return costs as whole numbers of a unit, and the unit, so that ``n_times`` their sum stays in range."""
    total = float(costs.sum()) * n_times
    unit = total / LARGEST_LOSS if total > 0 else 1.0
    return np.rint(costs / unit).astype(np.int64), unit


def solve_monotone(
    cuts: CutPoints,
    miss: NDArray[np.int64],
    alarm: NDArray[np.int64],
    hierarchy: Hierarchy,
    solver: str = "auto",
) -> Thresholds:
    """Return the smallest of the monotone threshold vectors of least total price.

    Parameters
    ----------
    cuts : CutPoints
    miss, alarm : ndarray of int64, shape (n_nodes,)
        Prices of a miss and of a false alarm in each class.
    hierarchy : Hierarchy
    solver : {"auto", "tree", "cut"}, default="auto"
        The dynamic programme, for trees only, or the minimum cut, for any hierarchy.
    """
    if solver not in ("auto", "tree", "cut") or (solver == "tree" and not hierarchy.is_tree):
        raise ValueError(f"solver must be 'auto', 'cut' or, on trees only, 'tree'; got {solver!r}.")
    t = np.empty(hierarchy.n_nodes)
    down = (hierarchy.child_ptr, hierarchy.child_idx)
    if solver == "tree" or (solver == "auto" and hierarchy.is_tree):
        up = (hierarchy.parent_ptr, hierarchy.parent_idx)
        _kernels.thresholds.tree.best_tree_thresholds(*cuts, miss, alarm, *up, *down, t)
    else:
        _kernels.thresholds.cut.best_cut_thresholds(*cuts, miss, alarm, *down, t)
    return t


def best_micro_f1(cuts: CutPoints, hierarchy: Hierarchy, solver: str = "auto") -> Thresholds:
    """Return the thresholds of largest micro-F1, by Dinkelbach's iteration."""
    positives, n_nodes = int(cuts.positives().sum()), hierarchy.n_nodes
    negatives = int(cuts.negatives().sum())
    above, below = 2 * positives, 2 * positives + negatives  # F1 of predicting everything
    while True:
        miss, alarm = _f1_prices(above, below)
        t = solve_monotone(cuts, np.full(n_nodes, miss), np.full(n_nodes, alarm), hierarchy, solver)
        misses, alarms = (int(k.sum()) for k in cuts.mistakes(t))
        hits = positives - misses
        if 2 * hits * below <= above * (hits + alarms + positives):  # no gain: t is best
            return t
        above, below = 2 * hits, hits + alarms + positives


def _f1_prices(above: int, below: int) -> tuple[int, int]:
    """Return the prices at F1 = above / below: 2 - F1 for a miss and F1 for a false alarm, times ``below``."""
    common = int(np.gcd(above, below)) or 1
    return (2 * below - above) // common, above // common


def best_h_loss(
    S: Any, Y: Any, weight: NDArray[np.int64], hierarchy: Hierarchy, solver: str = "auto"
) -> tuple[Thresholds, float]:
    """Return the thresholds of least H-loss on a tree, and the loss."""
    n_nodes = hierarchy.n_nodes
    costs, unit = whole_costs(hierarchy.costs, float(weight.sum()))
    true = sparse.csc_array(Y)
    graph = (hierarchy.parent_ptr, hierarchy.parent_idx, hierarchy.child_ptr, hierarchy.child_idx)
    ptr, value, change, loss = np.zeros(n_nodes + 1, np.int64), np.empty(1024, S.dtype), np.empty(1024, np.int64), 0
    for nodes, scores, _ in column_blocks(S, Y):
        value, change, at_first = _kernels.thresholds.h_steps.list_h_steps(
            scores, weight, nodes.start, costs, true.indptr, true.indices, *graph, ptr, value, change
        )
        loss += at_first
    value, change = value[: ptr[-1]], change[: ptr[-1]]
    one, zero = np.ones(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    t = solve_monotone(CutPoints(ptr, value, change, change), one, zero, hierarchy, solver)
    loss += int(change[value <= np.repeat(t, np.diff(ptr))].sum())
    return t, loss * unit / int(weight.sum())


def greedy_h_loss(
    S: Any, Y: Any, weight: NDArray[np.int64], cuts: CutPoints, hierarchy: Hierarchy, *, inherits: bool = False
) -> tuple[Thresholds, float]:
    """Algorithm 3: top-down, each class's own share in the H-loss given the thresholds above. Return t and the loss.

    ``inherits`` lets a class keep its parents' threshold, which the printed algorithm does only for lack of a score.
    """
    n_samples, n_nodes = S.shape
    t, mistakes, row_ptr = np.empty(n_nodes), np.zeros(n_nodes, np.int64), np.zeros(n_nodes + 1, np.int64)
    rows = np.empty(n_samples, np.int32)
    up = (hierarchy.parent_ptr, hierarchy.parent_idx)
    for nodes, scores, labels in column_blocks(S, Y):
        rows = _kernels.thresholds.greedy.raise_h_loss(
            scores, labels, weight, nodes.start, cuts.ptr, cuts.value, *up, t, mistakes, row_ptr, rows, inherits
        )
    return t, float(hierarchy.costs @ mistakes / weight.sum())


def greedy_hmc_loss(cuts: CutPoints, prices: Prices, hierarchy: Hierarchy) -> Thresholds:
    """Algorithm 4: top-down, the best threshold for a class and everything below it together."""
    distinct = index_distinct(cuts.value)
    t = np.empty(hierarchy.n_nodes, np.int64)
    ranks = distinct.swap_for_ranks(cuts.value)  # in place: the scores are put back below
    _kernels.thresholds.greedy.raise_hmc_loss(
        cuts.ptr, ranks, cuts.pos, cuts.neg, prices.miss, prices.alarm, distinct.value.size,
        hierarchy.parent_ptr, hierarchy.parent_idx, hierarchy.child_ptr, hierarchy.child_idx, t,
    )  # fmt: skip
    distinct.swap_back(ranks, cuts.value)
    return distinct.value[t].astype(np.float64)


def greedy_micro_f1(cuts: CutPoints, hierarchy: Hierarchy, order: str) -> Thresholds:
    """Algorithm 5: raise thresholds, class by class, as long as micro-F1 grows."""
    t = np.full(hierarchy.n_nodes, min(0.0, float(cuts.value.min())))
    sequence = np.arange(hierarchy.n_nodes)
    sequence = sequence[::-1].copy() if order == "bottom_up" else sequence
    down = (hierarchy.child_ptr, hierarchy.child_idx)
    _kernels.thresholds.greedy.raise_micro_f1(*cuts, *down, sequence, t)
    return t


def greedy_class_distribution(cuts: CutPoints, hierarchy: Hierarchy) -> Thresholds:
    """Put each threshold where as many instances lie above it as are positive, then raise it to the parents'."""
    t = np.empty(hierarchy.n_nodes)
    top = max(1.0, float(cuts.value.max()))
    _kernels.thresholds.greedy.split_like_truth(*cuts, hierarchy.parent_ptr, hierarchy.parent_idx, top, t)
    return t

r"""Exactly best thresholds, one per class, under the rule that they never fall from parent to child.

A loss that is a sum over classes of price times mistakes is, in each class, a step function f_v of its own threshold.
Minimising sum_v f_v(t_v) subject to t_u <= t_v on every edge is solved exactly

* on trees by a dynamic programme over merged cut points (``_kernels/threshold_tree.py``),
* on DAGs as a minimum cut (``_kernels/threshold_cut.py``); ties must respect *every* ancestor, not only parents.

Both return the smallest of all best vectors, so they agree to the last bit. What is a sum over classes:

* the HMC-loss, by definition;
* micro-F1 after Dinkelbach: F1 = 2 TP / (TP + FP + P) exceeds r / s exactly if (2 s - r) TP - r FP exceeds r P. Its
  best vector for the F1 so far improves on it, or proves it best; a few rounds in whole numbers are enough;
* the H-loss on trees. With coherent scores and monotone thresholds a class v with parent u adds
  c_v (#[Y_v = 1, S_v <= t_v] - #[Y_v = 1, S_u <= t_u] + #[Y_u = 1, Y_v = 0, S_v > t_v]): three terms of one threshold
  each. On DAGs the second asks for any of several parents, and no such exact search is known to us.

The candidates are the distinct scores of all classes and -inf, which the paper's searches do not try.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath import _kernels
from truepath.decoders.thresholds.cut_points import CutPoints, column_blocks
from truepath.decoders.thresholds.prices import Prices, whole_costs

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy

__all__ = ["best_h_loss", "best_hmc_loss", "best_micro_f1", "solve_monotone"]

Thresholds = NDArray[np.float64]


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


def best_hmc_loss(cuts: CutPoints, prices: Prices, hierarchy: Hierarchy, solver: str = "auto") -> Thresholds:
    """Return the thresholds of least HMC-loss."""
    return solve_monotone(cuts, prices.miss, prices.alarm, hierarchy, solver)


def best_micro_f1(cuts: CutPoints, hierarchy: Hierarchy, solver: str = "auto") -> tuple[Thresholds, int]:
    """Return the thresholds of largest micro-F1, and the rounds of Dinkelbach's iteration."""
    positives, n_nodes = int(cuts.positives().sum()), hierarchy.n_nodes
    negatives = int(cuts.negatives().sum())
    above, below = 2 * positives, 2 * positives + negatives  # F1 of predicting everything
    n_rounds = 0
    while True:
        n_rounds += 1
        miss, alarm = _f1_prices(above, below)
        t = solve_monotone(cuts, np.full(n_nodes, miss), np.full(n_nodes, alarm), hierarchy, solver)
        misses, alarms = (int(k.sum()) for k in cuts.mistakes(t))
        hits = positives - misses
        if 2 * hits * below <= above * (hits + alarms + positives):  # no gain: t is best
            return t, n_rounds
        above, below = 2 * hits, hits + alarms + positives


def _f1_prices(above: int, below: int) -> tuple[int, int]:
    """Return the prices at F1 = above / below: 2 - F1 for a miss and F1 for a false alarm, times ``below``."""
    common = int(np.gcd(above, below)) or 1
    return (2 * below - above) // common, above // common


def best_h_loss(
    S: Any, Y: Any, weight: NDArray[np.int64] | None, hierarchy: Hierarchy, solver: str = "auto"
) -> tuple[Thresholds, float]:
    """Return the thresholds of least H-loss on a tree, and the loss."""
    n_samples, n_nodes = S.shape
    weight = np.ones(n_samples, np.int64) if weight is None else weight
    costs, unit = whole_costs(hierarchy.costs, float(weight.sum()))
    true = sparse.csc_array(Y)
    graph = (hierarchy.parent_ptr, hierarchy.parent_idx, hierarchy.child_ptr, hierarchy.child_idx)
    ptr, value, change, loss = np.zeros(n_nodes + 1, np.int64), np.empty(1024, S.dtype), np.empty(1024, np.int64), 0
    for first, width, at, scores, _ in column_blocks(S, Y):
        value, change, at_first = _kernels.thresholds.h_steps.list_h_steps(
            scores, weight, at, first, width, costs, true.indptr, true.indices, *graph, ptr, value, change
        )
        loss += at_first
    value, change = value[: ptr[-1]], change[: ptr[-1]]
    one, zero = np.ones(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    t = solve_monotone(CutPoints(ptr, value, change, change), one, zero, hierarchy, solver)
    loss += int(change[value <= np.repeat(t, np.diff(ptr))].sum())
    return t, loss * unit / int(weight.sum())

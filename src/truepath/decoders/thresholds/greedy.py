"""The threshold searches of Triguero & Vens for one threshold per class: Algorithms 3, 4, 5 and the class distribution.

All go over the classes of the hierarchy in order and give each the best threshold that the order so far allows.
They are fast and not optimal; ``optimal.py`` has exact searches. What the paper's pseudo-code leaves open, or prints
differently from what its published numbers need:

* Algorithms 3 and 4 leave t = -1 where a class has no cut point from its parents' thresholds on. That would predict a
  class without its parent: such a class takes over the largest of its parents' thresholds.
* Algorithm 5 as printed never updates t. Here all thresholds start at zero and classes are swept again and again;
  each tries its own distinct scores from the least it may take (zero, or what an ancestor was raised to since) up,
  lifting descendants that lie lower, and keeps what beats the best F1 seen so far; a sweep that brings nothing ends
  it. ``order="top_down"``, classes in the hierarchy's order, meets the published number. On hierarchies where top
  classes are predicted for all instances it can collapse; ``"bottom_up"``, the reverse order, then holds.
* The class distribution puts a threshold halfway between two neighbouring scores; a class without positives gets 1
  (or the largest score, if greater), one without negatives -inf.

References
----------
I. Triguero, C. Vens. Labelling strategies for hierarchical multi-label classification techniques. Pattern
Recognition 56, 2016.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truepath import _kernels
from truepath.decoders.thresholds.cut_points import CutPoints, column_blocks
from truepath.decoders.thresholds.distinct import index_distinct
from truepath.decoders.thresholds.prices import Prices

if TYPE_CHECKING:
    from truepath.hierarchy import Hierarchy

__all__ = ["greedy_class_distribution", "greedy_h_loss", "greedy_hmc_loss", "greedy_micro_f1"]

Thresholds = NDArray[np.float64]


def greedy_h_loss(
    S: Any, Y: Any, weight: NDArray[np.int64] | None, cuts: CutPoints, hierarchy: Hierarchy, *, inherits: bool = False
) -> tuple[Thresholds, float]:
    """Algorithm 3: top-down, each class's own share in the H-loss given the thresholds above. Return t and the loss.

    ``inherits`` lets a class keep its parents' threshold, which the printed algorithm does only for lack of a score.
    """
    n_samples, n_nodes = S.shape
    weight = np.ones(n_samples, np.int64) if weight is None else weight
    t, mistakes, row_ptr = np.empty(n_nodes), np.zeros(n_nodes, np.int64), np.zeros(n_nodes + 1, np.int64)
    rows = np.empty(n_samples, np.int32)
    up = (hierarchy.parent_ptr, hierarchy.parent_idx)
    for first, width, at, scores, labels in column_blocks(S, Y):
        rows = _kernels.thresholds.greedy.raise_h_loss(
            scores, labels, weight, at, first, width, cuts.ptr, cuts.value, *up, t, mistakes, row_ptr, rows, inherits
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


def greedy_micro_f1(cuts: CutPoints, hierarchy: Hierarchy, order: str) -> tuple[Thresholds, int]:
    """Algorithm 5: raise thresholds, class by class, as long as micro-F1 grows. Return t and the sweeps made."""
    t = np.full(hierarchy.n_nodes, min(0.0, float(cuts.value.min())))
    sequence = np.arange(hierarchy.n_nodes)
    sequence = sequence[::-1].copy() if order == "bottom_up" else sequence
    down = (hierarchy.child_ptr, hierarchy.child_idx)
    _, _, n_sweeps = _kernels.thresholds.greedy.raise_micro_f1(*cuts, *down, sequence, t)
    return t, int(n_sweeps)


def greedy_class_distribution(cuts: CutPoints, hierarchy: Hierarchy) -> Thresholds:
    """Put each threshold where as many instances lie above it as are positive, then raise it to the parents'."""
    t = np.empty(hierarchy.n_nodes)
    top = max(1.0, float(cuts.value.max()))
    _kernels.thresholds.greedy.split_like_truth(*cuts, hierarchy.parent_ptr, hierarchy.parent_idx, top, t)
    return t

"""Losses by missed labels: sums over true labels, between 0 and 1, that never fall as sets shrink."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.hierarchy import Hierarchy

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
LOSSES = ("miss-rate", "miss-cost", "h-loss")


def missed_losses(Y: Any, hierarchy: Hierarchy, kind: str) -> tuple[Integers, Integers, Floats]:
    """Return what is lost where a label is missed: the row, the label, and how much; its children then cost less."""
    rows, labels = sparse.csr_array(Y).nonzero()
    order = np.lexsort((labels, rows))
    rows, labels = rows[order].astype(np.int64), labels[order].astype(np.int64)
    cost = np.ones(hierarchy.n_nodes) if kind == "miss-rate" else hierarchy.costs
    if kind == "h-loss":
        return _h_losses(rows, labels, hierarchy)
    total = np.bincount(rows, cost[labels], Y.shape[0])
    return rows, labels, cost[labels] / total[rows]


def _h_losses(rows: Integers, labels: Integers, hierarchy: Hierarchy) -> tuple[Integers, Integers, Floats]:
    """Return the steps of the H-loss: a missed label costs, less what comes from each parent that is missed too."""
    n_parents = np.diff(hierarchy.parent_ptr)[labels]
    first = np.cumsum(n_parents) - n_parents  # where the parents of each label begin in the list of all
    place = np.arange(n_parents.sum()) - np.repeat(first - hierarchy.parent_ptr[labels], n_parents)
    parents = hierarchy.parent_idx[place].astype(np.int64)
    from_parent = hierarchy.costs / np.maximum(np.diff(hierarchy.child_ptr), 1)
    steps = (rows, np.repeat(rows, n_parents)), (labels, parents), (hierarchy.costs[labels], -from_parent[parents])
    rows, labels, loss = map(np.concatenate, steps)
    return rows, labels, loss

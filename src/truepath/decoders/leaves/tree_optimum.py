"""The best label set on a tree, all paths ending in leaves: a linear pass, or a knapsack for a given number of leaves.

For unknown k, f(v) = w_v + the sum of the positive f(children), or + the best f(child) if none is positive: one
pass up, one pass down. For k leaves, the table of a subtree gives its best value for 1 .. k leaves, and the tables
of siblings combine by (max,+) convolution: O(n_leaves k) per row in all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truepath import _kernels
from truepath.decoders.leaves.weights import NodeWeights
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.arcs import arc_pointers


class TreeOptimum:
    """Exact search on one tree, for up to ``k_max`` leaves (None: only unknown k)."""

    def __init__(self, hierarchy: Hierarchy, k_max: int | None = None):
        self.hierarchy = hierarchy
        self._up = arc_pointers(hierarchy)[1]  # each node's parent; -1, the last entry of what is kept per node, on top
        self._tables = () if k_max is None else _lay_out_tables(hierarchy, self._up, k_max)

    def solve(self, weights: NodeWeights, k: NDArray[np.int64] | None) -> tuple[NDArray, NDArray, NDArray]:
        """Return the label sets, their values and their gaps to the optimum: zeros."""
        h, n_samples = self.hierarchy, weights.root.size
        if k is not None:
            Y, value, gap = self._solve_sizes(weights, k, k, 1)
            return Y[:, 0], value[:, 0], gap[:, 0]
        Y, value = np.zeros((n_samples, h.n_nodes), bool), np.empty(n_samples)
        _kernels.leaves.exact.best_sets(*weights, self._up, h.child_ptr, h.child_idx, h.roots, Y, value)
        return Y, value, np.zeros(n_samples)

    def solve_all(self, weights: NodeWeights, k_max: int) -> tuple[NDArray, NDArray, NDArray]:
        """Return the same for every k up to ``k_max``, of shapes (n_samples, k_max, n_nodes) and (n_samples, k_max)."""
        n_samples = weights.root.size
        return self._solve_sizes(weights, np.ones(n_samples, np.int64), np.full(n_samples, k_max), k_max)

    def _solve_sizes(
        self, weights: NodeWeights, least: NDArray[np.int64], most: NDArray[np.int64], n_sizes: int
    ) -> tuple[NDArray, NDArray, NDArray]:
        """Return the same for each row's numbers of leaves from ``least`` to ``most``, ``n_sizes`` of them."""
        h, shape = self.hierarchy, (weights.root.size, n_sizes)
        Y, value = np.zeros((*shape, h.n_nodes), bool), np.empty(shape)
        graph = (h.roots, h.child_ptr, h.child_idx, *self._tables)
        _kernels.leaves.exact.best_sets_by_size(*weights, least, most, *graph, Y, value)
        return Y, value, np.zeros(shape)


def _lay_out_tables(hierarchy: Hierarchy, up: NDArray, k_max: int) -> tuple[NDArray, NDArray, NDArray]:
    """Return each node's number of leaves, and where its tables of values and of shares begin.

    A node needs a value for each number of its leaves up to k_max, and a share for each number of leaves, from 0,
    of itself and its elder siblings together.
    """
    n_below = hierarchy.is_leaf.astype(np.int64)
    for level in hierarchy.levels[:0:-1]:  # children before parents
        np.add.at(n_below, up[level], n_below[level])
    families = np.concatenate([hierarchy.child_idx, hierarchy.roots])  # siblings together, the top level last
    first = np.append(hierarchy.child_ptr[:-1], hierarchy.child_idx.size)[up[families]]  # where each family begins
    before = np.concatenate([[0], np.cumsum(n_below[families])])
    shared = np.empty(hierarchy.n_nodes, np.int64)
    shared[families] = before[1:] - before[first]
    value_ptr = np.concatenate([[0], np.cumsum(np.minimum(n_below, k_max))])
    take_ptr = np.concatenate([[0], np.cumsum(np.minimum(shared, k_max) + 1)])
    return n_below, value_ptr, take_ptr

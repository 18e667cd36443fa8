"""The greedy search of Algorithm 1: take the leaf path that adds most, again and again.

With Algorithm 2 or 3 every supernode value is computed again in each of the k rounds; here only what a choice
changes is (see the kernels), so that the nested solutions for all k come out of one
sweep. On a tree that costs O(n_nodes + n_leaves log n_leaves) per row; on a DAG, for each choice, the ancestors of the
leaves it touches.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath import _kernels
from truepath.decoders.leaves.base import LeafDecoder
from truepath.decoders.leaves.weights import NodeWeights
from truepath.hierarchy import Hierarchy, raise_up
from truepath.hierarchy.arcs import arc_pointers


class LeafPath(NamedTuple):
    """The nested solutions: row i's best set of j leaves is ``leaves[i, :j]`` with all ancestors.

    Attributes
    ----------
    leaves : ndarray of int32, shape (n_samples, k_max)
        The leaf nodes in the order taken.
    values : ndarray of float64, shape (n_samples, k_max)
        The sum of weights after each, the root's included.
    """

    leaves: NDArray[np.int32]
    values: NDArray[np.float64]


class GreedySearch:
    """Algorithm 1 on the trees and DAGs of one hierarchy."""

    def __init__(self, hierarchy: Hierarchy):
        self.hierarchy = h = hierarchy
        tree = (h.roots, arc_pointers(h)[1], h.child_ptr, h.child_idx, h.is_leaf)
        self._graph: tuple[Any, ...] = tree if h.is_tree else (h.leaves, *_supernodes(h))

    def path(self, weights: NodeWeights, k: NDArray[np.int64]) -> LeafPath:
        """Return the first k[i] leaves of each row; entries past them are undefined."""
        most = int(k.max(initial=1))
        found = LeafPath(np.empty((k.size, most), np.int32), np.empty((k.size, most)))
        kernels = _kernels.leaves
        sweep = kernels.greedy.greedy_tree if self.hierarchy.is_tree else kernels.greedy_dag.greedy_dag
        sweep(*weights, k, *self._graph, *found)
        return found

    def decode(self, weights: NodeWeights, k: NDArray[np.int64] | None) -> NDArray[np.bool_]:
        """Return the label sets of k[i] leaves, or for None of the number whose value is largest (2.2.1)."""
        h = self.hierarchy
        n_samples = weights.root.size
        path = self.path(weights, np.full(n_samples, h.leaves.size) if k is None else k)
        if k is None:
            k = path.values.argmax(axis=1) + 1  # the first maximum: ties go to fewer leaves
        Y = np.zeros((n_samples, h.n_nodes), bool)
        _kernels.leaves.greedy.mark_leaves(path.leaves, k, Y)
        return raise_up(Y, h, out=Y)


def _supernodes(hierarchy: Hierarchy) -> tuple[NDArray[Any], ...]:
    """Return index arrays: the nodes above each leaf (itself first, descending), and the leaves below each node."""
    leaves, shape = hierarchy.leaves, (hierarchy.leaves.size, hierarchy.n_nodes)
    own = sparse.csr_array((np.ones(leaves.size, bool), (np.arange(leaves.size), leaves)), shape)
    above = hierarchy.close(own)
    below = sparse.csr_array(above.T)
    ptr = above.indptr.astype(np.int32)
    mirrored = np.repeat(ptr[:-1] + ptr[1:] - 1, np.diff(ptr)) - np.arange(above.nnz)
    return ptr, above.indices[mirrored], below.indptr.astype(np.int32), below.indices.astype(np.int32)


class GreedyLeafDecoder(LeafDecoder):
    """Base of MAS and MASR: the same search over different weights."""

    def _search(self, hierarchy: Hierarchy, k: NDArray[np.int64] | None) -> GreedySearch:
        return GreedySearch(hierarchy)

    def _predict_path(self, S: Any, conditional: Any, k_max: int | None) -> LeafPath:
        """Return the nested solutions of all rows up to ``k_max`` leaves (all by default)."""
        hierarchy, blocks = self.weigh_nodes(S, conditional)
        n_leaves = hierarchy.leaves.size
        if k_max is not None and not 1 <= k_max <= n_leaves:
            raise ValueError(f"k_max must lie between 1 and the number of leaves, {n_leaves}; got {k_max}.")
        search, most = GreedySearch(hierarchy), n_leaves if k_max is None else k_max
        parts = [search.path(weights, np.full(weights.root.size, most)) for weights in blocks]
        parts = parts or [LeafPath(np.empty((0, most), np.int32), np.empty((0, most)))]
        return LeafPath(*(np.concatenate(matrices) for matrices in zip(*parts)))

"""The leaves that rows reach, and trees whose leaves hold the labels of another hierarchy."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from truepath import _kernels
from truepath._kernels.trees.arrays import FEATURE, LEAF_START, LEAF_STOP
from truepath.hierarchy import HierarchyDiff
from truepath.hierarchy.matrices import dense_blocks
from truepath.hierarchy.propagation import cap_down
from truepath.learners.trees.columns import code_categories
from truepath.learners.trees.vectors import leaf_vectors


def find_leaves(tree: Any, X: Any, categories: dict[int, np.ndarray]) -> np.ndarray:
    """Return the leaf, as a node number of the tree, of each row of X."""
    leaves = np.empty(X.shape[0], np.int32)
    for rows, (block,) in dense_blocks(X):
        _kernels.trees.tree.apply_tree(tree, code_categories(block, categories), leaves[rows])
    return leaves


def count_again(tree: Any, X: Any, Y: sparse.csr_array, categories: dict[int, np.ndarray], diff: HierarchyDiff) -> Any:
    """Return a tree of the same questions whose leaves hold the shares of the new labels among these rows.

    A leaf that no row reaches keeps what it knew.
    """
    n_places, leaves = len(tree.link), find_leaves(tree, X, categories)
    reached = np.bincount(leaves, minlength=n_places)
    share = sparse.csr_array((1.0 / reached[leaves], (leaves, np.arange(leaves.size))), shape=(n_places, leaves.size))
    vectors = share @ Y
    empty = np.flatnonzero((tree.link[:, FEATURE] < 0) & (reached == 0))
    if empty.size:
        known = leaf_vectors(tree, diff.old.n_nodes)[empty] @ diff.label_map().astype(np.float64)
        known = cap_down(sparse.csr_array(known.minimum(1.0)), diff.new)
        place = sparse.csr_array((np.ones(empty.size), (empty, np.arange(empty.size))), shape=(n_places, empty.size))
        vectors = vectors + place @ known
    vectors = sparse.csr_array(vectors)
    vectors.sort_indices()
    link = tree.link.copy()
    link[:, LEAF_START], link[:, LEAF_STOP] = vectors.indptr[:-1], vectors.indptr[1:]
    values, labels = vectors.data.astype(tree.leaf_value.dtype), vectors.indices.astype(tree.leaf_label.dtype)
    return tree._replace(link=link, leaf_label=labels, leaf_value=values)

"""The leaves that rows reach, and trees whose leaves hold the labels of another hierarchy."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from truepath import _kernels
from truepath._kernels.trees.arrays import LEAF_START, LEAF_STOP
from truepath.hierarchy.matrices import dense_blocks
from truepath.learners.trees.columns import code_categories


def find_leaves(tree: Any, X: Any, categories: dict[int, np.ndarray]) -> np.ndarray:
    """Return the leaf, as a node number of the tree, of each row of X."""
    leaves = np.empty(X.shape[0], np.int32)
    for rows, (block,) in dense_blocks(X):
        _kernels.trees.tree.apply_tree(tree, code_categories(block, categories), leaves[rows])
    return leaves


def count_again(tree: Any, X: Any, Y: sparse.csr_array, categories: dict[int, np.ndarray]) -> Any:
    """Return a tree of the same questions whose leaves hold the shares of other labels in the rows it is grown on."""
    n_places, leaves = len(tree.link), find_leaves(tree, X, categories)
    reached = np.bincount(leaves, minlength=n_places)
    share = sparse.csr_array((1.0 / reached[leaves], (leaves, np.arange(leaves.size))), shape=(n_places, leaves.size))
    vectors = share @ Y
    vectors = sparse.csr_array(vectors)
    vectors.sort_indices()
    link = tree.link.copy()
    link[:, LEAF_START], link[:, LEAF_STOP] = vectors.indptr[:-1], vectors.indptr[1:]
    values, labels = vectors.data.astype(tree.leaf_value.dtype), vectors.indices.astype(tree.leaf_label.dtype)
    return tree._replace(link=link, leaf_label=labels, leaf_value=values)

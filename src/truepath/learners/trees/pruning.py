"""Reduced-error pruning: cut back what does not help rows that the tree has not seen.

From the bottom up, an inner node becomes a leaf when its own label vector predicts the validation rows that reach it
at least as well as its subtree does, by weighted squared error, sum over labels of w (y - p)^2: the criterion that the
tree was grown by (Quinlan, 1987, with CLUS's variance for the error). Nothing is grown again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from truepath._kernels.trees.arrays import CATEGORY_START, FEATURE, GAIN, LEAF_START, LEAF_STOP, LEFT, RIGHT
from truepath.learners.trees.vectors import node_vectors, passed_nodes


def prune_tree(tree: Any, leaves: np.ndarray, Y: sparse.csr_array, class_weight: np.ndarray) -> Any:
    """Return the pruned tree.

    Parameters
    ----------
    tree : Tree
    leaves : ndarray of int, shape (n_samples,)
        The leaf that each validation row reaches.
    Y : csr_array of bool, shape (n_samples, n_nodes)
        Their labels.
    class_weight : ndarray, shape (n_nodes,)

    Notes
    -----
    O((nodes of the tree) x depth x (labels of a node)).
    """
    P = node_vectors(tree, Y.shape[1])
    error = _errors(tree, P, leaves, Y, class_weight)
    link = tree.link
    is_inner = link[:, FEATURE] >= 0
    best = error.copy()
    for t in np.flatnonzero(is_inner)[::-1]:  # children come after parents
        below = best[link[t, LEFT]] + best[link[t, RIGHT]]
        if error[t] <= below:
            is_inner[t] = False
        else:
            best[t] = below
    return _cut_back(tree, P, is_inner)


def _errors(
    tree: Any, P: sparse.csr_array, leaves: np.ndarray, Y: sparse.csr_array, class_weight: np.ndarray
) -> np.ndarray:
    """Return, per node, the weighted squared error of its vector over the validation rows that pass it."""
    size = len(tree.link)
    reached = sparse.csr_array((np.ones(leaves.size), (leaves, np.arange(leaves.size))), shape=(size, leaves.size))
    passed = passed_nodes(tree) @ reached
    count, T = passed.sum(axis=1), passed @ sparse.csr_array(Y, dtype=np.float64)
    # sum over rows of (y - p)^2 = T - 2 T p + n p^2
    squares = T - 2.0 * T.multiply(P) + sparse.csr_array(P.multiply(P)).multiply(count[:, None])
    return np.asarray(sparse.csr_array(squares) @ class_weight)


def _cut_back(tree: Any, P: sparse.csr_array, is_inner: np.ndarray) -> Any:
    """Return the tree whose inner nodes are those marked, renumbered in the old order."""
    keep = np.zeros(len(tree.link), bool)
    keep[0] = True
    for t in np.flatnonzero(is_inner):
        if keep[t]:
            keep[tree.link[t, [LEFT, RIGHT]]] = True
    kept = np.flatnonzero(keep)
    number = np.cumsum(keep) - 1
    link, is_leaf = tree.link[kept].copy(), ~is_inner[kept]
    link[is_leaf, FEATURE] = -1
    link[is_leaf, CATEGORY_START] = -1
    for side in (LEFT, RIGHT):
        link[:, side] = np.where(is_leaf, -1, number[np.maximum(link[:, side], 0)])
    leaf = sparse.csr_array(sparse.diags_array(is_leaf.astype(np.float64)) @ P[kept])
    leaf.eliminate_zeros()
    link[:, LEAF_START], link[:, LEAF_STOP] = leaf.indptr[:-1], leaf.indptr[1:]
    numbers = tree.number[kept].copy()
    numbers[is_leaf, GAIN] = 0.0
    labels, values = leaf.indices.astype(np.int32), leaf.data.astype(np.float32)
    return type(tree)(link, numbers, tree.categories, labels, values)

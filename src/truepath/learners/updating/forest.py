"""Trees and forests under a changed hierarchy: the questions stay, the labels of the leaves are counted again."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from truepath import _kernels
from truepath.hierarchy import HierarchyDiff
from truepath.hierarchy.propagation import cap_down
from truepath.learners.trees.base import find_leaves
from truepath.learners.trees.vectors import leaf_vectors

__all__ = ["update_trees"]


def update_trees(new: Any, fitted: Any, diff: HierarchyDiff, X: Any, y: Any) -> Any:
    """Return ``new``, an unfitted copy, with the trees of ``fitted`` and leaves that hold the shares of the new labels.

    All rows count once, drawn by the tree or not. A leaf that no row reaches keeps what it knew.
    """
    given = new._check(X, y, None)
    new.categories_ = fitted.categories_
    Y = sparse.csr_array(given.y, dtype=np.float64)
    trees = [_refresh(tree, given.X, Y, fitted, diff) for tree in fitted._trees()]
    if hasattr(fitted, "trees_"):
        new.trees_, new.entropy_ = trees, fitted.entropy_
    else:
        new.tree_ = trees[0]
    return new


def _refresh(tree: Any, X: Any, Y: sparse.csr_array, fitted: Any, diff: HierarchyDiff) -> Any:
    """Return a tree with other leaves."""
    fields = _kernels.trees.tree
    n_places, leaves = len(tree.link), find_leaves(tree, X, fitted.categories_)
    reached = np.bincount(leaves, minlength=n_places)
    share = sparse.csr_array((1.0 / reached[leaves], (leaves, np.arange(leaves.size))), shape=(n_places, leaves.size))
    vectors = share @ Y
    empty = np.flatnonzero((tree.link[:, fields.FEATURE] < 0) & (reached == 0))
    if empty.size:
        known = leaf_vectors(tree, diff.old.n_nodes)[empty] @ diff.label_map().astype(np.float64)
        known = cap_down(sparse.csr_array(known.minimum(1.0)), diff.new)
        place = sparse.csr_array((np.ones(empty.size), (empty, np.arange(empty.size))), shape=(n_places, empty.size))
        vectors = vectors + place @ known
    vectors = sparse.csr_array(vectors)
    vectors.sort_indices()
    link = tree.link.copy()
    link[:, fields.LEAF_START], link[:, fields.LEAF_STOP] = vectors.indptr[:-1], vectors.indptr[1:]
    values, labels = vectors.data.astype(tree.leaf_value.dtype), vectors.indices.astype(tree.leaf_label.dtype)
    return tree._replace(link=link, leaf_label=labels, leaf_value=values)

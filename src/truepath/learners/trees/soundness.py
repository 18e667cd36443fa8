"""Whether a tree that came from a file can be walked: every link leads to a place that exists."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from truepath._kernels.trees.arrays import (
    CATEGORY_START,
    FEATURE,
    LEAF_START,
    LEAF_STOP,
    LEFT,
    N_LINKS,
    N_NUMBERS,
    RIGHT,
    SURROGATE,
)
from truepath.hierarchy import Hierarchy

#: What scores of float32 may lie above their parents'
ROUNDING = 1e-5


def check_tree(
    tree: Any, n_features: int, hierarchy: Hierarchy, categories: dict[int, np.ndarray], *, is_coherent: bool = True
) -> None:
    """Raise ValueError unless the arrays have their types and shapes, and all links stay inside.

    ``categories`` holds the values of the nominal features. Leaves must be coherent if ``is_coherent``.
    """
    _check_arrays(tree)
    link = tree.link.astype(np.int64)
    node, inner = np.arange(len(link)), link[:, FEATURE] >= 0
    for column in (LEFT, RIGHT):  # parents come before children: no walk goes on for ever
        _refuse((link[inner, column] <= node[inner]) | (link[inner, column] >= len(link)), "a child")
    _refuse(link[:, FEATURE] >= n_features, "a feature")
    _refuse(link[:, SURROGATE] >= n_features, "a surrogate")
    n_words = np.full(n_features, len(tree.categories) + 1)  # of a feature that is not nominal: never inside
    for j, values in categories.items():
        n_words[j] = -(-values.size // 64)
    start = link[inner, CATEGORY_START]
    ends = start + n_words[link[inner, FEATURE]]
    _refuse((start >= 0) & (ends > len(tree.categories)), "a set of categories")
    leaf = link[~inner][:, [LEAF_START, LEAF_STOP]]
    _refuse((leaf < 0) | (leaf > len(tree.leaf_label)), "a leaf")
    _refuse((tree.leaf_label < 0) | (tree.leaf_label >= hierarchy.n_nodes), "a label")
    _check_leaves(tree, leaf, hierarchy, is_coherent)


def _check_leaves(tree: Any, leaf: np.ndarray, hierarchy: Hierarchy, is_coherent: bool) -> None:
    """Refuse leaves that are no pieces of the list in a row, or in which a label scores above a parent."""
    size = np.diff(leaf, axis=1).ravel()
    _refuse(size < 0, "a leaf")
    if not is_coherent:
        return
    row = np.repeat(np.arange(len(leaf)), size)
    place = np.repeat(leaf[:, 0] - np.cumsum(size) + size, size) + np.arange(row.size)
    shape = (len(leaf), hierarchy.n_nodes)
    values = sparse.csr_array((tree.leaf_value[place], (row, tree.leaf_label[place])), shape=shape)
    if not hierarchy.is_coherent(values, tolerance=ROUNDING):
        raise ValueError("a tree has a leaf where a label scores above its parent")


def _check_arrays(tree: Any) -> None:
    """Check kinds and shapes."""
    link, number, categories, labels, values = (np.asarray(array) for array in tree)
    if not (
        link.ndim == 2
        and link.shape[1] == N_LINKS
        and link.dtype in (np.int32, np.int64)
        and number.shape == (len(link), N_NUMBERS)
        and number.dtype == np.float64
        and values.dtype in (np.float32, np.float64)
        and np.isfinite(values).all()
        and categories.dtype == np.uint64
        and categories.ndim == labels.ndim == 1
        and labels.dtype in (np.int32, np.int64)
        and labels.shape == values.shape
        and len(link) > 0
    ):
        raise ValueError("a tree has arrays of the wrong kind")


def _refuse(is_outside: np.ndarray, what: str) -> None:
    if is_outside.any():
        raise ValueError(f"a tree has {what} outside its bounds")

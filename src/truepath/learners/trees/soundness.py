"""Whether a tree that came from a file can be walked: every link leads to a place that exists."""

from __future__ import annotations

from typing import Any

import numpy as np

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


def check_tree(tree: Any, n_features: int, n_labels: int, categories: dict[int, np.ndarray]) -> None:
    """Raise ValueError unless the arrays have their types and shapes and all links stay inside.

    ``categories`` holds the values of the nominal features.
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
    _refuse((tree.leaf_label < 0) | (tree.leaf_label >= n_labels), "a label")


def _check_arrays(tree: Any) -> None:
    """Check kinds and shapes."""
    link, number, categories, labels, values = (np.asarray(array) for array in tree)
    if not (
        link.ndim == 2
        and link.shape[1] == N_LINKS
        and link.dtype.kind == "i"
        and number.shape == (len(link), N_NUMBERS)
        and number.dtype.kind == values.dtype.kind == "f"
        and categories.dtype == np.uint64
        and categories.ndim == labels.ndim == 1
        and labels.dtype.kind in "iu"
        and labels.shape == values.shape
        and len(link) > 0
    ):
        raise ValueError("a tree has arrays of the wrong kind")


def _refuse(is_outside: np.ndarray, what: str) -> None:
    if is_outside.any():
        raise ValueError(f"a tree has {what} outside its bounds")

"""The way of a row through a grown tree."""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner, kernel
from truepath._kernels.trees.arrays import (
    CATEGORY_START,
    FEATURE,
    IS_STRAIGHT,
    LEAF_START,
    LEAF_STOP,
    LEFT,
    RIGHT,
    SHARE,
    SURROGATE,
    SURROGATE_CUT,
    THRESHOLD,
)

DEEPEST_FORK = 64  # a row waits on this many branches at most; beyond, it follows the larger share


@inner
def share_left(t, link, number, categories, x):
    """Return which share of row x goes left at node t: 0 or 1 unless its value is missing."""
    value, start = x[link[t, FEATURE]], link[t, CATEGORY_START]
    if np.isnan(value):
        other = x[link[t, SURROGATE]] if link[t, SURROGATE] >= 0 else np.nan
        if np.isnan(other):
            return number[t, SHARE]
        return 1.0 if (other <= number[t, SURROGATE_CUT]) == (link[t, IS_STRAIGHT] == 1) else 0.0
    if start >= 0:
        code = np.int64(value)
        return np.float64((categories[start + code // 64] >> np.uint64(code % 64)) & np.uint64(1))
    return 1.0 if value <= number[t, THRESHOLD] else 0.0


@kernel
def apply_tree(tree, X, leaves):
    """Write the leaf that most of each row reaches (float64; codes in nominal columns, NaN where missing)."""
    link = tree.link
    for i in range(X.shape[0]):
        t = np.int64(0)
        while link[t, FEATURE] >= 0:
            goes_left = share_left(t, link, tree.number, tree.categories, X[i]) >= 0.5
            t = np.int64(link[t, LEFT] if goes_left else link[t, RIGHT])
        leaves[i] = t


@kernel
def add_leaves(tree, X, is_wanted, S):
    """In place: S[i] += the label vectors of the leaves of row i, by the shares of the row that reach them.

    O(depth + labels of the leaf), for each leaf reached. Only the rows wanted.
    """
    link, number, leaf_label, leaf_value = tree.link, tree.number, tree.leaf_label, tree.leaf_value
    waiting, shares = np.empty(DEEPEST_FORK, np.int64), np.empty(DEEPEST_FORK, np.float64)
    for i in range(X.shape[0]):
        waiting[0], shares[0] = 0, 1.0
        n_waiting = 1 if is_wanted[i] else 0
        while n_waiting:
            n_waiting -= 1
            t, whole = waiting[n_waiting], shares[n_waiting]
            while link[t, FEATURE] >= 0:
                left = share_left(t, link, number, tree.categories, X[i])
                goes_left = left >= 0.5
                if 0.0 < left < 1.0 and n_waiting < DEEPEST_FORK:
                    waiting[n_waiting] = link[t, RIGHT] if goes_left else link[t, LEFT]
                    shares[n_waiting] = whole * (1.0 - left if goes_left else left)
                    n_waiting += 1
                    whole *= left if goes_left else 1.0 - left
                t = np.int64(link[t, LEFT] if goes_left else link[t, RIGHT])
            for k in range(link[t, LEAF_START], link[t, LEAF_STOP]):
                S[i, leaf_label[k]] += whole * leaf_value[k]

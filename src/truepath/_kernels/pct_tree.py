"""A grown tree as five arrays, and the way of a row through it."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from truepath._kernels.jit import inner, kernel

# link and number: one row a node, parents before children (fields below); a nominal split's values that go left are
# bits from categories[CATEGORY_START] on; a leaf's labels are leaf_label[LEAF_START:LEAF_STOP], beside their means
Tree = namedtuple("Tree", "link number categories leaf_label leaf_value")
FEATURE, LEFT, RIGHT, MISSING_LEFT, CATEGORY_START, LEAF_START, LEAF_STOP = 0, 1, 2, 3, 4, 5, 6  # FEATURE: -1 in leaves
THRESHOLD, WEIGHT, GAIN = 0, 1, 2  # left if value <= threshold; sum of row weights; decrease of weighted variance
N_LINKS, N_NUMBERS = 7, 3


@inner
def find_leaf(link, number, categories, x):
    """Return the leaf that the row x reaches. A value that the tree cannot compare goes the way of missing ones."""
    t = 0
    while link[t, FEATURE] >= 0:
        value, start = x[link[t, FEATURE]], link[t, CATEGORY_START]
        if np.isnan(value):
            goes_left = link[t, MISSING_LEFT] == 1
        elif start >= 0:
            code = np.int64(value)
            goes_left = (categories[start + code // 64] >> np.uint64(code % 64)) & np.uint64(1) == np.uint64(1)
        else:
            goes_left = value <= number[t, THRESHOLD]
        t = link[t, LEFT] if goes_left else link[t, RIGHT]
    return t


@kernel
def apply_tree(tree, X, leaves):
    """Write the leaf of each row of X (float64; codes in nominal columns, NaN where missing)."""
    for i in range(X.shape[0]):
        leaves[i] = find_leaf(tree.link, tree.number, tree.categories, X[i])


@kernel
def add_leaves(tree, X, is_wanted, S):
    """In place: S[i] += the label vector of the leaf of row i, for the rows wanted. O(depth + labels of the leaf)."""
    link, leaf_label, leaf_value = tree.link, tree.leaf_label, tree.leaf_value
    for i in range(X.shape[0]):
        if is_wanted[i]:
            t = find_leaf(link, tree.number, tree.categories, X[i])
            for k in range(link[t, LEAF_START], link[t, LEAF_STOP]):
                S[i, leaf_label[k]] += leaf_value[k]

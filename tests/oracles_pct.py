"""Slow, obvious twins of the tree kernels: gains of splits from the definition of variance."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np


def weighted_variance(Y, b, w):
    """Sum over rows of b times the weighted squared distance to the mean label vector."""
    mean = np.average(Y, axis=0, weights=b)
    return float((b[:, None] * w * (Y - mean) ** 2).sum())


def gain(Y, b, w, is_left):
    """What splitting the rows takes off the weighted variance."""
    parts = (weighted_variance(Y[side], b[side], w) for side in (is_left, ~is_left))
    return weighted_variance(Y, b, w) - sum(parts)


def cuts(x):
    """Every split of the rows on a numeric feature: each threshold, missing values left or right, or apart."""
    known = ~np.isnan(x)
    values = np.unique(x[known])
    for value in values:
        is_left = known & (x <= value)
        yield is_left
        yield is_left | ~known
    yield known


def subsets(x):
    """Every split of the rows on a nominal feature without missing values."""
    values = np.unique(x)
    some = chain.from_iterable(combinations(values, k) for k in range(1, len(values)))
    yield from (np.isin(x, chosen) for chosen in some)


def best_gain(X, Y, b, w, min_leaf, splits=cuts):
    """The largest gain of any allowed split, None if there is none."""
    found = [
        gain(Y, b, w, is_left)
        for j in range(X.shape[1])
        for is_left in splits(X[:, j])
        if 0 < is_left.sum() < len(b) and b[is_left].sum() >= min_leaf and b[~is_left].sum() >= min_leaf
    ]
    return max(found, default=None)


def known_cuts(x):
    """Every threshold of a numeric feature that is known in all rows."""
    yield from (x <= value for value in np.unique(x))


def best_known_gain(X, Y, b, w, min_leaf):
    """The largest gain of any allowed split, each feature judged on the rows whose value is known; None without one."""
    found = []
    for j in range(X.shape[1]):
        known = ~np.isnan(X[:, j])
        one = best_gain(X[known][:, [j]], Y[known], b[known], w, min_leaf, splits=known_cuts)
        found += [] if one is None else [one]
    return max(found, default=None)


def send_both_ways(b, x, threshold):
    """Return the weights of the rows left and right of a split, and the share of a row without value that goes left.

    It is the share of the rows whose value is known, whatever training it was learned in (CLUS).
    """
    known = ~np.isnan(x)
    is_left = known & (x <= threshold)
    share = b[is_left].sum() / b[known].sum()
    left = np.where(known, b * is_left, b * share)
    return left, b - left, share

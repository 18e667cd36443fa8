"""Slow, obvious twins of boosted trees: the best split by trying all, steps from sums, rows walked down one by one."""

from __future__ import annotations

import numpy as np

ROWS_ADDED, LONGEST, LEAST_GAIN = 5.0, 4.0, 0.02


def score(sketch, weight):
    """Return |S|^2 / (W + c) of some rows; the sketch holds weighted numbers."""
    return float((sketch.sum(axis=0) ** 2).sum() / (weight.sum() + ROWS_ADDED))


def gain(sketch, weight, is_left):
    return score(sketch[is_left], weight[is_left]) + score(sketch[~is_left], weight[~is_left]) - score(sketch, weight)


def cuts(x):
    """Every split of rows on a numeric column, missing values on either side."""
    is_missing = np.isnan(x)
    for value in np.unique(x[~is_missing]):
        is_left = x <= value
        yield is_left
        yield is_left | is_missing
    yield is_missing


def best_gain(X, sketch, weight, least_weight):
    """Return the most that a split can gain; 0 if there is none."""
    found = [0.0]
    for x in X.T:
        for is_left in cuts(x):
            if min(weight[is_left].sum(), weight[~is_left].sum()) >= max(least_weight, 1e-9):
                found.append(gain(sketch, weight, is_left))
    return max(found)


def steps(P, Y, weight, leaf_of, l2, learning_rate, least_gain=LEAST_GAIN, trains=True):
    """Return the step of each label in each leaf, from the definition; ``trains`` marks the rows that train a label."""
    found, counted = np.zeros((leaf_of.max() + 1, P.shape[1])), weight[:, None] * np.broadcast_to(trains, P.shape)
    for t in np.unique(leaf_of):
        own = leaf_of == t
        gradient = (counted[own] * (Y[own] - P[own])).sum(axis=0)
        curvature = (counted[own] * P[own] * (1 - P[own])).sum(axis=0)
        step = np.clip(gradient / (curvature + l2), -LONGEST, LONGEST)
        found[t] = learning_rate * np.where(gradient**2 / (curvature + l2) < least_gain, 0, step)
    return found


def walk(tree, x):
    """Return the leaf of one row of a kept tree; ``x`` holds the places of nominal values."""
    t = 0
    while tree.link[t, 0] >= 0:
        value, start = x[tree.link[t, 0]], tree.link[t, 3]
        if np.isnan(value):
            goes_left = tree.number[t, 3] == 1.0
        elif start >= 0:
            goes_left = bool(int(tree.categories[start + int(value) // 64]) >> (int(value) % 64) & 1)
        else:
            goes_left = value <= tree.number[t, 0]
        t = tree.link[t, 1] if goes_left else tree.link[t, 2]
    return t


def log_odds(learner, X):
    """Return the base and the steps of the leaves, row by row, label by label."""
    S = np.tile(learner.base_, (len(X), 1))
    for i, x in enumerate(X):
        for tree in learner.trees_:
            t = walk(tree, x)
            for k in range(tree.link[t, 4], tree.link[t, 5]):
                S[i, tree.leaf_label[k]] += tree.leaf_value[k]
    return S


def raised(S, hierarchy):
    """Return scores, each at least the greatest below it."""
    found = S.copy()
    for v in range(hierarchy.n_nodes):
        below = hierarchy.descendants(v)
        found[:, v] = S[:, [v, *below]].max(axis=1)
    return found

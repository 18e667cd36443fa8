"""Shapley values of the features of one row in a tree: what each feature adds to the label vector, over all orders."""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner, kernel
from truepath._kernels.trees.arrays import FEATURE, LEAF_START, LEAF_STOP, LEFT, RIGHT, WEIGHT
from truepath._kernels.trees.tree import share_left


@kernel
def add_shapley(tree, depth, x, column, points, weights, phi, base):
    """In place: phi[j, column[label]] += the Shapley value of feature j, base += the tree's mean label vector.

    A leaf with the features D on its way is reached with the probability prod of one_j over known and of zero_j over
    unknown features: one_j is the share of the row that passes the questions about j, zero_j that of the training rows.
    The Shapley value of j in this product is (one_j - zero_j) times the integral from 0 to 1 of
    prod over i != j of (zero_i (1 - t) + one_i t), a polynomial: Gauss-Legendre points and weights make it exact. Row m
    of `points` and `weights` has m + 1 of them, for up to 2 m + 2 features. O(leaves * depth^2).
    """
    link, number = tree.link, tree.number
    waiting, levels = np.empty(depth + 2, np.int64), np.empty(depth + 2, np.int64)
    feature, zero, one = np.empty(depth + 1, np.int64), np.empty(depth + 1), np.empty(depth + 1)
    own, share = np.empty(depth + 1, np.int64), np.empty((2, depth + 1))
    factor, integral = np.empty(depth + 1), np.empty(depth + 1)
    waits_one, waits_zero = np.empty(depth + 2), np.empty(depth + 2)
    waiting[0], levels[0], n_waiting = 0, 0, 1
    waits_one[0] = waits_zero[0] = 1.0
    while n_waiting:
        n_waiting -= 1
        t, level = waiting[n_waiting], levels[n_waiting]
        if level:
            zero[level - 1], one[level - 1] = waits_zero[n_waiting], waits_one[n_waiting]
        if link[t, FEATURE] < 0:
            n = _merge(level, feature, zero, one, own, share)
            _add_leaf(tree, t, n, own, share, column, points, weights, factor, integral, phi, base)
            continue
        feature[level] = link[t, FEATURE]
        left = share_left(t, link, number, tree.categories, x)
        total = number[link[t, LEFT], WEIGHT] + number[link[t, RIGHT], WEIGHT]
        for side in range(2):
            child = link[t, LEFT] if side == 0 else link[t, RIGHT]
            waiting[n_waiting], levels[n_waiting] = child, level + 1
            waits_one[n_waiting] = left if side == 0 else 1.0 - left
            waits_zero[n_waiting] = number[child, WEIGHT] / total
            n_waiting += 1


@inner
def _merge(level, feature, zero, one, own, share):
    """Write each feature of a way once, with the products of its shares; return their number."""
    n = 0
    for d in range(level):
        k = 0
        while k < n and own[k] != feature[d]:
            k += 1
        if k == n:
            own[k], share[0, k], share[1, k] = feature[d], 1.0, 1.0
            n += 1
        share[0, k] *= zero[d]
        share[1, k] *= one[d]
    return n


@inner
def _add_leaf(tree, t, n, own, share, column, points, weights, factor, integral, phi, base):
    """Add what the features on the way to leaf t make of its labels."""
    reached = 1.0
    for k in range(n):
        reached *= share[0, k]
    for e in range(tree.link[t, LEAF_START], tree.link[t, LEAF_STOP]):
        c = column[tree.leaf_label[e]]
        if c >= 0:
            base[c] += reached * tree.leaf_value[e]
    for k in range(n):
        integral[k] = 0.0
    m = n // 2
    for q in range(m + 1):
        _add_products(n, share, points[m, q], weights[m, q], factor, integral)
    for k in range(n):
        value = (share[1, k] - share[0, k]) * integral[k]
        for e in range(tree.link[t, LEAF_START], tree.link[t, LEAF_STOP]):
            c = column[tree.leaf_label[e]]
            if c >= 0:
                phi[own[k], c] += value * tree.leaf_value[e]


@inner
def _add_products(n, share, point, weight, factor, integral):
    """In place: integral[k] += weight times the product of the factors of all features but k, at one point. O(n)."""
    product, n_zero = weight, 0
    for i in range(n):
        factor[i] = share[0, i] * (1.0 - point) + share[1, i] * point
        if factor[i] == 0.0:
            n_zero += 1
        else:
            product *= factor[i]
    for k in range(n):
        if n_zero == 0:
            integral[k] += product / factor[k]
        elif n_zero == 1 and factor[k] == 0.0:
            integral[k] += product


@kernel
def add_path(tree, values, x, phi):
    """In place: phi[j] += how the mean vectors of the nodes change where a row's way passes a question about j.

    `values` has the label vectors of all nodes of the tree. Where a row goes both ways, the way of its larger share
    counts (Saabas).
    """
    link, t = tree.link, np.int64(0)
    while link[t, FEATURE] >= 0:
        goes_left = share_left(t, link, tree.number, tree.categories, x) >= 0.5
        child = np.int64(link[t, LEFT] if goes_left else link[t, RIGHT])
        for c in range(values.shape[1]):
            phi[link[t, FEATURE], c] += values[child, c] - values[t, c]
        t = child

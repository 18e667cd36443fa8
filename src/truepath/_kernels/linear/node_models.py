"""One linear classifier for each node of a graph of labels: which rows train it, and its weights as a sparse column.

``X`` is (data, indices, indptr, norm, largest) of CSR rows: their squared lengths plus one, and each feature's largest
absolute value. ``labels`` is (ptr, rows):
the rows that carry node v are ``rows[ptr[v]:ptr[v + 1]]``, ascending. ``parents`` is (ptr, idx), alike.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.arrays import copy_first
from truepath._kernels.jit import inner, kernel
from truepath._kernels.linear.dual_descent import descend_logistic, descend_squared_hinge
from truepath._kernels.trees.rng import GOLDEN

LOGISTIC, SQUARED_HINGE = 0, 1
FIRST_SIZE = 1024  # of the arrays of weights, which grow


@inner
def _keep_common(rows, n, others, start, stop):
    """Keep of the first n rows those that are in ``others[start:stop]`` too, both ascending; return how many."""
    kept, e = 0, start
    for k in range(n):
        while e < stop and others[e] < rows[k]:
            e += 1
        if e < stop and others[e] == rows[k]:
            rows[kept] = rows[k]
            kept += 1
    return kept


@inner
def _training_rows(v, labels, parents, n_samples, rows):
    """Write the rows that carry all parents of v, all rows where it has none; return how many."""
    ptr, label_rows = labels
    first, last = parents[0][v], parents[0][v + 1]
    if first == last:
        for i in range(n_samples):
            rows[i] = i
        return n_samples
    n = np.int64(0)
    u = parents[1][first]
    for e in range(ptr[u], ptr[u + 1]):
        rows[n] = label_rows[e]
        n += 1
    for p in range(first + 1, last):
        u = parents[1][p]
        n = _keep_common(rows, n, label_rows, ptr[u], ptr[u + 1])
    return n


@inner
def _set_signs(v, rows, n, labels, weight, factors, sign, cost):
    """Set sign and cost of each training row; ``factors[v]`` is what a negative and a positive one count.

    Return how many are positive.
    """
    e, stop = labels[0][v], labels[0][v + 1]
    n_positive = 0
    for k in range(n):
        while e < stop and labels[1][e] < rows[k]:
            e += 1
        if e < stop and labels[1][e] == rows[k]:
            sign[k] = 1.0
            cost[k] = weight[rows[k]] * factors[v, 1]
            n_positive += 1
        else:
            sign[k] = -1.0
            cost[k] = weight[rows[k]] * factors[v, 0]
    return n_positive


@inner
def _count_entries(X, rows, n):
    """Return how many features the rows have, one that several have counted as often."""
    count = 0
    for k in range(n):
        count += X[2][rows[k] + 1] - X[2][rows[k]]
    return count


@inner
def _take_weight(f, w, largest, least, features, values, end):
    """Move one weight from w, which becomes zero, to the sparse arrays unless it is dropped; return where these end."""
    if w[f] == 0.0:
        return end
    if abs(w[f]) * largest[f] >= least:
        features[end], values[end] = f, w[f]
        end += 1
    w[f] = 0.0
    return end


@inner
def _take_weights(X, rows, n, by_rows, w, least, features, values, end):
    """Move all weights from w to the sparse arrays, by way of the rows or of the features; return where these end."""
    if by_rows:
        for k in range(n):
            for e in range(X[2][rows[k]], X[2][rows[k] + 1]):
                end = _take_weight(np.int64(X[1][e]), w, X[4], least, features, values, end)
    else:
        for f in range(w.size - 1):
            end = _take_weight(f, w, X[4], least, features, values, end)
    w[w.size - 1] = 0.0
    return end


@kernel
def _grown(array, size):
    """Return an array of at least this size with the same beginning."""
    if size <= array.size:
        return array
    longer = np.empty(max(size, 2 * array.size), array.dtype)
    copy_first(array, array.size, longer)
    return longer


@kernel
def fit_nodes(nodes, X, labels, parents, weight, factors, loss, tol, max_iter, least, seed):
    """Fit some nodes; return where the weights of each begin, their features and values, the intercepts, the passes.

    A node on which its rows agree has no weights and an infinite intercept. The order of rows is drawn from the seed
    and the node's number: it does not matter which nodes are fitted together. O(passes * entries of training rows).
    """
    n_samples, n_features = X[2].size - 1, X[4].size
    rows, order = np.empty(n_samples, np.int32), np.empty(n_samples, np.int32)
    sign, cost, dual = np.empty(n_samples), np.empty(n_samples), np.empty((n_samples, 2))
    w, state = np.zeros(n_features + 1), np.empty(1, np.uint64)
    ptr = np.zeros(nodes.size + 1, np.int64)
    features, values = np.empty(FIRST_SIZE, np.int32), np.empty(FIRST_SIZE, np.float32)
    intercept, passes = np.empty(nodes.size), np.zeros(nodes.size, np.int32)
    for j in range(nodes.size):
        v = nodes[j]
        n = _training_rows(v, labels, parents, n_samples, rows)
        n_positive = _set_signs(v, rows, n, labels, weight, factors, sign, cost)
        ptr[j + 1] = ptr[j]
        if n_positive == 0 or n_positive == n:
            intercept[j] = np.inf if n_positive else -np.inf
            continue
        state[0] = np.uint64(seed) + np.uint64(v) * GOLDEN
        if loss == LOGISTIC:
            passes[j] = descend_logistic(X, rows, n, sign, cost, order, dual, w, state, tol, max_iter)
        else:
            passes[j] = descend_squared_hinge(X, rows, n, sign, cost, order, dual, w, state, tol, max_iter)
        intercept[j] = w[n_features]
        most = _count_entries(X, rows, n)
        by_rows = most < n_features
        end = ptr[j] + min(most, n_features)
        features, values = _grown(features, end), _grown(values, end)
        ptr[j + 1] = _take_weights(X, rows, n, by_rows, w, least, features, values, ptr[j])
    end = ptr[nodes.size]
    return ptr, features[:end].copy(), values[:end].copy(), intercept, passes

"""Linear classifiers of dense rows by the squared hinge, all labels side by side on the same rows.

The problem and the steps are those of :mod:`truepath._kernels.linear.dual_descent`. A row of hundreds of numbers comes
from memory once for a block of labels, whose weights stay near, and not once for each label; what a label's steps are
does not depend on the others: all labels visit the rows in one order, and each leaves out rows, and ends, by itself.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner, kernel, reordered
from truepath._kernels.linear.dual_descent import shuffle

BLOCK = 16  # labels at a time: their weights for a thousand columns take 128 KB


@reordered
def dot_dense(X, i, W, j, n):
    """Return the product of a row of X and one of W, over n columns."""
    z = 0.0
    for f in range(n):
        z += X[i, f] * W[j, f]
    return z


@inner
def move_dense(X, i, step, W, j, n):
    """Add step times a row of X, with a 1 appended, to a row of W."""
    for f in range(n):
        W[j, f] += step * X[i, f]
    W[j, n] += step


@inner
def _visit(X, i, norm, cost, sign, W, j, dual, is_active, bound):
    """Set one dual variable to its optimum; return its slope, 0 where it stays at zero, and -1 where it is left out."""
    n = X.shape[1]
    ridge = 0.5 / cost
    slope = sign * (dot_dense(X, i, W, j, n) + W[j, n]) - 1.0 + dual[i, j] * ridge
    if dual[i, j] == 0.0:
        if slope > bound:
            is_active[i, j] = False
            return -1.0
        if slope >= 0.0:
            return 0.0
    old = dual[i, j]
    dual[i, j] = max(old - slope / (norm[i] + ridge), 0.0)
    move_dense(X, i, sign * (dual[i, j] - old), W, j, n)
    return abs(slope)


@inner
def _pass_over(X, order, norm, weight, factors, is_set, W, dual, is_active, bound, largest, n_out, is_done, m):
    """Visit all rows once, for m labels."""
    for s in range(order.size):
        i = order[s]
        for j in range(m):
            if is_done[j] or not is_active[i, j]:
                continue
            sign, side = (1.0, 1) if is_set[i, j] else (-1.0, 0)
            cost = weight[i] * factors[j, side]
            slope = _visit(X, i, norm, cost, sign, W, j, dual, is_active, bound[j])
            if slope < 0.0:
                n_out[j] += 1
            else:
                largest[j] = max(largest[j], slope)


@inner
def _end_pass(n_iter, tol, is_active, bound, largest, n_out, is_done, passes, m):
    """Set what a pass has found; return how many of m labels go on."""
    going = 0
    for j in range(m):
        if is_done[j]:
            continue
        passes[j] = n_iter + 1
        bound[j] = largest[j] if largest[j] > 0.0 else np.inf
        if largest[j] < tol:
            if n_out[j] == 0:
                is_done[j] = True
                continue
            is_active[:, j], n_out[j], bound[j] = True, 0, np.inf  # look at all rows once more
        largest[j] = 0.0
        going += 1
    return going


@kernel
def fit_dense(nodes, X, norm, labels, weight, factors, tol, max_iter, seed):
    """Fit some labels on all rows; return the weights of each, the intercept last, and the passes.

    ``X`` is (n_samples, n_features), ``norm`` the squared lengths of its rows plus one, ``labels`` (ptr, rows): the
    rows of label v are ``rows[ptr[v]:ptr[v + 1]]``. Where all rows agree on a label, its weights are zero and its
    intercept infinite.
    """
    n_samples, n_features = X.shape
    ptr, label_rows = labels
    found, passes = np.zeros((nodes.size, n_features + 1)), np.zeros(nodes.size, np.int32)
    order, state = np.empty(n_samples, np.int32), np.empty(1, np.uint64)
    for first in range(0, nodes.size, BLOCK):
        m = min(BLOCK, nodes.size - first)
        W, own = found[first : first + m], factors[nodes[first : first + m]]
        dual, is_set = np.zeros((n_samples, m)), np.zeros((n_samples, m), np.bool_)
        is_active, is_done = np.ones((n_samples, m), np.bool_), np.zeros(m, np.bool_)
        bound, largest, n_out = np.full(m, np.inf), np.zeros(m), np.zeros(m, np.int64)
        for j in range(m):
            v = nodes[first + j]
            n_positive = ptr[v + 1] - ptr[v]
            if n_positive == 0 or n_positive == n_samples:
                is_done[j] = True
                W[j, n_features] = np.inf if n_positive else -np.inf
            for e in range(ptr[v], ptr[v + 1]):
                is_set[label_rows[e], j] = True
        for i in range(n_samples):
            order[i] = i
        state[0] = np.uint64(seed)
        for n_iter in range(max_iter):
            shuffle(order, n_samples, state)
            _pass_over(X, order, norm, weight, own, is_set, W, dual, is_active, bound, largest, n_out, is_done, m)
            if not _end_pass(n_iter, tol, is_active, bound, largest, n_out, is_done, passes[first : first + m], m):
                break
    return found, passes

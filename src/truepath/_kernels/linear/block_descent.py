"""Cyclic block coordinate descent on the quadratic model of a multitask loss, penalised by L2,1 or L1.

The model of the loss around (W, b), with gradient E (rows by tasks, in the linear scores) and curvature H there, is
sum_ij E_ij d_ij + H_ij d_ij^2 / 2 for a move d of the scores. E is kept up to date: E + H d. A block is one feature:
its coefficients for all tasks are set to their minimum, the other features fixed. Columns are dense or sparse: a
dense design is handed over as the flat column-major array ``data`` with empty ``indptr``.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner, kernel

NEWTON_STEPS = 50  # for the norm of one block; a dozen are ever needed


@inner
def _entries(indptr, n_rows, f):
    """Return where column f starts and ends in ``data``."""
    if indptr.size:
        return indptr[f], indptr[f + 1]
    return f * n_rows, (f + 1) * n_rows


@inner
def _sum_column(data, indices, start, stop, M, squared, out):
    """Set out[j] to the sum over rows of x (or x^2) times M[row, j]."""
    out[:] = 0.0
    for e in range(start, stop):
        x = data[e]
        if x != 0.0:
            i = indices[e] if indices.size else e - start
            x = x * x if squared else x
            for j in range(M.shape[1]):
                out[j] += x * M[i, j]


@inner
def _move_column(data, indices, start, stop, H, delta, E):
    """Add H[row, j] * x * delta[j] to E."""
    for e in range(start, stop):
        x = data[e]
        if x != 0.0:
            i = indices[e] if indices.size else e - start
            for j in range(E.shape[1]):
                E[i, j] += H[i, j] * x * delta[j]


@inner
def _best_row(c, h, alpha, out):
    """Minimise sum_j h_j u_j^2 / 2 - c_j u_j + alpha ||u||_2: u_j = c_j t / (h_j t + alpha) with t = ||u||.

    t is the root of sum_j (c_j / (h_j t + alpha))^2 = 1. Newton's method from 0 on the convex, falling
    left side never passes it.
    """
    norm = 0.0
    for j in range(c.size):
        norm += c[j] * c[j]
    out[:] = 0.0
    if norm <= alpha * alpha:
        return
    t = 0.0
    for _ in range(NEWTON_STEPS):
        value, slope = -1.0, 0.0
        for j in range(c.size):
            ratio = c[j] / (h[j] * t + alpha)
            value += ratio * ratio
            slope -= 2.0 * ratio * ratio * h[j] / (h[j] * t + alpha)
        if slope == 0.0:
            break
        step = -value / slope
        t += step
        if step <= 1e-14 * t:
            break
    for j in range(c.size):
        out[j] = c[j] * t / (h[j] * t + alpha)


@inner
def _best_cells(c, h, alpha, out):
    """Minimise sum_j h_j u_j^2 / 2 - c_j u_j + alpha |u_j|."""
    for j in range(c.size):
        out[j] = 0.0
        if h[j] > 0.0 and abs(c[j]) > alpha:
            out[j] = (c[j] - alpha * np.sign(c[j])) / h[j]


@kernel
def column_curvatures(data, indices, indptr, n_features, H, out):
    """Set out[f, j] to the sum over rows of x_f^2 H[row, j]."""
    for f in range(n_features):
        start, stop = _entries(indptr, H.shape[0], f)
        _sum_column(data, indices, start, stop, H, True, out[f])


@kernel
def descend(data, indices, indptr, features, curvature, H, alpha, by_row, W, b, E):
    """In place, one pass over ``features``, then the intercepts; return the largest squared move in curvature's units.

    O(entries of the features * tasks).
    """
    n_tasks = b.size
    g, c, u = np.empty(n_tasks), np.empty(n_tasks), np.empty(n_tasks)
    largest = 0.0
    for f in features:
        start, stop = _entries(indptr, E.shape[0], f)
        _sum_column(data, indices, start, stop, E, False, g)
        h = curvature[f]
        for j in range(n_tasks):
            c[j] = h[j] * W[f, j] - g[j]
        if by_row:
            _best_row(c, h, alpha, u)
        else:
            _best_cells(c, h, alpha, u)
        moved = 0.0
        for j in range(n_tasks):
            g[j] = u[j] - W[f, j]
            moved += h[j] * g[j] * g[j]
            W[f, j] = u[j]
        if moved > 0.0:
            _move_column(data, indices, start, stop, H, g, E)
            largest = max(largest, moved)
    for j in range(n_tasks):
        top, bottom = 0.0, 0.0
        for i in range(E.shape[0]):
            top += E[i, j]
            bottom += H[i, j]
        step = -top / bottom
        b[j] += step
        largest = max(largest, bottom * step * step)
        for i in range(E.shape[0]):
            E[i, j] += H[i, j] * step
    return largest


@kernel
def descend_gram(A, features, alpha, by_row, W, G):
    """In place, one pass over ``features``; return the largest squared move in curvature's units.

    The same descent in terms of A[f, k, j], the curvature of task j between features f and k, and the gradient
    G[f, j], intercepts eliminated from both. O(features moved * features * tasks), whatever the number of rows.
    """
    n_features, n_tasks = W.shape
    c, h, u = np.empty(n_tasks), np.empty(n_tasks), np.empty(n_tasks)
    largest = 0.0
    for f in features:
        for j in range(n_tasks):
            h[j] = max(A[f, f, j], 0.0)
            c[j] = h[j] * W[f, j] - G[f, j]
        if by_row:
            _best_row(c, h, alpha, u)
        else:
            _best_cells(c, h, alpha, u)
        moved = 0.0
        for j in range(n_tasks):
            u[j] -= W[f, j]
            moved += h[j] * u[j] * u[j]
            W[f, j] += u[j]
        if moved > 0.0:
            largest = max(largest, moved)
            for k in range(n_features):
                for j in range(n_tasks):
                    G[k, j] += A[f, k, j] * u[j]
    return largest

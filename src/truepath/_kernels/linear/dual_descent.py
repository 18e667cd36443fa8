"""Linear classifiers of sparse rows by dual coordinate descent, one row at a time.

For rows x_i with a 1 appended (the intercept is a weight like the others), signs y_i of -1 or 1 and costs C_i::

    min over w   ||w||^2 / 2 + sum_i C_i loss(y_i w . x_i),     w = sum_i a_i y_i x_i

Each row has one dual variable a_i, set to its optimum with the others fixed. Logistic loss: 0 < a_i < C_i, by
Newton's method in one variable (Yu, Huang & Lin 2011, algorithm 5). Squared hinge: a_i >= 0, in closed form, rows whose
variable stays at zero left out until the end (Hsieh et al. 2008). ``w`` is dense, its last entry the intercept.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner
from truepath._kernels.trees.rng import draw_below

NEWTON_STEPS = 100  # in one variable; two or three are usual
FIRST_INNER = 0.1  # gradient at which a variable counts as optimal, in the first passes
LEAST_INNER = 1e-8
SHRINK = 0.1  # of a variable that a Newton step would make negative
LEAST_SHARE = 1e-12  # of C_i, that a variable is first set to


@inner
def dot(data, indices, start, stop, w):
    """Return w . x of a row, the intercept included."""
    z0, z1, z2, z3 = w[w.size - 1], 0.0, 0.0, 0.0  # four sums: each addition waits for the one before it
    e = start
    while e + 4 <= stop:
        z0 += w[indices[e]] * data[e]
        z1 += w[indices[e + 1]] * data[e + 1]
        z2 += w[indices[e + 2]] * data[e + 2]
        z3 += w[indices[e + 3]] * data[e + 3]
        e += 4
    while e < stop:
        z0 += w[indices[e]] * data[e]
        e += 1
    return (z0 + z1) + (z2 + z3)


@inner
def move(data, indices, start, stop, step, w):
    """Add step * x of a row to w."""
    w[w.size - 1] += step
    for e in range(start, stop):
        w[indices[e]] += step * data[e]


@inner
def shuffle(order, n, state):
    """Put the first n entries in random order."""
    for s in range(n - 1):
        t = s + draw_below(state, n - s)
        order[s], order[t] = order[t], order[s]


@inner
def _best_share(a, b, C, old, tol):
    """Minimise, over 0 < z < C, the dual in the smaller of a_i and C_i - a_i; return z, |first gradient|, steps.

    ``a`` is ||x||^2 and ``b`` the margin, with the sign that the smaller side has.
    """
    if old > 0.0:
        z = old if old <= 0.5 * C else SHRINK * old
    else:  # a first guess: where the slope's tangent at the margin alone vanishes
        z = max(C / (1.0 + np.exp(b)) / (1.0 + 0.25 * a * C), LEAST_SHARE * C)
    slope = a * (z - old) + b + np.log(z / (C - z))
    first = abs(slope) if old > 0.0 else np.inf  # a variable at zero is never the best
    steps = 0
    while abs(slope) >= tol and steps <= NEWTON_STEPS:
        moved = z - slope / (a + C / (C - z) / z)
        z = moved if moved > 0.0 else SHRINK * z
        slope = a * (z - old) + b + np.log(z / (C - z))
        steps += 1
    return z, first, steps


@inner
def descend_logistic(X, rows, n, sign, cost, order, dual, w, state, tol, max_iter):
    """Minimise the logistic loss from w = 0; return the passes taken. ``dual[k]`` becomes (a_k, C_k - a_k)."""
    data, indices, indptr, norm, _ = X
    for k in range(n):
        order[k], dual[k, 0], dual[k, 1] = k, 0.0, cost[k]
    inner_tol, least = FIRST_INNER, min(LEAST_INNER, tol)
    for n_iter in range(max_iter):
        shuffle(order, n, state)
        largest, n_steps = 0.0, 0
        for s in range(n):
            k = order[s]
            start, stop, a = indptr[rows[k]], indptr[rows[k] + 1], norm[rows[k]]
            b = sign[k] * dot(data, indices, start, stop, w)
            side, turn = 0, 1.0
            if 0.5 * a * (dual[k, 1] - dual[k, 0]) + b < 0.0:
                side, turn = 1, -1.0
            old = dual[k, side]
            z, first, steps = _best_share(a, turn * b, cost[k], old, inner_tol)
            largest = max(largest, first)
            if z != old:
                n_steps += steps
                dual[k, side], dual[k, 1 - side] = z, cost[k] - z
                move(data, indices, start, stop, turn * sign[k] * (z - old), w)
        if largest < tol:
            return n_iter + 1
        if n_steps <= n // 10:
            inner_tol = max(least, SHRINK * inner_tol)
    return max_iter


@inner
def descend_squared_hinge(X, rows, n, sign, cost, order, dual, w, state, tol, max_iter):
    """Minimise the squared hinge loss from w = 0; return the passes taken. ``dual[k, 0]`` becomes a_k."""
    data, indices, indptr, norm, _ = X
    for k in range(n):
        order[k], dual[k, 0] = k, 0.0
    n_active, bound = n, np.inf
    for n_iter in range(max_iter):
        shuffle(order, n_active, state)
        largest, s = 0.0, 0
        while s < n_active:
            k = order[s]
            start, stop, ridge = indptr[rows[k]], indptr[rows[k] + 1], 0.5 / cost[k]
            slope = sign[k] * dot(data, indices, start, stop, w) - 1.0 + dual[k, 0] * ridge
            if dual[k, 0] == 0.0 and slope > bound:  # it will stay at zero: leave it out
                n_active -= 1
                order[s], order[n_active] = order[n_active], k
                continue
            s += 1
            if dual[k, 0] == 0.0 and slope >= 0.0:
                continue
            largest = max(largest, abs(slope))
            old = dual[k, 0]
            dual[k, 0] = max(old - slope / (norm[rows[k]] + ridge), 0.0)
            move(data, indices, start, stop, sign[k] * (dual[k, 0] - old), w)
        bound = largest if largest > 0.0 else np.inf
        if largest < tol:
            if n_active == n:
                return n_iter + 1
            n_active, bound = n, np.inf  # look at all rows once more
    return max_iter

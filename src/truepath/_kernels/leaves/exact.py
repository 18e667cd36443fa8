"""The best label set whose paths all end in leaves, on trees: one pass for unknown k, a knapsack for fixed k."""

from __future__ import annotations

import numpy as np

from truepath._kernels.arrays import copy_first
from truepath._kernels.jit import kernel


@kernel
def best_sets(W, root, up, child_ptr, child_idx, roots, Y, total):
    """Fill Y[i] <- the best non-empty set of paths, total[i] <- its value; Y starts all False. O(n_nodes) a row.

    f(v) = w_v + the sum of the positive f(children), or + the best f(child) if none is positive. A child worth
    exactly 0 is left out, and of equally good only children the smaller is taken. up[v] is -1 on top: the last entry.
    """
    n_nodes = W.shape[1]
    f = np.empty(n_nodes)
    below = np.empty((n_nodes + 1, 2))  # sum of the positive f(children), best f(child); last, the implicit root
    for i in range(W.shape[0]):
        for v in range(n_nodes):
            below[v, 0], below[v, 1] = 0.0, -np.inf if child_ptr[v + 1] > child_ptr[v] else 0.0
        below[n_nodes, 0], below[n_nodes, 1] = 0.0, -np.inf
        for v in range(n_nodes - 1, -1, -1):  # children before parents; no branches on values, they cannot be guessed
            value = W[i, v] + (below[v, 0] if below[v, 0] > 0.0 else below[v, 1])
            f[v] = value
            below[up[v], 0] += max(value, 0.0)
            below[up[v], 1] = max(below[up[v], 1], value)
        total[i] = root[i] + (below[n_nodes, 0] if below[n_nodes, 0] > 0.0 else below[n_nodes, 1])
        _choose(f, roots, below[n_nodes, 1], Y[i])
        for v in range(n_nodes):
            if Y[i, v]:
                _choose(f, child_idx[child_ptr[v] : child_ptr[v + 1]], below[v, 1], Y[i])


@kernel
def _choose(f, siblings, best, y):
    """Mark the siblings worth more than 0, or the first of the best."""
    for v in siblings:
        if f[v] > 0.0:
            y[v] = True
        elif f[v] == best:
            y[v] = True
            break


@kernel
def _merge(sums, size, values, n_values, take, merged):
    """(max,+) product of two tables: return its size; take[j] <- leaves given to the second when j are chosen.

    sums[j] is the best value of j leaves before it (sums[0] = 0), values[t - 1] that of t leaves in it. A tie
    leaves the later child with fewer.
    """
    new_size = min(size + n_values, merged.size - 1)
    for j in range(new_size + 1):
        best, leaves = -np.inf, 0
        for t in range(max(0, j - size), min(j, n_values) + 1):
            value = sums[j - t] + (values[t - 1] if t > 0 else 0.0)
            if value > best:
                best, leaves = value, t
        merged[j], take[j] = best, leaves
    copy_first(merged, new_size + 1, sums)
    return new_size


@kernel
def fill_tables(w, k, roots, child_ptr, child_idx, n_below, value_ptr, values, take_ptr, take, sums, merged, best):
    """Fill the knapsack of one row for up to k leaves; best[j] <- the value of the best j leaves. O(|L| k).

    values[value_ptr[v] + j - 1] is the best value of j leaves below v, w_v included; take[take_ptr[v] + j] the
    number of them that v gets when j are shared among v and its elder siblings.
    """
    merged = merged[: k + 1]
    for v in range(w.size - 1, -1, -1):  # children before parents
        values[value_ptr[v]] = w[v]
        if child_ptr[v + 1] == child_ptr[v]:
            continue
        size = _share(
            k, child_idx[child_ptr[v] : child_ptr[v + 1]], n_below, value_ptr, values, take_ptr, take, sums, merged
        )
        for j in range(size):
            values[value_ptr[v] + j] = w[v] + sums[j + 1]
    size = _share(k, roots, n_below, value_ptr, values, take_ptr, take, sums, merged)
    copy_first(sums, size + 1, best)


@kernel
def _share(k, siblings, n_below, value_ptr, values, take_ptr, take, sums, merged):
    """Merge the tables of siblings into sums; return the largest number of leaves."""
    size, sums[0] = 0, 0.0
    for c in siblings:
        size = _merge(sums, size, values[value_ptr[c] :], min(n_below[c], k), take[take_ptr[c] :], merged)
    return size


@kernel
def read_tables(k, roots, child_ptr, child_idx, take_ptr, take, given, y):
    """Fill y <- the best set of k leaves from the tables of :func:`fill_tables`."""
    given[:] = 0
    _hand_down(k, roots, take_ptr, take, given)
    for v in range(y.size):
        y[v] = given[v] > 0
        if y[v] and child_ptr[v + 1] > child_ptr[v]:
            _hand_down(given[v], child_idx[child_ptr[v] : child_ptr[v + 1]], take_ptr, take, given)


@kernel
def _hand_down(j, siblings, take_ptr, take, given):
    """Deal j leaves out among siblings, the last first."""
    for c in siblings[::-1]:
        given[c] = take[take_ptr[c] + j]
        j -= given[c]


@kernel
def best_sets_by_size(W, root, first, k, roots, child_ptr, child_idx, n_below, value_ptr, take_ptr, Y, total):
    """Fill Y[i, j] <- the best set of exactly first[i] + j leaves, total[i, j] <- its value, up to k[i] leaves."""
    most = k.max() if k.size else 0
    values, take = np.empty(value_ptr[-1]), np.empty(take_ptr[-1], np.int32)
    sums, merged, best = np.empty(most + 1), np.empty(most + 1), np.empty(most + 1)
    given = np.empty(W.shape[1], np.int32)
    for i in range(W.shape[0]):
        fill_tables(
            W[i], k[i], roots, child_ptr, child_idx, n_below, value_ptr, values, take_ptr, take, sums, merged, best
        )
        for j in range(k[i] + 1 - first[i]):
            total[i, j] = root[i] + best[first[i] + j]
            read_tables(first[i] + j, roots, child_ptr, child_idx, take_ptr, take, given, Y[i, j])

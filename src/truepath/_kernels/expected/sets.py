"""The closed label set of greatest expected F, from how likely each label is true among how many."""

from __future__ import annotations

import numpy as np

from truepath._kernels.expected.sizes import add_ends, keep_labels, multiply_down, multiply_up
from truepath._kernels.jit import inner, kernel


@kernel
def best_sets(
    S, parent_ptr, parent_idx, path_ptr, path_idx, may_end, many, least, cos, sin, table, most, capped, Y, value, limit
):
    """Y[i] <- the best closed set, value[i] <- its expected F, limit[i] <- what no set of any size exceeds.

    table[k] turns what a label holds at the points into what it adds to a set of k labels, table[0] into its share of
    all label sets; most[k] is the most that a certain label adds. `capped` keeps what a label adds to that of its
    parents. O(n_nodes * points + size * candidates * points) per row.
    """
    n_nodes, n_points = S.shape[1], table.shape[2]
    s, node = np.empty(n_nodes), np.empty(n_nodes, np.int64)
    place, up = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64)
    gain, total = np.empty(n_nodes), np.empty((2, n_points))
    ranked, best = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64)
    shape = (n_nodes + 1, 2, n_points)
    below, before, mass = np.empty(shape), np.empty(shape), np.empty(shape)
    half_cos, half_sin = cos[:n_points], sin[:n_points]
    for i in range(S.shape[0]):
        m = keep_labels(S[i], parent_ptr, parent_idx, least, s, node, place, up)
        if many:
            multiply_up(m, s, up, half_cos, half_sin, below, mass)
            multiply_down(m, s, up, half_cos, half_sin, below, before, mass)
        else:
            add_ends(m, s, node, place, path_ptr, path_idx, may_end, cos, sin, below, mass)
        order = np.argsort(-s[:m], kind="mergesort")
        rule = (parent_ptr, parent_idx, node, place, capped)
        size, found, bound = _best_size(s, order, mass, rule, table, most, total, gain, ranked, best)
        share = _add_up(mass[-1], table[0])
        value[i] = found / share if share > 0.0 else 0.0
        limit[i] = bound / share if share > 0.0 else 0.0
        for j in best[:size]:
            Y[i, node[j]] = True


@inner
def _best_size(s, order, mass, rule, table, most, total, gain, ranked, best):
    """Return the size of the best set, its value and a bound on all values; best[:size] <- its labels' places.

    All labels together add no less to smaller sets, so the search ends where they add less than the best set's value.
    """
    total[:] = 0.0
    for j in order:
        for q in range(total.shape[1]):
            total[0, q] += mass[j, 0, q]
            total[1, q] += mass[j, 1, q]
    n_ranked, size, value, bound = 0, 0, 0.0, 0.0
    for k in range(1, min(order.size, table.shape[0] - 1) + 1):
        bound = _add_up(total, table[k])
        if bound <= value:
            break
        for j in order[:n_ranked]:
            gain[j] = _gain(j, mass, table[k], rule, gain)
        for r in range(1, n_ranked):
            _sink(ranked, r, gain)
        while n_ranked < order.size:
            j = order[n_ranked]
            if n_ranked >= k and gain[ranked[k - 1]] > s[j] * most[k]:
                break
            gain[j], ranked[n_ranked] = _gain(j, mass, table[k], rule, gain), j
            _sink(ranked, n_ranked, gain)
            n_ranked += 1
        found = 0.0
        for j in ranked[:k]:
            found += gain[j]
        if found > value:
            size, value = k, found
            for r in range(k):
                best[r] = ranked[r]
        if k == order.size:
            bound = value
    return size, value, max(value, bound)


@inner
def _gain(j, mass, weights, rule, gain):
    """Return what the label at place j adds, no more than its parents, which come before it."""
    parent_ptr, parent_idx, node, place, capped = rule
    found = _add_up(mass[j], weights)
    if capped:
        for e in range(parent_ptr[node[j]], parent_ptr[node[j] + 1]):
            found = min(found, gain[place[parent_idx[e]]])
    return found


@inner
def _sink(ranked, r, gain):
    """Move the label at rank r up past those that add less, or as much and come later."""
    j = ranked[r]
    while r > 0 and (gain[ranked[r - 1]] < gain[j] or (gain[ranked[r - 1]] == gain[j] and ranked[r - 1] > j)):
        ranked[r] = ranked[r - 1]
        r -= 1
    ranked[r] = j


@inner
def _add_up(values, weights):
    """Return the sum of weighted values at the points, real part."""
    found = 0.0
    for q in range(values.shape[1]):
        found += values[0, q] * weights[0, q] - values[1, q] * weights[1, q]
    return found

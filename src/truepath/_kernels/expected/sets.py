"""The closed label set of greatest expected measure, from how likely each label is true among how many."""

from __future__ import annotations

import numpy as np

from truepath._kernels.expected.sizes import add_ends, count_kept, find_mass, keep_labels, multiply_up
from truepath._kernels.jit import inner, kernel, reordered


@kernel
def best_sets(
    S,
    parent_ptr,
    parent_idx,
    path_ptr,
    path_idx,
    may_end,
    many,
    least,
    cos,
    sin,
    adds,
    all_add,
    most,
    capped,
    single_path,
    Y,
    value,
    limit,
):
    """Y[i] <- the best closed set, value[i] <- its expected measure, limit[i] <- what no set of any size exceeds.

    adds[k] turns what a label holds at the points into what it adds to a set of k labels, adds[0] into its share of all
    label sets; all_add[k] turns what the root holds into what all labels together add; most[k] is the most that a
    certain label adds. `capped` holds what a label adds down to what its parents add; `single_path` allows only one
    label with its ancestors. Per row O(n_nodes * points + size * candidates * points), where candidates are the labels
    that may be among the best.
    """
    n_nodes, n_points = S.shape[1], adds.shape[2]
    s, node = np.empty(n_nodes), np.empty(n_nodes, np.int64)
    place, up = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64)
    gain, heap = np.empty(n_nodes), np.empty(n_nodes, np.int64)
    taken, ranked, best = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64)
    shape = (count_kept(S, least) + 1, 2, n_points)
    below, mass = np.empty(shape), np.empty(shape)
    at_cos, at_sin = cos[1 : 2 * n_points : 2].copy(), sin[1 : 2 * n_points : 2].copy()
    for i in range(S.shape[0]):
        m = keep_labels(S[i], parent_ptr, parent_idx, least, s, node, place, up)
        if many:
            multiply_up(m, s, up, at_cos, at_sin, below)
            mass[-1] = below[-1]
        else:
            add_ends(m, s, node, place, path_ptr, path_idx, may_end, cos, sin, below, mass)
        row = (m, s, up, at_cos, at_sin, below, mass)
        rule = (parent_ptr, parent_idx, node, place, capped)
        lists = (gain, heap, taken, ranked, best)
        if single_path:
            size, found = _best_path(many, row, rule, path_ptr, path_idx, adds, best)
            bound = found
        else:
            size, found, bound = _best_size(many, row, rule, adds, all_add, most, lists)
        share = _add_up(mass[-1], adds[0])
        value[i] = found / share if share > 0.0 else 0.0
        limit[i] = bound / share if share > 0.0 else 0.0
        for j in best[:size]:
            Y[i, node[j]] = True


@inner
def _best_size(many, row, rule, adds, all_add, most, lists):
    """Return the size of the best set, its value and a bound on all values; best[:size] <- its labels' places.

    All labels together add no less to smaller sets, so the search ends where they add less than the best set's value.
    Labels are taken as candidates in the order of their scores, until the next cannot be among the k best. A label adds
    no more to larger sets, so j labels more make a set of k labels better by at most j times what the last one added:
    sizes that cannot reach the best value are passed over.
    """
    m, s, up, cos, sin, below, mass = row
    gain, heap, taken, ranked, best = lists
    for j in range(m):
        heap[j] = j
    for at in range(m // 2 - 1, -1, -1):
        _sift(heap, at, m, s)
    n_taken, size, value, bound = 0, 0, 0.0, 0.0
    k, largest = 1, min(m, adds.shape[0] - 1)
    while k <= largest:
        bound = _add_up(mass[-1], all_add[k])
        if bound <= value:
            break
        for j in taken[:n_taken]:
            gain[j] = _gain(j, mass, adds[k], rule, gain)
        for r in range(1, n_taken):
            _rise(ranked, r, gain)
        while n_taken < m:
            j = heap[0]
            if n_taken >= k and gain[ranked[k - 1]] > s[j] * most[k]:
                break
            if many:
                find_mass(j, m, s, up, cos, sin, below, mass)
            gain[j] = _gain(j, mass, adds[k], rule, gain)
            taken[n_taken], ranked[n_taken] = j, j
            _rise(ranked, n_taken, gain)
            n_taken += 1
            heap[0] = heap[m - n_taken]
            _sift(heap, 0, m - n_taken, s)
        found = 0.0
        for j in ranked[:k]:
            found += gain[j]
        if found > value:
            size, value = k, found
            for r in range(k):
                best[r] = ranked[r]
        last = gain[ranked[k - 1]]
        k += 1 + int(min((value - found) / last, 1.0 * largest)) if last > 0.0 else largest
    if largest == m and k > largest:
        bound = value
    return size, value, max(value, bound)


@inner
def _best_path(many, row, rule, path_ptr, path_idx, adds, best):
    """Return the size of the best path and its value, of equals the first; best[:size] <- its labels' places."""
    m, s, up, cos, sin, below, mass = row
    node, place = rule[2], rule[3]
    end, value = -1, 0.0
    for j in range(m):
        if many:
            find_mass(j, m, s, up, cos, sin, below, mass)
        path = path_idx[path_ptr[node[j]] : path_ptr[node[j] + 1]]
        if path.size >= adds.shape[0]:
            continue
        found = 0.0
        for v in path:
            found += _add_up(mass[place[v]], adds[path.size])
        if found > value:
            end, value = j, found
    if end < 0:
        return 0, 0.0
    path = path_idx[path_ptr[node[end]] : path_ptr[node[end] + 1]]
    for r in range(path.size):
        best[r] = place[path[r]]
    return path.size, value


@inner
def _sift(heap, at, size, s):
    """Move an entry down to where none below it scores more, or as much with a smaller number."""
    j = heap[at]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _comes_first(heap[child + 1], heap[child], s):
            child += 1
        if not _comes_first(heap[child], j, s):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = j


@inner
def _comes_first(i, j, values):
    return values[i] > values[j] or (values[i] == values[j] and i < j)


@inner
def _rise(ranked, r, gain):
    """Move the label at rank r up past those that add less, or as much and come later."""
    j = ranked[r]
    while r > 0 and _comes_first(j, ranked[r - 1], gain):
        ranked[r] = ranked[r - 1]
        r -= 1
    ranked[r] = j


@inner
def _gain(j, mass, weights, rule, gain):
    """Return what the label at place j adds, no more than its parents, which were taken before it."""
    parent_ptr, parent_idx, node, place, capped = rule
    found = _add_up(mass[j], weights)
    if capped:
        for e in range(parent_ptr[node[j]], parent_ptr[node[j] + 1]):
            found = min(found, gain[place[parent_idx[e]]])
    return found


@reordered
def _add_up(values, weights):
    """Return the sum of weighted values at the points, real part."""
    found = 0.0
    for q in range(values.shape[1]):
        found += values[0, q] * weights[0, q] + values[1, q] * weights[1, q]
    return found

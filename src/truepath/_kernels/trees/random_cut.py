"""One random cut per feature (Geurts et al., 2006): no sorting, one pass over the labels of the smaller side.

Before the features of a node are tried, its rows are packed: labels, weights and single labels lie one after the other
in the order of the rows' places. A feature then costs some passes over the ranks, for the range and the sides, and the
labels of the rows on the smaller side; their sums L, and M of the rows without value, give A and B of ``scan.py``.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from truepath._kernels.jit import inner, part
from truepath._kernels.trees.columns import (
    DENSE_START,
    HAS_MISSING,
    IS_DENSE,
    IS_NOMINAL,
    MODE,
    N_CELLS,
    N_VALUES,
    START,
    STOP,
    VALUE_START,
    dense_layout,
    read_column,
)
from truepath._kernels.trees.labels import FOUR, ONE, PAD, SINGLE, SUM_L, SUM_M, SUM_T, SUM_W, THREE, TWO, B
from truepath._kernels.trees.labels import START as LIST_START
from truepath._kernels.trees.labels import STOP as LIST_STOP
from truepath._kernels.trees.nominal import recode, shuffle_values
from truepath._kernels.trees.rng import draw_unit
from truepath._kernels.trees.scan import NO_SPLIT, Cut, Side, try_cut, without
from truepath._kernels.trees.sort import ROW_MASK
from truepath._kernels.trees.split import Split, is_constant, no_split

# The rows of a node in order: where each one's labels start, the labels, b, b^2 times the weight of single labels, and
# b sum w T over the labels
Packed = namedtuple("Packed", "start label b single share")
# A cut, and the rows on one side of it: their number, whether they are the left ones, and the number without value
Picked = namedtuple("Picked", "cut threshold n is_left n_missing")
CONSTANT = -2  # as a cut: there is none
TOO_LIGHT = -1  # as a number of rows: one side is lighter than allowed
SPARE_LABELS = 8  # room behind the labels in play: what fills up lists and loops


@inner
def pack_rows(packed, lists, rows, n_labels):
    """Copy what the search needs of a node's rows, and sum up their labels in T. Return sum w T and C = sum w T^2.

    Lists are filled up with labels of weight 0 behind those in play.
    """
    T, W = lists.sums[SUM_T], lists.sums[SUM_W]
    for row in range(lists.sums.shape[0]):
        for v in range(0 if row == SUM_T else n_labels, n_labels + SPARE_LABELS):
            lists.sums[row, v] = 0.0
    n, U, C = np.uint64(0), 0.0, 0.0
    for k in range(rows.size):
        i = np.uint64(rows[k])
        b, single = lists.stat[i, B], lists.stat[i, SINGLE]
        packed.start[k], packed.b[k], packed.single[k] = n, b, b * b * single
        U, C = U + b * single, C + b * b * single
        e, stop = np.uint64(lists.span[i, LIST_START]), np.uint64(lists.span[i, LIST_STOP])
        while e < stop:
            v = lists.label[e]
            packed.label[n] = v
            T[v] += b
            W[v] = lists.weight[e]
            e, n = e + ONE, n + ONE
        spare = np.uint32(n_labels)
        while n % FOUR:
            packed.label[n] = spare
            n, spare = n + ONE, spare + np.uint32(1)
    packed.start[rows.size] = n
    for v in range(n_labels):
        U, C = U + W[v] * T[v], C + W[v] * T[v] * T[v]
    _share_out(packed, T, W, rows.size)
    return U, C


@part
def _share_out(packed, T, W, n_rows):
    """Write b sum w T of every row: their sum over a side is the sum of w L T over its labels."""
    for k in range(n_rows):
        e, stop, total = packed.start[k], packed.start[k + 1], 0.0
        while e < stop:
            v = packed.label[e]
            total += W[v] * T[v]
            e += ONE
        packed.share[k] = packed.b[k] * total


@part
def random_split(columns, j, seats, lists, node, buffers, random, awkward, rng):
    """Return the split of the node on feature j at one random cut, missing values either way."""
    info, packed = columns.info[j], random.packed
    is_listed = info[STOP] - info[START] < node.end - node.start and not info[IS_DENSE]
    if info[DENSE_START] >= 0 and not is_listed and not info[IS_NOMINAL]:
        picked = _pick_ranks(columns, j, seats, node, random, awkward, rng)
    else:
        picked = _pick_keys(columns, j, seats, node, buffers, random, awkward, rng)
    if picked.cut == CONSTANT:
        return no_split(-1)
    if picked.n == TOO_LIGHT:
        return no_split(j)
    n, single, C = _weigh(packed, random.picked, picked.n)
    n_absent, cross = 0.0, 0.0
    if awkward is not None:
        n_absent, single_absent, C_absent = _weigh(packed, random.absent, picked.n_missing)
    if node.only_known or not picked.n_missing:
        known = node.N - n_absent
        if n < node.min_leaf or known - n < node.min_leaf:  # before the labels are looked at
            return no_split(j)
    _sum_labels(packed, random.picked, picked.n, lists.sums[SUM_L])
    if awkward is not None:
        _sum_labels(packed, random.absent, picked.n_missing, lists.sums[SUM_M])
        beside = Side(0.0, 0.0, 0.0, np.int64(0))
        if picked.n_missing:
            A, cross, A_absent = _multiply_both(lists.sums, node.n_labels)
            beside = Side(A_absent + single_absent, C_absent + single_absent, n_absent, picked.n_missing)
        else:
            A = _square(lists.sums, node.n_labels)
        node = without(node, beside)
    else:
        A, beside = _square(lists.sums, node.n_labels), None
    side = Side(A + single, C + single, n, picked.n)
    best = try_cut(Cut(NO_SPLIT, picked.cut, False), np.bool_(True), side, beside, cross, picked.cut, node)
    return Split(best.score - node.C / node.N, j, picked.cut, best.is_beside == picked.is_left, picked.threshold)


@part
def _pick_ranks(columns, j, seats, node, random, awkward, rng):
    """Draw a cut of a column of ranks, and pick the rows of the smaller side, and those without value."""
    info, n_rows = columns.info[j], np.uint64(node.end - node.start)
    ranks, k, start = random.ranks, np.uint64(0), np.uint64(node.start)
    first, step = dense_layout(info, node.end - node.start)
    while k < n_rows:  # unsigned: no test for negative indices
        ranks[k] = columns.dense[np.uint64(first + step * seats.origins[start + k])]
        k += ONE
    lowest, highest = _range(ranks, n_rows)
    n_missing = np.int64(0)
    if awkward is not None and info[HAS_MISSING]:
        n_missing = _pick(ranks, n_rows, np.int64(-1), np.int64(0), random.absent)
    if highest < 0 or (n_missing == 0 and lowest == highest):
        return Picked(np.int64(CONSTANT), np.nan, np.int64(0), True, n_missing)
    cut, threshold = _draw_cut(columns, j, lowest, highest, rng)
    n_above = _count_above(ranks, n_rows, np.int32(cut))
    n_below = np.int64(n_rows) - n_missing - n_above
    smaller = min(n_below, n_above)
    is_left = n_below == smaller
    if smaller * node.heaviest < node.min_leaf and (node.only_known or not n_missing):
        return Picked(cut, threshold, np.int64(TOO_LIGHT), is_left, n_missing)
    low, high = (np.int64(0), cut + 1) if is_left else (cut + 1, highest + 1)
    _pick(ranks, n_rows, low, high, random.picked)
    return Picked(cut, threshold, smaller, is_left, n_missing)


@part
def _range(ranks, n_rows):
    """Return the least and the largest rank; a missing value, -1, is never the least, unless all are missing."""
    lowest, highest = np.uint32(0xFFFFFFFF), np.int32(-1)
    for k in range(n_rows):
        lowest = min(lowest, np.uint32(ranks[k]))
        highest = max(highest, ranks[k])
    return np.int64(lowest), np.int64(highest)


@part
def _count_above(ranks, n_rows, cut):
    n = np.int32(0)
    for k in range(n_rows):
        n += np.int32(ranks[k] > cut)
    return np.int64(n)


@part
def _pick(ranks, n_rows, low, high, places):
    """List the places of ranks from ``low`` on and below ``high``. Return their number."""
    n, k = np.uint64(0), np.uint64(0)
    while k < n_rows:
        places[n] = k  # overwritten next time if it is not one of them
        n += np.uint64((ranks[k] >= low) & (ranks[k] < high))
        k += ONE
    return np.int64(n)


@inner
def _pick_keys(columns, j, seats, node, buffers, random, awkward, rng):
    """The same for nominal columns, and for those that list only the rows off their mode: never the mode's side."""
    info, keys, missing, n_rows = columns.info[j], buffers.keys, buffers.missing, node.end - node.start
    n_keys, n_missing = read_column(info, columns.dense, columns.sparse, seats, node.start, node.end, keys, missing)
    for k in range(n_missing):
        random.absent[k] = seats.place[missing[k]] - node.start
    if is_constant(keys, n_keys, n_missing, n_rows):
        return Picked(np.int64(CONSTANT), np.nan, np.int64(0), True, n_missing)
    if not info[IS_NOMINAL]:
        has_mode = n_keys + n_missing < n_rows
        lowest, highest = (info[MODE], info[MODE]) if has_mode else (info[N_VALUES], np.int64(-1))
        for k in range(n_keys):
            lowest = min(lowest, keys[k] >> 32)
            highest = max(highest, keys[k] >> 32)
        cut, threshold = _draw_cut(columns, j, lowest, highest, rng)
    elif awkward is not None:
        threshold = np.nan
        cut = shuffle_values(keys, n_keys, info[N_VALUES], awkward.order, rng)
        recode(keys, n_keys, awkward.order)
    is_left = info[IS_NOMINAL] == 1 or info[MODE] > cut
    n = np.int64(0)
    for k in range(n_keys):
        if (keys[k] >> 32 <= cut) == is_left:
            random.picked[n] = seats.place[keys[k] & ROW_MASK] - node.start
            n += 1
    return Picked(cut, threshold, n, is_left, n_missing)


@part
def _weigh(packed, places, n):
    """Return the weight of the rows at these places, what their single labels add to A and B, and sum w L T."""
    weight, single, share = 0.0, 0.0, 0.0
    for k in range(n):
        p = np.uint64(places[k])
        weight += packed.b[p]
        single += packed.single[p]
        share += packed.share[p]
    return weight, single, share


@part
def _sum_labels(packed, places, n, sums):
    """Add up the labels of the rows at these places."""
    label = packed.label
    for k in range(n):
        p = np.uint64(places[k])
        b = packed.b[p]
        e, stop = packed.start[p], packed.start[p + ONE]
        while e < stop:
            sums[label[e]] += b
            sums[label[e + ONE]] += b
            sums[label[e + TWO]] += b
            sums[label[e + THREE]] += b
            e += FOUR


@part
def _square(sums, n_labels):
    """Return sum w L^2, and clear L. Four sums, as additions wait for each other."""
    L, W = sums[SUM_L], sums[SUM_W]
    A1, A2, A3, A4 = 0.0, 0.0, 0.0, 0.0
    v, stop = np.uint64(0), np.uint64(n_labels + PAD - 1)  # and the labels that fill up lists, of weight 0
    while v < stop:
        l1, l2, l3, l4 = L[v], L[v + ONE], L[v + TWO], L[v + THREE]
        A1, A2 = A1 + W[v] * l1 * l1, A2 + W[v + ONE] * l2 * l2
        A3, A4 = A3 + W[v + TWO] * l3 * l3, A4 + W[v + THREE] * l4 * l4
        L[v], L[v + ONE], L[v + TWO], L[v + THREE] = 0.0, 0.0, 0.0, 0.0
        v += FOUR
    return (A1 + A2) + (A3 + A4)


@inner
def _multiply_both(sums, n_labels):
    """Return sum w L^2, w L M and w M^2, and clear L and M."""
    L, M, W = sums[SUM_L], sums[SUM_M], sums[SUM_W]
    A, cross, A_absent = 0.0, 0.0, 0.0
    v, stop = np.uint64(0), np.uint64(n_labels + PAD - 1)
    while v < stop:
        wL = W[v] * L[v]
        A, cross, A_absent = A + wL * L[v], cross + wL * M[v], A_absent + W[v] * M[v] * M[v]
        L[v], M[v] = 0.0, 0.0
        v += ONE
    return A, cross, A_absent


@part
def _draw_cut(columns, j, lowest, highest, rng):
    """Return a rank and a threshold drawn between the smallest and the largest value in the node; -1 if constant."""
    if lowest >= highest:
        return np.int64(-1), -np.inf  # missing against the rest
    values, first = columns.values, columns.info[j, VALUE_START]
    low, high = values[first + lowest], values[first + highest]
    threshold = low + draw_unit(rng) * (high - low)
    if not low <= threshold < high:  # rounding, or a range too wide for a float
        threshold = low
    lowest, highest = _bracket(columns, j, first, lowest, highest, threshold)
    at, size = np.uint64(first + lowest), np.uint64(highest - lowest)
    while size > ONE:  # to the last rank with a value up to the threshold; no branches, which no one could guess
        half = size >> ONE
        at += half if values[at + half] <= threshold else np.uint64(0)
        size -= half
    return np.int64(at) - first, threshold


@part
def _bracket(columns, j, first, lowest, highest, threshold):
    """Return ranks nearer to the threshold on either side, from the column's guide (whose rounding is not trusted)."""
    scale = columns.limits[j, 1]
    if scale > 0.0:
        cell = min(max(np.int64((threshold - columns.limits[j, 0]) * scale), np.int64(0)), np.int64(N_CELLS - 1))
        below, above = np.int64(columns.guide[j, cell]), np.int64(columns.guide[j, cell + 1]) + 1
        if lowest < below < highest and columns.values[first + below] <= threshold:
            lowest = below
        if lowest < above < highest and columns.values[first + above] > threshold:
            highest = above
    return lowest, highest

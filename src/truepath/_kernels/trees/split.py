"""The best split of a node on one feature, and one at a random cut."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from truepath._kernels.jit import inner
from truepath._kernels.trees.columns import IS_NOMINAL, MODE, N_VALUES, VALUE_START, read_column
from truepath._kernels.trees.labels import SUM_L, SUM_M, SUM_T, clear, product_with
from truepath._kernels.trees.nominal import order_values, recode, shuffle_values
from truepath._kernels.trees.rng import draw_unit
from truepath._kernels.trees.scan import (
    N_FIELDS,
    NO_SPLIT,
    Cut,
    Side,
    fill_table,
    gather,
    move,
    scan,
    scan_table,
    try_cut,
    without,
)
from truepath._kernels.trees.sort import ROW_MASK, sort_keys

# A split: rows with rank <= cut (of the order in play) go left, missing values if missing_left; the threshold is NaN
# where it is to be halfway between the neighbouring values
Split = namedtuple("Split", "gain feature cut missing_left threshold")
# keys: the rows of the node by rank, and a spare; missing: rows without value; side: where they go; counts: to sort by;
# table: sums by rank, where ranks are few; the rest is for nominal features (see nominal.py)
Buffers = namedtuple("Buffers", "keys spare missing side counts table order share direction")
TABLE_CELLS = 4  # a table of this many cells per row is cheaper than sorting


@inner
def best_split(columns, j, seats, lists, node, buffers):
    """Return the best split of the node on feature j; gain NO_SPLIT if there is none."""
    info, keys, missing = columns.info[j], buffers.keys, buffers.missing
    span, label, weight, stat = lists.span, lists.label, lists.weight, lists.stat
    n_keys, n_missing = read_column(info, columns.dense, columns.sparse, seats, node.start, node.end, keys, missing)
    if is_constant(keys, n_keys, n_missing, node.end - node.start):
        return no_split(-1)
    if info[IS_NOMINAL]:
        order, share, T = buffers.order, buffers.share, lists.sums[SUM_T]
        order_values(
            keys, n_keys, info[N_VALUES], order, share, buffers.direction, node.n_labels, span, label, weight, stat, T
        )
        recode(keys, n_keys, order)
    L, M = lists.sums[SUM_L], lists.sums[SUM_M]
    beside = gather(missing, n_missing, span, label, weight, stat, M)
    node = without(node, beside)
    n_ranks, mode = info[N_VALUES], max(info[MODE], -1)
    if n_ranks * (node.n_labels + N_FIELDS) <= TABLE_CELLS * (node.end - node.start):
        fill_table(buffers.table, keys, n_keys, n_ranks, node.n_labels, span, label, stat)
        up = scan_table(buffers.table, 0, mode, 1, beside, lists.sums, node)
        down = scan_table(buffers.table, n_ranks - 1, n_ranks - 1 - mode, -1, beside, lists.sums, node)
    else:
        if sort_keys(keys, buffers.spare, n_keys, n_ranks, buffers.counts):
            keys = buffers.spare
        n_below = _count_below(keys, n_keys, mode)
        up = scan(keys, 0, n_below, 1, beside, span, label, weight, stat, L, M, node)
        down = scan(keys, n_keys - 1, n_keys - n_below, -1, beside, span, label, weight, stat, L, M, node)
    clear(M, node.n_labels)
    base = node.C / node.N
    if up.score >= down.score:
        return Split(up.score - base, j, up.rank, up.is_beside, np.nan)
    return Split(down.score - base, j, down.rank - 1, not down.is_beside, np.nan)


@inner
def no_split(j):
    """Return that there is no split; j is -1 if the feature is constant in the node."""
    return Split(NO_SPLIT, np.int64(j), np.int64(-1), False, np.nan)


@inner
def is_constant(keys, n_keys, n_missing, n_rows):
    """Return whether the rows of the node all have one value, or none has any."""
    if n_missing == n_rows:
        return True
    if n_missing > 0 or 0 < n_keys < n_rows:
        return False
    for k in range(1, n_keys):  # noqa: SIM110 - a generator would not compile
        if keys[k] >> 32 != keys[0] >> 32:
            return False
    return True


@inner
def _count_below(keys, n_keys, mode):
    """Return how many of the sorted keys have a rank below the mode."""
    low, high = np.int64(0), n_keys
    while low < high:
        middle = (low + high) // 2
        if keys[middle] >> 32 < mode:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def random_split(columns, j, seats, lists, node, buffers, rng):
    """Return the split of the node on feature j at one random cut (Geurts et al., 2006), missing values either way."""
    info, keys, missing = columns.info[j], buffers.keys, buffers.missing
    n_keys, n_missing = read_column(info, columns.dense, columns.sparse, seats, node.start, node.end, keys, missing)
    n_rows = node.end - node.start
    if is_constant(keys, n_keys, n_missing, n_rows):
        return no_split(-1)
    if info[IS_NOMINAL]:
        threshold = np.nan
        cut = shuffle_values(keys, n_keys, info[N_VALUES], buffers.order, rng)
        recode(keys, n_keys, buffers.order)
    else:
        cut, threshold = _draw_cut(info, columns.values, keys, n_keys, n_keys + n_missing < n_rows, rng)
    move_left = info[IS_NOMINAL] == 1 or info[MODE] > cut  # never the side of the mode, whose rows are not listed
    span, label, weight, stat = lists.span, lists.label, lists.weight, lists.stat
    L, M = lists.sums[SUM_L], lists.sums[SUM_M]
    beside = gather(missing, n_missing, span, label, weight, stat, M)
    node = without(node, beside)
    side, cross = Side(0.0, 0.0, 0.0, np.int64(0)), 0.0
    for k in range(n_keys):
        if (keys[k] >> 32 <= cut) == move_left:
            i = np.uint64(keys[k] & ROW_MASK)
            if n_missing:
                cross += product_with(i, span, label, weight, stat, M)
            side = move(i, side, span, label, weight, stat, L)
    clear(L, node.n_labels)
    clear(M, node.n_labels)
    best = try_cut(Cut(NO_SPLIT, cut, False), True, side, beside, cross, cut, node)
    return Split(best.score - node.C / node.N, j, cut, best.is_beside == move_left, threshold)


@inner
def _draw_cut(info, values, keys, n_keys, has_mode, rng):
    """Return a rank and a threshold drawn between the smallest and the largest value in the node; -1 if constant."""
    lowest, highest = (info[MODE], info[MODE]) if has_mode else (info[N_VALUES], np.int64(-1))
    for k in range(n_keys):
        lowest = min(lowest, keys[k] >> 32)
        highest = max(highest, keys[k] >> 32)
    if lowest >= highest:
        return np.int64(-1), -np.inf  # missing against the rest
    first = info[VALUE_START]
    low, high = values[first + lowest], values[first + highest]
    threshold = low + draw_unit(rng) * (high - low)
    if not low <= threshold < high:  # rounding, or a range too wide for a float
        threshold = low
    while lowest + 1 < highest:  # the last rank with a value up to the threshold
        middle = (lowest + highest) // 2
        if values[first + middle] <= threshold:
            lowest = middle
        else:
            highest = middle
    return lowest, threshold

"""The best split of a node on one feature, by weighted variance reduction, paid for by the labels the rows have.

With L the label sums of one side, T those of the node, n_l and n_r the weights of the sides, and

    A = sum w L^2,   B = sum w L T,   C = sum w T^2,

the weighted variance left after a split is smallest where the score

    A / n_l + (C - 2 B + A) / n_r                                                        (1)

is largest. Moving one row changes A, B and n_l by its own labels only.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from truepath._kernels.jit import inner
from truepath._kernels.pct_columns import IS_NOMINAL, MODE, N_VALUES, VALUE_START, read_column
from truepath._kernels.pct_labels import (
    FOUR,
    ONE,
    SHARE_B,
    SINGLE,
    START,
    STOP,
    SUM_L,
    SUM_M,
    SUM_T,
    SUM_W,
    THREE,
    TWO,
    B,
    clear,
    move_row,
    product_with,
)
from truepath._kernels.pct_nominal import order_values, recode, shuffle_values
from truepath._kernels.pct_rng import draw_unit
from truepath._kernels.pct_sort import N_BUCKETS, ROW_MASK, sort_keys

# A node as the split search sees it: rows[start:end], how many of them count, the number of labels in play, sum b, C,
# the least weight of a side, and whether only the rows with a known value count
Node = namedtuple("Node", "start end n_rows n_labels N C min_leaf only_known")
# One side of a split: A, B, the weight and the number of its rows
Side = namedtuple("Side", "A B n n_rows")
# A cut of a column: its score, the last rank moved, and whether the rows with a missing value are on the side moved
Cut = namedtuple("Cut", "score rank is_beside")
# A split: rows with rank <= cut (of the order in play) go left, missing values if missing_left; the threshold is NaN
# where it is to be halfway between the neighbouring values
Split = namedtuple("Split", "gain feature cut missing_left threshold")
# keys: the rows of the node by rank, and a spare; missing: rows without value; side: where they go; counts: to sort by;
# table: sums by rank, where ranks are few; the rest is for nominal features (see pct_nominal)
Buffers = namedtuple("Buffers", "keys spare missing side counts table order share direction")
NO_SPLIT = -np.inf
N_FIELDS = 3  # of a rank in the table, before its labels: weight, number of rows, share of single labels
TABLE_CELLS = 4  # a table of this many cells a row is cheaper than sorting


def make_buffers(n_rows, n_labels, n_categories):
    """Return the buffers for nodes of up to n_rows rows. (Plain NumPy.)"""
    return Buffers(
        keys=np.empty(n_rows, np.int64),
        spare=np.empty(n_rows, np.int64),
        missing=np.empty(n_rows, np.int32),
        side=np.empty(n_rows, np.int8),
        counts=np.empty(N_BUCKETS, np.int64),
        table=np.empty(TABLE_CELLS * n_rows),
        order=np.zeros((3, n_categories + 1), np.int64),
        share=np.zeros((2, n_categories + 1)),
        direction=np.zeros(n_labels + 2),
    )


@inner
def best_split(columns, j, rows, place, lists, node, buffers):
    """Return the best split of the node on feature j; gain NO_SPLIT if there is none."""
    info, keys, missing = columns.info[j], buffers.keys, buffers.missing
    span, label, weight, stat = lists.span, lists.label, lists.weight, lists.stat
    n_keys, n_missing = read_column(
        info, columns.dense, columns.sparse, rows, node.start, node.end, place, keys, missing
    )
    if is_constant(keys, n_keys, n_missing, node.end - node.start):
        return no_split(-1)
    if info[IS_NOMINAL]:
        order, share, T = buffers.order, buffers.share, lists.sums[SUM_T]
        order_values(
            keys, n_keys, info[N_VALUES], order, share, buffers.direction, node.n_labels, span, label, weight, stat, T
        )
        recode(keys, n_keys, order)
    L, M = lists.sums[SUM_L], lists.sums[SUM_M]
    beside = _gather(missing, n_missing, span, label, weight, stat, M)
    node = _without(node, beside)
    n_ranks, mode = info[N_VALUES], max(info[MODE], -1)
    if n_ranks * (node.n_labels + N_FIELDS) <= TABLE_CELLS * (node.end - node.start):
        fill_table(buffers.table, keys, n_keys, n_ranks, node.n_labels, span, label, stat)
        up = _scan_table(buffers.table, 0, mode, 1, beside, lists.sums, node)
        down = _scan_table(buffers.table, n_ranks - 1, n_ranks - 1 - mode, -1, beside, lists.sums, node)
    else:
        keys = sort_keys(keys, buffers.spare, n_keys, n_ranks, buffers.counts)
        n_below = _count_below(keys, n_keys, mode)
        up = _scan(keys, 0, n_below, 1, beside, span, label, weight, stat, L, M, node)
        down = _scan(keys, n_keys - 1, n_keys - n_below, -1, beside, span, label, weight, stat, L, M, node)
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
def _gather(missing, n_missing, span, label, weight, stat, M):
    """Sum up the rows with a missing value in M; return what they add to A, B, the weight and the number of a side."""
    moved = Side(0.0, 0.0, 0.0, np.int64(0))
    for k in range(n_missing):
        moved = _move(np.uint64(missing[k]), moved, span, label, weight, stat, M)
    return moved


@inner
def _without(node, beside):
    """Return the node as its rows with a known value make it, if only those count."""
    if not node.only_known or beside.n_rows == 0:
        return node
    C = node.C - 2.0 * beside.B + beside.A  # sum w (T - M)^2
    n_rows = node.n_rows - beside.n_rows
    return Node(node.start, node.end, n_rows, node.n_labels, node.N - beside.n, C, node.min_leaf, True)


@inner
def _move(i, side, span, label, weight, stat, L):
    """Return the side with row i on it."""
    A = side.A + move_row(i, span, label, weight, stat, L)
    return Side(A, side.B + stat[i, SHARE_B], side.n + stat[i, B], side.n_rows + 1)


@inner
def _scan(keys, first, n_keys, step, beside, span, label, weight, stat, L, M, node):
    """Move n_keys rows from keys[first] on, one by one, to a side. Return the best cut.

    The rows with a missing value (``beside``, their sums in M) may join them: A = sum w (L + M)^2 is then
    sum w L^2 + 2 sum w L M + sum w M^2, so that one walk serves both ways.
    """
    side, cross = Side(0.0, 0.0, 0.0, np.int64(0)), 0.0
    best = _first_cut(beside, step, node)
    for k in range(n_keys):
        key = keys[first + step * k]
        i, rank = np.uint64(key & ROW_MASK), key >> 32
        if beside.n_rows:
            cross += product_with(i, span, label, weight, stat, M)
        side = _move(i, side, span, label, weight, stat, L)
        is_cut = k + 1 == n_keys or keys[first + step * (k + 1)] >> 32 != rank  # none between equal values
        best = _try_cut(best, is_cut, side, beside, cross, rank, node)
        if node.N - side.n < node.min_leaf:
            break  # the other side only gets lighter
    clear(L, node.n_labels)
    return best


@inner
def fill_table(table, keys, n_keys, n_ranks, n_labels, span, label, stat):
    """Sum up the rows of each rank: weight, number, share of single labels, and the labels. No sorting needed."""
    stride = n_labels + N_FIELDS
    for k in range(n_ranks * stride):
        table[k] = 0.0
    for k in range(n_keys):
        i, cell = np.uint64(keys[k] & ROW_MASK), (keys[k] >> 32) * stride
        b = stat[i, B]
        table[cell] += b
        table[cell + 1] += 1.0
        table[cell + 2] += b * b * stat[i, SINGLE]
        cell += N_FIELDS
        e, stop = np.uint64(span[i, START]), np.uint64(span[i, STOP])
        while e < stop:  # PAD at a time
            table[cell + label[e]] += b
            table[cell + label[e + ONE]] += b
            table[cell + label[e + TWO]] += b
            table[cell + label[e + THREE]] += b
            e += FOUR


@inner
def _scan_table(table, first, n_ranks, step, beside, sums, node):
    """Move whole ranks of the table to a side, and compute A and B anew at each cut. Return the best cut."""
    T, L, M, W = sums[SUM_T], sums[SUM_L], sums[SUM_M], sums[SUM_W]
    side, single = Side(0.0, 0.0, 0.0, np.int64(0)), 0.0
    best = _first_cut(beside, step, node)
    for k in range(n_ranks):
        rank = first + step * k
        cell = rank * (node.n_labels + N_FIELDS)
        if table[cell] == 0.0:
            continue
        single += table[cell + 2]
        A, share_B, cross = single, single, 0.0
        for v in range(node.n_labels):
            L[v] += table[cell + N_FIELDS + v]
            wL = W[v] * L[v]
            A += wL * L[v]
            share_B += wL * T[v]
        if beside.n_rows:
            for v in range(node.n_labels):
                cross += W[v] * L[v] * M[v]
        side = Side(A, share_B, side.n + table[cell], side.n_rows + np.int64(table[cell + 1]))
        best = _try_cut(best, True, side, beside, cross, np.int64(rank), node)
    clear(L, node.n_labels)
    return best


@inner
def _first_cut(beside, step, node):
    """Return the cut "missing against the rest", of rank -1; it is tried on the way up only."""
    score = _score(beside, node) if step > 0 and not node.only_known else NO_SPLIT
    return Cut(score, np.int64(-1), True)


@inner
def _try_cut(best, is_cut, side, beside, cross, rank, node):
    """Return the better of the best cut so far and this one, the rows beside on either side (or left out)."""
    if node.only_known:
        side = Side(side.A, side.B - cross, side.n, side.n_rows)  # B = sum w L (T - M)
    score = _score(side, node)
    if score > best.score and is_cut:  # in this order: the first is rarely true, and so never guessed wrong
        best = Cut(score, rank, False)
    if beside.n_rows and not node.only_known:
        score = _score(_add_sides(side, beside, cross), node)
        if score > best.score and is_cut:
            best = Cut(score, rank, True)
    return best


@inner
def _add_sides(side, beside, cross):
    return Side(side.A + 2.0 * cross + beside.A, side.B + beside.B, side.n + beside.n, side.n_rows + beside.n_rows)


@inner
def _score(side, node):
    """Equation (1), or NO_SPLIT where a side is empty or lighter than allowed."""
    n_other = node.N - side.n
    if side.n_rows == 0 or side.n_rows == node.n_rows or side.n < node.min_leaf or n_other < node.min_leaf:
        return NO_SPLIT
    return (side.A * n_other + (node.C - 2.0 * side.B + side.A) * side.n) / (side.n * n_other)  # one division


@inner
def random_split(columns, j, rows, place, lists, node, buffers, rng):
    """Return the split of the node on feature j at one random cut (Geurts et al., 2006), missing values either way."""
    info, keys, missing = columns.info[j], buffers.keys, buffers.missing
    n_keys, n_missing = read_column(
        info, columns.dense, columns.sparse, rows, node.start, node.end, place, keys, missing
    )
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
    beside = _gather(missing, n_missing, span, label, weight, stat, M)
    node = _without(node, beside)
    side, cross = Side(0.0, 0.0, 0.0, np.int64(0)), 0.0
    for k in range(n_keys):
        if (keys[k] >> 32 <= cut) == move_left:
            i = np.uint64(keys[k] & ROW_MASK)
            if n_missing:
                cross += product_with(i, span, label, weight, stat, M)
            side = _move(i, side, span, label, weight, stat, L)
    clear(L, node.n_labels)
    clear(M, node.n_labels)
    best = _try_cut(Cut(NO_SPLIT, cut, False), True, side, beside, cross, cut, node)
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

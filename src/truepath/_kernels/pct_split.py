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
from truepath._kernels.pct_labels import SHARE_B, SUM_L, SUM_T, B, move_row
from truepath._kernels.pct_nominal import order_values, recode, shuffle_values
from truepath._kernels.pct_rng import draw_unit
from truepath._kernels.pct_sort import N_BUCKETS, ROW_MASK, sort_keys

# A node as the split search sees it: rows[start:end], the number of labels in play, sum b, C and the least side
Node = namedtuple("Node", "start end n_labels N C min_leaf")
# A split: rows with rank <= cut (of the order in play) go left, missing values if missing_left; the threshold is NaN
# where it is to be halfway between the neighbouring values
Split = namedtuple("Split", "score feature cut missing_left threshold")
# keys: the rows of the node by rank, and a spare; missing: rows without value; counts: for sorting; the rest is for
# nominal features (see pct_nominal)
Buffers = namedtuple("Buffers", "keys spare missing counts order share direction")
NO_SPLIT = -1.0  # scores are sums of squares


def make_buffers(n_rows, n_labels, n_categories):
    """Return the buffers for nodes of up to n_rows rows. (Plain NumPy.)"""
    return Buffers(
        keys=np.empty(n_rows, np.int64),
        spare=np.empty(n_rows, np.int64),
        missing=np.empty(n_rows, np.int32),
        counts=np.empty(N_BUCKETS, np.int64),
        order=np.zeros((3, n_categories + 1), np.int64),
        share=np.zeros((2, n_categories + 1)),
        direction=np.zeros(n_labels + 2),
    )


@inner
def best_split(columns, j, rows, place, lists, node, buffers):
    """Return the best split of the node on feature j; score NO_SPLIT if there is none."""
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
    sort_keys(keys, buffers.spare, n_keys, info[N_VALUES], buffers.counts)
    n_below = _count_below(keys, n_keys, info[MODE])
    best = no_split(j)
    for with_missing in range(2 if n_missing else 1):
        n_first = n_missing if with_missing else np.int64(0)
        L = lists.sums[SUM_L]
        score, rank = _scan(keys, 0, n_below, 1, missing, n_first, span, label, weight, stat, L, node)
        if score > best.score:
            best = Split(score, j, rank, with_missing == 1, np.nan)
        score, rank = _scan(keys, n_keys - 1, n_below - 1, -1, missing, n_first, span, label, weight, stat, L, node)
        if score > best.score:
            best = Split(score, j, rank - 1, with_missing == 0, np.nan)
    return best


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
    for k in range(1, n_keys):
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
def _scan(keys, first, last, step, missing, n_missing, span, label, weight, stat, L, node):
    """Move rows from keys[first] on to one side, after the missing ones; return the best score and its rank.

    With missing values moved first, "missing against the rest" is a cut too, of rank -1 (tried on the way up only).
    """
    A, share_B, n_side = 0.0, 0.0, 0.0
    best, best_rank = NO_SPLIT, np.int64(-1)
    for k in range(n_missing):
        i = np.int64(missing[k])
        A += move_row(i, span, label, weight, stat, L)
        share_B += stat[i, SHARE_B]
        n_side += stat[i, B]
    n_moved = n_missing
    if n_missing and step > 0:
        best = _score(A, share_B, n_side, n_moved, node)
    k = first
    while k != last:
        i, rank = keys[k] & ROW_MASK, keys[k] >> 32
        A += move_row(i, span, label, weight, stat, L)
        share_B += stat[i, SHARE_B]
        n_side += stat[i, B]
        n_moved += 1
        k += step
        if k != last and keys[k] >> 32 == rank:
            continue  # no cut between equal values
        score = _score(A, share_B, n_side, n_moved, node)
        if score > best:
            best, best_rank = score, rank
    for v in range(node.n_labels):
        L[v] = 0.0
    return best, best_rank


@inner
def _score(A, share_B, n_side, n_moved, node):
    """Equation (1), or NO_SPLIT where a side is empty or lighter than allowed."""
    n_other = node.N - n_side
    if n_moved == 0 or n_moved == node.end - node.start or n_side < node.min_leaf or n_other < node.min_leaf:
        return NO_SPLIT
    return A / n_side + (node.C - 2.0 * share_B + A) / n_other


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
    best = no_split(j)
    move_left = info[IS_NOMINAL] == 1 or info[MODE] > cut  # never the side of the mode, whose rows are not listed
    for with_missing in range(2 if n_missing else 1):
        n_first = n_missing if with_missing else np.int64(0)
        score = _score_cut(
            keys, n_keys, missing, n_first, cut, move_left, lists.span, lists.label, lists.weight, lists.stat,
            lists.sums[SUM_L], node,
        )  # fmt: skip
        if score > best.score:
            best = Split(score, j, cut, (with_missing == 1) == move_left, threshold)
    return best


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


@inner
def _score_cut(keys, n_keys, missing, n_missing, cut, move_left, span, label, weight, stat, L, node):
    """Score one cut by moving the rows on one side of it."""
    A, share_B, n_side, n_moved = 0.0, 0.0, 0.0, n_missing
    for k in range(n_missing):
        i = np.int64(missing[k])
        A += move_row(i, span, label, weight, stat, L)
        share_B += stat[i, SHARE_B]
        n_side += stat[i, B]
    for k in range(n_keys):
        if (keys[k] >> 32 <= cut) == move_left:
            i = keys[k] & ROW_MASK
            A += move_row(i, span, label, weight, stat, L)
            share_B += stat[i, SHARE_B]
            n_side += stat[i, B]
            n_moved += 1
    for v in range(node.n_labels):
        L[v] = 0.0
    return _score(A, share_B, n_side, n_moved, node)

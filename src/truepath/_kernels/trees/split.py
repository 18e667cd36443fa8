"""The best split of a node on one feature, and one at a random cut."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from truepath._kernels.jit import inner, once
from truepath._kernels.trees.columns import IS_NOMINAL, MODE, N_VALUES, read_column
from truepath._kernels.trees.labels import SUM_L, SUM_M, clear
from truepath._kernels.trees.nominal import order_values, recode
from truepath._kernels.trees.scan import N_FIELDS, NO_SPLIT, fill_table, gather, scan, scan_table, without
from truepath._kernels.trees.sort import sort_keys

# A split: rows with rank <= cut (of the order in play) go left, missing values if missing_left; the threshold is NaN
# where it is to be halfway between the neighbouring values
Split = namedtuple("Split", "gain feature cut missing_left threshold")
# keys: the rows of the node by rank, and a spare; missing: rows without value; side: where they go; counts: to sort by;
# table: sums by rank, where ranks are few
Buffers = namedtuple("Buffers", "keys spare missing side counts table")
# For nominal features (see nominal.py); None if there are none, and no values are missing
Awkward = namedtuple("Awkward", "order share direction")
# For random cuts (see random_cut.py): the rows packed, their ranks, the places of those picked and of those missing
Random = namedtuple("Random", "packed ranks picked absent")
TABLE_CELLS = 4  # a table of this many cells per row is cheaper than sorting


@inner
def best_split(columns, j, seats, lists, node, buffers, awkward):
    """Return the best split of the node on feature j; gain NO_SPLIT if there is none."""
    info, keys, missing = columns.info[j], buffers.keys, buffers.missing
    span, label, weight, stat = lists.span, lists.label, lists.weight, lists.stat
    n_keys, n_missing = read_column(info, columns.dense, columns.sparse, seats, node.start, node.end, keys, missing)
    if is_constant(keys, n_keys, n_missing, node.end - node.start):
        return no_split(-1)
    L, M = lists.sums[SUM_L], lists.sums[SUM_M]
    if awkward is not None:
        if info[IS_NOMINAL]:
            order_values(keys, n_keys, info[N_VALUES], awkward, node.n_labels, lists)
            recode(keys, n_keys, awkward.order)
        beside = gather(missing, n_missing, span, label, weight, stat, M)
        node = without(node, beside)
    else:
        beside = None
    n_ranks, mode = info[N_VALUES], max(info[MODE], -1)
    if n_ranks * (node.n_labels + N_FIELDS) <= TABLE_CELLS * (node.end - node.start):
        fill_table(buffers.table, keys, n_keys, n_ranks, node.n_labels, span, label, stat)
        up = scan_table(buffers.table, np.int64(0), mode, np.int64(1), beside, lists.sums, node)
        down = scan_table(buffers.table, n_ranks - 1, n_ranks - 1 - mode, np.int64(-1), beside, lists.sums, node)
    else:
        if sort_keys(keys, buffers.spare, n_keys, n_ranks, buffers.counts):
            keys = buffers.spare
        n_below = _count_below(keys, n_keys, mode)
        up = scan(keys, np.int64(0), n_below, np.int64(1), beside, span, label, weight, stat, L, M, node)
        down = scan(keys, n_keys - 1, n_keys - n_below, np.int64(-1), beside, span, label, weight, stat, L, M, node)
    clear(M, node.n_labels)
    base = node.C / node.N
    if up.score >= down.score:
        return Split(up.score - base, j, up.rank, up.is_beside, np.nan)
    return Split(down.score - base, j, down.rank - 1, not down.is_beside, np.nan)


@inner
def no_split(j):
    """Return that there is no split; j is -1 if the feature is constant in the node."""
    return Split(NO_SPLIT, np.int64(j), np.int64(-1), False, np.nan)


@once
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


@once
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

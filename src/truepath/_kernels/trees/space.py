"""The arrays that a tree is grown in, made before the kernels run: plain NumPy."""

from __future__ import annotations

import numpy as np

from truepath._kernels.trees.arrays import N_LINKS, N_NUMBERS, Tree
from truepath._kernels.trees.labels import PAD, PADDING, B, Lists
from truepath._kernels.trees.random_cut import SPARE_LABELS, Packed
from truepath._kernels.trees.seats import Seats
from truepath._kernels.trees.sort import N_BUCKETS
from truepath._kernels.trees.split import TABLE_CELLS, Awkward, Buffers, Random


def make_tree(n_leaves, n_labels, n_categories):
    """Return arrays for a tree of up to n_leaves leaves that list up to n_labels labels."""
    return Tree(
        link=np.full((2 * n_leaves, N_LINKS), -1, np.int32),
        number=np.zeros((2 * n_leaves, N_NUMBERS)),
        categories=np.zeros(n_leaves * ((n_categories + 63) // 64), np.uint64),
        leaf_label=np.empty(n_labels, np.int32),
        leaf_value=np.empty(n_labels, np.float32),
    )


def make_seats(rows, n_rows, n_copies):
    """Return the seats of a tree grown on ``rows``, of n_rows there are, with room for copies of rows."""
    place = np.full(n_rows + n_copies, -1, np.int32)
    place[rows] = np.arange(rows.size)
    if not n_copies:
        return Seats(rows, rows, place, place)
    seated = np.append(rows, np.zeros(n_copies, np.int32))
    return Seats(seated, seated.copy(), place, place.copy())


def make_lists(indptr, indices, row_weight, class_weight, n_copies, n_entries):
    """Return the lists of a whole data set, every label of every row, with room for copies of rows and of entries."""
    size = np.diff(indptr)
    start = np.append(0, np.cumsum(-(-size // PAD) * PAD))
    entry = np.arange(indices.size) + np.repeat(start[:-1] - indptr[:-1], size)
    label = np.full(start[-1] + n_entries, PADDING, np.uint32)  # unsigned: no test for negative indices
    weight = np.zeros(label.size)
    label[entry], weight[entry] = indices + 1, class_weight[indices]
    stat = np.zeros((row_weight.size + n_copies, 4))
    stat[: row_weight.size, B] = row_weight
    n_marks = class_weight.size + 2
    span = np.zeros((len(stat), 2), np.int64)
    span[: size.size] = np.column_stack([start[:-1], start[:-1] + size])
    return Lists(span, label, weight, stat, np.zeros((4, n_marks + SPARE_LABELS)), np.zeros((n_marks, 8), np.int64))


def make_buffers(n_rows):
    """Return the buffers for nodes of up to n_rows rows."""
    return Buffers(
        keys=np.empty(n_rows, np.int64),
        spare=np.empty(n_rows, np.int64),
        missing=np.empty(n_rows, np.int32),
        side=np.empty(n_rows, np.int8),
        counts=np.empty(N_BUCKETS, np.int64),
        table=np.empty(TABLE_CELLS * n_rows),
    )


def make_awkward(n_labels, n_categories):
    """Return the buffers for columns that are nominal, of up to n_categories values, or lack values."""
    order, share = np.zeros((3, n_categories + 1), np.int64), np.zeros((2, n_categories + 1))
    return Awkward(order, share, direction=np.zeros(n_labels + 2))


def make_random(n_rows, n_entries):
    """Return the buffers for random cuts of nodes of up to n_rows rows that list n_entries labels."""
    return Random(
        packed=Packed(np.empty(n_rows + 1, np.uint64), np.empty(n_entries, np.uint32), *np.empty((3, n_rows))),
        ranks=np.empty(n_rows, np.int32),
        picked=np.empty(n_rows + 1, np.int32),
        absent=np.empty(n_rows + 1, np.int32),
    )

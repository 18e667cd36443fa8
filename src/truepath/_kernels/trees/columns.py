"""Rank-coded feature columns, and reading one column for the rows of a node.

A value is coded by its rank among the column's distinct values, -1 when missing. The column's most common value (its
*mode*, such as the zeros of sparse data) need never be listed: a cut below it moves the rows under it, a cut above it
the rows over it. A column with a rare mode has the ranks of all rows (dense), the others list the rows off the mode
(sparse), beside the ranks of all rows unless X itself is sparse.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from truepath._kernels.jit import inner, once

# info: one row per column (fields below); dense: ranks, one per row of X; sparse: rows (ascending), their ranks;
# values: the distinct values of each column, ascending; guide: of its range in N_CELLS equal cells, the last rank up to
# the start of each; limits: where the range starts, and how many cells a unit has (0: no guide)
Columns = namedtuple("Columns", "info dense sparse values guide limits")
IS_DENSE, IS_NOMINAL, MODE, N_VALUES, START, STOP, VALUE_START = 0, 1, 2, 3, 4, 5, 6  # START, STOP: in dense or sparse
HAS_MISSING, DENSE_START = 7, 8  # DENSE_START: of the ranks of all rows, -1 if there are none
BY_ROW, ROW_STEP = 9, 10  # where the same ranks start in a copy that lies row by row, and how far rows are apart there
N_CELLS = 128
FEW_ROWS = 256  # of so many rows, all ranks fit in the nearest cache if they lie row by row
ROW, RANK = 0, 1  # rows of sparse
MISSING = -1
NO_MODE = -2  # nominal columns list every row


@inner
def read_column(info, dense, sparse, seats, start, end, keys, missing):
    """List the rows at the places start to end off the mode as ``rank << 32 | row`` in keys, those without value in
    missing. Return both numbers.
    """
    first, last = info[START], info[STOP]
    if info[IS_DENSE] or (info[DENSE_START] >= 0 and end - start < last - first):
        at, step = dense_layout(info, end - start)
        return _read_dense(dense, at, step, info[MODE], seats.rows, seats.origins, start, end, keys, missing)
    if last - first <= (end - start) * 4:  # walking the column beats looking up each row in it
        return _read_sparse(sparse, first, last, seats, start, end, keys, missing)
    return _look_up(sparse, first, last, seats.rows, seats.origins, start, end, keys, missing)


@inner
def dense_layout(info, n_rows):
    """Return where a column's ranks start, and how far they are apart, in the copy that suits n_rows rows."""
    if n_rows <= FEW_ROWS and info[BY_ROW] >= 0:
        return info[BY_ROW], info[ROW_STEP]
    return info[DENSE_START], np.int64(1)


@inner
def halfway(values, info, below, above):
    """Return the number halfway between the values of two ranks of a column; rows with the upper one lie above it."""
    low, high = values[info[VALUE_START] + below], values[info[VALUE_START] + above]
    middle = low / 2.0 + high / 2.0  # halves first: the sum may be too large
    return middle if low <= middle < high else low


@once
def _read_dense(dense, first, step, mode, rows, origins, start, end, keys, missing):
    n_keys, n_missing = np.int64(0), np.int64(0)
    for k in range(start, end):
        i = rows[k]
        rank = np.int64(dense[np.uint64(first + step * origins[k])])
        if rank >= 0:
            keys[n_keys] = (rank << 32) | i
            n_keys += rank != mode  # overwritten next time if it is the mode
        else:
            missing[n_missing] = i
            n_missing += 1
    return n_keys, n_missing


@once
def _read_sparse(sparse, first, last, seats, start, end, keys, missing):
    n_keys, n_missing = np.int64(0), np.int64(0)
    for k in range(first, last):
        origin, rank = sparse[ROW, k], np.int64(sparse[RANK, k])
        at = seats.where[origin]
        if at < start or at >= end or seats.origins[at] != origin:  # the last: where it stood in another node
            continue
        i = seats.rows[at]
        if rank >= 0:
            keys[n_keys] = (rank << 32) | i
            n_keys += 1
        else:
            missing[n_missing] = i
            n_missing += 1
    return n_keys, n_missing


@once
def _look_up(sparse, first, last, rows, origins, start, end, keys, missing):
    """Find the node's rows in the column by bisection; both ascend, so each search starts where the last ended."""
    n_keys, n_missing = np.int64(0), np.int64(0)
    for k in range(start, end):
        i, origin = rows[k], origins[k]
        high = last
        while first < high:
            middle = (first + high) // 2
            if sparse[ROW, middle] < origin:
                first = middle + 1
            else:
                high = middle
        if first == last or sparse[ROW, first] != origin:
            continue
        rank = np.int64(sparse[RANK, first])
        if rank >= 0:
            keys[n_keys] = (rank << 32) | i
            n_keys += 1
        else:
            missing[n_missing] = i
            n_missing += 1
    return n_keys, n_missing

"""Scores of the cuts of one feature, by weighted variance reduction, paid for by the labels the rows have.

With L the label sums of one side, T those of the node, n_l and n_r the weights of the sides, and

    A = sum w L^2,   B = sum w L T,   C = sum w T^2,

the weighted variance left after a split is smallest where the score

    A / n_l + (C - 2 B + A) / n_r                                                        (1)

is largest. Moving one row changes A, B and n_l by its own labels only.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from truepath._kernels.jit import inner, once
from truepath._kernels.trees.labels import (
    ONE,
    PAD,
    SHARE_B,
    SINGLE,
    START,
    STOP,
    SUM_L,
    SUM_M,
    SUM_T,
    SUM_W,
    B,
    clear,
    move_row,
    product_with,
)
from truepath._kernels.trees.sort import ROW_MASK

# A node as the split search sees it: rows[start:end], how many of them count, the number of labels in play, sum b, C,
# the least weight of a side, whether only the rows with a known value count, and the largest weight of a row
Node = namedtuple("Node", "start end n_rows n_labels N C min_leaf only_known heaviest")
# One side of a split: A, B, the weight and the number of its rows
Side = namedtuple("Side", "A B n n_rows")
# A cut of a column: its score, the last rank moved, and whether the rows with a missing value are on the side moved
Cut = namedtuple("Cut", "score rank is_beside")
NO_SPLIT = -np.inf
N_FIELDS = 3  # of a rank in the table, before its labels: weight, number of rows, share of single labels


@inner
def gather(missing, n_missing, span, label, weight, stat, M):
    """Sum up the rows with a missing value in M; return what they add to A, B, the weight and the number of a side."""
    moved = Side(0.0, 0.0, 0.0, np.int64(0))
    for k in range(n_missing):
        moved = move(np.uint64(missing[k]), moved, span, label, weight, stat, M)
    return moved


@inner
def without(node, beside):
    """Return the node as its rows with a known value make it, if only those count."""
    if not node.only_known or beside.n_rows == 0:
        return node
    C = node.C - 2.0 * beside.B + beside.A  # sum w (T - M)^2
    n_rows = node.n_rows - beside.n_rows
    return Node(node.start, node.end, n_rows, node.n_labels, node.N - beside.n, C, node.min_leaf, True, node.heaviest)


@inner
def move(i, side, span, label, weight, stat, L):
    """Return the side with row i on it."""
    A = side.A + move_row(i, span, label, weight, stat, L)
    return Side(A, side.B + stat[i, SHARE_B], side.n + stat[i, B], side.n_rows + 1)


@inner
def scan(keys, first, n_keys, step, beside, span, label, weight, stat, L, M, node):
    """Move n_keys rows from keys[first] on, one by one, to a side. Return the best cut.

    The rows with a missing value (``beside``, their sums in M; None if no value ever is) may join them:
    A = sum w (L + M)^2 is then sum w L^2 + 2 sum w L M + sum w M^2, so that one walk serves both ways.
    """
    side, cross = Side(0.0, 0.0, 0.0, np.int64(0)), 0.0
    best = _first_cut(beside, step, node)
    for k in range(n_keys):
        key = keys[first + step * k]
        i, rank = np.uint64(key & ROW_MASK), key >> 32
        if beside is not None and beside.n_rows:
            cross += product_with(i, span, label, weight, stat, M)
        side = move(i, side, span, label, weight, stat, L)
        is_cut = k + 1 == n_keys or keys[first + step * (k + 1)] >> 32 != rank  # none between equal values
        best = try_cut(best, is_cut, side, beside, cross, rank, node)
        if node.N - side.n < node.min_leaf:
            break  # the other side only gets lighter
    clear(L, node.n_labels)
    return best


@once
def fill_table(table, keys, n_keys, n_ranks, n_labels, span, label, stat):
    """Sum up the rows of each rank: weight, number, share of single labels, and the labels. No sorting needed."""
    stride = n_labels + N_FIELDS
    for k in range(n_ranks * stride):
        table[k] = 0.0
    for k in range(n_keys):
        key = keys[k]
        i, cell = np.uint64(key & ROW_MASK), (key >> 32) * stride
        b = stat[i, B]
        table[cell] += b
        table[cell + 1] += 1.0
        table[cell + 2] += b * b * stat[i, SINGLE]
        cell += N_FIELDS
        e, stop = np.uint64(span[i, START]), np.uint64(span[i, STOP])
        while e < stop:
            for _ in range(PAD):
                table[cell + label[e]] += b
                e += ONE


@inner
def scan_table(table, first, n_ranks, step, beside, sums, node):
    """Move whole ranks of the table to a side, and compute A and B again at each cut. Return the best cut."""
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
        if beside is not None and beside.n_rows:
            for v in range(node.n_labels):
                cross += W[v] * L[v] * M[v]
        side = Side(A, share_B, side.n + table[cell], side.n_rows + np.int64(table[cell + 1]))
        best = try_cut(best, np.bool_(True), side, beside, cross, np.int64(rank), node)
    clear(L, node.n_labels)
    return best


@once
def _first_cut(beside, step, node):
    """Return the cut "missing against the rest", of rank -1; it is tried on the way up only."""
    score = NO_SPLIT
    if beside is not None and step > 0 and not node.only_known:
        score = _score(beside, node)
    return Cut(score, np.int64(-1), True)


@inner
def try_cut(best, is_cut, side, beside, cross, rank, node):
    """Return the better of the best cut so far and this one, the rows beside on either side (or left out)."""
    if beside is not None and node.only_known:
        side = Side(side.A, side.B - cross, side.n, side.n_rows)  # B = sum w L (T - M)
    score = _score(side, node)
    if score > best.score and is_cut:  # in this order: the first is rarely true, and so never guessed wrong
        best = Cut(score, rank, False)
    if beside is not None and beside.n_rows and not node.only_known:
        score = _score(_add_sides(side, beside, cross), node)
        if score > best.score and is_cut:
            best = Cut(score, rank, True)
    return best


@once
def _add_sides(side, beside, cross):
    return Side(side.A + 2.0 * cross + beside.A, side.B + beside.B, side.n + beside.n, side.n_rows + beside.n_rows)


@once
def _score(side, node):
    """Equation (1), or NO_SPLIT where a side is empty or lighter than allowed."""
    n_other = node.N - side.n
    if side.n_rows == 0 or side.n_rows == node.n_rows or side.n < node.min_leaf or n_other < node.min_leaf:
        return NO_SPLIT
    return (side.A * n_other + (node.C - 2.0 * side.B + side.A) * side.n) / (side.n * n_other)  # one division

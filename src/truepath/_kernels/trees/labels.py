"""The label lists of a node's rows, made as short as the split search allows without changing any score.

In a node, a label that every row has says nothing; labels held by exactly the same rows can be counted as one with
their weights summed; and a label that one row alone has is a constant of that row. All three stay true below the
node, so each row's list is rewritten in place and only gets shorter on the way down. Labels with equal rows are found
by partition refinement: all start in one class, and every row in turn splits each class it meets into the labels it
has and those it has not. O(labels of the node's rows) a node, whatever the number of classes.

Symbols: ``b`` is a row's weight, ``w`` the weight of a class, ``T`` the sum of b over the rows that have a label, ``L``
the same over one side of a split.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from truepath._kernels.jit import inner, once

# span: where each row's list starts and stops in label and weight; stat: numbers of a row, sums: of a label, marks:
# of a class of labels held by the same rows (columns below)
Lists = namedtuple("Lists", "span label weight stat sums marks")
START, STOP = 0, 1
B, SHARE_A, SHARE_B, SINGLE = 0, 1, 2, 3  # stat: b, b^2 sum w, b sum w T, and sum w over the labels of this row alone
SUM_T, SUM_L, SUM_M, SUM_W = 0, 1, 2, 3  # rows of sums: T, L, the sum over rows whose value is missing, and w
CLASS, STAMP, CHILD, N_ROWS, MEMBERS, FREE, NUMBER, SLOT = 0, 1, 2, 3, 4, 5, 6, 7  # CLASS is by label, others by class
ENDLESS = 1 << 60
PAD = 4  # lists are filled up to a multiple of this: short loops of equal length run best
PADDING = 0  # what they are filled with: a label of weight 0, in play everywhere; real labels count from 1
ONE, TWO, THREE, FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


@inner
def weigh(span, label, weight, stat, T, W, rows, n_labels):
    """Sum up the labels of a node as they are listed, in T. Return sum w T and C = sum w T^2; set SHARE_B and W."""
    clear(T, n_labels)
    U, C = 0.0, 0.0
    for i in rows:
        U += stat[i, SHARE_A] / stat[i, B]
        C += move_row(np.uint64(i), span, label, weight, stat, T)
    for i in rows:
        b = stat[i, B]
        stat[i, SHARE_B] = product_with(np.uint64(i), span, label, weight, stat, T) + b * b * stat[i, SINGLE]
        e, stop = np.uint64(span[i, START]), np.uint64(span[i, STOP])
        while e < stop:
            for _ in range(PAD):  # so that the machine takes PAD steps between two questions
                W[label[e]] = weight[e]
                e += ONE
    return U, C


@inner
def condense(span, label, weight, stat, marks, rows, tick):
    """Shorten the lists of these rows. Return the number of labels left and the next tick.

    ``tick`` is larger than any used before: it dates the marks, so that none has to be cleared.
    """
    node_tick = _refine(span, label, marks, rows, tick)
    tick = node_tick
    n_labels = np.int64(1)  # the padding
    for i in rows:
        tick += 1
        n_labels = _rewrite(span, label, weight, stat, marks, i, rows.size, n_labels, node_tick, tick)
    return n_labels, tick + 1


@once
def is_worth_condensing(span, rows):
    """Return whether the lists are longer than the padding makes them anyway."""
    n_entries = np.int64(0)
    for i in rows:
        n_entries += span[i, STOP] - span[i, START]
    return n_entries > PAD * rows.size


@inner
def renumber(span, label, marks, rows, tick):
    """Number the labels of these rows as they are met, lists unchanged. Return their number and the next tick."""
    n_labels = np.int64(1)  # the padding
    for i in rows:
        for e in range(span[i, START], span[i, STOP]):
            v = label[e]
            if marks[v, STAMP] != tick:
                marks[v, STAMP], marks[v, NUMBER] = tick, n_labels
                n_labels += 1
            label[e] = marks[v, NUMBER]
    return n_labels, tick + 1


@once
def _refine(span, label, marks, rows, tick):
    """Give every label its class: the labels held by the same rows."""
    for i in rows:
        for e in range(span[i, START], span[i, STOP]):
            marks[label[e], CLASS] = 0
    marks[0, MEMBERS], marks[0, N_ROWS] = ENDLESS, 0
    n_free, newest = np.int64(0), np.int64(0)
    for i in rows:
        tick += 1
        for e in range(span[i, START], span[i, STOP]):
            v = label[e]
            old = marks[v, CLASS]
            if marks[old, STAMP] != tick:  # first label of this class in this row: it splits
                if n_free:
                    n_free -= 1
                    new = marks[n_free, FREE]
                else:
                    newest += 1
                    new = newest
                marks[old, STAMP], marks[old, CHILD] = tick, new
                marks[new, MEMBERS], marks[new, N_ROWS] = 0, marks[old, N_ROWS] + 1
            new = marks[old, CHILD]
            marks[v, CLASS] = new
            marks[new, MEMBERS] += 1
            n_left = marks[old, MEMBERS] - 1
            marks[old, MEMBERS] = n_left
            if n_left == 0:  # emptied: its number may be used again, even by this row
                marks[n_free, FREE] = old
                n_free += 1
    return tick + 1


@once
def _rewrite(span, label, weight, stat, marks, i, n_rows, n_labels, node_tick, tick):
    """Rewrite the list of row i with classes as its labels, numbered as they are met. Return the number so far."""
    start, b, single = span[i, START], stat[i, B], stat[i, SINGLE]
    kept = start
    for e in range(start, span[i, STOP]):
        k, w = marks[label[e], CLASS], weight[e]
        n_rows_with, stamp = marks[k, N_ROWS], marks[k, STAMP]
        if n_rows_with == n_rows:
            continue
        if n_rows_with == 1:
            single += w
            continue
        if stamp == tick:  # another label of a class already listed
            weight[marks[k, SLOT]] += w
            continue
        if stamp < node_tick:
            marks[k, NUMBER] = n_labels
            n_labels += 1
        marks[k, STAMP], marks[k, SLOT] = tick, kept
        label[kept], weight[kept] = marks[k, NUMBER], w
        kept += 1
    span[i, STOP] = kept
    sum_w = single
    for e in range(start, kept):
        sum_w += weight[e]
    stat[i, SINGLE], stat[i, SHARE_A] = single, b * b * sum_w
    while kept % PAD:
        label[kept], weight[kept] = PADDING, 0.0
        kept += 1
    return n_labels


@inner
def move_row(i, span, label, weight, stat, L):
    """Add row i to the side whose sums are in L. Return by how much A = sum w L^2 grows."""
    b, grown = stat[i, B], 0.0
    e, stop = np.uint64(span[i, START]), np.uint64(span[i, STOP])
    while e < stop:
        for _ in range(PAD):
            v = label[e]
            before = L[v]
            L[v] = before + b
            grown += weight[e] * before
            e += ONE
    return 2.0 * b * grown + stat[i, SHARE_A]  # w ((L + b)^2 - L^2) = 2 b w L + b^2 w


@inner
def product_with(i, span, label, weight, stat, M):
    """Return b sum w M over the labels of row i."""
    product = 0.0
    e, stop = np.uint64(span[i, START]), np.uint64(span[i, STOP])
    while e < stop:
        for _ in range(PAD // 2):
            product += weight[e] * M[label[e]] + weight[e + ONE] * M[label[e + ONE]]
            e += TWO
    return stat[i, B] * product


@inner
def clear(sums, n_labels):
    """Set the sums of the labels in play to zero."""
    for v in range(n_labels):
        sums[v] = 0.0

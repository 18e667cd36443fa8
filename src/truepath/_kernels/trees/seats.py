"""Where the rows of a node stand, and rows that go both ways.

A row without value at a split can go to both sides, its weight shared out as that of the rows whose value is known
(CLUS; C4.5: Quinlan, 1993). The part that goes left is then a *copy*: a row with a weight and a label list of its own,
numbered after the rows of X, which reads the features of the row it stems from. Nodes are grown depth first, the
left one before the right one, so the copies and the places that a left subtree took are free again once it is grown.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from truepath._kernels.jit import inner
from truepath._kernels.trees.labels import PAD, SHARE_A, START, STOP, B

# rows: the row or copy at each place; origins: the row of X it stems from; place: of each row or copy; where: of each
# row of X, in the node at hand. While there are no copies, origins is rows itself, and where is place.
Seats = namedtuple("Seats", "rows origins place where")
# What is in use: the next number of a copy, and the next free entry of the label lists
Used = namedtuple("Used", "copies entries")
UNKNOWN = -1  # side of a row whose value is missing: 1 is left, 0 right
NO_ROOM = -1


@inner
def take_seats(seats, start, end):
    """Note the places of a node's rows, which another node may have noted as its own since."""
    for k in range(start, end):
        seats.place[seats.rows[k]] = k
        seats.where[seats.origins[k]] = k


@inner
def deal_both_ways(seats, lists, buffers, share, start, end, used):
    """Put the rows of the right side at ``start``, those of the left side behind them, those of unknown side on both.

    Return where the left side begins (NO_ROOM if the arrays are full), where it ends, and what is in use.
    """
    rows, origins, side, left = seats.rows, seats.origins, buffers.side, buffers.keys
    n_left, n_right = np.int64(0), np.int64(0)
    for k in range(end - start):
        i, origin = np.int64(rows[start + k]), np.int64(origins[start + k])
        if side[k] == UNKNOWN:
            copy = used.copies
            used = _copy_row(lists, i, share, used)
            if used.copies == NO_ROOM:
                return np.int64(NO_ROOM), start, used
            left[n_left] = (origin << 32) | copy
        else:
            left[n_left] = (origin << 32) | i
        rows[start + n_right], origins[start + n_right] = i, origin
        n_left += side[k] != 0
        n_right += side[k] != 1
    first = start + n_right
    if first + n_left > rows.size:
        return np.int64(NO_ROOM), start, used
    for k in range(n_left):
        rows[first + k], origins[first + k] = left[k] & 0xFFFFFFFF, left[k] >> 32
    return first, first + n_left, used


@inner
def _copy_row(lists, i, share, used):
    """Make a copy of row i with this share of its weight; i keeps the rest. Return what is in use (NO_ROOM: full)."""
    span, label, weight = lists.span, lists.label, lists.weight
    copy, start = used.copies, used.entries
    size = -(-(span[i, STOP] - span[i, START]) // PAD) * PAD
    if copy == span.shape[0] or start + size > label.size:
        return Used(np.int64(NO_ROOM), start)
    for e in range(size):
        label[start + e], weight[start + e] = label[span[i, START] + e], weight[span[i, START] + e]
    span[copy, START], span[copy, STOP] = start, start + span[i, STOP] - span[i, START]
    for field in range(lists.stat.shape[1]):
        lists.stat[copy, field] = lists.stat[i, field]
    _scale(lists.stat, copy, share)
    _scale(lists.stat, i, 1.0 - share)
    return Used(copy + 1, start + size)


@inner
def _scale(stat, i, share):
    stat[i, B] *= share
    stat[i, SHARE_A] *= share * share  # b^2 sum w

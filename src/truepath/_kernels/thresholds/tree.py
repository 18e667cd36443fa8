"""Best monotone thresholds on a tree, exactly: a dynamic programme over merged cut points.

Passing a cut point of class v upwards changes the loss by ``pos * miss[v] - neg * alarm[v]``, so each class's own loss
f_v is a step function of its threshold. From the leaves up::

    F_v(t) = f_v(t) + sum over children w of h_w(t)        h_v(t) = min over t' >= t of F_v(t')

All numbers are whole, so that sums do not depend on their order and ties are ties.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath._kernels.jit import kernel
from truepath._kernels.thresholds.lists import grow

Array = NDArray[Any]


@kernel
def best_tree_thresholds(
    ptr: Array, value: Array, pos: Array, neg: Array, miss: Array, alarm: Array,
    parent_ptr: Array, parent_idx: Array, child_ptr: Array, child_idx: Array, t: Array,
) -> None:  # fmt: skip
    """Fill ``t`` with the smallest threshold vector among the best ones; -inf is below every score.

    A *record* of F_v is a piece whose loss no later piece undercuts: the best answer to a parent's threshold is
    the first record that ends beyond it. ``begin`` and ``end`` delimit records, ``rise`` is by how much h_v grows
    at the end. h_v grows only where positives lie below, so records stay few.
    """
    n_nodes = ptr.size - 1
    first, last = np.zeros(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    begin, end, rise = np.empty(1024), np.empty(1024), np.empty(1024, np.int64)
    used = np.int64(0)  # not a literal, which would be compiled once more
    for v in range(n_nodes - 1, -1, -1):  # children before parents
        below, growth = _gather_rises(child_idx[child_ptr[v] : child_ptr[v + 1]], first, last, end, rise)
        room = used + below.size + ptr[v + 1] - ptr[v] + 1
        if room > begin.size:
            begin, end, rise = grow(begin, used, 2 * room), grow(end, used, 2 * room), grow(rise, used, 2 * room)
        first[v] = used
        used = _scan_pieces(
            ptr[v], ptr[v + 1], value, pos, neg, miss[v], alarm[v], below, growth, begin, end, rise, used
        )
        last[v] = used
    for v in range(n_nodes):
        floor = -np.inf
        if parent_ptr[v] < parent_ptr[v + 1]:
            floor = t[parent_idx[parent_ptr[v]]]
        k = last[v] - 1  # records are listed from the highest down
        while end[k] <= floor:
            k -= 1
        t[v] = max(begin[k], floor)


@kernel
def _gather_rises(children: Array, first: Array, last: Array, end: Array, rise: Array) -> tuple[Array, Array]:
    """Return where the children's h grow, ascending, and by how much."""
    size = 0
    for w in children:
        for k in range(first[w], last[w]):
            size += rise[k] > 0
    at, growth = np.empty(size), np.empty(size, np.int64)
    size = 0
    for w in children:
        for k in range(last[w] - 1, first[w] - 1, -1):
            if rise[k] > 0:
                at[size], growth[size] = end[k], rise[k]
                size += 1
    if children.size > 1:
        order = np.argsort(at)
        return at[order], growth[order]
    return at, growth


@kernel
def _scan_pieces(
    start: int, stop: int, value: Array, pos: Array, neg: Array, miss: int, alarm: int,
    below: Array, growth: Array, begin: Array, end: Array, rise: Array, used: int,
) -> int:  # fmt: skip
    """List the records of F_v from the highest piece down; return the end of the list."""
    loss, best = np.int64(0), np.int64(0)  # relative to the highest piece
    k, j = stop - 1, below.size - 1
    piece_end, is_first = np.inf, True
    while True:
        here, change = -np.inf, np.int64(0)
        while k >= start:  # skip cut points where nothing changes
            change = np.int64(pos[k]) * miss - np.int64(neg[k]) * alarm
            if change != 0:
                here = value[k]
                break
            k -= 1
        if j >= 0 and below[j] > here:
            here, change = below[j], np.int64(0)
        elif k >= start:
            k -= 1
        while j >= 0 and below[j] == here:
            change += growth[j]
            j -= 1
        if is_first or loss <= best:
            begin[used], end[used], rise[used] = here, piece_end, best - loss
            used += 1
            best, is_first = loss, False
        if here == -np.inf:
            return used
        piece_end = here
        loss -= change

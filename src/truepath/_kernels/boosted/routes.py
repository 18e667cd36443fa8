"""The way of binned rows from the nodes of one level to those of the next."""

from __future__ import annotations

from truepath._kernels.jit import kernel


@kernel
def find_sides(bins, row_of, usual, column_of, is_left, node_of, side):
    """Write for each row whether it goes left at its node; listed columns (``row_of`` -1) have their usual bin."""
    for i in range(node_of.size):
        t = node_of[i]
        f = column_of[t]
        if f >= 0:
            b = bins[row_of[f], i] if row_of[f] >= 0 else usual[f]
            side[i] = is_left[t, b]


@kernel
def mend_sides(listed_rows, listed_bins, node, is_left, node_of, side):
    """In place: the sides of the rows of one node that are off the usual bin of its column."""
    for k in range(listed_rows.size):
        i = listed_rows[k]
        if node_of[i] == node:
            side[i] = is_left[listed_bins[k]]


@kernel
def step_down(column_of, left, right, side, node_of):
    """In place: the node of each row becomes the child on its side."""
    for i in range(node_of.size):
        t = node_of[i]
        if column_of[t] >= 0:
            node_of[i] = left[t] if side[i] else right[t]

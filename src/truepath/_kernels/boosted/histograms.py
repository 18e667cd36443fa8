"""Sums of sketches over the rows of each node and bin, and the best cut of each column there.

A cut of a node with the sums S (one number per cell of the sketch) and W (the weight of its rows) into two sides gains
|S_l|^2 / (W_l + c) + |S_r|^2 / (W_r + c) - |S|^2 / (W + c), where c, ``rows_added``, keeps small sides from looking
better than they are. Rows without a value are in bin 0 and go to the side where that gains more.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.boosted.cells import LANES
from truepath._kernels.jit import inner, kernel

CELLS = LANES - 1
#: Less than this weight in the bin of missing values is what subtraction of single-precision sums has left
NOTHING = 1e-3
#: A later cut must gain more by this factor: equal gains differ in rounding
SLACK = 1.0 + 1e-6
#: Steps of the power method that finds along which direction the values of a nominal column are ordered
POWER_STEPS = 12


@inner
def _add(histogram, at, sketch, row):
    """In place: add the lanes of a row to a bin; all are read before any is written, so that they are added at once."""
    a0, a1, a2, a3 = sketch[row, 0], sketch[row, 1], sketch[row, 2], sketch[row, 3]
    a4, a5, a6, a7 = sketch[row, 4], sketch[row, 5], sketch[row, 6], sketch[row, 7]
    a0 += histogram[at, 0]
    a1 += histogram[at, 1]
    a2 += histogram[at, 2]
    a3 += histogram[at, 3]
    a4 += histogram[at, 4]
    a5 += histogram[at, 5]
    a6 += histogram[at, 6]
    a7 += histogram[at, 7]
    histogram[at, 0], histogram[at, 1], histogram[at, 2], histogram[at, 3] = a0, a1, a2, a3
    histogram[at, 4], histogram[at, 5], histogram[at, 6], histogram[at, 7] = a4, a5, a6, a7


@kernel
def add_up(bins, rows, slots, sketch, n_bins, histogram):
    """In place: add row k of ``sketch``, which is row rows[k] of the table, to histogram[slots[k] * n_bins + bin]."""
    for k in range(rows.size):
        _add(histogram, slots[k] * n_bins + bins[rows[k]], sketch, k)


@kernel
def add_up_listed(listed_rows, listed_bins, usual, slot_of, place_of, sketch, totals, n_bins, histogram):
    """In place: the same for a column of which only the rows off its usual bin are listed.

    ``slot_of`` and ``place_of`` are the slot (-1: none) and the place in ``sketch`` of each row of the table.
    """
    for s in range(len(totals)):
        histogram[s * n_bins + usual] = totals[s]
    for k in range(listed_rows.size):
        s = slot_of[listed_rows[k]]
        if s >= 0:
            _add(histogram, s * n_bins + listed_bins[k], sketch, place_of[listed_rows[k]])
            for c in range(LANES):
                histogram[s * n_bins + usual, c] -= sketch[place_of[listed_rows[k]], c]


@kernel
def add_children(parents, split, left_is_small, small, children):
    """Write the histograms of two children of each split node: the small one's, and what is left of the parent's.

    Parameters
    ----------
    parents, small, children : ndarray of float32, shape (nodes, n_bins, LANES)
        ``small`` has one place for each split node, ``children`` two.
    split : ndarray of int
        The places in ``parents`` of the nodes that were split.
    left_is_small : ndarray of bool
    """
    for k in range(split.size):
        least = 2 * k if left_is_small[k] else 2 * k + 1
        most = 4 * k + 1 - least
        for b in range(small.shape[1]):
            for c in range(LANES):
                children[least, b, c] = small[k, b, c]
                children[most, b, c] = parents[split[k], b, c] - small[k, b, c]


@inner
def _score(sums, weight, rows_added):
    total = 0.0
    for c in range(CELLS):
        total += sums[c] * sums[c]
    return total / (weight + rows_added)


@inner
def _order_bins(histogram, n_bins, order, means, direction, moved):
    """Write the bins 1 .. n_bins - 1 in the order of their mean sketches along the first principal direction."""
    weight = 0.0
    direction[:] = 0.0
    for b in range(1, n_bins):
        held = max(np.float64(histogram[b, CELLS]), 0.0)
        weight += held
        for c in range(CELLS):
            means[b, c] = histogram[b, c] / held if held > NOTHING else 0.0
            direction[c] += histogram[b, c]
    for b in range(1, n_bins):
        for c in range(CELLS):
            means[b, c] -= direction[c] / max(weight, NOTHING)
    for c in range(CELLS):
        direction[c] = 1.0 + 0.1 * c
    for _ in range(POWER_STEPS):
        moved[:] = 0.0
        for b in range(1, n_bins):
            along = 0.0
            for c in range(CELLS):
                along += means[b, c] * direction[c]
            for c in range(CELLS):
                moved[c] += max(np.float64(histogram[b, CELLS]), 0.0) * along * means[b, c]
        length = 0.0
        for c in range(CELLS):
            length += moved[c] * moved[c]
        if length == 0.0:
            break
        for c in range(CELLS):
            direction[c] = moved[c] / np.sqrt(length)
    for b in range(1, n_bins):
        along = 0.0
        for c in range(CELLS):
            along += means[b, c] * direction[c]
        means[b, 0] = along if histogram[b, CELLS] > NOTHING else np.inf  # bins without rows last
        k = b - 1
        while k > 0 and means[order[k - 1], 0] > means[b, 0]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = b


@inner
def _cut(histogram, n_bins, order, with_missing, least_weight, rows_added, total, left, right):
    """Return the best gain of cuts along ``order`` and the number of bins left of it; bin 0 goes left if asked."""
    left[:] = 0.0
    best, at = 0.0, 0
    whole = _score(total, total[CELLS], rows_added)
    for k in range(0 if with_missing else 1, n_bins - 1):  # bins left of the cut; none but bin 0 is one, too
        b = order[k - 1] if k > 0 else 0
        for c in range(LANES):
            left[c] += histogram[b, c]
            right[c] = total[c] - left[c]
        least = min(left[CELLS], right[CELLS])
        if histogram[b, CELLS] <= NOTHING or least <= NOTHING or least < least_weight:
            continue  # a bin without rows: the cut is that before it
        gain = _score(left, left[CELLS], rows_added) + _score(right, right[CELLS], rows_added) - whole
        if gain > best * SLACK:
            best, at = gain, k
    return best, at


@kernel
def find_cuts(histograms, is_nominal, least_weight, rows_added, gains, cuts, with_left):
    """Write the best cut of one column at each node.

    Parameters
    ----------
    histograms : ndarray of float32, shape (n_nodes, n_bins, LANES)
        The bin of missing values comes first.
    is_nominal : bool
    gains, cuts, with_left : ndarray, shape (n_nodes,)
        The gain (0: no cut), the number of bins left of the cut, in order, and whether bin 0 is there too.
    """
    total, left, right = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    order, n = np.arange(1, 257), histograms.shape[1]
    means, direction, moved = np.empty((256, CELLS)), np.empty(CELLS), np.empty(CELLS)
    for t in range(histograms.shape[0]):
        own = histograms[t]
        total[:] = 0.0
        for b in range(n):
            for c in range(LANES):
                total[c] += own[b, c]
        if is_nominal:
            _order_bins(own, n, order, means, direction, moved)
        gain, at = _cut(own, n, order, False, least_weight, rows_added, total, left, right)
        is_left = False
        if own[0, CELLS] > NOTHING:
            other, place = _cut(own, n, order, True, least_weight, rows_added, total, left, right)
            if other > gain * SLACK:
                gain, at, is_left = other, place, True
        elif gain > 0:  # what is missing only later follows the larger side
            weight = 0.0
            for k in range(at):
                weight += own[order[k], CELLS]
            is_left = 2.0 * weight >= total[CELLS]
        gains[t], cuts[t], with_left[t] = gain, at, is_left


@kernel
def mark_left(histogram, is_nominal, at, with_left, is_left):
    """Write which bins of one node and column go left: those before the cut, bins without rows as missing values."""
    order, direction, moved = np.empty(256, np.int64), np.empty(CELLS), np.empty(CELLS)
    n_bins = len(histogram)
    is_left[:] = with_left
    if is_nominal:
        _order_bins(histogram, n_bins, order, np.empty((256, CELLS)), direction, moved)
        for k in range(n_bins - 1):
            if histogram[order[k], CELLS] > NOTHING:
                is_left[order[k]] = k < at
    else:
        for b in range(1, n_bins):
            is_left[b] = b <= at

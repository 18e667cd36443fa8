"""The order in which the values of a nominal feature are tried as sets: cut an order, and both parts are sets."""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner
from truepath._kernels.trees.labels import SINGLE, START, STOP, SUM_T, B
from truepath._kernels.trees.rng import draw_below
from truepath._kernels.trees.sort import ROW_MASK

ITERATIONS = 6  # of the power method
PLACE, LISTED, BEST = 0, 1, 2  # rows of order: the place of each value, the values by place, the places worth keeping
PROJECTION, COUNT = 0, 1  # rows of share


@inner
def order_values(keys, n_keys, n_values, awkward, n_labels, lists):
    """Order the values of a nominal feature along the first principal direction of their mean label vectors.

    For a single label that order holds the best of all subsets (Fisher, 1958); for more it is a heuristic. Power method
    on the scatter between values, starting from the node's sums T: never a matrix, O(labels) an iteration. Labels that
    one row alone has say where to cut only if no other label does.
    """
    order, share, direction = awkward.order, awkward.share, awkward.direction
    span, label, weight, stat = lists.span, lists.label, lists.weight, lists.stat
    for v in range(n_labels):
        direction[v] = lists.sums[SUM_T, v]
    for step in range(ITERATIONS):
        if not _project(keys, n_keys, n_values, share, direction, span, label, weight, stat):
            if step == 0:  # all values look alike in the labels that rows share
                _project_single(keys, n_keys, share, stat)
            break
        for v in range(n_labels):
            direction[v] = 0.0
        for k in range(n_keys):
            i = keys[k] & ROW_MASK
            pull = stat[i, B] * share[PROJECTION, keys[k] >> 32]
            for e in range(span[i, START], span[i, STOP]):
                direction[label[e]] += pull
    _sort_present(order, share, n_values)


@inner
def _project(keys, n_keys, n_values, share, direction, span, label, weight, stat):
    """Set each value's mean projection on the direction, centred and scaled to 1. Return whether any differ."""
    for value in range(n_values):
        share[PROJECTION, value] = share[COUNT, value] = 0.0
    total, n = 0.0, 0.0
    for k in range(n_keys):
        i, value = keys[k] & ROW_MASK, keys[k] >> 32
        inner = 0.0
        for e in range(span[i, START], span[i, STOP]):
            inner += weight[e] * direction[label[e]]
        share[PROJECTION, value] += stat[i, B] * inner
        share[COUNT, value] += stat[i, B]
        total += stat[i, B] * inner
        n += stat[i, B]
    largest = 0.0
    for value in range(n_values):
        if share[COUNT, value] > 0.0:
            share[PROJECTION, value] = share[PROJECTION, value] / share[COUNT, value] - total / n
            largest = max(largest, abs(share[PROJECTION, value]))
    for value in range(n_values):
        if largest > 0.0:
            share[PROJECTION, value] /= largest
    return largest > 0.0


@inner
def _project_single(keys, n_keys, share, stat):
    """Set each value's mean weight of labels that one row alone has. The counts are there."""
    for k in range(n_keys):
        i, value = keys[k] & ROW_MASK, keys[k] >> 32
        share[PROJECTION, value] += stat[i, B] * stat[i, SINGLE] / share[COUNT, value]


@inner
def _sort_present(order, share, n_values):
    """Set the place of each value: those in the node by projection, ``n_values`` for those absent."""
    n_present = 0
    for value in range(n_values):
        order[PLACE, value] = n_values
        if share[COUNT, value] == 0.0:
            continue
        k = n_present
        while k > 0 and share[PROJECTION, order[LISTED, k - 1]] > share[PROJECTION, value]:
            order[LISTED, k] = order[LISTED, k - 1]
            k -= 1
        order[LISTED, k] = value
        n_present += 1
    for k in range(n_present):
        order[PLACE, order[LISTED, k]] = k


@inner
def shuffle_values(keys, n_keys, n_values, order, rng):
    """Put the values in the node in random order, absent ones at ``n_values``; return a random cut, -1 if constant."""
    for value in range(n_values):
        order[PLACE, value] = n_values
    n_present = np.int64(0)
    for k in range(n_keys):
        value = keys[k] >> 32
        if order[PLACE, value] < n_values:
            continue
        other = draw_below(rng, n_present + 1)
        if other < n_present:  # what was there moves to the end
            order[LISTED, n_present] = order[LISTED, other]
            order[PLACE, order[LISTED, other]] = n_present
        order[LISTED, other], order[PLACE, value] = value, other
        n_present += 1
    return draw_below(rng, n_present - 1) if n_present > 1 else np.int64(-1)


@inner
def recode(keys, n_keys, order):
    """Replace each value by its place in the order."""
    for k in range(n_keys):
        keys[k] = (order[PLACE, keys[k] >> 32] << 32) | (keys[k] & ROW_MASK)

"""Loops behind the curves of a single threshold: what each distinct score changes when the threshold passes it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath._kernels.jit import kernel
from truepath._kernels.thresholds.lists import find_at_least

Array = NDArray[Any]


@kernel
def drop_repeats(ordered: Array) -> int:
    """Move the distinct values of a sorted array to its front, in place; return their number."""
    size = 1
    for k in range(1, ordered.size):
        if ordered[k] != ordered[size - 1]:
            ordered[size] = ordered[k]
            size += 1
    return size


@kernel
def _bucket(x: float, low: float, scale: float, last: int) -> int:
    """Return the bucket of a score; monotone in the score."""
    return min(np.int64((np.float64(x) - low) * scale), last)


@kernel
def make_buckets(distinct: Array, scale: float, starts: Array) -> None:
    """Fill ``starts[b]`` with the first distinct score in bucket b or beyond."""
    b, last = 0, starts.size - 2
    for k in range(distinct.size):
        here = _bucket(distinct[k], distinct[0], scale, last)
        while b <= here:
            starts[b] = k
            b += 1
    while b < starts.size:
        starts[b] = distinct.size
        b += 1


@kernel
def _rank(x: float, distinct: Array, scale: float, starts: Array) -> int:
    """Return the position of a score among the distinct ones: its bucket, then halving."""
    b = _bucket(x, distinct[0], scale, starts.size - 2)
    return find_at_least(distinct, starts[b], starts[b + 1], x)


@kernel
def rank_all(values: Array, distinct: Array, scale: float, starts: Array, ranks: Array) -> None:
    """Fill ``ranks`` with the position of each value among the distinct ones."""
    for k in range(values.size):
        ranks[k] = _rank(values[k], distinct, scale, starts)


@kernel
def add_changes(value: Array, by: Array, distinct: Array, scale: float, starts: Array, change: Array) -> None:
    """Add up changes at each distinct score."""
    for k in range(value.size):
        change[_rank(value[k], distinct, scale, starts)] += by[k]


@kernel
def add_counts(
    value: Array, pos: Array, neg: Array, distinct: Array, scale: float, starts: Array, all_pos: Array, all_neg: Array
) -> None:
    """Add the numbers of positives and negatives at each distinct score."""
    for k in range(value.size):
        r = _rank(value[k], distinct, scale, starts)
        all_pos[r] += pos[k]
        all_neg[r] += neg[k]


@kernel
def add_class_distribution(
    ptr: Array, value: Array, pos: Array, neg: Array, cost: Array,
    distinct: Array, scale: float, starts: Array, change: Array,
) -> int:  # fmt: skip
    """Add what passing each distinct score changes in sum of cost * (wanted - predicted) ** 2; return it at -inf."""
    at_first = np.int64(0)
    for v in range(ptr.size - 1):
        excess = np.int64(0)  # predicted minus wanted: at first all negatives
        for k in range(ptr[v], ptr[v + 1]):
            excess += neg[k]
        at_first += cost[v] * excess * excess
        for k in range(ptr[v], ptr[v + 1]):
            here = excess - np.int64(pos[k]) - np.int64(neg[k])
            change[_rank(value[k], distinct, scale, starts)] += cost[v] * (here * here - excess * excess)
            excess = here
    return at_first


@kernel
def add_row_counts(
    ordered: Array, n_labels: Array, weight: Array, distinct: Array, scale: float, starts: Array, change: Array
) -> int:
    """Add what passing each distinct score changes in sum_i (labels - predicted) ** 2; rows of ``ordered`` ascend."""
    at_first, n_nodes = np.int64(0), ordered.shape[1]
    for i in range(ordered.shape[0]):
        excess = np.int64(n_nodes - n_labels[i])
        at_first += weight[i] * excess * excess
        j = 0
        while j < n_nodes:
            x, begin = ordered[i, j], j
            while j < n_nodes and ordered[i, j] == x:
                j += 1
            here = excess - (j - begin)
            change[_rank(x, distinct, scale, starts)] += weight[i] * (here * here - excess * excess)
            excess = here
    return at_first


@kernel
def list_h_events(
    S: Array, Y: Array, weight: Array, cost: Array, parent_ptr: Array, parent_idx: Array,
    child_ptr: Array, child_idx: Array, roots: Array, lowest: float, value: Array, change: Array, sums: Array,
) -> int:  # fmt: skip
    """List where the H-loss of one threshold t changes, for coherent scores; return how many there are.

    A true class is charged from its own score on until its lowest parent's falls too; a false one is charged below
    its score, if all its parents are true. Adds the loss at -inf to ``sums[0]``, and what changes at the ``lowest``
    score, where most of the events lie, to ``sums[1]``. Lists too short are filled as far as they go.
    """
    size = 0
    for i in range(S.shape[0]):
        for r in range(roots.size):
            if not Y[i, roots[r]]:
                sums[0] += weight[i] * cost[roots[r]]
                size = _add_event(S[i, roots[r]], -weight[i] * cost[roots[r]], lowest, value, change, sums, size)
        for v in range(S.shape[1]):
            if not Y[i, v]:
                continue
            ceiling = np.float64(np.inf)
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                ceiling = min(ceiling, np.float64(S[i, parent_idx[k]]))
            if S[i, v] < ceiling:
                size = _add_event(S[i, v], weight[i] * cost[v], lowest, value, change, sums, size)
                if ceiling < np.inf:
                    size = _add_event(ceiling, -weight[i] * cost[v], lowest, value, change, sums, size)
            for c in range(child_ptr[v], child_ptr[v + 1]):
                w = child_idx[c]
                if not Y[i, w] and parent_idx[parent_ptr[w]] == v and _all_true(i, w, Y, parent_ptr, parent_idx):
                    sums[0] += weight[i] * cost[w]
                    size = _add_event(S[i, w], -weight[i] * cost[w], lowest, value, change, sums, size)
    return size


@kernel
def _add_event(at: float, by: int, lowest: float, value: Array, change: Array, sums: Array, size: int) -> int:
    """List one change, or add it up if it is at the lowest score."""
    if at == lowest:
        sums[1] += by
        return size
    if size < value.size:
        value[size], change[size] = at, by
    return size + 1


@kernel
def _all_true(i: int, w: int, Y: Array, parent_ptr: Array, parent_idx: Array) -> bool:
    """Say whether all parents of w are true in row i."""
    missing = 0
    for k in range(parent_ptr[w], parent_ptr[w + 1]):
        missing += not Y[i, parent_idx[k]]
    return missing == 0


@kernel
def sweep_f1(keys: Array, positives: int, negatives: int, f1: Array) -> int:
    """Turn sorted keys, in place, into the bits of distinct scores, and fill F1 of predicting what lies above each."""
    hits, alarms, size = positives, negatives, 0
    one = np.uint64(1)
    for k in range(keys.size):
        label = np.int64(keys[k] & one)
        hits -= label
        alarms -= 1 - label
        if k + 1 == keys.size or (keys[k + 1] >> one) != (keys[k] >> one):
            keys[size] = keys[k] >> one
            below = hits + alarms + positives
            f1[size] = 2.0 * hits / below if below > 0 else 0.0
            size += 1
    return size


@kernel
def finish_losses(change: Array, loss: Array, at_first: int, unit: float) -> int:
    """Add up the changes and write losses in units; return the first of the smallest. ``loss`` may be ``change``."""
    total, least, best = at_first, np.iinfo(np.int64).max, 0
    for k in range(change.size):
        total += change[k]
        if total < least:
            least, best = total, k
        loss[k] = total * unit
    return best


@kernel
def finish_f1(all_pos: Array, all_neg: Array, f1: Array) -> int:
    """Fill F1 of predicting what lies above each distinct score."""
    hits, alarms = np.int64(0), np.int64(0)
    for k in range(all_pos.size):
        hits += all_pos[k]
        alarms += all_neg[k]
    positives = hits
    for k in range(all_pos.size):
        hits -= all_pos[k]
        alarms -= all_neg[k]
        below = hits + alarms + positives
        f1[k] = 2.0 * hits / below if below > 0 else 0.0
    return positives

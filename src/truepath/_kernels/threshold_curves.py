"""Loops behind the curves of a single threshold: what each distinct score changes when the threshold passes it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath._kernels.jit import kernel

__all__ = [
    "add_class_distribution", "add_counts", "add_hmc_loss", "add_row_counts", "drop_repeats", "list_h_events",
    "make_buckets", "rank_all",
]  # fmt: skip

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
    low, high = starts[b], starts[b + 1]
    while low < high:
        middle = (low + high) // 2
        if distinct[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def rank_all(values: Array, distinct: Array, scale: float, starts: Array, ranks: Array) -> None:
    """Fill ``ranks`` with the position of each value among the distinct ones."""
    for k in range(values.size):
        ranks[k] = _rank(values[k], distinct, scale, starts)


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
def add_hmc_loss(
    ptr: Array, value: Array, pos: Array, neg: Array, miss: Array, alarm: Array,
    distinct: Array, scale: float, starts: Array, change: Array,
) -> None:  # fmt: skip
    """Add what passing each distinct score changes in the HMC-loss; ``miss`` and ``alarm`` are those of the classes."""
    for v in range(ptr.size - 1):
        for k in range(ptr[v], ptr[v + 1]):
            r = _rank(value[k], distinct, scale, starts)
            change[r] += np.int64(pos[k]) * miss[v] - np.int64(neg[k]) * alarm[v]


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
    child_ptr: Array, child_idx: Array, roots: Array, value: Array, change: Array,
) -> tuple[int, int]:  # fmt: skip
    """List where the H-loss of one threshold t changes, for coherent scores; return their number and the loss at -inf.

    A true class is charged from its own score on until its lowest parent's falls too; a false one is charged below
    its score, if all its parents are true. Pass empty lists to count only.
    """
    size, at_first, is_counting = 0, np.int64(0), value.size == 0
    for i in range(S.shape[0]):
        for r in range(roots.size):
            if not Y[i, roots[r]]:
                size, at_first = _add_false(
                    i, roots[r], S, weight, cost, value, change, is_counting, size, at_first
                )
        for v in range(S.shape[1]):
            if not Y[i, v]:
                continue
            lowest = np.float64(np.inf)
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                lowest = min(lowest, np.float64(S[i, parent_idx[k]]))
            if S[i, v] < lowest:
                if not is_counting:
                    value[size], change[size] = S[i, v], weight[i] * cost[v]
                size += 1
                if lowest < np.inf:
                    if not is_counting:
                        value[size], change[size] = lowest, -weight[i] * cost[v]
                    size += 1
            for c in range(child_ptr[v], child_ptr[v + 1]):
                w = child_idx[c]
                if not Y[i, w] and parent_idx[parent_ptr[w]] == v and _all_true(i, w, Y, parent_ptr, parent_idx):
                    size, at_first = _add_false(i, w, S, weight, cost, value, change, is_counting, size, at_first)
    return size, at_first


@kernel
def _all_true(i: int, w: int, Y: Array, parent_ptr: Array, parent_idx: Array) -> bool:
    """Say whether all parents of w are true in row i."""
    for k in range(parent_ptr[w], parent_ptr[w + 1]):
        if not Y[i, parent_idx[k]]:
            return False
    return True


@kernel
def _add_false(
    i: int, v: int, S: Array, weight: Array, cost: Array, value: Array, change: Array, is_counting: bool,
    size: int, at_first: int,
) -> tuple[int, int]:  # fmt: skip
    """Charge a false class below its score."""
    if not is_counting:
        value[size], change[size] = S[i, v], -weight[i] * cost[v]
    return size + 1, at_first + weight[i] * cost[v]

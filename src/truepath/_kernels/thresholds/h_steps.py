"""The H-loss on a tree, taken apart by class, so that the exact search for the HMC-loss finds its optimum too."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath._kernels.jit import kernel
from truepath._kernels.thresholds.lists import grow

Array = NDArray[Any]


@kernel
def list_h_steps(
    S: Array, weight: Array, first: int, cost: Array, true_ptr: Array, true_rows: Array,
    parent_ptr: Array, parent_idx: Array, child_ptr: Array, child_idx: Array,
    ptr: Array, value: Array, change: Array,
) -> tuple[Array, Array, int]:  # fmt: skip
    """Append the steps of the classes from ``first`` on, one per column; return the lists, grown, and the loss at -inf.

    ``true_rows[true_ptr[v]:true_ptr[v + 1]]`` are the rows where v is true.
    """
    n_samples = S.shape[0]
    gain, is_true = np.zeros(n_samples, np.int64), np.zeros(n_samples, np.bool_)
    score, by = np.empty(n_samples, S.dtype), np.empty(n_samples, np.int64)
    at_first = np.int64(0)
    for v in range(first, first + S.shape[1]):
        for r in range(true_ptr[v], true_ptr[v + 1]):
            is_true[true_rows[r]] = True
        for c in range(child_ptr[v], child_ptr[v + 1]):
            for r in range(true_ptr[child_idx[c]], true_ptr[child_idx[c] + 1]):
                gain[true_rows[r]] += cost[child_idx[c]]
        is_top = parent_ptr[v] == parent_ptr[v + 1]
        start, stop = 0, n_samples
        if not is_top:
            start, stop = true_ptr[parent_idx[parent_ptr[v]]], true_ptr[parent_idx[parent_ptr[v]] + 1]
        size = 0
        for r in range(start, stop):
            i = r if is_top else true_rows[r]
            score[size] = S[i, v - first]
            by[size] = weight[i] * (cost[v] - gain[i]) if is_true[i] else -weight[i] * cost[v]
            at_first += 0 if is_true[i] else weight[i] * cost[v]
            size += 1
        for r in range(true_ptr[v], true_ptr[v + 1]):
            is_true[true_rows[r]] = False
            gain[true_rows[r]] = 0
        used = ptr[v]
        if value.size < used + size:
            value, change = grow(value, used, 2 * (used + size)), grow(change, used, 2 * (used + size))
        order = np.argsort(score[:size])
        for k in range(size):
            if k == 0 or score[order[k]] != value[used - 1]:
                value[used], change[used] = score[order[k]], 0
                used += 1
            change[used - 1] += by[order[k]]
        ptr[v + 1] = used
    return value, change, at_first

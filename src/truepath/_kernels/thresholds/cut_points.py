"""Sorting scores together with their labels: pack both into one integer key, sort, count equal scores.

The bits of a non-negative float, read as an unsigned integer, keep its order, and its sign bit is free: shifted by
one, the label fits in. Sorting such keys sorts scores and carries the labels along at the price of a plain sort.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath._kernels.jit import kernel

Array = NDArray[Any]
ONE = np.uint64(1)


@kernel
def pack_columns(bits: Array, Y: Array, keys: Array) -> None:
    """Fill ``keys[j, i]`` with twice the bits of score (i, j), plus its label."""
    for i in range(bits.shape[0]):
        for j in range(keys.shape[0]):
            keys[j, i] = (bits[i, j] << ONE) | np.uint64(Y[i, j])  # the shift makes -0.0 a 0.0


@kernel
def collapse_keys(keys: Array, ptr: Array, first: int, bits: Array, pos: Array, neg: Array) -> None:
    """Append each row's distinct scores with their numbers of positives and negatives, from ``ptr[first]`` on.

    A row of ``keys`` holds the sorted keys of one class; ``ptr`` gets the end of each.
    """
    used = ptr[first]
    for j in range(keys.shape[0]):
        last = keys[j, 0] >> ONE
        n_pos, begin = 0, 0
        for i in range(keys.shape[1]):
            here = keys[j, i] >> ONE
            if here != last:
                bits[used], pos[used], neg[used] = last, n_pos, i - begin - n_pos
                used += 1
                last, n_pos, begin = here, 0, i
            n_pos += np.int64(keys[j, i] & ONE)
        bits[used], pos[used], neg[used] = last, n_pos, keys.shape[1] - begin - n_pos
        used += 1
        ptr[first + j + 1] = used


@kernel
def collapse_sorted(
    scores: Array, order: Array, Y: Array, weight: Array, ptr: Array, first: int, value: Array, pos: Array, neg: Array
) -> None:
    """Do the same for scores of any sign with whole-number weights.

    ``order[:, j]`` sorts column ``j`` of ``scores``.
    """
    used = ptr[first]
    for j in range(scores.shape[1]):
        for k in range(scores.shape[0]):
            i = order[k, j]
            if k == 0 or scores[i, j] != value[used - 1]:
                value[used], pos[used], neg[used] = scores[i, j], 0, 0
                used += 1
            if Y[i, j]:
                pos[used - 1] += weight[i]
            else:
                neg[used - 1] += weight[i]
        ptr[first + j + 1] = used


@kernel
def count_mistakes(ptr: Array, value: Array, pos: Array, neg: Array, t: Array, misses: Array, alarms: Array) -> None:
    """Fill the numbers of positives at or below, and of negatives above, each class's threshold."""
    for v in range(ptr.size - 1):
        misses[v], alarms[v] = 0, 0
        for k in range(ptr[v], ptr[v + 1]):
            if value[k] > t[v]:
                alarms[v] += neg[k]
            else:
                misses[v] += pos[k]

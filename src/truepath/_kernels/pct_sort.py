"""Sorting rows by the rank of a feature's value: keys are ``rank << 32 | row``, ranks are small integers.

Small nodes are sorted by insertion, larger ones by least-significant-digit radix sort over the rank's bits only:
two passes for up to 65,536 distinct values, whatever the values were.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner

INSERTION_LIMIT = 48
DIGIT = 8
N_BUCKETS = 256
ROW_MASK = 0xFFFFFFFF


@inner
def sort_keys(keys, spare, n, n_ranks, counts):
    """Sort ``keys[:n]`` in place; ``spare`` is as long, ``counts`` has N_BUCKETS entries."""
    if n <= INSERTION_LIMIT:
        _sort_by_insertion(keys, n)
        return
    shift, is_swapped = np.int64(32), False
    while shift == 32 or (n_ranks - 1) >> (shift - 32):
        if is_swapped:
            _sort_digit(spare, keys, n, shift, counts)
        else:
            _sort_digit(keys, spare, n, shift, counts)
        is_swapped = not is_swapped
        shift += DIGIT
    if is_swapped:
        for k in range(n):
            keys[k] = spare[k]


@inner
def _sort_by_insertion(keys, n):
    for i in range(1, n):
        key = keys[i]
        j = i - 1
        while j >= 0 and keys[j] > key:
            keys[j + 1] = keys[j]
            j -= 1
        keys[j + 1] = key


@inner
def _sort_digit(source, target, n, shift, counts):
    """Stable counting sort of ``source[:n]`` by one digit, into ``target``."""
    for k in range(N_BUCKETS):
        counts[k] = 0
    for i in range(n):
        counts[(source[i] >> shift) & (N_BUCKETS - 1)] += 1
    place = np.int64(0)
    for k in range(N_BUCKETS):
        count = counts[k]
        counts[k] = place
        place += count
    for i in range(n):
        k = (source[i] >> shift) & (N_BUCKETS - 1)
        target[counts[k]] = source[i]
        counts[k] += 1

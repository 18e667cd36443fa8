"""Sorting rows by the rank of a feature's value: keys are ``rank << 32 | row``, ranks are small integers.

Few rows of many ranks are sorted by insertion, others by least-significant-digit radix sort over the rank's bits
only: one pass for up to 256 distinct values, two for up to 65,536, whatever the values were.
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
    """Sort ``keys[:n]``; return whether the result is in spare (as long) rather than in place."""
    if n <= min(INSERTION_LIMIT, 4 + n_ranks):
        _sort_by_insertion(keys, n)
        return False
    shift, is_in_spare = np.int64(32), False
    while shift == 32 or (n_ranks - 1) >> (shift - 32):
        if is_in_spare:
            _sort_digit(spare, keys, n, shift, min(n_ranks, N_BUCKETS), counts)
        else:
            _sort_digit(keys, spare, n, shift, min(n_ranks, N_BUCKETS), counts)
        is_in_spare = not is_in_spare
        shift += DIGIT
    return is_in_spare


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
def _sort_digit(source, target, n, shift, n_buckets, counts):
    """Stable counting sort of ``source[:n]`` by one digit, into ``target``."""
    for k in range(n_buckets):
        counts[k] = 0
    for i in range(n):
        counts[(source[i] >> shift) & (N_BUCKETS - 1)] += 1
    place = np.int64(0)
    for k in range(n_buckets):
        count = counts[k]
        counts[k] = place
        place += count
    for i in range(n):
        k = (source[i] >> shift) & (N_BUCKETS - 1)
        target[counts[k]] = source[i]
        counts[k] += 1

"""Halving sets of labels by balanced two-means on the unit sphere: labels that occur in similar rows stay together.

``V`` is (data, indices, indptr) of CSR rows, one per label, of length one or zero.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner, kernel
from truepath._kernels.trees.rng import GOLDEN, draw_below

LEAST_GAIN = 1e-4  # of the sum of similarities, relative: below it the halves count as settled
MAX_ROUNDS = 20
LEAST_LENGTH = 1e-150  # of a centre, where it divides
NEITHER = -1


@inner
def _add(V, v, center):
    """Add a label's vector to a centre."""
    for e in range(V[2][v], V[2][v + 1]):
        center[V[1][e]] += V[0][e]


@inner
def _similarity(V, v, center):
    """Return the product of a label's vector and a centre."""
    z = 0.0
    for e in range(V[2][v], V[2][v + 1]):
        z += V[0][e] * center[V[1][e]]
    return z


@inner
def _clear(V, members, centers):
    """Set the centres to zero wherever a member's vector is not."""
    for k in range(members.size):
        for e in range(V[2][members[k]], V[2][members[k] + 1]):
            centers[0, V[1][e]] = 0.0
            centers[1, V[1][e]] = 0.0


@inner
def _compare(V, members, side, centers, to_first, leans):
    """Set how much nearer each member is to centre 1 than to 0; return the sum of similarities to their own centres.

    A centre is the sum of its members' vectors, so that its squared length is the sum of their products with it.
    """
    first, second = 0.0, 0.0
    for k in range(members.size):
        to_first[k] = _similarity(V, members[k], centers[0])
        leans[k] = _similarity(V, members[k], centers[1])
        if side[k] == 0:
            first += to_first[k]
        elif side[k] == 1:
            second += leans[k]
    first, second = np.sqrt(first), np.sqrt(second)
    for k in range(members.size):
        leans[k] = leans[k] / max(second, LEAST_LENGTH) - to_first[k] / max(first, LEAST_LENGTH)
    return first + second


@kernel
def _halve(V, members, side, centers, state):
    """Set the side, 0 or 1, of each member; the first side has as many members as the second, or one more."""
    n = members.size
    to_first, leans, best = np.empty(n), np.empty(n), -1.0
    first = draw_below(state, n)
    second = (first + 1 + draw_below(state, n - 1)) % n
    side[:] = NEITHER
    side[first], side[second] = 0, 1
    for n_rounds in range(MAX_ROUNDS):
        for k in range(n):
            if side[k] != NEITHER:
                _add(V, members[k], centers[side[k]])
        found = _compare(V, members, side, centers, to_first, leans)
        _clear(V, members, centers)
        if n_rounds > 1 and found <= best * (1.0 + LEAST_GAIN):
            break
        best = found
        order = np.argsort(leans, kind="mergesort")
        for s in range(n):
            side[order[s]] = 0 if s < n - n // 2 else 1


@kernel
def halve_sets(V, n_features, members, ptr, numbers, seed):
    """Return the half, 0 or 1, of each member of each set ``members[ptr[j]:ptr[j + 1]]``, all of two members or more.

    The first labels are drawn from the seed and the set's number. O(rounds * entries of the members' vectors).
    """
    side, centers = np.zeros(members.size, np.int64), np.zeros((2, n_features))
    state = np.empty(1, np.uint64)
    for j in range(ptr.size - 1):
        state[0] = np.uint64(seed) + np.uint64(numbers[j]) * GOLDEN
        own = members[ptr[j] : ptr[j + 1]]
        _halve(V, own, side[ptr[j] : ptr[j + 1]], centers, state)
    return side

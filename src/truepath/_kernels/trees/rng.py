"""A small random generator whose state is an array of the caller's: splitmix64 (Steele, Lea & Flood, 2014).

One state per tree, so trees grown in any order, on any number of threads, draw the same numbers.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
S27, S30, S31, S11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(11)
TO_UNIT = 1.0 / 9007199254740992.0  # 2 ** -53


@inner
def draw_unit(state):
    """Return a number in [0, 1) and step the state (uint64, shape (1,))."""
    state[0] += GOLDEN
    z = state[0]
    z = (z ^ (z >> S30)) * MIX_1
    z = (z ^ (z >> S27)) * MIX_2
    z = z ^ (z >> S31)
    return np.float64(z >> S11) * TO_UNIT


@inner
def draw_below(state, n):
    """Return an integer in 0 .. n - 1."""
    return min(np.int64(draw_unit(state) * n), n - 1)

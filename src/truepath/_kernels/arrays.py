"""Plain loops for what numba compiles slowly: slices assigned to slices, and sorting."""

from __future__ import annotations

from truepath._kernels.jit import inner


@inner
def copy_first(source, n, target):
    """Write the first n entries of ``source`` to the beginning of ``target``."""
    for k in range(n):
        target[k] = source[k]


@inner
def sort_numbers(values):
    """In place: sort integers, ascending; made for lists of up to some hundred."""
    for gap in (701, 301, 132, 57, 23, 10, 4, 1):  # Shell's sort (Ciura, 2001)
        for k in range(gap, values.size):
            value, at = values[k], k
            while at >= gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value

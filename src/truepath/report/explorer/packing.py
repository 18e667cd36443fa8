"""Whole numbers as short text: seven bits per byte, then base64; ``unpack.js`` reads them.

A byte below 128 ends a number, so that small numbers take one byte. Sorted numbers are stored as distances and counts
without their zeros, which keeps most of them small.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Shares are kept in steps of 1 / 65,535
STEPS = 65_535


def pack_numbers(numbers: ArrayLike) -> str:
    """Write whole numbers from 0 up.

    >>> pack_numbers([1, 300])
    'AawC'
    """
    left = np.asarray(numbers, np.int64).ravel()
    n_bytes = np.ones(left.size, np.int64)
    for bits in range(7, 63, 7):
        n_bytes += left >= (1 << bits)
    ends = np.cumsum(n_bytes)
    written = np.zeros(int(ends[-1]) if ends.size else 0, np.uint8)
    for k in range(int(n_bytes.max(initial=0))):
        more = n_bytes > k
        low = (left[more] >> (7 * k)) & 127
        goes_on = n_bytes[more] > k + 1
        written[(ends - n_bytes)[more] + k] = low + 128 * goes_on
    return _text(written)


def pack_rows(indptr: NDArray[Any], indices: NDArray[Any]) -> dict[str, str]:
    """Write the columns of each row of a CSR matrix, which ascend: how many, and their distances."""
    sizes = np.diff(indptr)
    distance = np.diff(indices.astype(np.int64), prepend=0)
    first = indptr[:-1][sizes > 0]
    distance[first] = indices[first]
    return {"sizes": pack_numbers(sizes), "steps": pack_numbers(distance)}


def pack_counts(counts: NDArray[Any]) -> dict[str, str]:
    """Write a table of counts, most of them 0: the distances between the others, and these."""
    flat = counts.ravel()
    at = np.flatnonzero(flat)
    return {"steps": pack_numbers(np.diff(at, prepend=0)), "counts": pack_numbers(flat[at])}


def pack_shares(values: NDArray[Any], low: float, high: float) -> str:
    """Write numbers between two ends in two bytes each."""
    share = (np.asarray(values, np.float64) - low) / (high - low)
    return _text(np.round(np.clip(share, 0, 1) * STEPS).astype("<u2"))


def _text(array: NDArray[Any]) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")

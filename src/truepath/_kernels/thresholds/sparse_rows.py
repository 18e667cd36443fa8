"""Labels of sparse scores, row by row: what exceeds its threshold, stored or not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath._kernels.jit import kernel

Array = NDArray[Any]


@kernel
def count_above(indptr: Array, indices: Array, data: Array, t: Array, always: Array) -> Array:
    """Return the row pointer of the labels: scores above t, and the nodes `always` (t < 0) where nothing is stored."""
    n_rows = indptr.size - 1
    ends = np.zeros(n_rows + 1, np.int64)
    for i in range(n_rows):
        size = always.size
        for k in range(indptr[i], indptr[i + 1]):
            v = indices[k]
            size += (data[k] > t[v]) - (t[v] < 0)
        ends[i + 1] = ends[i] + size
    return ends


@kernel
def fill_above(indptr: Array, indices: Array, data: Array, t: Array, always: Array, ends: Array, out: Array) -> None:
    """Write the labels counted by :func:`count_above`, ascending; the stored columns of each row must ascend too."""
    for i in range(indptr.size - 1):
        size, a = ends[i], 0
        for k in range(indptr[i], indptr[i + 1]):
            v = indices[k]
            while a < always.size and always[a] < v:
                out[size] = always[a]
                size += 1
                a += 1
            if a < always.size and always[a] == v:
                a += 1
            if data[k] > t[v]:
                out[size] = v
                size += 1
        for j in range(a, always.size):
            out[size] = always[j]
            size += 1

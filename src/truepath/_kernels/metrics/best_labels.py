"""The labels of each row that score best, best first; of equal ones the smaller number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath._kernels.jit import inner, kernel

Array = NDArray[Any]


@inner
def _enter(best, values, size, c, score):
    """Put a column, larger than those there, into the list of the best if it belongs there; return the list's size."""
    if size == best.size:
        if score <= values[size - 1]:
            return size
        size -= 1
    at = size
    while at > 0 and values[at - 1] < score:
        best[at], values[at] = best[at - 1], values[at - 1]
        at -= 1
    best[at], values[at] = c, score
    return size + 1


@kernel
def best_of_dense_rows(S: Array, best: Array) -> None:
    """Set best[i] to the columns of the highest scores of row i."""
    values = np.empty(best.shape[1])
    for i in range(S.shape[0]):
        size = np.int64(0)
        for c in range(S.shape[1]):
            size = _enter(best[i], values, size, c, S[i, c])


@kernel
def best_of_sparse_rows(data: Array, indices: Array, indptr: Array, n_columns: int, best: Array) -> None:
    """Set best[i] to the columns of the highest scores of CSR row i, columns ascending; what is not stored scores 0."""
    k = best.shape[1]
    values = np.empty(k)
    for i in range(indptr.size - 1):
        size = np.int64(0)
        for e in range(indptr[i], indptr[i + 1]):
            if data[e] > 0:
                size = _enter(best[i], values, size, np.int64(indices[e]), data[e])
        e, c = indptr[i], np.int64(0)
        while c < n_columns and (size < k or values[k - 1] < 0):  # nothing above zero is left
            score = 0.0
            if e < indptr[i + 1] and indices[e] == c:
                score = data[e]
                e += 1
            if score <= 0:
                size = _enter(best[i], values, size, c, score)
            c += 1

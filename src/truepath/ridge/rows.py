"""Products of rows with one matrix whose bits are the same whatever rows stand beside.

BLAS adds up in an order that depends on how many rows there are, and on where a row stands in the tiles that it works
in. So rows are handed over in blocks of one size, in one order in memory, as float64, the last block filled up with
rows of zeros, and BLAS keeps to one thread. In float32 that does not suffice: OpenBLAS rounds some rows of a tile
differently on some processors. Products of sparse rows are made row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from truepath.adapters.parallel import single_blas_thread
from truepath.hierarchy.matrices import as_dense

#: The rows of a block: a multiple of the tiles that BLAS works in (48 and its divisors); a row costs as much as a block
ROW_BLOCK = 96


def map_rows(function: Callable[[Any], np.ndarray], X: Any, n_columns: int, dtype: Any = np.float64) -> np.ndarray:
    """Return what a function makes of the rows of X; a row's bits do not depend on the others.

    Parameters
    ----------
    function : callable
        Takes ``ROW_BLOCK`` rows, C-ordered float64 or CSR, returns as many of ``n_columns``.
    X : array or CSR, shape (n_samples, n_features)
    n_columns : int
    dtype : float type of the result, default=float64

    Examples
    --------
    >>> map_rows(lambda block: block @ np.ones((2, 1)), np.eye(2), 1).tolist()
    [[1.0], [1.0]]
    """
    found = np.empty((X.shape[0], n_columns), dtype)
    with single_blas_thread():
        for rows, block in _filled_blocks(X):
            found[rows] = function(block)[: rows.stop - rows.start]
    return found


def multiply_rows(X: Any, W: Any) -> np.ndarray:
    """Return X W, dense; a row's bits do not depend on the others."""
    return map_rows(lambda block: as_dense(block @ W), X, W.shape[1])


def _filled_blocks(X: Any) -> Iterator[tuple[slice, Any]]:
    """Yield the rows of X in blocks of one size, the last one filled up with zeros, and which rows they are."""
    for start in range(0, X.shape[0], ROW_BLOCK):
        rows = slice(start, min(start + ROW_BLOCK, X.shape[0]))
        part, shape = X[rows], (ROW_BLOCK, X.shape[1])
        if sparse.issparse(X):
            ends = np.pad(part.indptr, (0, ROW_BLOCK - part.shape[0]), mode="edge")
            yield rows, sparse.csr_array((part.data.astype(np.float64), part.indices, ends), shape=shape)
            continue
        block = np.zeros(shape)
        block[: part.shape[0]] = part
        yield rows, block

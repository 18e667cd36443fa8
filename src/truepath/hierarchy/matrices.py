"""Dense and sparse matrices alike: made dense where that is wanted, whole or some rows at a time.

Sparse matrices stay sparse until a loop needs rows with every cell; then a bounded number of cells is made dense.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["CELLS_AT_A_TIME", "as_dense", "dense_blocks", "row_blocks"]

#: Rows are made dense this many cells at a time (8 MB of float64)
CELLS_AT_A_TIME = 1 << 20


def as_dense(M: Any) -> NDArray[Any]:
    """Return a sparse matrix as an array, and anything else as an array without a copy where it is one."""
    return M.toarray() if sparse.issparse(M) else np.asarray(M)


def row_blocks(n_rows: int, n_columns: int, cells: int = CELLS_AT_A_TIME) -> Iterator[slice]:
    """Yield slices of consecutive rows with about ``cells`` cells each.

    Examples
    --------
    >>> list(row_blocks(5, 10, cells=20))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, cells // max(1, n_columns))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def dense_blocks(*matrices: Any, cells: int = CELLS_AT_A_TIME) -> Iterator[tuple[slice, tuple[NDArray[Any], ...]]]:
    """Yield ``(rows, blocks)``: the same rows of all matrices, dense and C-ordered, about ``cells`` cells at a time."""
    n_rows, n_columns = matrices[0].shape
    for rows in row_blocks(n_rows, n_columns, cells):
        yield rows, tuple(np.ascontiguousarray(as_dense(M[rows])) for M in matrices)

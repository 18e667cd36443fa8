"""Rows in blocks: any input a block of rows at a time, so that memory does not grow with the number of rows.

A block is a whole number of times 64 rows; a remainder of fewer than 64 joins the last block. Matrix products treat
rows in groups of up to 16, so a row then meets the same neighbours, and gets the same bits, in blocks of any size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any

import numpy as np

from truepath.adapters.rows import count_rows
from truepath.extras import import_extra

#: Blocks hold a multiple of this many rows
ROW_GROUP = 64
#: What the features and the scores of a block may take, in bytes
BLOCK_BYTES = 256 << 20
#: The most rows of a block whose size is chosen here
MOST_ROWS = 1 << 16


def choose_batch_size(batch_size: int | None, n_nodes: int, n_features: int = 0, most: int = MOST_ROWS) -> int:
    """Return the rows of a block: what is asked for, or for None what fits into 256 MB; rounded up to 64.

    Examples
    --------
    >>> choose_batch_size(1000, n_nodes=5), choose_batch_size(None, n_nodes=45_000)
    (1024, 384)
    """
    if batch_size is None:
        batch_size = min(most, BLOCK_BYTES // (8 * (2 * n_nodes + n_features)) + 1)
    elif isinstance(batch_size, bool) or not isinstance(batch_size, Integral) or batch_size < 1:
        raise ValueError(f"batch_size must be an integer >= 1, or None; got {batch_size!r}.")
    return math.ceil(batch_size / ROW_GROUP) * ROW_GROUP


def row_ranges(n_rows: int, size: int) -> Iterator[slice]:
    """Yield slices of ``size`` rows; a remainder of fewer than 64 joins the last. No rows are one empty slice.

    Examples
    --------
    >>> list(row_ranges(200, 64))
    [slice(0, 64, None), slice(64, 128, None), slice(128, 200, None)]
    """
    start = 0
    while n_rows - start >= size + ROW_GROUP:
        yield slice(start, start + size)
        start += size
    yield slice(start, n_rows)


def is_arrow_stream(X: Any) -> bool:
    """Say whether X is a dataset or a stream of pyarrow, whose rows are read as they are needed."""
    is_arrow = type(X).__module__.split(".")[0] == "pyarrow"
    return is_arrow and hasattr(X, "schema") and not hasattr(X, "columns")


def is_lazy(X: Any) -> bool:
    """Say whether X is an array or a data frame of Dask."""
    return type(X).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(X, "npartitions")


def known_rows(X: Any) -> int | None:
    """Return the number of rows; None for a stream that does not know it."""
    if is_arrow_stream(X):
        return int(X.count_rows()) if hasattr(X, "count_rows") else None
    return count_rows(X)


def take_blocks(X: Any, size: int, columns: tuple[str, ...] = ()) -> Iterator[Any]:
    """Yield X in blocks of rows.

    Parameters
    ----------
    X : ndarray, memmap, sparse matrix, data frame, list, or dataset or stream of pyarrow
        One block is X itself, where it has no more rows. Streams come as tables of pyarrow.
    size : int
        The rows of a block, as :func:`choose_batch_size` returns it.
    columns : tuple of str
        Which columns of a pyarrow dataset to read; all, if empty.
    """
    if is_arrow_stream(X):
        yield from _arrow_blocks(X, size, columns)
        return
    ranges = list(row_ranges(count_rows(X), size))
    rows_of = _slicer(X)
    for rows in ranges:
        yield X if len(ranges) == 1 else rows_of(rows)


def _slicer(X: Any) -> Callable[[slice], Any]:
    """Return the function that takes consecutive rows of X, in the order in which they stand."""
    if hasattr(X, "iloc"):
        return lambda rows: X.iloc[rows]
    if hasattr(X, "columns"):
        import narwhals.stable.v1 as nw

        frame = nw.from_native(X, eager_only=True)
        return lambda rows: frame[rows].to_native()
    if hasattr(X, "tocsr"):
        X = X.tocsr()
    return lambda rows: X[rows]


def _arrow_blocks(X: Any, size: int, columns: tuple[str, ...]) -> Iterator[Any]:
    """Yield tables of ``size`` rows; the last has up to 63 more."""
    import pyarrow

    options = {"columns": list(columns) or None, "batch_size": size, "batch_readahead": 1, "fragment_readahead": 1}
    batches = X.to_batches(**options) if hasattr(X, "to_batches") else X
    waiting = None
    for batch in batches:
        new = pyarrow.Table.from_batches([batch])
        waiting = new if waiting is None else pyarrow.concat_tables([waiting, new])
        while waiting.num_rows >= size + ROW_GROUP:
            yield waiting.slice(0, size)
            waiting = waiting.slice(size)
    yield X.schema.empty_table() if waiting is None else waiting


def map_lazily(X: Any, function: Callable[[Any], Any], n_columns: int, meta: Any) -> Any:
    """Return a Dask array of what a function makes of the rows of X, chunk by chunk; nothing is computed yet.

    Parameters
    ----------
    X : Dask array or data frame
    function : callable
        Takes the rows of a chunk, returns a matrix with as many rows.
    n_columns : int
        The columns of that matrix.
    meta : ndarray or sparse matrix
        No rows of such a matrix.
    """
    da = import_extra("dask.array", "An array of Dask", "dask")
    from dask import delayed

    if hasattr(X, "columns") or not hasattr(X, "chunks"):
        call, shape = delayed(function, pure=False), (np.nan, n_columns)
        parts = [da.from_delayed(call(part), shape, meta=meta) for part in X.to_delayed()]
        return da.concatenate(parts, allow_unknown_chunksizes=True)
    if X.ndim == 2:
        X = X.rechunk({1: -1})
    added = None if X.ndim == 2 else 1
    return X.map_blocks(function, dtype=meta.dtype, chunks=(X.chunks[0], (n_columns,)), new_axis=added, meta=meta)

"""Features as ranks: what a tree needs of a column is the order of its values, and which of them occur.

Every column becomes the ranks of its distinct values (int32, -1 where missing) beside the sorted values themselves. A
column that mostly holds one value, such as the zeros of text data, is kept as the rows that differ; a CSR matrix is
read column by column and never made dense.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from truepath import _kernels
from truepath.adapters.inputs import UNKNOWN, find_places
from truepath.adapters.parallel import run_parallel
from truepath.hierarchy.matrices import dense_column

__all__ = ["code_categories", "encode_columns", "find_categories"]

#: A column is kept sparse if at most this share of its rows is off its most common value
SPARSE_SHARE = 0.3
#: Columns coded by one job
COLUMNS_AT_A_TIME = 32


def find_categories(X: Any, is_nominal: np.ndarray) -> dict[int, np.ndarray]:
    """Return the sorted values of each nominal column."""
    found = {}
    for j in np.flatnonzero(is_nominal).tolist():
        values = np.asarray(dense_column(X, j), np.float64)
        found[j] = np.unique(values[~np.isnan(values)])
    return found


def code_categories(X: Any, categories: dict[int, np.ndarray]) -> np.ndarray:
    """Return a float64 copy of dense X with nominal values as their place in ``categories``, NaN if not there."""
    X = np.array(X, np.float64, order="C")
    for j, values in categories.items():
        place = find_places(values, X[:, j])
        X[:, j] = np.where(place == UNKNOWN, np.nan, place)
    return X


def encode_columns(X: Any, categories: dict[int, np.ndarray], *, n_jobs: int | None = None) -> Any:
    """Return the rank-coded columns of X for the tree kernels.

    Parameters
    ----------
    X : ndarray or CSR matrix of float, shape (n_samples, n_features)
        NaN is a missing value.
    categories : dict of int to ndarray
        The sorted values of the nominal columns.
    n_jobs : int, optional
        Threads over blocks of columns, under any backend: to send columns away takes longer than to sort them.

    Notes
    -----
    O(n_samples log n_samples) per column; 2 bytes per cell for the ranks (4 if a column has more than 32,767 distinct
    values, for which the kernels are compiled once more) and 8 for each distinct value. Trees read ranks row by row
    in no order, so how many fit in the processor's cache decides their speed.
    """
    n_features = X.shape[1]
    X = sparse.csc_array(X) if sparse.issparse(X) else X
    starts = range(0, n_features, COLUMNS_AT_A_TIME)
    cases = ((range(start, min(start + COLUMNS_AT_A_TIME, n_features)),) for start in starts)
    blocks = run_parallel(_encode_block, cases, common=(X, categories), n_jobs=n_jobs, shared_memory=True)
    coded = [column for block in blocks for column in block]
    sizes = np.array([values.size for values, *_ in coded], np.int64)
    stored = np.array([rank.size for _, _, rank, _ in coded], np.int64)
    is_dense = np.array([row is None for *_, row in coded], bool)
    stop = np.where(is_dense, np.cumsum(stored * is_dense), np.cumsum(stored * ~is_dense))
    is_nominal = [j in categories for j in range(n_features)]
    mode = [mode for _, mode, *_ in coded]
    fields: list[Any] = [is_dense, is_nominal, mode, sizes, stop - stored, stop, np.cumsum(sizes) - sizes]
    small = np.int16 if sizes.max(initial=0) <= np.iinfo(np.int16).max else np.int32
    off_mode = [(row, rank) for _, _, rank, row in coded if row is not None]
    return _kernels.trees.columns.Columns(
        info=np.column_stack(fields).astype(np.int64),
        dense=_join([rank for _, _, rank, row in coded if row is None], small),
        sparse=np.vstack([_join(list(part), np.int32) for part in zip(*off_mode)] or [np.empty((2, 0), np.int32)]),
        values=_join([values for values, *_ in coded], np.float64),
    )


def _join(parts: list[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate(parts).astype(dtype, copy=False) if parts else np.empty(0, dtype)


def _encode_block(X: Any, categories: dict[int, np.ndarray], block: range) -> list[tuple]:
    return [_encode_column(X, j, j in categories) for j in block]


def _encode_column(X: Any, j: int, is_nominal: bool) -> tuple[np.ndarray, int, np.ndarray, np.ndarray | None]:
    """Return (values, mode, ranks, rows): the rows off the mode, or all rows and None."""
    if sparse.issparse(X) and not is_nominal:
        part = slice(X.indptr[j], X.indptr[j + 1])
        if X.indptr[j + 1] - X.indptr[j] <= SPARSE_SHARE * X.shape[0]:
            return _encode_sparse(X.data[part].astype(np.float64), X.indices[part])
    column = np.asarray(dense_column(X, j), np.float64)
    values, rank = _rank(column)
    if is_nominal or not values.size:
        return values, _kernels.trees.columns.NO_MODE, rank, None
    counts = np.bincount(rank[rank >= 0], minlength=values.size)
    mode = int(counts.argmax())
    rows = np.flatnonzero(rank != mode) if column.size - counts[mode] <= SPARSE_SHARE * column.size else None
    return values, mode, rank if rows is None else rank[rows], rows


def _encode_sparse(data: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, int, np.ndarray, np.ndarray | None]:
    """Encode a sparse column whose mode is zero, from its stored entries."""
    order = np.argsort(rows, kind="stable")
    data, rows = data[order], rows[order]
    is_stored = data != 0.0  # NaN is
    values, rank = _rank(np.append(data[is_stored], 0.0))
    return values, int(rank[-1]), rank[:-1], rows[is_stored]


def _rank(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct values, ascending, and the rank of each entry (-1: NaN)."""
    order = np.argsort(column)  # NaN last
    ascending = column[order]
    n_known = column.size - np.count_nonzero(np.isnan(ascending))
    is_new = np.ones(n_known, bool)
    np.not_equal(ascending[1:n_known], ascending[: max(n_known - 1, 0)], out=is_new[1:])
    rank = np.full(column.size, _kernels.trees.columns.MISSING, np.int32)
    rank[order[:n_known]] = np.cumsum(is_new) - 1
    return ascending[:n_known][is_new], rank

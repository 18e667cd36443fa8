"""Features as ranks: what a tree needs of a column is the order of its values, and which of them occur.

Every column becomes the ranks of its distinct values (-1 where missing) beside the sorted values themselves. Of one
that mostly holds one value, such as the zeros of text data, the rows that differ are listed; a CSR matrix is read
column by column and never made dense.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from truepath import _kernels
from truepath.adapters.categories import UNKNOWN, find_places
from truepath.adapters.parallel import run_parallel
from truepath.hierarchy.matrices import dense_column

#: A column is kept sparse if at most this share of its rows is off its most common value
SPARSE_SHARE = 0.3
#: Columns coded by one job
COLUMNS_AT_A_TIME = 32
#: Ranks of two bytes in a cache line
LINE = 32


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
    O(n_samples log n_samples) per column; 4 bytes per cell for the ranks, once by column and once by row (8 if a column
    has more than 32,767 distinct values, for which the kernels are compiled once more) and 8 for each distinct value.
    Trees read ranks in no order, so how many fit in the processor's cache decides their speed.
    """
    n_features = X.shape[1]
    X = sparse.csc_array(X) if sparse.issparse(X) else X
    starts = range(0, n_features, COLUMNS_AT_A_TIME)
    cases = ((range(start, min(start + COLUMNS_AT_A_TIME, n_features)),) for start in starts)
    blocks = run_parallel(_encode_block, cases, common=(X, categories), n_jobs=n_jobs, shared_memory=True)
    coded: list[_Coded] = [column for block in blocks for column in block]
    counts = [(column.values.size, column.off_mode.size, column.ranks.size) for column in coded]
    sizes, listed, whole = np.array(counts, np.int64).T
    is_dense = [column.rows is None for column in coded]
    starts_of_dense = np.cumsum(whole) - whole
    start = np.where(is_dense, starts_of_dense, np.cumsum(listed) - listed)
    fields: list[Any] = [
        is_dense,
        [j in categories for j in range(n_features)],
        [column.mode for column in coded],
        sizes,
        start,
        start + np.where(is_dense, whole, listed),
        np.cumsum(sizes) - sizes,
        [column.has_missing for column in coded],
        np.where(whole > 0, starts_of_dense, -1),
        np.where(whole > 0, whole.sum() + np.arange(n_features), -1),
        np.full(n_features, _row_step(n_features)),
    ]
    small = np.int16 if sizes.max(initial=0) <= np.iinfo(np.int16).max else np.int32
    off_mode = [np.array([column.rows, column.off_mode], np.int32) for column in coded if column.rows is not None]
    return _kernels.trees.columns.Columns(
        info=np.column_stack(fields).astype(np.int64),
        dense=_lay_out([column.ranks for column in coded], X.shape[0], small),
        sparse=np.hstack([np.empty((2, 0), np.int32), *off_mode]),
        values=np.concatenate([column.values for column in coded]),
        guide=np.array([column.guide for column in coded], small),
        limits=np.array([column.limits for column in coded]),
    )


class _Coded(NamedTuple):
    """A coded column: of the ranks of all rows, and of the rows off the mode beside theirs, either may be missing."""

    values: np.ndarray
    mode: int
    ranks: np.ndarray  # empty if the column came as a sparse one
    rows: np.ndarray | None  # None if too many are off the mode
    off_mode: np.ndarray

    @property
    def limits(self) -> tuple[float, float]:
        """Where the range of values starts, and the cells of the guide per unit; 0 if that is not finite."""
        if self.values.size < 2:
            return 0.0, 0.0
        with np.errstate(over="ignore", divide="ignore"):
            scale = _kernels.trees.columns.N_CELLS / (self.values[-1] - self.values[0])
        return self.values[0], scale if np.isfinite(scale) else 0.0

    @property
    def guide(self) -> np.ndarray:
        """The last rank with a value up to the start of each of the equal cells of the range, and up to its end."""
        cells = np.arange(_kernels.trees.columns.N_CELLS + 1)
        start, scale = self.limits
        if not scale:
            return np.zeros(cells.size, np.int64)
        return np.maximum(np.searchsorted(self.values, start + cells / scale, side="right") - 1, 0)

    @property
    def has_missing(self) -> bool:
        return bool((self.off_mode < 0).any() or (self.ranks < 0).any())


def _lay_out(ranks: list[np.ndarray], n_rows: int, dtype: Any) -> np.ndarray:
    """Return the ranks column by column, then once more row by row: nodes of few rows read them from there."""
    step = _row_step(len(ranks))
    whole = sum(part.size for part in ranks)
    dense = np.zeros(whole + (n_rows * step if whole else 0), dtype)
    by_row, at = dense[whole:].reshape(-1, step), 0
    for j, part in enumerate(ranks):
        dense[at : at + part.size] = part
        if part.size:
            by_row[:, j] = part
        at += part.size
    return dense


def _row_step(n_features: int) -> int:
    """Return how far rows are apart: an odd number of cache lines, so that they do not compete for the same places."""
    return (-(-n_features // LINE) | 1) * LINE


def _encode_block(X: Any, categories: dict[int, np.ndarray], block: range) -> list[_Coded]:
    return [_encode_column(X, j, j in categories) for j in block]


def _encode_column(X: Any, j: int, is_nominal: bool) -> _Coded:
    if sparse.issparse(X) and not is_nominal:
        part = slice(X.indptr[j], X.indptr[j + 1])
        if X.indptr[j + 1] - X.indptr[j] <= SPARSE_SHARE * X.shape[0]:
            return _encode_sparse(X.data[part].astype(np.float64), X.indices[part])
    column = np.asarray(dense_column(X, j), np.float64)
    values, rank = _rank(column)
    if is_nominal or not values.size:
        return _Coded(values, _kernels.trees.columns.NO_MODE, rank, None, rank[:0])
    counts = np.bincount(rank[rank >= 0], minlength=values.size)
    mode = int(counts.argmax())
    if column.size - counts[mode] > SPARSE_SHARE * column.size:
        return _Coded(values, mode, rank, None, rank[:0])
    rows = np.flatnonzero(rank != mode)
    return _Coded(values, mode, rank, rows, rank[rows])


def _encode_sparse(data: np.ndarray, rows: np.ndarray) -> _Coded:
    """Encode a sparse column whose mode is zero, from its stored entries."""
    order = np.argsort(rows, kind="stable")
    data, rows = data[order], rows[order]
    is_stored = data != 0.0  # NaN is
    values, rank = _rank(np.append(data[is_stored], 0.0))
    return _Coded(values, int(rank[-1]), rank[:0], rows[is_stored], rank[:-1])


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

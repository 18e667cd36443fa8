"""Columns as bins of one byte: 0 for missing values, then the others in their order.

A column with at most ``max_bins`` distinct values has a bin for each; others are cut between distinct values at equal
shares of the rows' weight. Nominal columns have a bin per value, the rarest ones together in the last. Of a sparse
column with few entries only the rows that are not zero are listed, and the matrix is never made dense.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.adapters.parallel import run_parallel
from truepath.hierarchy.matrices import dense_column
from truepath.learners.boosting.feature_bins import between, equal_shares

#: A sparse column is listed if at most this share of its rows is stored
LISTED_SHARE = 0.3
#: Columns binned by one job
COLUMNS_AT_A_TIME = 16
#: A byte, less the bin of missing values
MOST_BINS = 255
NO_ROW = -1


class Column(NamedTuple):
    """One binned column."""

    bins: NDArray[np.uint8]  # of all rows, or of those that are listed
    rows: NDArray[np.int32] | None  # those listed; None: all
    usual: int  # the bin of rows that are not listed
    cuts: NDArray[np.float64]  # bin b goes up to cuts[b - 1]; the last one has no end
    bin_of: NDArray[np.uint8] | None  # of each value of a nominal column

    @property
    def n_bins(self) -> int:
        """How many bins there are, that of missing values included."""
        return self.cuts.size + 2 if self.bin_of is None else int(self.bin_of.max(initial=0)) + 1


class BinnedTable(NamedTuple):
    """Binned columns: those with a bin for every row are one matrix, column by column."""

    columns: list[Column]
    dense: NDArray[np.uint8]
    row_of: NDArray[np.int64]  # of each column, its row of ``dense``; NO_ROW: it is listed
    usual: NDArray[np.uint8]
    n_bins: NDArray[np.int64]
    is_nominal: NDArray[np.bool_]
    n_rows: int


def bin_table(
    X: Any, categories: dict[int, NDArray[Any]], weight: NDArray[Any], max_bins: int, n_jobs: int | None
) -> BinnedTable:
    """Bin the columns of a dense or CSR matrix.

    Parameters
    ----------
    X : ndarray or CSR matrix of float, shape (n_samples, n_features)
        NaN is a missing value.
    categories : dict of int to ndarray
        The sorted values of the nominal columns.
    weight : ndarray, shape (n_samples,)
    max_bins : int
        Of the values of a column, 255 at most.
    n_jobs : int, optional
        Threads, over blocks of columns.

    Examples
    --------
    >>> table = bin_table(np.array([[0.0], [2.0], [np.nan], [2.5]]), {}, np.ones(4), 255, None)
    >>> table.dense.tolist(), table.columns[0].cuts.tolist(), table.n_bins.tolist()
    ([[1, 2, 0, 3]], [1.0, 2.25], [4])
    """
    by_column = sparse.csc_array(X) if sparse.issparse(X) else X
    starts = range(0, X.shape[1], COLUMNS_AT_A_TIME)
    cases = ((range(start, min(start + COLUMNS_AT_A_TIME, X.shape[1])),) for start in starts)
    common = (by_column, categories, weight, max_bins)
    parts = run_parallel(_bin_columns, cases, common=common, n_jobs=n_jobs, shared_memory=True)
    columns: list[Column] = [column for part in parts for column in part]
    is_dense = np.array([column.rows is None for column in columns])
    dense = np.empty((int(is_dense.sum()), X.shape[0]), np.uint8)
    for row, j in enumerate(np.flatnonzero(is_dense)):
        dense[row] = columns[j].bins
        columns[j] = columns[j]._replace(bins=dense[row])
    return BinnedTable(
        columns,
        dense,
        np.where(is_dense, np.cumsum(is_dense) - 1, NO_ROW),
        np.array([column.usual for column in columns], np.uint8),
        np.array([column.n_bins for column in columns], np.int64),
        np.array([column.bin_of is not None for column in columns]),
        X.shape[0],
    )


def _bin_columns(
    X: Any, categories: dict[int, NDArray[Any]], weight: NDArray[Any], max_bins: int, block: range
) -> list[Column]:
    return [_bin_column(X, j, categories.get(j), weight, max_bins) for j in block]


def _bin_column(X: Any, j: int, values: NDArray[Any] | None, weight: NDArray[Any], max_bins: int) -> Column:
    if values is not None:
        return _bin_nominal(np.asarray(dense_column(X, j), np.float64), values, weight, max_bins)
    if sparse.issparse(X) and X.indptr[j + 1] - X.indptr[j] <= LISTED_SHARE * X.shape[0]:
        part = slice(X.indptr[j], X.indptr[j + 1])
        order = np.argsort(X.indices[part], kind="stable")
        rows, stored = X.indices[part][order].astype(np.int32), X.data[part][order].astype(np.float64)
        of_zero = max(weight.sum() - weight[rows].sum(), 0.0)
        cuts = _find_cuts(np.append(stored, 0.0), np.append(weight[rows], of_zero), max_bins)
        return Column(_place(cuts, stored), rows, int(_place(cuts, np.zeros(1))[0]), cuts, None)
    x = np.asarray(dense_column(X, j), np.float64)
    cuts = _find_cuts(x, weight, max_bins)
    return Column(_place(cuts, x), None, 0, cuts, None)


def _find_cuts(x: NDArray[np.float64], weight: NDArray[Any], max_bins: int) -> NDArray[np.float64]:
    """Return where a column is cut."""
    is_known = ~np.isnan(x)
    values, place = np.unique(x[is_known], return_inverse=True)
    if values.size <= max_bins:
        return between(values[:-1], values[1:])
    values, last = equal_shares(values, np.bincount(place, weight[is_known]), max_bins)
    return between(last[:-1], values[1:])


def _place(cuts: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the bins of values."""
    return np.where(np.isnan(x), 0, np.searchsorted(cuts, x, side="left") + 1).astype(np.uint8)


def _bin_nominal(x: NDArray[np.float64], values: NDArray[Any], weight: NDArray[Any], max_bins: int) -> Column:
    """Bin the values of a nominal column, given as the sorted values that occur."""
    is_known = ~np.isnan(x)
    place = np.searchsorted(values, x[is_known])
    held = np.bincount(place, weight[is_known], minlength=values.size)
    bin_of = np.empty(values.size, np.uint8)
    bin_of[np.argsort(-held, kind="stable")] = np.minimum(np.arange(values.size), max_bins - 1) + 1
    if values.size <= max_bins:  # in the order of the values, so that the bins do not depend on their weights
        bin_of[:] = np.arange(values.size) + 1
    bins = np.zeros(x.size, np.uint8)
    bins[is_known] = bin_of[place]
    return Column(bins, None, 0, np.empty(0), bin_of)

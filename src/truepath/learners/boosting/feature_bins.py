"""Features binned once: the rows sorted and grouped so that every later search for a cut only adds up weights.

A feature with at most ``max_bins`` distinct values (or any, with ``max_bins=None``) has a bin for each, and its cuts
are exact. Others are cut between distinct values at equal shares of the rows. Rows without a value have a last bin of
their own.

Consecutive features whose joint values are few make a *bundle*; a *group* is the rows that agree on all features of a
bundle. See :mod:`truepath._kernels.boosting.stump_search` for why.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from truepath.hierarchy.matrices import dense_column

#: A bundle grows while its joint values are fewer than the rows over this: a group should hold several rows
ROWS_PER_GROUP = 8


class FeatureBins(NamedTuple):
    """Binned features. Bins are numbered through: feature f has ``bin_ptr[f]:bin_ptr[f + 1]``, and ``bins`` are local.

    ``upper[b]`` is the threshold between bin b and the next (NaN after the last value). Bundle u spans the features
    ``bundle_ptr[u]:bundle_ptr[u + 1]``; ``order[u]`` lists the rows group by group, ``group_end`` where each ends, and
    ``group_bins`` the bins of each group, flattened from ``group_start[u]`` on.
    """

    bins: np.ndarray
    bin_ptr: np.ndarray
    upper: np.ndarray
    has_missing: np.ndarray
    mostly_left: np.ndarray  # per bin: whether a cut after it leaves more rows left than right
    bundle_ptr: np.ndarray
    order: np.ndarray
    group_ptr: np.ndarray
    group_end: np.ndarray
    group_start: np.ndarray
    group_bins: np.ndarray

    @property
    def tables(self) -> tuple[np.ndarray, ...]:
        """The arrays that the search kernel takes, in its order."""
        return (
            self.bundle_ptr, self.order, self.group_ptr, self.group_end, self.group_start, self.group_bins,
            self.bin_ptr, self.has_missing,
        )  # fmt: skip


def bin_features(X: Any, max_bins: int | None = 255) -> FeatureBins:
    """Bin every column of a dense or CSC matrix.

    Parameters
    ----------
    X : ndarray or sparse array of float, shape (n_samples, n_features)
        NaN is a missing value. Sparse columns are made dense one at a time.
    max_bins : int or None, default=255
        The largest number of bins of a feature, missing values not counted; None keeps all distinct values apart.

    Examples
    --------
    >>> binned = bin_features(np.array([[0.0, 1.0], [2.0, np.nan], [2.0, 3.0]]))
    >>> binned.bins.tolist(), binned.upper.tolist()
    ([[0, 0], [1, 2], [1, 1]], [1.0, nan, 2.0, nan, nan])
    """
    n_samples, n_features = X.shape
    X = sparse.csc_array(X) if sparse.issparse(X) else X
    columns = [_bin_column(dense_column(X, f), max_bins) for f in range(n_features)]
    sizes = np.array([column.upper.size for column in columns])
    dtype = np.uint8 if sizes.max(initial=1) <= 256 else np.int32
    bins = np.empty((n_samples, n_features), dtype)
    for f, column in enumerate(columns):
        bins[:, f] = column.bins
    bin_ptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return FeatureBins(
        bins,
        bin_ptr,
        np.concatenate([column.upper for column in columns]),
        np.array([column.has_missing for column in columns]),
        np.concatenate([_majority(column) for column in columns]),
        *_bundle(bins, bin_ptr),
    )


class _Column(NamedTuple):
    bins: np.ndarray
    upper: np.ndarray
    has_missing: bool


def _bin_column(x: np.ndarray, max_bins: int | None) -> _Column:
    """Return a column's bins, the thresholds between them, and whether the last bin is for missing values."""
    is_missing = np.isnan(x)
    values, counts = np.unique(x[~is_missing], return_counts=True)
    if max_bins is not None and values.size > max_bins:
        values, last = equal_shares(values, counts, max_bins)
    else:
        last = values
    cuts = between(last[:-1], values[1:])
    bins = np.where(is_missing, max(1, last.size), np.searchsorted(cuts, x, side="left"))
    upper = np.append(cuts, np.nan)
    return _Column(bins, np.append(upper, np.nan) if is_missing.any() else upper, bool(is_missing.any()))


def equal_shares(values: np.ndarray, counts: np.ndarray, max_bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and the last value of each of at most `max_bins` bins of about the same number of rows."""
    below = np.cumsum(counts)
    share = np.minimum((below - counts / 2) * max_bins / below[-1], max_bins - 1).astype(int)
    starts = np.flatnonzero(np.diff(share, prepend=-1))
    return values[starts], values[np.append(starts[1:], values.size) - 1]


def between(below: np.ndarray, above: np.ndarray) -> np.ndarray:
    """Return midpoints t with below <= t < above, also where rounding would reach the upper value."""
    middle = below / 2 + above / 2
    return np.where((middle < above) & (middle >= below), middle, below)


def _majority(column: _Column) -> np.ndarray:
    """Say for every cut whether most rows with a value lie left of it: where a value missing only later goes."""
    counts = np.bincount(column.bins, minlength=column.upper.size)
    if column.has_missing:
        counts[-1] = 0
    below = np.cumsum(counts)
    return 2 * below >= below[-1]


def _bundle(bins: np.ndarray, bin_ptr: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the arrays that describe bundles and groups; see :class:`FeatureBins`."""
    n_samples, n_features = bins.shape
    sizes = np.diff(bin_ptr)
    bundle_ptr, order, ends, members = [0], [], [], []
    while bundle_ptr[-1] < n_features:
        first = last = bundle_ptr[-1]
        code, joint = bins[:, first].astype(np.int64), int(sizes[first])
        while last + 1 < n_features and joint * int(sizes[last + 1]) * ROWS_PER_GROUP <= n_samples:
            last += 1
            code = code * sizes[last] + bins[:, last]
            joint *= int(sizes[last])
        rows = np.argsort(code, kind="stable")
        ends.append(np.flatnonzero(np.diff(code[rows], append=-1)) + 1)
        members.append(bins[rows[ends[-1] - 1], first : last + 1] + bin_ptr[first : last + 1])
        order.append(rows)
        bundle_ptr.append(last + 1)
    group_ptr = np.concatenate([[0], np.cumsum([end.size for end in ends])])
    group_start = np.concatenate([[0], np.cumsum([member.size for member in members])])
    return (
        np.array(bundle_ptr, np.int64),
        np.array(order, np.int32),
        group_ptr.astype(np.int64),
        np.concatenate(ends).astype(np.int64),
        group_start.astype(np.int64),
        np.concatenate([member.ravel() for member in members]).astype(np.int64),
    )

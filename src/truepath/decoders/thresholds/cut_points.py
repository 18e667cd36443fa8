"""Where thresholds can cut: the distinct scores of every class, the instances at each, and the scores of all classes.

All that a threshold per class can change is which distinct scores of that class lie above it, so the table of
distinct scores with their numbers of positive and negative instances is all that thresholds need to know about the
scores. It costs one sort within each class. One threshold for all classes can cut at any distinct score of the matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import gen_batches

from truepath import _kernels
from truepath.hierarchy.matrices import as_dense, has_negative

BLOCK = 64  # columns transposed and sorted at a time: enough to read whole cache lines, small enough to stay cached
MOST_BUCKETS = 1 << 20


class CutPoints(NamedTuple):
    """Class v's distinct scores, ascending, are ``value[ptr[v]:ptr[v + 1]]``; ``pos`` and ``neg`` count instances."""

    ptr: NDArray[np.int64]
    value: NDArray[Any]
    pos: NDArray[Any]
    neg: NDArray[Any]

    def mistakes(self, t: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of misses and of false alarms of each class under the thresholds ``t``."""
        misses, alarms = np.empty(t.size, np.int64), np.empty(t.size, np.int64)
        _kernels.thresholds.cut_points.count_mistakes(*self, t, misses, alarms)
        return misses, alarms

    def positives(self) -> NDArray[np.int64]:
        """Return the number of positive instances of each class."""
        return self.mistakes(np.full(self.ptr.size - 1, np.inf))[0]

    def negatives(self) -> NDArray[np.int64]:
        """Return the number of negative instances of each class."""
        return self.mistakes(np.full(self.ptr.size - 1, -np.inf))[1]


def find_cut_points(S: Any, Y: Any, weight: NDArray[np.int64]) -> CutPoints:
    """Return the cut points of a checked score matrix and label matrix; absent sparse scores are 0.

    Notes
    -----
    O(cells * log n_samples) time. Memory is one score and two counts for each distinct score of each class, at most
    three times a dense score matrix; no transposed or sorted copy of the whole matrix is made.
    """
    n_nodes = S.shape[1]
    table = _empty_table(S, weight, n_nodes, S.nnz + n_nodes if sparse.issparse(S) else S.size)
    fill = _filler(S, weight)
    for nodes, scores, labels in column_blocks(S, Y):
        fill(scores, labels, table, nodes.start)
    for array in table[1:]:  # free the memory that was not needed
        array.resize(int(table.ptr[-1]), refcheck=False)
    return table


def iter_cut_points(S: Any, Y: Any, weight: NDArray[np.int64]) -> Iterator[tuple[slice, CutPoints]]:
    """Yield (classes, cut points) for a few classes at a time; each table is overwritten by the next."""
    most = min(BLOCK, S.shape[1])
    table, fill = _empty_table(S, weight, most, most * S.shape[0]), _filler(S, weight)
    for nodes, scores, labels in column_blocks(S, Y):
        ptr = table.ptr[: scores.shape[1] + 1]
        fill(scores, labels, table._replace(ptr=ptr), 0)
        yield nodes, CutPoints(ptr, *(array[: ptr[-1]] for array in table[1:]))


def column_blocks(S: Any, Y: Any) -> Iterator[tuple[slice, NDArray[Any], NDArray[Any]]]:
    """Yield (columns, scores, labels), the latter dense and C-ordered, for some columns at a time."""
    S, Y = (M.tocsc() if sparse.issparse(M) else M for M in (S, Y))
    for nodes in gen_batches(S.shape[1], BLOCK):
        yield nodes, *(np.ascontiguousarray(as_dense(M[:, nodes])) for M in (S, Y))


def _empty_table(S: Any, weight: NDArray[np.int64], n_classes: int, size: int) -> CutPoints:
    """Return arrays for ``size`` cut points, counts in the smallest type that holds all weights."""
    total = int(weight.sum())
    dtype = np.uint16 if total < 1 << 16 else np.uint32 if total < 1 << 32 else np.int64
    return CutPoints(
        np.zeros(n_classes + 1, np.int64), np.empty(size, S.dtype), np.empty(size, dtype), np.empty(size, dtype)
    )


def _filler(S: Any, weight: NDArray[np.int64]) -> Callable[[Any, Any, CutPoints, int], None]:
    """Return the function that writes the cut points of a block of columns into a table, from a class on."""
    if (weight == 1).all() and not has_negative(S):
        return _fill_packed
    return partial(_fill_sorted, weight)


def _fill_packed(scores: NDArray[Any], labels: NDArray[Any], table: CutPoints, first: int) -> None:
    """Sort packed keys, class by class."""
    key = np.dtype(f"u{scores.dtype.itemsize}")
    keys = np.empty(scores.T.shape, key)
    _kernels.thresholds.cut_points.pack_columns(scores.view(key), labels, keys)
    keys.sort(axis=1)
    _kernels.thresholds.cut_points.collapse_keys(keys, table.ptr, first, table.value.view(key), table.pos, table.neg)


def _fill_sorted(weight: NDArray[np.int64], scores: Any, labels: Any, table: CutPoints, first: int) -> None:
    """Sort scores of any sign and carry weights along, class by class."""
    order = np.argsort(scores, axis=0, kind="stable")
    _kernels.thresholds.cut_points.collapse_sorted(
        scores, order, labels, weight, table.ptr, first, table.value, table.pos, table.neg
    )


class DistinctScores(NamedTuple):
    """Distinct scores, ascending, with buckets of equal width that make looking one up a matter of few steps."""

    value: NDArray[Any]
    scale: float
    starts: NDArray[np.int32]

    def swap_for_ranks(self, values: NDArray[Any]) -> NDArray[np.int32]:
        """Return the position of each of ``values`` among the distinct ones; 32-bit values are overwritten by it."""
        ranks = values.view(np.int32) if values.itemsize == 4 else np.empty(values.size, np.int32)
        _kernels.thresholds.curves.rank_all(values, *self, ranks)
        return ranks

    def swap_back(self, ranks: NDArray[np.int32], values: NDArray[Any]) -> None:
        """Undo :meth:`swap_for_ranks`, a piece at a time."""
        step = 1 << 16
        for start in range(0, ranks.size if values.itemsize == 4 else 0, step):
            values[start : start + step] = self.value[ranks[start : start + step]]


def find_distinct(S: Any) -> DistinctScores:
    """Sort all scores of a matrix and drop repeats; absent sparse scores are 0."""
    if sparse.issparse(S):
        zero = np.zeros(1 if S.nnz < S.shape[0] * S.shape[1] else 0, S.dtype)
        return index_distinct(np.concatenate([S.data, zero]))
    return index_distinct(S)


def index_distinct(values: NDArray[Any]) -> DistinctScores:
    """Do the same for any array of scores."""
    kernels = _kernels.thresholds.curves
    ordered = np.sort(values, axis=None)
    ordered.resize(kernels.drop_repeats(ordered), refcheck=False)
    n_buckets = max(1, min(MOST_BUCKETS, ordered.size // 4))
    width = float(ordered[-1]) - float(ordered[0])
    scale = n_buckets / width if width > 0 and np.isfinite(n_buckets / width) else 0.0
    starts = np.empty(n_buckets + 1, np.int32)
    kernels.make_buckets(ordered, scale, starts)
    return DistinctScores(ordered, scale, starts)

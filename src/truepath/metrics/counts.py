"""Hits, true and predicted labels, counted over rows, over classes or over everything."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.hierarchy.matrices import row_blocks
from truepath.metrics.inputs import Pair

__all__ = ["Counts", "count_classes", "count_rows", "divide", "find_mistakes", "has_any", "mean_of_defined"]


class Counts(NamedTuple):
    """Weighted numbers of cells that are true and predicted, true, and predicted; one entry per group."""

    hits: NDArray[Any]
    true: NDArray[Any]
    predicted: NDArray[Any]


def count_rows(pair: Pair) -> Counts:
    """Count each row's cells among the counted classes; rows are not weighted."""
    true, pred = pair.counted()
    return Counts(*(M.sum(axis=1) for M in (_hits(true, pred), true, pred)))


def count_classes(pair: Pair) -> Counts:
    """Count each counted class's cells, rows weighted."""
    true, pred = pair.counted()
    return Counts(*(_sum_rows(M, pair.weight) for M in (_hits(true, pred), true, pred)))


def find_mistakes(true: Any, pred: Any) -> Any:
    """Return the boolean matrix of cells where two matrices of one kind differ."""
    return true != pred if sparse.issparse(true) else true ^ pred


def has_any(matrix: Any) -> NDArray[np.bool_]:
    """Say for each row whether any cell is set."""
    return matrix.sum(axis=1) > 0 if sparse.issparse(matrix) else matrix.any(axis=1)


def divide(above: NDArray[Any], below: NDArray[Any], zero_division: float) -> NDArray[np.float64]:
    """Divide; ``0 / 0`` is ``zero_division``."""
    out = np.full(np.shape(below), float(zero_division))
    return np.divide(above, below, out=out, where=np.asarray(below) > 0)


def mean_of_defined(values: NDArray[np.float64], weight: NDArray[np.float64] | None = None) -> float:
    """Return the weighted mean of the values that are not NaN; NaN when none is left."""
    defined = ~np.isnan(values)
    if weight is None:
        return float(values[defined].mean()) if defined.any() else float("nan")
    total = weight[defined].sum()
    return float(values[defined] @ weight[defined] / total) if total > 0 else float("nan")


def _hits(true: Any, pred: Any) -> Any:
    """Return the cells set in both."""
    return true.multiply(pred).tocsr() if sparse.issparse(true) else true & pred


def _sum_rows(matrix: Any, weight: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Sum a boolean matrix over its rows, without a float copy of all of it."""
    if weight is None:
        return np.asarray(matrix.sum(axis=0), np.float64)
    if sparse.issparse(matrix):
        return np.asarray(matrix.T @ weight, np.float64)
    total = np.zeros(matrix.shape[1])
    for rows in row_blocks(*matrix.shape):
        total += weight[rows] @ matrix[rows].astype(np.float64)
    return total

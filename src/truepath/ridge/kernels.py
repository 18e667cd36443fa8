r"""Kernels of rows, scaled by the median distance, so that one set of widths serves all data.

With m the median over pairs of training rows of the distance that the kernel uses::

    rbf        k(x, z) = exp(-gamma |x - z|^2 / m)
    laplacian  k(x, z) = exp(-gamma |x - z|_1 / m)
    cosine     k(x, z) = x'z / (|x| |z|)
    linear     k(x, z) = x'z / m,   m the mean of x'x instead

The first two take dense rows; the others dense or sparse ones, and have no gamma.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import normalize

from truepath.graph import Graph
from truepath.hierarchy.matrices import as_dense
from truepath.resampling import draw_some
from truepath.ridge.rows import map_rows

#: The kernels that have a width
BY_DISTANCE = ("rbf", "laplacian")
KERNELS = (*BY_DISTANCE, "cosine", "linear")
# The median distance is that of this many rows, drawn at random
ROWS_FOR_SCALE = 1000
# Rows no farther apart than this share of the greatest distance are equal
ROUNDING = 1e-12


def kernel_scale(X: Any, kernel: str, weight: np.ndarray) -> float:
    """Return the number by which distances or products are divided; 1 where all rows are equal."""
    if kernel == "cosine":
        return 1.0
    if kernel == "linear":
        return float(weight @ squared_norms(X)) / float(weight.sum()) or 1.0
    some = draw_some(X.shape[0], ROWS_FOR_SCALE)
    i, j = np.triu_indices(some.size, 1)
    pairs = _distances(X[some], X[some], kernel)[i, j]
    weight = weight[some][i] * weight[some][j]
    apart = pairs > ROUNDING * pairs.max(initial=0.0)
    return _weighted_median(pairs[apart], weight[apart]) if apart.any() else 1.0


def _weighted_median(values: np.ndarray, weight: np.ndarray) -> float:
    """Return the least value that half of the weight does not exceed."""
    order = np.argsort(values)
    total = np.cumsum(weight[order])
    return float(values[order[np.searchsorted(total, total[-1] / 2)]])


def squared_norms(X: Any) -> np.ndarray:
    """Return x'x for every row."""
    return np.asarray(X.multiply(X).sum(axis=1)).ravel() if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)


def likeness(X: Any, Z: Any, kernel: str, scale: float, dtype: Any) -> np.ndarray:
    """Return what all widths of a kernel share: distances in units of ``scale``, or the kernel itself without a width.

    A row's values do not depend on the other rows of X.
    """
    if not sparse.issparse(Z):
        Z = np.ascontiguousarray(Z, float)
    if kernel == "cosine":
        Z = normalize(Z)
    return map_rows(lambda block: _block(block, Z, kernel) / scale, X, Z.shape[0], dtype)


def kernel_of(D: np.ndarray, kernel: str, gamma: float) -> np.ndarray:
    """Return the kernel of one width, as a new array if it has one."""
    if kernel not in BY_DISTANCE:
        return D
    K = D * D.dtype.type(-gamma)
    return np.exp(K, out=K)


def compare_with(Z: Any, kernel: str, gamma: float, scale: float) -> Callable[[Any], np.ndarray]:
    """Return the function that gives the kernel of a block of rows, float64, with each row of Z.

    What depends on Z alone is done once. The exponent of the RBF kernel is one product, of rows to which their squared
    norm and a 1 are appended.
    """
    if not sparse.issparse(Z):
        Z = np.ascontiguousarray(Z, float)
    if kernel == "rbf":
        width, scaled = gamma / scale, np.empty((Z.shape[0], Z.shape[1] + 2))
        scaled[:, :-2], scaled[:, -2] = Z, -width
        scaled[:, -1] = -width * squared_norms(scaled[:, :-2])
        scaled[:, :-2] *= 2.0 * width
        return lambda block: _exponential(_append_norms(block) @ scaled.T)
    if kernel == "laplacian":
        return lambda block: _exponential(_distances(block, Z, kernel) * (-gamma / scale))
    Z = normalize(Z) if kernel == "cosine" else Z
    return lambda block: _block(block, Z, kernel) / scale


def _append_norms(X: np.ndarray) -> np.ndarray:
    return np.hstack([X, squared_norms(X)[:, None], np.ones((X.shape[0], 1))])


def _exponential(exponent: np.ndarray) -> np.ndarray:
    """In place: e to the exponent, which rounding alone can make positive."""
    np.minimum(exponent, 0.0, out=exponent)
    return np.exp(exponent, out=exponent)


def _block(X: Any, Z: Any, kernel: str) -> np.ndarray:
    if kernel in BY_DISTANCE:
        return _distances(X, Z, kernel)
    return as_dense((normalize(X) if kernel == "cosine" else X) @ Z.T)


def _distances(X: np.ndarray, Z: np.ndarray, kernel: str) -> np.ndarray:
    """Return squared Euclidean or city-block distances."""
    if kernel == "rbf":
        return np.asarray(euclidean_distances(X, Z, squared=True))
    return cdist(X, Z, "cityblock")


def export_distances(graph: Graph, rows: str, Z: np.ndarray, kernel: str) -> str:
    """Add the squared Euclidean or city-block distances of rows, float64, from those of Z."""
    Z = np.asarray(Z, np.float64)
    if kernel == "rbf":
        own = graph.total(graph.add("Mul", rows, rows))
        product = graph.add("MatMul", rows, graph.constant(np.ascontiguousarray(Z.T)))
        far = graph.add("Sub", own, graph.add("Mul", graph.constant(2.0), product))
        far = graph.add("Add", far, graph.constant(squared_norms(Z)[None, :]))
        return graph.add("Max", far, graph.constant(0.0))
    none = graph.constant(np.zeros((1, Z.shape[0])))
    start = graph.add("Add", graph.add("Mul", graph.columns(rows, [0]), graph.constant(0.0)), none)
    columns = graph.add("Transpose", rows, perm=[1, 0])
    return graph.scan(start, [columns, graph.constant(np.ascontiguousarray(Z.T))], _add_city_block)


def _add_city_block(body: Graph, total: str, columns: list[str]) -> str:
    """Add one column's part of the distances."""
    own = body.add("Unsqueeze", columns[0], body.constant([1], np.int64))
    return body.add("Add", total, body.add("Abs", body.add("Sub", own, columns[1])))

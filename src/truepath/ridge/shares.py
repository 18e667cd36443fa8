r"""What columns add to the values of a kernel ridge regression, in one row.

The values are :math:`\sum_i c_i k(x, z_i)`. A linear kernel and the cosine, given the row's length, are sums over
columns already. The others are products over columns, :math:`k(x, z) = \prod_j k_j(x_j, z_j)`, and the Shapley value of
column j, from the row :math:`x^0` in the middle of all columns to x, is exact as an integral (Owen 1972):

.. math:: \int_0^1 (a_j - b_j) \prod_{l \ne j} (b_l + t (a_l - b_l)) \, dt, \quad
   a_l = k_l(x_l, z_l), \; b_l = k_l(x^0_l, z_l),

a polynomial in t, by Gauss and Legendre's points, in O(rows * columns) for each point.

References
----------
G. Owen. Multilinear extensions of games. Management Science 18, 1972.
M. Mohammadi, S. Chau, K. Muandet. Computing exact Shapley values in polynomial time for product-kernel methods. 2025.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truepath.hierarchy.matrices import as_dense, row_blocks
from truepath.ridge.kernels import squared_norms

# The integrals of products are smooth: more points change no digit
MOST_POINTS = 16
# Points on the way between two rows
POINTS_OF_WAY = 32
# Slopes are the means over this many of the rows compared with, taken at even steps
ROWS_FOR_SLOPES = 64
# Factors below this are no less: they are divided by
LEAST_FACTOR = 1e-300


def weights_of_columns(Z: Any, C: np.ndarray, kernel: str, scale: float, columns: Any = slice(None)) -> np.ndarray:
    """Return what a unit of each of some columns adds, of rows of length 1 if the kernel is the cosine."""
    per_row = 1 / np.full(Z.shape[0], scale)
    if kernel == "cosine":
        length = np.sqrt(squared_norms(Z))
        per_row = np.divide(1.0, length, out=np.zeros(len(length)), where=length > 0)
    return np.asarray(as_dense(Z[:, columns].T @ (per_row[:, None] * C.astype(np.float64))))


def shapley_of_products(
    x: np.ndarray, Z: np.ndarray, C: np.ndarray, kernel: str, width: float, column: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the Shapley values of columns, shape (n_columns, n_nodes), and the values of the row of zeros.

    Parameters
    ----------
    x : ndarray, shape (n_inputs,)
    Z : ndarray, shape (n_rows, n_inputs)
    C : ndarray, shape (n_rows, n_nodes)
    kernel : {"rbf", "laplacian"}
    width : float
        The kernel is exp(-width * distance).
    column : ndarray of int, shape (n_inputs,)
        The column that each input was made of; all columns have some.
    """
    n_columns = int(column.max()) + 1
    points, weights = np.polynomial.legendre.leggauss(min(n_columns // 2 + 1, MOST_POINTS))
    values, base = np.zeros((n_columns, C.shape[1])), np.zeros(C.shape[1])
    for rows in row_blocks(Z.shape[0], n_columns, 1 << 16):
        block, own = Z[rows], C[rows].astype(np.float64)
        a, b = (
            np.exp(-width * _by_column(point - block, kernel, column, n_columns)) for point in (x, np.zeros_like(x))
        )
        step, phi = a - b, np.zeros(a.shape)
        for t, weight in zip((points + 1) / 2, weights / 2):
            factors = np.maximum(b + t * step, LEAST_FACTOR)
            phi += (weight * factors.prod(axis=1))[:, None] / factors
        values += (phi * step).T @ own
        base += b.prod(axis=1) @ own
    return values, base


def _by_column(D: np.ndarray, kernel: str, column: np.ndarray, n_columns: int) -> np.ndarray:
    """Return each column's part of the distance."""
    D = D * D if kernel == "rbf" else np.abs(D)
    parts = np.array(D[:, :n_columns], np.float64)
    for k in range(n_columns, column.size):  # marks of gaps, few
        parts[:, column[k]] += D[:, k]
    return parts


def mean_slopes(start: np.ndarray, stop: np.ndarray, Z: Any, C: np.ndarray, width: float) -> np.ndarray:
    """Return the mean derivatives of an RBF regression along the line between two rows, (n_columns, n_nodes).

    With w the width, k_i(t) the kernel of row i at the share t of the way and I_i, J_i the integrals of k_i(t) and
    t k_i(t): sum over i of -2 w c_i ((start - z_i) I_i + (stop - start) J_i).
    """
    Z, C = as_dense(Z).astype(np.float64), C.astype(np.float64)
    way, away = stop - start, start - Z
    squares, products = squared_norms(away), away @ way
    points, weights = np.polynomial.legendre.leggauss(POINTS_OF_WAY)
    t, weights = (points + 1) / 2, weights / 2
    K = np.exp(-width * (squares[:, None] + 2 * products[:, None] * t + (way @ way) * t**2)) * weights
    whole, first = K.sum(axis=1), K @ t
    return np.asarray(-2 * width * ((away * whole[:, None]).T @ C + np.outer(way, first @ C)))


def slopes_at_rows(Z: np.ndarray, C: np.ndarray, kernel: str, width: float) -> np.ndarray:
    """Return the mean derivatives over some of the rows that the kernel compares with, (n_inputs, n_nodes)."""
    some = np.unique(np.linspace(0, Z.shape[0] - 1, ROWS_FOR_SLOPES).astype(int))
    C, slopes = C.astype(np.float64), np.zeros((Z.shape[1], C.shape[1]))
    for x in Z[some]:
        D = np.asarray(x - Z, np.float64)
        distance = np.einsum("ij,ij->i", D, D) if kernel == "rbf" else np.abs(D).sum(axis=1)
        turn = 2 * D if kernel == "rbf" else np.sign(D)
        slopes -= turn.T @ (np.exp(-width * distance)[:, None] * C)
    return slopes * (width / some.size)

r"""The linear systems of kernel ridge regression: exact, on all rows, or approximate, on landmarks.

Rows are scaled by the roots r of their weights, as in :mod:`truepath.ridge`::

    exact      C = r (r K r + alpha I)^-1 r Y
    landmarks  C = M (P'P + alpha I)^-1 P' r Y,   P = r K(X, L) M,   M = K(L, L)^-1/2

The values of each row by a model of other rows, for one penalty, need no second fit. With G = (r K r + alpha I)^-1 and
c = G r Y, rows F left out together have the values y_F - G_FF^-1 c_F. The inverse takes n^3 operations, and c one
product with the few labels that are set (an eigendecomposition takes nine times as many, and a dense product for each
penalty). For landmarks P'P - P_F'P_F + alpha I is solved for each F, or for single rows the leverages are those of
P (P'P + alpha I)^-1 P': differences of nearly equal numbers, as in I - H, would lose small penalties to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

from truepath.hierarchy.matrices import as_dense
from truepath.ridge import spectrum as ridge
from truepath.ridge.kernels import kernel_of, likeness, squared_norms

# Eigenvalues of the landmarks' kernel below this share of the greatest are left out, by the float type
LEAST_EIGENVALUE = {"d": 1e-10, "f": 1e-6}


#: Lists of rows that are left out together; None for every row by itself
Folds = list[np.ndarray] | None


class Kernel(NamedTuple):
    """A kernel with its width and scale, and the float type of its matrices."""

    name: str
    gamma: float
    scale: float
    dtype: Any

    def __call__(self, X: Any, Z: Any) -> np.ndarray:
        """Return the kernel matrix of two sets of rows; values of a row of X do not depend on the other rows of X."""
        return kernel_of(likeness(X, Z, self.name, self.scale, self.dtype), self.name, self.gamma)

    def likeness(self, X: Any) -> np.ndarray:
        """Return what the kernel matrices of all widths share, symmetric, for one set of rows."""
        D = likeness(X, X, self.name, self.scale, self.dtype)
        D += D.T.copy()  # blocks of rows round differently from blocks of columns
        D /= 2
        return D


class KernelSystem(NamedTuple):
    """A system ``(A + alpha I) W = B`` whose solution gives the coefficients ``back W``."""

    A: np.ndarray
    B: Any  # dense or sparse
    back: np.ndarray  # a matrix, or a vector that scales rows
    features: np.ndarray | None = None  # P, for landmarks
    error: float = 0.0  # the share of the kernel's trace that an approximation does not reach

    def solve(self, alpha: float) -> np.ndarray:
        """Return the coefficients, dense, in the float type of A."""
        factor = ridge.factor(self.A.copy(), alpha)
        W = linalg.cho_solve(factor, as_dense(self.B), check_finite=False)
        return np.ascontiguousarray(self.back[:, None] * W if self.back.ndim == 1 else self.back @ W)

    def leave_out(self, labels: Any, folds: Folds = None) -> Callable[[float], np.ndarray]:
        """Return the function that gives, for a penalty, each row's fitted values by other rows alone.

        ``labels`` are scaled by the roots of the weights, and so are the values. ``folds`` lists the rows that are left
        out together; None leaves out every row by itself.
        """
        if self.features is None:
            return lambda alpha: _leave_out(self.A, labels, alpha, folds)
        if folds is None:
            return lambda alpha: self._leave_one_out(labels, alpha)
        return lambda alpha: self._leave_folds_out(labels, alpha, folds)

    def _leave_one_out(self, Yw: Any, alpha: float) -> np.ndarray:
        """Return (f_i - h_ii y_i) / (1 - h_ii); a row that alone decides its fit (h_ii = 1) gets zeros."""
        P = self._rows_of_features()
        upper, is_lower = ridge.factor(self.A.copy(), alpha)
        T = linalg.solve_triangular(upper, P.T, trans="T", lower=is_lower, check_finite=False)
        leverage = np.einsum("ij,ij->j", T, T)
        is_alone = 1 - leverage <= np.finfo(P.dtype).eps
        values = P @ linalg.cho_solve((upper, is_lower), as_dense(self.B), check_finite=False)
        values -= leverage[:, None] * as_dense(Yw)
        values /= np.where(is_alone, 1, 1 - leverage)[:, None]
        values[is_alone] = 0
        return values

    def _leave_folds_out(self, Yw: Any, alpha: float, folds: list[np.ndarray]) -> np.ndarray:
        """Return the values of each fold by the solution without its rows."""
        P = self._rows_of_features()
        values = np.empty((P.shape[0], self.B.shape[1]), P.dtype)
        for rows in folds:
            own = P[rows]
            rest = ridge.factor(self.A - own.T @ own, alpha)
            target = as_dense(self.B) - as_dense(Yw[rows].T @ own).T
            values[rows] = own @ linalg.cho_solve(rest, target, check_finite=False)
        return values

    def _rows_of_features(self) -> np.ndarray:
        """Return P; only a system of landmarks has it."""
        assert self.features is not None
        return self.features

    @property
    def least_penalty(self) -> float:
        """The least penalty that its float type can do."""
        return ridge.least_penalty(self.A)


def _leave_out(A: np.ndarray, Yw: Any, alpha: float, folds: Folds) -> np.ndarray:
    """Return the values of rows left out, by the inverse.

    A row that alone decides its fit (alpha G_ii = 0) has no such values and gets zeros.
    """
    G = ridge.inverse(A.copy(), alpha)
    values = np.ascontiguousarray(as_dense(Yw.T @ G).T)  # G is symmetric, and the labels are sparse
    if folds is not None:
        return ridge.values_of_folds(Yw, values, folds, lambda rows: G[np.ix_(rows, rows)])
    d = G.diagonal().copy()
    is_alone = alpha * d <= np.finfo(A.dtype).eps
    values /= -np.where(is_alone, 1, d)[:, None]
    values += as_dense(Yw)
    values[is_alone] = 0
    return values


def exact_system(kernel: Kernel, D: np.ndarray, labels: Any, root: np.ndarray) -> KernelSystem:
    """Return the system of all rows from their ``likeness``; ``labels`` are scaled by ``root``."""
    K = kernel_of(D, kernel.name, kernel.gamma)
    return KernelSystem(K if (root == 1).all() else K * (root[:, None] * root), labels, root)


def landmark_system(kernel: Kernel, Z: Any, landmarks: Any, labels: Any, root: np.ndarray) -> KernelSystem:
    """Return the system of the Nystroem features that ``landmarks``, some of the rows, give."""
    M = _inverse_root(kernel(landmarks, landmarks))
    P = kernel(Z, landmarks) @ M
    trace = _trace(kernel, Z)
    error = 1 - float(np.einsum("ij,ij->", P, P, dtype=np.float64)) / trace if trace else 0.0
    P *= root[:, None]
    B = as_dense(labels.T @ P).T if sparse.issparse(labels) else P.T @ labels
    return KernelSystem(P.T @ P, np.ascontiguousarray(B), M, P, max(error, 0.0))


def _inverse_root(K: np.ndarray) -> np.ndarray:
    """Return a matrix M with M M' the pseudo-inverse of K."""
    values, vectors = linalg.eigh((K + K.T) / 2, check_finite=False, driver="evd")
    kept = values > LEAST_EIGENVALUE[values.dtype.char] * values[-1]
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))


def _trace(kernel: Kernel, Z: Any) -> float:
    """Return the sum of k(x, x) over the rows."""
    if kernel.name != "linear":
        return float(Z.shape[0])
    return float(squared_norms(Z).sum()) / kernel.scale

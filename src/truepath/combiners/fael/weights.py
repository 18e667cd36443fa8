"""The weight matrix of a fitted FAEL as an operator: multiplied with, looked into, but not written out unless asked."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator

from truepath.held import Sizes, either, flag, items, numbers, sparse_numbers
from truepath.hierarchy.matrices import as_dense
from truepath.records import Record
from truepath.ridge.rows import map_rows, multiply_rows
from truepath.ridge.spectrum import factor, gram


class Weights(Record, LinearOperator, home="truepath.combiners"):
    """W = left A^-1 right, with A known by its Cholesky factor.

    ``W[p, k]`` is the weight of node p's local score in the global score of node k. When there are fewer rows than
    nodes, ``left`` holds the training scores and ``right`` the sparse labels, so nothing of the size (n_nodes, n_nodes)
    exists; otherwise ``left`` is None and W is solved for at once.

    Parameters
    ----------
    left : array or sparse matrix, shape (n_columns, n_samples), or None
    factor : what ``scipy.linalg.cho_factor`` returned
    right : array or sparse matrix, shape (n_samples or n_columns, n_nodes)
    """

    def __init__(self, left: Any, factor: Any, right: Any):
        matrix = linalg.cho_solve(factor, right, check_finite=False) if left is None else None
        if left is None:
            factor = right = None
        self.__setstate__({"left": left, "factor": factor, "right": right, "_matrix": matrix})

    def __getstate__(self) -> dict[str, Any]:
        """Return W alone: what the base class keeps beside it differs between versions of SciPy."""
        return {name: getattr(self, name) for name in ("left", "factor", "right", "_matrix")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.left, self.factor, self.right, self._matrix = (state[k] for k in ("left", "factor", "right", "_matrix"))
        shape = self._matrix.shape if self.left is None else (self.left.shape[0], self.right.shape[1])
        super().__init__(np.dtype(np.float64), shape)

    def check_loaded(self) -> None:
        """Refuse parts from a file that cannot be multiplied."""
        if self.left is None:
            numbers(None, None)(self._matrix, {})
            return
        sizes: Sizes = {}
        matrix = either(numbers("c", "r"), sparse_numbers("csr", "c", "r"), sparse_numbers("csc", "c", "r"))
        matrix(self.left, sizes)
        items(numbers("r", "r"), flag)(self.factor, sizes)
        either(numbers("r", "n"), sparse_numbers("csr", "r", "n"), sparse_numbers("csc", "r", "n"))(self.right, sizes)

    def _solve(self, M: Any) -> np.ndarray:
        return linalg.cho_solve(self.factor, as_dense(M), check_finite=False)

    def _matmat(self, V: np.ndarray) -> np.ndarray:
        return self._matrix @ V if self.left is None else self.left @ self._solve(self.right @ V)

    def _rmatmat(self, V: np.ndarray) -> np.ndarray:
        return self._matrix.T @ V if self.left is None else self.right.T @ self._solve(self.left.T @ V)

    def _rmatvec(self, v: np.ndarray) -> np.ndarray:
        return self._rmatmat(v.reshape(-1, 1))

    def apply(self, X: Any) -> np.ndarray:
        """Return X W, dense, for rows of scores; a row's bits do not depend on the others."""
        if self.left is None:
            return multiply_rows(X, self._matrix)
        return map_rows(lambda block: (self.right.T @ self._solve(as_dense(block @ self.left).T)).T, X, self.shape[1])

    def block(self, rows: Any, columns: Any) -> np.ndarray:
        """Return W[rows][:, columns] without writing the rest out."""
        if self.left is None:
            return self._matrix[np.ix_(rows, columns)]
        return np.asarray(self.left[rows] @ self._solve(self.right[:, columns]))

    def toarray(self) -> np.ndarray:
        """Write the whole matrix out, (n_columns, n_nodes)."""
        if self.left is None:
            return self._matrix.copy()
        return np.asarray(self.left @ self._solve(self.right))


def solve_primal(Z: Any, Yw: Any, penalty: Any) -> Weights:
    """Factor Z'Z + penalty; ``penalty`` is a number (times I) or a sparse matrix."""
    return Weights(None, factor(gram(Z), penalty), as_dense(Z.T @ Yw))


def solve_dual(Z: Any, T: Any, Yw: Any, alpha: float) -> Weights:
    """Factor Z T + alpha I, as wide as there are rows."""
    A = gram(Z.T) if T is None else as_dense(Z @ T)
    return Weights(Z.T if T is None else T, factor(A, alpha), Yw)

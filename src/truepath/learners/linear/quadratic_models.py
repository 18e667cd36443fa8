"""The quadratic model of a multitask logistic loss around a point, to be minimised under a penalty feature by feature.

With p the probabilities there, the gradient in the linear scores is E = omega (p - Y) and the curvature
H = omega p (1 - p), cell by cell. ``ColumnModel`` keeps both and costs O(entries of X * tasks) per pass: right for
sparse X. ``GramModel`` keeps X^T diag(H_j) X of every task j, one matrix product per task, after which a pass costs
O(features^2 * tasks), whatever the number of rows: right for dense X with few working features. Its intercepts are
eliminated: with s = sum H_j and q = X^T H_j, A_j = X^T diag(H_j) X - q q^T / s, and b follows from W.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from truepath import _kernels

LEAST_CURVATURE = 1e-6  # of a cell's loss: keeps the model bounded where a probability is all but 0 or 1


def _expand(Y: np.ndarray, omega: np.ndarray, state: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return gradient and curvature of the loss in the linear scores."""
    p = expit(state.XW + state.b)
    return omega[:, None] * (p - Y), omega[:, None] * np.maximum(p * (1 - p), LEAST_CURVATURE)


def columns_of(X: Any, is_sparse: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return values, row numbers and column starts as the kernels take them; the last two empty if dense."""
    if is_sparse:
        return X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return np.asfortranarray(X).ravel(order="F"), np.empty(0, np.int64), np.empty(0, np.int64)


class ColumnModel:
    """The model by its gradient and curvature in every cell."""

    def __init__(self, design: Any, Y: np.ndarray, omega: np.ndarray, state: Any):
        self.columns, self.start = columns_of(design.X, design.is_sparse), state
        self.E, self.H = _expand(Y, omega, state)
        self.W, self.b = state.W.copy(), state.b.copy()
        self.curvature = np.empty_like(self.W)
        _kernels.linear.block_descent.column_curvatures(*self.columns, self.W.shape[0], self.H, self.curvature)

    def descend(self, features: np.ndarray, alpha: float, by_row: bool) -> float:
        """Set each feature's coefficients to their minimum, then the intercepts; return the largest squared move."""
        return _kernels.linear.block_descent.descend(
            *self.columns, features, self.curvature, self.H, alpha, by_row, self.W, self.b, self.E
        )

    def target(self) -> Any:
        """Return the point reached; its X W is still that of the start."""
        return self.start._replace(W=self.W, b=self.b)


class GramModel:
    """The model by the curvature between features, task by task, intercepts eliminated."""

    def __init__(self, design: Any, Y: np.ndarray, omega: np.ndarray, state: Any):
        E, H = _expand(Y, omega, state)
        self.start, self.W = state, state.W.copy()
        self.slope, self.total = E.sum(axis=0), H.sum(axis=0)
        self.cross = design.X.T @ H
        self.G = design.X.T @ E - self.cross * (self.slope / self.total)
        self.A = np.empty((*self.cross.shape[:1], *self.cross.shape))
        for j in range(Y.shape[1]):
            B = design.X * np.sqrt(H[:, j])[:, None]
            self.A[:, :, j] = B.T @ B - np.outer(self.cross[:, j], self.cross[:, j] / self.total[j])

    def descend(self, features: np.ndarray, alpha: float, by_row: bool) -> float:
        """Set each feature's coefficients to their minimum; return the largest squared move."""
        return _kernels.linear.block_descent.descend_gram(self.A, features, alpha, by_row, self.W, self.G)

    def target(self) -> Any:
        """Return the point reached, with the best intercepts there; its X W is still that of the start."""
        drift = np.einsum("fj,fj->j", self.cross, self.W - self.start.W)
        return self.start._replace(W=self.W, b=self.start.b - (self.slope + drift) / self.total)

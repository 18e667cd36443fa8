r"""Kernel ridge regression of a label matrix, width and penalty chosen by leave-one-out AU(PRC).

With the kernel matrix K of the training rows and their labels Y (0/1, all nodes at once)::

    C = (K + alpha I)^-1 Y,    values(x) = k(x, X) C

The values of each training row by a model of all others are exact, see :mod:`truepath.ridge.systems`. Width and
penalty are chosen on at most ``ROWS_TO_CHOOSE`` rows, drawn at random. Beyond ``max_rows`` rows the kernel is replaced
by its Nystroem approximation on rows drawn at random.

References
----------
C. Williams, M. Seeger. Using the Nystroem method to speed up kernel machines. NIPS 2000.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from truepath.adapters.parallel import single_blas_thread
from truepath.metrics import auprc
from truepath.records import Record
from truepath.ridge.kernels import BY_DISTANCE, ROW_BLOCK, kernel_scale
from truepath.ridge.selection import climb
from truepath.ridge.spectrum import check_penalty
from truepath.ridge.systems import Folds, Kernel, KernelSystem, exact_system, landmark_system

__all__ = ["KernelRegression"]

# From this many rows on, matrices are float32: rounding is far below the least alpha there
ROWS_FOR_SINGLE = 1000
# Width and penalty are chosen on no more rows than this
ROWS_TO_CHOOSE = 3000
# Parts of rows left out together are no greater than this
MOST_ROWS_OF_A_FOLD = 2000
# Width and penalty are judged by no more scores than this
CELLS_TO_CHOOSE = 4_000_000

#: Turns raw values into scores, in place where it can
ToScores = Callable[[np.ndarray], np.ndarray]


class KernelRegression(Record, home="truepath.ridge"):
    """A kernel ridge regression that is fitted to checked arrays; learners and combiners keep one.

    Parameters
    ----------
    kernel : {"rbf", "laplacian", "cosine", "linear"}
    gammas, alphas : sequences of float
        The candidates; one of each leaves nothing to choose.
    max_rows, n_landmarks : int
        Beyond so many rows the kernel is approximated, on so many.
    n_folds : int, optional
        How many parts the rows are dealt into, at least, if rows are left out part by part; None leaves each out alone.

    Attributes
    ----------
    gamma_, alpha_ : float
        The width and the penalty used.
    tried_ : list of tuple (gamma, alpha, leave-one-out AU(PRC))
    X_fit_ : array or CSR, the rows or landmarks that the kernel compares with
    dual_coef_ : ndarray, shape (n_compared, n_nodes)
        One row for each row of ``X_fit_``.
    approximation_error_ : float
        The share of the kernel matrix's trace that the landmarks do not reach; 0 where the kernel is exact.
    held_out_ : ndarray, shape (n_samples, n_nodes)
        The scores of each training row by a model of all others, if asked for.
    """

    def __init__(
        self,
        kernel: str,
        gammas: Sequence[float],
        alphas: Sequence[float],
        *,
        max_rows: int = 8000,
        n_landmarks: int = 3000,
        n_folds: int | None = None,
    ):
        self.kernel = kernel
        self.gammas = sorted(check_penalty(gamma, "gamma") for gamma in gammas) if kernel in BY_DISTANCE else [1.0]
        self.alphas = sorted(check_penalty(alpha, "alpha") for alpha in alphas)
        self.max_rows = max_rows
        self.n_landmarks = n_landmarks
        self.n_folds = n_folds

    def fit(
        self,
        X: Any,
        Y: Any,
        weight: np.ndarray,
        to_scores: ToScores,
        *,
        held_out: bool = False,
        keep_system: bool = False,
        random_state: Any = 0,
    ) -> KernelRegression:
        """Choose and solve.

        Parameters
        ----------
        X : array or CSR, shape (n_samples, n_columns)
        Y : bool array or CSR, shape (n_samples, n_nodes)
        weight : array, all positive
        to_scores : function
            What becomes of raw values before they are judged.
        held_out, keep_system : bool
            Whether to keep ``held_out_``, and what :meth:`refit` needs.
        random_state : int, RandomState or None
            Draws the landmarks.
        """
        with single_blas_thread():  # the bits of a factorisation depend on the number of threads
            self._fit(X, Y, weight, to_scores, random_state, held_out=held_out, keep_system=keep_system)
        return self

    def _fit(
        self,
        X: Any,
        Y: Any,
        weight: np.ndarray,
        to_scores: ToScores,
        random_state: Any,
        *,
        held_out: bool,
        keep_system: bool,
    ) -> None:
        self.dtype_ = np.dtype(np.float32 if X.shape[0] >= ROWS_FOR_SINGLE else np.float64).str
        self.scale_ = kernel_scale(X, self.kernel, weight)
        self.X_fit_ = self._compared_with(X, random_state)
        root = np.sqrt(weight).astype(self.dtype_)
        labels = _weighted_labels(Y, root)
        D = None if self.by_landmarks_ else self._kernel(1.0).likeness(X)
        self._choose(X, Y, labels, root, to_scores, D, random_state)
        system = self._system(self.gamma_, X, labels, root, D)
        self.approximation_error_ = system.error
        if keep_system:
            self.system_ = tuple(system[:3])
        if held_out:
            self.held_out_ = to_scores(system.leave_out(labels, self._folds(X))(self.alpha_) / root[:, None])
        self.dual_coef_ = system.solve(self.alpha_)

    def _compared_with(self, X: Any, random_state: Any) -> Any:
        """Return the rows that the kernel compares with: all, or landmarks.

        Of a linear kernel on fewer columns than rows these are the unit vectors, which lose nothing.
        """
        self.by_landmarks_ = X.shape[0] > min(self.max_rows, X.shape[1] if self.kernel == "linear" else np.inf)
        if not self.by_landmarks_:
            return X
        if self.kernel == "linear" and X.shape[1] <= max(self.n_landmarks, X.shape[0]):
            return sparse.eye_array(X.shape[1], format="csr") if sparse.issparse(X) else np.eye(X.shape[1])
        drawn = check_random_state(random_state).permutation(X.shape[0])[: self.n_landmarks]
        return X[np.sort(drawn)]

    def _choose(
        self, X: Any, Y: Any, labels: Any, root: np.ndarray, to_scores: ToScores, D: Any, random_state: Any
    ) -> None:
        """Set ``gamma_`` and ``alpha_`` by the AU(PRC) of rows left out."""
        self.gamma_, self.alpha_ = self.gammas[0], self.alphas[0]
        self.tried_: list[tuple[float, float, float]] = []
        if len(self.gammas) * len(self.alphas) == 1 or X.shape[0] < 2 or not labels.nnz:
            return
        if X.shape[0] > ROWS_TO_CHOOSE:
            drawn = np.sort(check_random_state(random_state).permutation(X.shape[0])[:ROWS_TO_CHOOSE])
            X, Y, labels, root = X[drawn], Y[drawn], labels[drawn], root[drawn]
            D = None if D is None else D[np.ix_(drawn, drawn)]
        judged = slice(None, None, -(-Y.shape[0] * Y.shape[1] // CELLS_TO_CHOOSE))
        truth, folds = Y[judged], self._folds(X)

        def at_width(gamma: float) -> Callable[[float], float]:
            values_at = self._system(gamma, X, labels, root, D).leave_out(labels, folds)
            return lambda alpha: float(auprc(truth, to_scores(values_at(alpha)[judged] / root[judged, None])))

        best, tried = climb(at_width, self.gammas, self.alphas)
        self.tried_ = [(gamma, alpha, area) for gamma, alpha, area in tried]
        self.gamma_, self.alpha_ = best.gamma, best.alpha

    def _folds(self, X: Any) -> Folds:
        """Deal the rows into parts: the same for all regressions on so many rows, so that they stay apart together."""
        n_rows = X.shape[0]
        if self.n_folds is None or n_rows <= self.n_folds:
            return None
        order = check_random_state(0).permutation(n_rows)
        n_parts = max(self.n_folds, -(-n_rows // MOST_ROWS_OF_A_FOLD))
        return [np.sort(order[k::n_parts]) for k in range(n_parts)]

    def _system(self, gamma: float, X: Any, labels: Any, root: np.ndarray, D: Any) -> KernelSystem:
        """Return the system of one width; ``D`` is the rows' likeness, None for landmarks."""
        if D is not None:
            return exact_system(self._kernel(gamma), D, labels, root)
        return landmark_system(self._kernel(gamma), X, self.X_fit_, labels, root)

    def _kernel(self, gamma: float) -> Kernel:
        return Kernel(self.kernel, gamma, self.scale_, np.dtype(self.dtype_))

    def refit(self, alpha: float) -> None:
        """Solve again with another penalty: one Cholesky factorisation."""
        self.alpha_ = check_penalty(alpha, "alpha")
        with single_blas_thread():
            self.dual_coef_ = KernelSystem(*self.system_).solve(self.alpha_)

    def predict(self, X: Any) -> np.ndarray:
        """Return the raw values of new rows; a row's bits do not depend on the others."""
        with single_blas_thread():
            return self._predict(X)

    def _predict(self, X: Any) -> np.ndarray:
        kernel = self._kernel(self.gamma_)
        values = np.empty((X.shape[0], self.dual_coef_.shape[1]), self.dual_coef_.dtype)
        for start in range(0, X.shape[0], ROW_BLOCK):
            rows = slice(start, min(start + ROW_BLOCK, X.shape[0]))
            K = np.zeros((ROW_BLOCK, self.X_fit_.shape[0]), values.dtype)
            K[: rows.stop - start] = kernel(X[rows], self.X_fit_)
            values[rows] = (K @ self.dual_coef_)[: rows.stop - start]
        return values


def _weighted_labels(Y: Any, root: np.ndarray) -> sparse.csr_array:
    """Return the labels, few of which are set, times the roots of the rows' weights."""
    labels = sparse.csr_array(Y, dtype=root.dtype)
    labels.data *= np.repeat(root, np.diff(labels.indptr))
    return labels

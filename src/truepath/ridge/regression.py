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
from copy import copy
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.preprocessing import Normalizer, normalize
from sklearn.utils import gen_batches

from truepath.adapters.parallel import single_blas_thread
from truepath.graph import Graph
from truepath.graph.transformers import export_transformer
from truepath.held import a_number, either, holds, numbers, one_of, sparse_numbers
from truepath.hierarchy.matrices import as_dense
from truepath.metrics import auprc
from truepath.metrics.tried import Tried
from truepath.records import Record
from truepath.resampling import count_groups, deal_rows, draw_some, split_folds
from truepath.ridge.kernels import BY_DISTANCE, KERNELS, compare_with, export_distances, kernel_scale
from truepath.ridge.rows import map_rows
from truepath.ridge.selection import climb
from truepath.ridge.shares import mean_slopes, shapley_of_products, slopes_at_rows, weights_of_columns
from truepath.ridge.spectrum import check_penalty
from truepath.ridge.systems import Folds, Kernel, KernelSystem, exact_system, landmark_system

# From this many rows on, matrices are float32, unless alpha is so small that rounding would show
ROWS_FOR_SINGLE = 1000
# Predictions are multiplied in float64: of up to this many coefficients a copy is made once, else this many labels at
# a time, for each block of rows
CELLS_IN_DOUBLE, COLUMNS_AT_ONCE = 16_000_000, 1024
# Width and penalty are chosen on no more rows than this
ROWS_TO_CHOOSE = 3000
# Parts of rows left out together are no greater than this
MOST_ROWS_OF_A_FOLD = 2000
# Width and penalty are judged by no more scores than this
CELLS_TO_CHOOSE = 4_000_000
# Width and penalty are found in about this many steps
STEPS_TO_CHOOSE = 12
# How long it takes to compare two rows, per column
SECONDS_OF_DISTANCE = {"laplacian": 1.1e-9, "other": 5e-11}

#: Turns raw values into scores, in place where it can
ToScores = Callable[[np.ndarray], np.ndarray]


class Given(NamedTuple):
    """Rows to be fitted, in one float type."""

    X: Any
    Y: Any
    weight: np.ndarray
    root: np.ndarray  # of the weights
    labels: sparse.csr_array  # times the roots
    D: np.ndarray | None  # the likeness of rows; None for landmarks

    @property
    def is_double(self) -> bool:
        """Whether matrices are float64."""
        return bool(self.root.dtype == np.float64)

    def take(self, rows: np.ndarray) -> Given:
        """Return some of the rows."""
        D = None if self.D is None else self.D[np.ix_(rows, rows)]
        return Given(self.X[rows], self.Y[rows], self.weight[rows], self.root[rows], self.labels[rows], D)


@holds(
    kernel=one_of(*KERNELS),
    gamma_=a_number(0),
    scale_=a_number(1e-300),
    dtype_=one_of("<f4", "<f8"),
    X_fit_=either(numbers("k", "inputs"), sparse_numbers("csr", "k", "inputs")),
    dual_coef_=numbers("k", "n_nodes"),
)
class KernelRegression(Record, home="truepath.ridge"):
    """A kernel ridge regression that is fitted to checked arrays; learners and combiners keep one.

    Parameters
    ----------
    kernel : {"rbf", "laplacian", "cosine", "linear"}
    gammas, alphas : sequences of float
        The candidates; one of each leaves nothing to choose.
    max_rows, n_landmarks : int
        Beyond ``max_rows`` rows the kernel is approximated, on ``n_landmarks`` rows.
    n_folds : int, optional
        How many parts the rows are dealt into, at least, if rows are left out part by part; None leaves each out alone.

    Attributes
    ----------
    gamma_, alpha_ : float
        The width and the penalty used.
    tried_ : list of Tried
        The kernel with ``gamma`` and ``alpha`` as details, and the AU(PRC) of rows left out.
    X_fit_ : array or CSR, the rows or landmarks that the kernel compares with
    dual_coef_ : ndarray, shape (n_compared, n_nodes)
        One row for each row of ``X_fit_``.
    approximation_error_ : float
        The share of the kernel matrix's trace that the landmarks do not reach; 0 where the kernel is exact.

    Notes
    -----
    From 1,000 rows on matrices are float32, where that changes values by less than about 4e-4: while alpha is at
    least 3e-5 of the kernel matrix's norm, which is at most the number of rows. Below they are float64, which takes
    twice the time and memory. Where even that leaves a matrix not positive definite, as much is added to its diagonal
    as rounding asks for.
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
        random_state: Any = 0,
        groups: np.ndarray | None = None,
    ) -> KernelRegression:
        """Choose and solve.

        Parameters
        ----------
        X : array or CSR, shape (n_samples, n_columns)
        Y : bool array or CSR, shape (n_samples, n_nodes)
        weight : array, all positive
        to_scores : function
            What becomes of raw values before they are judged.
        random_state : int, RandomState or None
            Draws the landmarks.
        groups : ndarray of int, optional
            The number of each row's group; groups are left out whole.
        """
        with single_blas_thread():  # the bits of a factorisation depend on the number of threads
            system, _, _ = self._prepare(X, Y, weight, to_scores, random_state, groups)
            self._solve(system)
        return self

    def fit_held_out(
        self,
        X: Any,
        Y: Any,
        weight: np.ndarray,
        to_scores: ToScores,
        random_state: Any = 0,
        groups: np.ndarray | None = None,
    ) -> np.ndarray:
        """Choose and solve as :meth:`fit` does; return each row's scores by a model of the other rows, or parts."""
        with single_blas_thread():
            system, labels, root = self._prepare(X, Y, weight, to_scores, random_state, groups)
            S = to_scores(system.leave_out(labels, self._folds(Y, groups))(self.alpha_) / root[:, None])
            self._solve(system)
        return S

    def fit_seconds(self, n_rows: int, n_columns: int, n_nodes: int) -> float:
        """Return what a fit takes on one core, roughly: the choice of width and penalty, and the solution."""
        per_distance = SECONDS_OF_DISTANCE["laplacian" if self.kernel == "laplacian" else "other"]
        if n_rows > self.max_rows:
            return 30.0 + n_rows * self.n_landmarks * (4e-11 * self.n_landmarks + per_distance * n_columns)
        n_steps = STEPS_TO_CHOOSE if len(self.gammas) * len(self.alphas) > 1 else 0
        chosen_on = min(n_rows, ROWS_TO_CHOOSE)
        solving = n_steps * chosen_on**3 + (2.0 * n_rows**3 if n_rows > chosen_on or not n_steps else 0.0)
        judging = n_steps * min(chosen_on * n_nodes, CELLS_TO_CHOOSE)
        return 1.6e-11 * solving + 7e-8 * judging + per_distance * n_rows**2 * n_columns

    def _prepare(
        self, X: Any, Y: Any, weight: np.ndarray, to_scores: ToScores, random_state: Any, groups: np.ndarray | None
    ) -> tuple[KernelSystem, sparse.csr_array, np.ndarray]:
        """Choose width and penalty; return the system to solve, the weighted labels and the roots of the weights."""
        self.scale_ = kernel_scale(X, self.kernel, weight)
        self.X_fit_ = self._compared_with(X, random_state)
        given = self._given(X, Y, weight, _float_type(X))
        self._choose(given, to_scores, random_state, groups)
        given, system = self._safe_system(given)
        return system, given.labels, given.root

    def _solve(self, system: KernelSystem) -> None:
        self.dual_coef_, self.approximation_error_ = system.solve(self.alpha_), system.error

    def _compared_with(self, X: Any, random_state: Any) -> Any:
        """Return the rows that the kernel compares with: all, or landmarks.

        Of a linear kernel on fewer columns than rows these are the unit vectors, which lose nothing.
        """
        self.by_landmarks_ = X.shape[0] > min(self.max_rows, X.shape[1] if self.kernel == "linear" else np.inf)
        if not self.by_landmarks_:
            return X
        if self.kernel == "linear" and X.shape[1] <= max(self.n_landmarks, X.shape[0]):
            return sparse.eye_array(X.shape[1], format="csr") if sparse.issparse(X) else np.eye(X.shape[1])
        return X[draw_some(X.shape[0], self.n_landmarks, random_state)]

    def _choose(self, given: Given, to_scores: ToScores, random_state: Any, groups: np.ndarray | None) -> None:
        """Set ``gamma_`` and ``alpha_`` by the AU(PRC) of rows left out."""
        self.gamma_, self.alpha_ = self.gammas[0], self.alphas[0]
        self.tried_: list[Tried] = []
        if len(self.gammas) * len(self.alphas) == 1 or given.X.shape[0] < 2 or not given.labels.nnz:
            return
        if given.X.shape[0] > ROWS_TO_CHOOSE:
            drawn = draw_some(given.X.shape[0], ROWS_TO_CHOOSE, random_state)
            given, groups = given.take(drawn), None if groups is None else groups[drawn]
        Y = given.Y
        judged = draw_some(Y.shape[0], max(1, CELLS_TO_CHOOSE // Y.shape[1]), random_state)
        truth, folds = Y[judged], self._folds(Y, groups)
        in_double = cache(lambda: self._given(*given[:3], "<f8"))

        def at_width(gamma: float) -> Callable[[float], float]:
            single = self._system(gamma, given)
            double = cache(lambda: self._system(gamma, in_double()))

            def area(alpha: float) -> float:
                is_safe = given.is_double or alpha >= single.least_penalty
                rows, system = (given, single) if is_safe else (in_double(), double())
                values = system.leave_out(rows.labels, folds)(alpha)[judged]
                return float(auprc(truth, to_scores(values / rows.root[judged, None])))

            return area

        best, tried = climb(at_width, self.gammas, self.alphas)
        self.tried_ = [
            Tried(self.kernel, one.area, "auprc", float(one == best), details={"gamma": one.gamma, "alpha": one.alpha})
            for one in tried
        ]
        self.gamma_, self.alpha_ = best.gamma, best.alpha

    def _folds(self, Y: Any, groups: np.ndarray | None) -> Folds:
        """Deal the rows into parts: the same for all regressions on as many rows, so that scores can be combined.

        Without ``n_folds`` each row, or each group, is a part.

        By chance alone, not by labels. Parts with equal shares of every label are more alike than new rows will be: on
        derisi_GO, kernel FAEL then chose a penalty thirty times weaker, and lost .006 of AU(PRC) on test rows.
        """
        n_rows = Y.shape[0]
        n_groups = n_rows if groups is None else count_groups(groups)
        if n_groups == n_rows and (self.n_folds is None or n_rows <= self.n_folds):
            return None
        n_parts = n_groups if self.n_folds is None else max(self.n_folds, -(-n_rows // MOST_ROWS_OF_A_FOLD))
        return [rows for _, rows in split_folds(deal_rows(n_rows, n_parts, groups=groups))]

    def _given(self, X: Any, Y: Any, weight: np.ndarray, dtype: str) -> Given:
        """Return rows as systems of a float type are made of them."""
        root = np.sqrt(weight).astype(dtype)
        D = None if self.by_landmarks_ else self._kernel(1.0, dtype).likeness(X)
        return Given(X, Y, weight, root, _weighted_labels(Y, root), D)

    def _system(self, gamma: float, given: Given) -> KernelSystem:
        """Return the system of one width."""
        kernel = self._kernel(gamma, given.root.dtype)
        if given.D is not None:
            return exact_system(kernel, given.D, given.labels, given.root)
        return landmark_system(kernel, given.X, self.X_fit_, given.labels, given.root)

    def _safe_system(self, given: Given) -> tuple[Given, KernelSystem]:
        """Return the system of the width chosen, in float64 if float32 is too coarse for the penalty chosen."""
        system = self._system(self.gamma_, given)
        if not given.is_double and self.alpha_ < system.least_penalty:
            given = self._given(*given[:3], "<f8")
            system = self._system(self.gamma_, given)
        self.dtype_ = given.root.dtype.str
        return given, system

    def _kernel(self, gamma: float, dtype: Any) -> Kernel:
        return Kernel(self.kernel, gamma, self.scale_, np.dtype(dtype))

    def solve_again(self, X: Any, Y: Any, random_state: Any = 0) -> KernelRegression:
        """Return a regression of other labels, and perhaps other rows, with the width and penalty that were chosen.

        Parameters
        ----------
        X, Y : as in :meth:`fit`
        random_state : int, RandomState or None
            Draws landmarks where rows are too many, the same of the same rows.
        """
        new = copy(self)
        new.scale_ = kernel_scale(X, self.kernel, np.ones(X.shape[0]))
        new.X_fit_ = new._compared_with(X, random_state)
        with single_blas_thread():
            _, system = new._safe_system(new._given(X, Y, np.ones(X.shape[0]), _float_type(X)))
            new._solve(system)
        return new

    def take(self, columns: np.ndarray) -> KernelRegression:
        """Return a copy with some columns of the labels, in this order; -1 is a column of zeros."""
        new = copy(self)
        new.dual_coef_ = np.where(columns >= 0, self.dual_coef_[:, columns], 0)
        return new

    def predict(self, X: Any) -> np.ndarray:
        """Return the raw values of new rows; a row's bits do not depend on the others."""
        # In float64 whatever the fit was in: a model that is exported then has the same digits
        kernel, C = compare_with(self.X_fit_, self.kernel, self.gamma_, self.scale_), self.dual_coef_
        if C.size <= CELLS_IN_DOUBLE:
            C = C.astype(np.float64, copy=False)

        def score(block: Any) -> np.ndarray:
            K, several = kernel(block), gen_batches(C.shape[1], COLUMNS_AT_ONCE)
            return np.hstack([K @ C[:, some].astype(np.float64, copy=False) for some in several])

        return map_rows(score, X, C.shape[1], self.dual_coef_.dtype)

    def export_values(self, graph: Graph, rows: str) -> str:
        """Add the raw values of rows to an ONNX graph, in the model's own float type.

        Cosines and products are linear: their coefficients become weights of columns where that takes less room.
        """
        x = graph.double(rows)
        kind = "FLOAT" if np.dtype(self.dtype_) == np.float32 else "DOUBLE"
        if self.kernel == "cosine":
            x = export_transformer(graph, Normalizer(), x)
        Z = normalize(self.X_fit_) if self.kernel == "cosine" else self.X_fit_
        if self.kernel not in BY_DISTANCE and Z.shape[0] >= self.dual_coef_.shape[1]:
            weights = as_dense(Z.T @ self.dual_coef_.astype(np.float64)) / self.scale_
            stored = graph.double(graph.constant(weights, self.dtype_))
            return graph.cast(graph.add("MatMul", x, stored), kind)
        if self.kernel in BY_DISTANCE:
            far = export_distances(graph, x, Z, self.kernel)
            scaled = graph.add("Div", far, graph.constant(self.scale_, float))
            K = graph.add("Exp", graph.add("Mul", scaled, graph.constant(-self.gamma_, float)))
        else:  # a runtime that fuses a product with a factor rounds the factor to float32
            K = graph.add("MatMul", x, graph.double(graph.matrix(Z.T / self.scale_)))
        return graph.cast(graph.add("MatMul", K, graph.double(graph.constant(self.dual_coef_))), kind)

    @property
    def is_sum(self) -> bool:
        """Whether the kernel is a sum over columns: linear, or the cosine of a row of known length."""
        return self.kernel not in BY_DISTANCE

    def column_weights(self, nodes: Any = slice(None), columns: Any = slice(None)) -> np.ndarray:
        """Return what a unit of each of some columns adds to some values.

        Of a cosine kernel, in rows of length 1; of kernels by distance, the mean over some of the rows compared with.
        """
        C = self.dual_coef_[:, nodes]
        if not self.is_sum:
            return slopes_at_rows(self.X_fit_, C, self.kernel, self.gamma_ / self.scale_)[columns]
        return weights_of_columns(self.X_fit_, C, self.kernel, self.scale_, columns)

    def shares(self, x: Any, nodes: Any, column: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return columns of one row, what each adds to some values, (n_columns, n_nodes), and what they start from.

        Parameters
        ----------
        x : one row, an array or CSR
        nodes : sequence of int
        column : ndarray of int
            The column that each input was made of.
        """
        if not self.is_sum:
            C, width = self.dual_coef_[:, nodes], self.gamma_ / self.scale_
            found = shapley_of_products(np.asarray(x, np.float64)[0], self.X_fit_, C, self.kernel, width, column)
            return np.arange(found[0].shape[0]), *found
        row = sparse.csr_array(x).astype(np.float64)
        row.sum_duplicates()
        inputs, values = row.indices, row.data
        if self.kernel == "cosine":
            values = values / (np.sqrt(values @ values) or 1.0)
        W = values[:, None] * self.column_weights(nodes, inputs)
        columns, place = np.unique(column[inputs], return_inverse=True)
        added = np.zeros((columns.size, W.shape[1]))
        np.add.at(added, place, W)
        return columns, added, np.zeros(W.shape[1])

    def mean_slopes(self, start: np.ndarray, stop: np.ndarray, nodes: Any) -> np.ndarray:
        """Return the mean derivatives of some values along the straight line between two rows, (n_columns, n_nodes).

        The difference of the rows times the slopes is the change of the values. For linear and RBF kernels.
        """
        if self.kernel == "linear":
            return self.column_weights(nodes)
        return mean_slopes(start, stop, self.X_fit_, self.dual_coef_[:, nodes], self.gamma_ / self.scale_)

    def compare(self, x: Any, X: Any) -> np.ndarray:
        """Return the kernel of one row with each of others."""
        return np.asarray(self._kernel(self.gamma_, self.dtype_)(x, X), np.float64)[0]


def _float_type(X: Any) -> str:
    return np.dtype(np.float32 if X.shape[0] >= ROWS_FOR_SINGLE else np.float64).str


def _weighted_labels(Y: Any, root: np.ndarray) -> sparse.csr_array:
    """Return the labels, few of which are set, times the roots of the rows' weights."""
    labels = sparse.csr_array(Y, dtype=root.dtype)
    labels.data *= np.repeat(root, np.diff(labels.indptr))
    return labels

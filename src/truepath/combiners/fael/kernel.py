r"""KernelFAEL: FAEL with the local scores of a row mapped by a kernel.

::

    W_k = Phi' (Phi Phi' + lambda_1 I)^-1 Y                                eq. (4)
    yhat(x) = K(x, X) (K(X, X) + lambda_1 I)^-1 Y                          eq. (5)

The system is as wide as there are rows, whatever the number of nodes. Where rows are too many for that,
``n_landmarks`` takes a Nystroem approximation: that many kernel features, then eq. (2) on them.

References
----------
L. Zhang, S. K. Shah, I. A. Kakadiaris. Fully associative ensemble learning for hierarchical multi-label
classification. BMVC 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils.metaestimators import available_if

from truepath.combiners.fael.linear import FAEL
from truepath.combiners.projections import Projection
from truepath.combiners.sources import Rows, scale_rows
from truepath.graph import Graph
from truepath.held import (
    MOST,
    a_number,
    an_object,
    either,
    flag,
    holds,
    integer,
    items,
    maybe,
    numbers,
    one_of,
    sparse_numbers,
)
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import as_dense
from truepath.ridge import spectrum as ridge
from truepath.ridge.kernels import export_distances
from truepath.ridge.rows import map_rows, multiply_rows


@holds(n_landmarks=maybe(integer(1)), fit_intercept=flag)
class KernelFAEL(FAEL):
    """Combine local scores by kernel ridge regression on the labels of all nodes.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        ``"linear"``, ``"rbf"``, ``"poly"`` and whatever else ``sklearn.metrics.pairwise_kernels`` knows; a callable
        takes two rows and returns a number.
    gamma : float or "scale", default="scale"
        For the RBF, polynomial and similar kernels; ``"scale"`` is 1 / (n_columns * variance of the scores).
    alpha : float or {"loo", "gcv"}, default=1.0
        The ridge penalty lambda_1, or how to choose it, as in :class:`FAEL`.
    hierarchy : Hierarchy, optional
    degree, coef0 : float, default=3 and 1
        For the polynomial kernel.
    kernel_params : mapping, optional
        Further arguments of a callable kernel.
    n_landmarks : int, optional
        The number of Nystroem features; None (exact) by default.
    alphas, fit_intercept, project
        As in :class:`FAEL`. With ``fit_intercept`` the kernel is centred in its feature space.
    random_state : int, RandomState or None, default=0
        For the rows Nystroem samples.

    Attributes
    ----------
    X_fit_ : array, shape (n_samples, n_columns)
        The training scores (exact form).
    weights_
        For ``kernel="linear"``, as in :class:`FAEL`; with ``n_landmarks``, over the Nystroem features. Other kernels'
        weights do not live on nodes.

    Notes
    -----
    Time O(n^2 n_nodes + n^3), memory O(n^2) beside the scores; with Nystroem O(n m^2) and O(n m).

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.combiners import KernelFAEL
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> Y = h.encode([["a/1"], ["a/2"], ["b/1"], ["a"]])
    >>> S = [[0.8, 0.3, 0.2, 0.1, 0.1], [0.7, 0.1, 0.6, 0.3, 0.1], [0.1, 0.0, 0.1, 0.9, 0.6], [0.6, 0.2, 0.2, 0.2, 0.0]]
    >>> KernelFAEL("rbf", 1.0, 0.1, hierarchy=h).fit(S, Y).transform(S).round(2)[0].tolist()
    [0.97, 0.66, 0.06, 0.0, 0.0]
    """

    name = "kernel-fael"
    summary = "kernel ridge regression of all labels on the scores of all nodes"

    def __init__(
        self,
        kernel: str | Callable[..., float] = "rbf",
        gamma: float | str = "scale",
        alpha: float | str = 1.0,
        *,
        hierarchy: Hierarchy | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Mapping[str, Any] | None = None,
        n_landmarks: int | None = None,
        alphas: Any = None,
        fit_intercept: bool = False,
        project: Projection = "isotonic",
        random_state: Any = 0,
    ):
        super().__init__(alpha, alphas=alphas, fit_intercept=fit_intercept, project=project, hierarchy=hierarchy)
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_landmarks = n_landmarks
        self.random_state = random_state

    def _solve(self, rows: Rows) -> None:
        """Take the form that fits: the nodes themselves, Nystroem features, or the kernel of eq. (5)."""
        self.gamma_ = _scale(rows.X) if self.gamma == "scale" else self.gamma
        if self.n_landmarks is not None:
            options = {} if callable(self.kernel) or self.kernel == "linear" else self._options()
            self.features_ = Nystroem(
                self.kernel,
                n_components=self.n_landmarks,
                kernel_params=self.kernel_params,
                random_state=self.random_state,
                **options,
            )
            super()._solve(rows._replace(X=self.features_.fit_transform(rows.X)))
        elif self.kernel == "linear":
            super()._solve(rows)
        else:
            self._solve_kernel(rows)

    def _solve_kernel(self, rows: Rows) -> None:
        """Centre the kernel if asked, choose alpha if asked, factor K + alpha I."""
        self.X_fit_, self.root_ = rows.X, np.sqrt(rows.weight)
        K = self._kernel(rows.X)
        share = rows.weight / rows.weight.sum()
        self.kernel_mean_ = share @ K if self.fit_intercept else np.zeros(K.shape[0])
        K = self._center(K, share) * np.outer(self.root_, self.root_)
        self.labels_ = scale_rows(rows.y, self.root_)
        root = self.root_ if self.fit_intercept else None
        self.alpha_ = self._find_alpha(lambda: ridge.kernel_spectrum((K + K.T) / 2), self.labels_, root, rows.groups)
        self.factor_ = ridge.factor(K, self.alpha_)
        self.intercept_ = rows.y_mean if self.fit_intercept else np.zeros(rows.hierarchy.n_nodes)

    def check_loaded(self) -> None:
        """Refuse a kernel from a file that does not fit the rows."""
        super().check_loaded()
        held, n_nodes = vars(self), self.hierarchy_.n_nodes
        if self.n_landmarks is not None:
            an_object("transform", of=("Nystroem",), knows=())(held.get("features_"), {})
            an_object("apply", of=("Weights",))(held.get("weights_"), {})
        elif self.kernel != "linear":
            sizes = {"width": self.n_sources_ * n_nodes, "n_nodes": n_nodes}
            either(numbers("k", "width"), sparse_numbers("csr", "k", "width"))(held.get("X_fit_"), sizes)
            numbers("k", least=1 / MOST)(held.get("root_"), sizes)
            numbers("k")(held.get("kernel_mean_"), sizes)
            either(numbers("k", "n_nodes"), sparse_numbers("csr", "k", "n_nodes"))(held.get("labels_"), sizes)
            items(numbers("k", "k"), flag)(held.get("factor_"), sizes)
            if (self.factor_[0].diagonal() <= 1 / MOST).any():
                raise ValueError("a kernel matrix is singular")
            a_number(0)(held.get("gamma_"), sizes)
            if isinstance(self.kernel, type):
                raise ValueError("kernel of a KernelFAEL is a class")
            if not callable(self.kernel):
                one_of(*sorted(PAIRWISE_KERNEL_FUNCTIONS))(self.kernel, sizes)
                a_number(1)(self.degree, sizes)
                a_number()(self.coef0, sizes)

    def _maps_nodes(self) -> bool:
        return self.kernel == "linear" and self.n_landmarks is None

    def _predict(self, X: Any) -> np.ndarray:
        """Return K(x, X) (K + alpha I)^-1 Y, eq. (5): solved for the new rows, so that Y stays sparse."""
        if X.shape[0] == 0:  # scikit-learn's kernels refuse an empty matrix
            return np.zeros((0, self.intercept_.size))
        if self.n_landmarks is not None:
            K = self._compare(X, self.features_.components_)
            return super()._predict(multiply_rows(K, self.features_.normalization_.T))
        if self.kernel == "linear":
            return super()._predict(X)
        return map_rows(self._solve_rows, self._compare(X, self.X_fit_), self.intercept_.size) + self.intercept_

    def _solve_rows(self, K: np.ndarray) -> np.ndarray:
        """Return the values, without the intercept, of rows whose kernel with the training rows is K."""
        K = self._center(K, self.root_**2 / (self.root_**2).sum()) * self.root_
        return np.asarray((self.labels_.T @ linalg.cho_solve(self.factor_, K.T, check_finite=False)).T)

    @available_if(lambda self: self.n_landmarks is None and self.kernel in ("linear", "rbf", "poly"))
    def export_scores(self, graph: Graph, parts: list[str]) -> str:
        """Add the global scores to an ONNX graph; of linear, RBF and polynomial kernels without approximation."""
        return super().export_scores(graph, parts)

    def _export_values(self, graph: Graph, rows: str) -> str:
        if self.kernel == "linear":
            return super()._export_values(graph, rows)
        compared, share = as_dense(self.X_fit_), self.root_**2 / (self.root_**2).sum()
        if self.kernel == "rbf":
            far = export_distances(graph, rows, compared, "rbf")
            K = graph.add("Exp", graph.add("Mul", far, graph.constant(-float(self.gamma_))))
        else:
            # A runtime that fuses a product with a factor rounds the factor to float32
            scaled = graph.add("MatMul", rows, graph.constant(np.ascontiguousarray(self.gamma_ * compared.T), float))
            moved = graph.add("Add", scaled, graph.constant(float(self.coef0)))
            K = graph.add("Pow", moved, graph.constant(float(self.degree)))
        if self.fit_intercept:
            mean = graph.add("MatMul", K, graph.constant(share[:, None]))
            moved = graph.constant((self.kernel_mean_ - self.kernel_mean_ @ share)[None, :])
            K = graph.add("Sub", graph.add("Sub", K, mean), moved)
        solved = linalg.cho_solve(self.factor_, as_dense(self.labels_), check_finite=False)
        return graph.add("MatMul", K, graph.constant(self.root_[:, None] * solved))

    def _center(self, K: np.ndarray, share: np.ndarray) -> np.ndarray:
        """Subtract the training rows' weighted mean in the kernel's feature space."""
        if not self.fit_intercept:
            return K
        return K - (K @ share)[:, None] - self.kernel_mean_ + self.kernel_mean_ @ share

    def _compare(self, X: Any, Z: Any) -> np.ndarray:
        """Return the kernel of rows with others, row by row; a callable is asked for each pair, not for zeros."""
        if callable(self.kernel):
            return self._kernel(X, Z)
        return map_rows(lambda block: self._kernel(block, Z), X, Z.shape[0])

    def _kernel(self, X: Any, X_fit: Any = None) -> np.ndarray:
        """Return the kernel matrix of rows with the training rows (or among themselves)."""
        if callable(self.kernel):
            return pairwise_kernels(X, X_fit, metric=self.kernel, **(self.kernel_params or {}))
        return pairwise_kernels(X, X_fit, metric=self.kernel, filter_params=True, **self._options())

    def __getattr__(self, name: str) -> Any:
        if name == "weights_":
            raise AttributeError(
                "weights_ of KernelFAEL exist only when fitted with kernel='linear' (over nodes) or n_landmarks "
                f"(over features); this one has kernel={self.__dict__.get('kernel')!r}."
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _options(self) -> dict[str, Any]:
        return {"gamma": self.gamma_, "degree": self.degree, "coef0": self.coef0}


def _scale(X: Any) -> float:
    """Return 1 / (n_columns * variance), or 1 for constant scores."""
    mean, n_cells = X.mean(), X.shape[0] * X.shape[1]
    if X.max() == X.min():
        return 1.0
    if sparse.issparse(X):
        variance = (np.sum((X.data - mean) ** 2) + (n_cells - X.nnz) * mean**2) / n_cells
    else:
        variance = X.var()
    return float(1.0 / (X.shape[1] * variance))

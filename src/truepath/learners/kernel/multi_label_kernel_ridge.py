r"""Kernel ridge regression of a whole label matrix, its width and penalty chosen by leave-one-out.

With the kernel matrix K of the training rows and their labels Y (0/1, all nodes at once)::

    C = (K + alpha I)^-1 Y,    scores(x) = k(x, X) C

clipped to [0, 1] and made coherent. :class:`truepath.ridge.KernelRegression`, which FAEL stands on too, solves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from truepath.adapters.contributions import Contributions, ScorePart
from truepath.adapters.cost import TableShape
from truepath.adapters.likeness import Likeness
from truepath.adapters.varying import find_constant_labels, set_constant_scores
from truepath.combiners.projections import (
    Projection,
    check_projection,
    export_projection,
    project_scores,
    projection,
    score_part,
)
from truepath.graph import Graph
from truepath.held import an_object, holds, integers, maybe, numbers
from truepath.hierarchy import Hierarchy, HierarchyDiff
from truepath.learners.base import (
    FitInput,
    HierarchicalLearner,
    check_fit_input,
    check_predict_input,
    copy_for_change,
    groups_to_learn,
    leave_out_weightless,
    score_weightless,
    weights_by,
)
from truepath.learners.kernel.scaling import NORMALIZATIONS, apply_scaler, export_scaler, fit_scaler
from truepath.parameters import check_choice, check_number
from truepath.ridge import KERNELS, KernelRegression
from truepath.ridge.kernels import BY_DISTANCE

GAMMAS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


@holds(
    scaler_=maybe(an_object("transform")),
    with_gaps_=integers(None, least=0, below="n_features"),
    constant_=numbers("n_nodes", least=0, most=1, gaps=True),
    regression_=an_object("predict"),
    project=projection,
)
class MultiLabelKernelRidge(HierarchicalLearner):
    """Score all labels by kernel ridge regression.

    Parameters
    ----------
    kernel : {"auto", "rbf", "laplacian", "cosine", "linear"}, default="auto"
        ``"auto"`` is ``"rbf"`` for dense X and ``"cosine"`` for sparse X.
    gamma : float or "auto", default="auto"
        The width of the first two kernels, in units of the median distance; ``"auto"`` chooses from ``gammas``.
    alpha : float or "auto", default="auto"
        The ridge penalty; ``"auto"`` chooses from ``alphas``.
    hierarchy : Hierarchy, optional
    normalize : {"standard", "quantile", None}, default="standard"
        How columns are brought to one scale: standardised, or spread by ranks to a normal shape. Missing values
        become the middle of their column, and every column that has some gets a 0/1 column beside it. Sparse X stays
        as it is.
    gammas, alphas : sequences of float, optional
        The candidates, ascending.
    max_rows : int, default=8000
        Beyond this many rows the kernel is approximated.
    n_landmarks : int, default=3000
        The number of rows that the approximation stands on.
    project : str, combiner or None, default="max-up"
        The correction that makes scores coherent, see :class:`truepath.combiners.FAEL`.
    n_folds : int, optional
        How many parts the rows are dealt into, if ``gamma``, ``alpha`` and held-out scores are to stand on scores by
        the other parts; None leaves out every row, or every group of rows, by itself. What learns from the scores
        wants parts: a row's own label leaves a trace in the leave-one-out scores of all others.
    random_state : int, RandomState or None, default=0
        Draws the landmarks.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    regression_ : KernelRegression
        The width ``gamma_``, the penalty ``alpha_``, all that were ``tried_`` with their leave-one-out AU(PRC), and for
        landmarks the share of the kernel's trace they do not reach, ``approximation_error_``.
    constant_ : ndarray, shape (n_nodes,)
        The score of labels that no row or every row has; NaN for the others.

    Notes
    -----
    Time O(n^3 + n^2 n_nodes) for each width tried and O(n^2 n_nodes) for each penalty, memory O(n^2 + n n_nodes);
    with landmarks n m^2 in place of n^3. A row of weight w counts as w equal rows.

    From 1,000 rows on matrices are float32 while alpha is at least 3e-5 of the kernel matrix's norm; scores then differ
    by less than 4e-4 from those in float64. Smaller penalties are solved in float64, and those below its rounding as if
    they were as large as that.

    The best penalty and width are searched uphill from the middle of the grid, see ``tried_``.

    Examples
    --------
    >>> from truepath import load_dataset
    >>> from truepath.learners import MultiLabelKernelRidge
    >>> ds = load_dataset("toy")
    >>> model = MultiLabelKernelRidge(gamma=1.0, alpha=0.01, hierarchy=ds.hierarchy).fit(ds.train.X, ds.train.y)
    >>> ds.hierarchy.decode(model.predict(ds.test.X[:2]))
    [('b', 'a/1'), ('a/2',)]
    """

    name = "kernel-ridge"
    summary = "kernel ridge regression of all labels at once"
    learns_from = "rows and their labels"
    takes_missing = True
    approximates = ("features",)  # kernels by distance have slopes that differ from row to row

    def __init__(
        self,
        kernel: str = "auto",
        gamma: float | str = "auto",
        alpha: float | str = "auto",
        *,
        hierarchy: Hierarchy | None = None,
        normalize: str | None = "standard",
        gammas: Sequence[float] | None = None,
        alphas: Sequence[float] | None = None,
        max_rows: int = 8000,
        n_landmarks: int = 3000,
        project: Projection = "max-up",
        n_folds: int | None = None,
        random_state: Any = 0,
    ):
        self.kernel = kernel
        self.gamma = gamma
        self.alpha = alpha
        self.hierarchy = hierarchy
        self.normalize = normalize
        self.gammas = gammas
        self.alphas = alphas
        self.max_rows = max_rows
        self.n_landmarks = n_landmarks
        self.project = project
        self.n_folds = n_folds
        self.random_state = random_state

    # ----------------------------------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> MultiLabelKernelRidge:
        """Choose width and penalty where they are left open, and solve.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
            NaN is a missing value.
        y : label matrix or label names, see :func:`truepath.adapters.encode_labels`
        sample_weight : array-like, shape (n_samples,), optional
        groups : array-like, shape (n_samples,), optional
            What each row belongs to: rows of one group are left out together.
        """
        X, Y, weight, _ = self._check(X, y, sample_weight)
        rows = self._begin(*leave_out_weightless(X, Y, weight))
        groups = groups_to_learn(groups, Y.shape[0], weight)
        self.regression_.fit(*rows, self._to_scores, random_state=self.random_state, groups=groups)
        return self

    def fit_held_out(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> NDArray[Any]:
        """Fit, and score each training row by a model of all other rows, or of the other parts; see ``n_folds``.

        Parameters
        ----------
        X, y, sample_weight, groups
            As in :meth:`fit`. With groups each row is scored by a model of the other groups.

        Returns
        -------
        S : ndarray, shape (n_samples, n_nodes)
        """
        X, Y, weight, _ = self._check(X, y, sample_weight)
        rows = self._begin(*leave_out_weightless(X, Y, weight))
        groups = groups_to_learn(groups, Y.shape[0], weight)
        held_out = self.regression_.fit_held_out(*rows, self._to_scores, random_state=self.random_state, groups=groups)
        return score_weightless(self, held_out, X, weight, groups)

    def _check(self, X: Any, y: Any, sample_weight: Any) -> FitInput:
        """Refuse wrong parameters, and return the rows and labels."""
        check_choice(self, "kernel", ("auto", *KERNELS))
        check_choice(self, "normalize", NORMALIZATIONS)
        check_projection(self.project)
        for name in ("max_rows", "n_landmarks"):
            check_number(self, name, Integral, 1)
        check_number(self, "n_folds", Integral, 2, none=True)
        for name in ("gamma", "alpha"):
            if getattr(self, name) != "auto":
                check_number(self, name, Real, 0, above=True)
        return check_fit_input(self, X, y, sample_weight, allow_nan=True)

    def _begin(self, X: Any, Y: Any, weight: np.ndarray | None) -> tuple[Any, Any, np.ndarray]:
        """Learn how columns are scaled; return what the regression is to be fitted on."""
        weight = np.ones(X.shape[0]) if weight is None else weight
        self.scaler_, self.with_gaps_ = fit_scaler(X, self.normalize, weight)
        self.constant_ = find_constant_labels(Y)
        self.regression_ = self._make_regression(self._resolve_kernel(X))
        return apply_scaler(X, self.scaler_, self.with_gaps_), Y, weight

    def fit_seconds(self, shape: TableShape) -> float:
        """Return what a fit takes on one core, roughly."""
        kernel = ("cosine" if shape.is_sparse else "rbf") if self.kernel == "auto" else self.kernel
        return self._make_regression(kernel).fit_seconds(shape.n_rows, shape.n_columns, shape.n_nodes)

    def _make_regression(self, kernel: str) -> KernelRegression:
        return KernelRegression(
            kernel,
            self._candidates("gamma", GAMMAS),
            self._candidates("alpha", ALPHAS),
            max_rows=self.max_rows,
            n_landmarks=self.n_landmarks,
            n_folds=self.n_folds,
        )

    def _resolve_kernel(self, X: Any) -> str:
        if self.kernel == "auto":
            return "cosine" if sparse.issparse(X) else "rbf"
        if sparse.issparse(X) and self.kernel in BY_DISTANCE:
            raise ValueError(
                f"kernel={self.kernel!r} measures distances and takes dense X only; got a sparse matrix. "
                "Use kernel='cosine' or 'linear', or X.toarray()."
            )
        return self.kernel

    def _candidates(self, name: str, usual: Sequence[float]) -> Sequence[float]:
        if getattr(self, name) != "auto":
            return [float(getattr(self, name))]
        given = getattr(self, f"{name}s")
        return usual if given is None else given

    def update(self, diff: HierarchyDiff, X: Any, y: Any) -> MultiLabelKernelRidge:
        """Return a learner for a changed hierarchy: the width and penalty that were chosen, solved for the new labels.

        Parameters
        ----------
        diff : HierarchyDiff
            From the learner's hierarchy to the new one.
        X : as in :meth:`fit`
            All rows to learn from, old and new.
        y : labels of the new hierarchy
            ``diff.transfer(Y)`` turns labels of the old one into them.

        Notes
        -----
        One factorisation for all labels: what a fit on the rows gives with this width and penalty. With the same rows,
        the labels that did not change keep their scores to rounding.
        """
        new = copy_for_change(self, diff)
        X, Y, _, _ = check_fit_input(new, X, y, allow_nan=True)
        rows, Y, _ = new._begin(X, Y, None)
        new.regression_ = self.regression_.solve_again(rows, Y, random_state=self.random_state)
        return new

    # -------------------------------------------------------------------------------------- predicting

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return coherent scores, shape (n_samples, n_nodes)."""
        rows = self._scaled_rows(X)
        return self._to_scores(self.regression_.predict(rows))

    def contributions(self, x: Any, nodes: Any) -> Contributions:
        """Return what each feature of one row adds to the scores of some labels.

        Parameters
        ----------
        x : array-like or sparse matrix, shape (1, n_features)
        nodes : sequence of int

        Returns
        -------
        found : Contributions
            "linear" where the kernel is a sum over columns (linear; the cosine, given the row's length): weights times
            values, from nothing. Otherwise "shapley": the exact Shapley values of a product of columns, from the row
            in the middle of all columns (:mod:`truepath.ridge.shares`).
        """
        X, nodes = self._scaled_rows(x), np.asarray(nodes, np.int64)
        columns_of = np.concatenate([np.arange(self.n_features_in_), self.with_gaps_])
        method = "linear" if self.regression_.is_sum else "shapley"

        def share(wanted: Any) -> Contributions:
            columns, values, base = self.regression_.shares(X, wanted, columns_of)
            return Contributions(wanted, values, base, method, columns)

        raw = ScorePart(self.regression_.predict(X)[0].astype(np.float64), share)
        return score_part(raw, self.constant_, self.hierarchy_, self.project).contributions(nodes)

    def feature_weights(self, by: str = "label") -> NDArray[Any]:
        """Return what a unit of each feature, on its scale, adds to each label's score.

        Of a cosine kernel in rows of length 1; of kernels by distance the mean slope at some of the rows of ``fit``.

        Parameters
        ----------
        by : {"label", "level"}, default="label"
            "level" takes the mean absolute weight over the labels of each level.

        Returns
        -------
        weights : ndarray, shape (n_features, n_nodes) or (n_features, height)
        """
        check_is_fitted(self, "regression_")
        weights = self.regression_.column_weights()
        for k, j in enumerate(self.with_gaps_, self.n_features_in_):
            weights[j] += weights[k]
        return weights_by(weights[: self.n_features_in_], self.hierarchy_, by)

    def likeness(self, x: Any, X: Any) -> Likeness:
        """Return the kernel of one row with each of others, and what these vote for if they are those of ``fit``."""
        one, many = self._scaled_rows(x), self._scaled_rows(X)
        found, regression = self.regression_.compare(one, many), self.regression_
        fitted = regression.X_fit_
        same = not regression.by_landmarks_ and fitted.shape == many.shape and not (abs(fitted - many) > 0).sum()
        return Likeness(found, "kernel", found[:, None] * regression.dual_coef_ if same else None)

    def check_loaded(self) -> None:
        """Refuse rows from a file that are not as wide as those that come."""
        known = self.regression_.X_fit_
        if known.shape[1] != self.n_features_in_ + (0 if sparse.issparse(known) else self.with_gaps_.size):
            raise ValueError("the rows of a kernel have another width")

    def _scaled_rows(self, X: Any) -> Any:
        """Return checked rows as the regression takes them."""
        X = check_predict_input(self, X, allow_nan=True)
        if sparse.issparse(X) != sparse.issparse(self.regression_.X_fit_):
            X = X.toarray() if sparse.issparse(X) else sparse.csr_array(X)
        return apply_scaler(X, self.scaler_, self.with_gaps_)

    def export_scores(self, graph: Graph, rows: str) -> str:
        """Add the scores to an ONNX graph, in the float type that the kernel has."""
        if not sparse.issparse(self.regression_.X_fit_):
            rows = export_scaler(graph, rows, self.scaler_, self.with_gaps_)
        values = graph.clip(self.regression_.export_values(graph, rows), 0.0, 1.0)
        return export_projection(graph, graph.fill_columns(values, self.constant_), self.hierarchy_, self.project)

    def _to_scores(self, S: np.ndarray) -> np.ndarray:
        np.clip(S, 0.0, 1.0, out=S)
        return project_scores(set_constant_scores(S, self.constant_), self.hierarchy_, self.project)

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

from truepath.combiners.projections import Projection, check_projection, project_scores
from truepath.hierarchy import Hierarchy
from truepath.learners.base import (
    HierarchicalLearner,
    check_choice,
    check_fit_input,
    check_number,
    check_predict_input,
)
from truepath.learners.kernel.scaling import NORMALIZATIONS, apply_scaler, fit_scaler
from truepath.ridge import KERNELS, KernelRegression
from truepath.ridge.kernels import BY_DISTANCE

__all__ = ["MultiLabelKernelRidge"]

GAMMAS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


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
        How many parts the rows are dealt into, if ``gamma``, ``alpha`` and ``loo_decision_`` are to stand on scores by
        the other parts; None leaves out every row by itself. What learns from the scores wants parts: a row's own label
        leaves a trace in the leave-one-out scores of all others.
    loo_score : bool, default=False
        Whether to keep ``loo_decision_``.
    keep_system : bool, default=False
        Whether to keep what :meth:`refit` needs.
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
    loo_decision_ : ndarray, shape (n_samples, n_nodes)
        The scores of each training row by a model of all other rows, or parts. Only with ``loo_score=True``.

    Notes
    -----
    Time O(n^3 + n^2 n_nodes) for each width tried and O(n^2 n_nodes) for each penalty, memory O(n^2 + n n_nodes);
    with landmarks n m^2 in place of n^3. A row of weight w counts as w equal rows.

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
        loo_score: bool = False,
        keep_system: bool = False,
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
        self.loo_score = loo_score
        self.keep_system = keep_system
        self.random_state = random_state

    # ----------------------------------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MultiLabelKernelRidge:
        """Choose width and penalty where they are left open, and solve.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
            NaN is a missing value.
        y : label matrix or label names, see :func:`truepath.adapters.encode_labels`
        sample_weight : array-like, shape (n_samples,), optional
        """
        self._check()
        X, Y, weight, _ = check_fit_input(self, X, y, sample_weight, allow_nan=True)
        used = np.arange(X.shape[0]) if weight is None else np.flatnonzero(weight)
        self._fit_rows(X[used], Y[used], np.ones(used.size) if weight is None else weight[used])
        if self.loo_score:
            held_out = self.regression_.__dict__.pop("held_out_")
            self.loo_decision_ = held_out if used.size == X.shape[0] else self.predict_proba(X)
            self.loo_decision_[used] = held_out  # rows of weight zero were not learned from
        return self

    def _check(self) -> None:
        check_choice(self, "kernel", ("auto", *KERNELS))
        check_choice(self, "normalize", NORMALIZATIONS)
        check_projection(self.project)
        for name in ("max_rows", "n_landmarks"):
            check_number(self, name, Integral, 1)
        if self.n_folds is not None:
            check_number(self, "n_folds", Integral, 2)
        for name in ("gamma", "alpha"):
            if getattr(self, name) != "auto":
                check_number(self, name, Real, 0, above=True)

    def _fit_rows(self, X: Any, Y: Any, weight: np.ndarray) -> None:
        """Scale the rows and fit the regression."""
        self.scaler_, self.with_gaps_ = fit_scaler(X, self.normalize, weight)
        share = np.asarray(Y.mean(axis=0)).ravel()
        self.constant_ = np.where(share == 1, 1.0, np.where(share == 0, 0.0, np.nan))
        self.regression_ = KernelRegression(
            self._resolve_kernel(X),
            self._candidates("gamma", GAMMAS),
            self._candidates("alpha", ALPHAS),
            max_rows=self.max_rows,
            n_landmarks=self.n_landmarks,
            n_folds=self.n_folds,
        ).fit(
            apply_scaler(X, self.scaler_, self.with_gaps_),
            Y,
            weight,
            self._to_scores,
            held_out=self.loo_score,
            keep_system=self.keep_system,
            random_state=self.random_state,
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

    def refit(self, alpha: float) -> MultiLabelKernelRidge:
        """Solve again with another penalty, on the same rows and with the same width.

        Costs one Cholesky factorisation. Needs ``keep_system=True`` at ``fit``. ``loo_decision_`` is not computed again
        and is removed.

        Parameters
        ----------
        alpha : float
        """
        check_is_fitted(self, "regression_")
        if not hasattr(self.regression_, "system_"):
            raise ValueError("refit needs what fit keeps with keep_system=True; fit once more with that.")
        self.regression_.refit(alpha)
        if hasattr(self, "loo_decision_"):
            del self.loo_decision_
        return self

    # -------------------------------------------------------------------------------------- predicting

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return coherent scores, shape (n_samples, n_nodes)."""
        X = check_predict_input(self, X, allow_nan=True)
        if sparse.issparse(X) != sparse.issparse(self.regression_.X_fit_):
            X = X.toarray() if sparse.issparse(X) else sparse.csr_array(X)
        return self._to_scores(self.regression_.predict(apply_scaler(X, self.scaler_, self.with_gaps_)))

    def _to_scores(self, S: np.ndarray) -> np.ndarray:
        np.clip(S, 0.0, 1.0, out=S)
        is_constant = np.isfinite(self.constant_)
        S[:, is_constant] = self.constant_[is_constant]
        return project_scores(S, self.hierarchy_, self.project)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

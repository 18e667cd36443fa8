r"""Kernel ridge regression of a whole label matrix, its width and penalty chosen by leave-one-out.

With the kernel matrix K of the training rows and their labels Y (0/1, all nodes at once)::

    C = (K + alpha I)^-1 Y,    scores(x) = k(x, X) C

clipped to [0, 1] and made coherent. One eigendecomposition of K serves every alpha, and gives the leave-one-out scores
of the training rows exactly (:mod:`truepath.ridge`, which FAEL uses too). Beyond ``max_rows`` rows the kernel is
replaced by its Nystroem approximation on ``n_landmarks`` rows drawn at random.

References
----------
C. Williams, M. Seeger. Using the Nystroem method to speed up kernel machines. NIPS 2000.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from truepath import ridge
from truepath.combiners.projections import Projection, check_projection, project_scores
from truepath.hierarchy import Hierarchy
from truepath.learners.base import (
    HierarchicalLearner,
    check_choice,
    check_fit_input,
    check_number,
    check_predict_input,
)
from truepath.learners.kernel.kernels import BY_DISTANCE, KERNELS, ROW_BLOCK, kernel_scale
from truepath.learners.kernel.scaling import NORMALIZATIONS, apply_scaler, fit_scaler
from truepath.learners.kernel.selection import climb
from truepath.learners.kernel.systems import Kernel, KernelSystem, exact_system, landmark_system
from truepath.metrics import auprc

__all__ = ["MultiLabelKernelRidge"]

GAMMAS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
# From this many rows on, matrices are float32: rounding is far below the least alpha there
ROWS_FOR_SINGLE = 1000


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
    loo_score : bool, default=False
        Whether to keep ``loo_decision_``.
    keep_system : bool, default=False
        Whether to keep what :meth:`refit` needs.
    random_state : int, RandomState or None, default=0
        Draws the landmarks.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    kernel_, gamma_, alpha_ : the kernel, width and penalty used
    tried_ : list of tuple (gamma, alpha, leave-one-out AU(PRC))
    X_fit_ : array or CSR, the rows or landmarks that the kernel compares with, scaled
    dual_coef_ : ndarray, shape (rows of X_fit_, n_nodes)
    constant_ : ndarray, shape (n_nodes,)
        The score of labels that no row or every row has; NaN for the others.
    loo_decision_ : ndarray, shape (n_samples, n_nodes)
        The scores of each training row by a model of all other rows. Only with ``loo_score=True``.
    approximation_error_ : float
        The share of the kernel matrix's trace that the landmarks do not reach; 0 where the kernel is exact.

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
        self.kernel_ = self._resolve_kernel(X)
        used = np.arange(X.shape[0]) if weight is None else np.flatnonzero(weight)
        root = np.ones(used.size) if weight is None else np.sqrt(weight[used])
        self._fit_rows(X[used], Y[used], root)
        if self.loo_score:
            self.loo_decision_ = self._all_held_out(X, used)
        return self

    def _check(self) -> None:
        check_choice(self, "kernel", ("auto", *KERNELS))
        check_choice(self, "normalize", NORMALIZATIONS)
        check_projection(self.project)
        for name in ("max_rows", "n_landmarks"):
            check_number(self, name, Integral, 1)
        for name in ("gamma", "alpha"):
            if getattr(self, name) != "auto":
                check_number(self, name, Real, 0, above=True)

    def _resolve_kernel(self, X: Any) -> str:
        if self.kernel == "auto":
            return "cosine" if sparse.issparse(X) else "rbf"
        if sparse.issparse(X) and self.kernel in BY_DISTANCE:
            raise ValueError(
                f"kernel={self.kernel!r} measures distances and takes dense X only; got a sparse matrix. "
                "Use kernel='cosine' or 'linear', or X.toarray()."
            )
        return self.kernel

    def _fit_rows(self, X: Any, Y: Any, root: np.ndarray) -> None:
        """Scale the rows, choose, and solve with the choice."""
        self.scaler_, self.with_gaps_ = fit_scaler(X, self.normalize, root**2)
        Z = apply_scaler(X, self.scaler_, self.with_gaps_)
        self.scale_ = kernel_scale(Z, self.kernel_, root**2)
        self.dtype_ = np.dtype(np.float32 if Z.shape[0] >= ROWS_FOR_SINGLE else np.float64).str
        share = np.asarray(Y.mean(axis=0)).ravel()
        self.constant_ = np.where(share == 1, 1.0, np.where(share == 0, 0.0, np.nan)).astype(self.dtype_)
        root = root.astype(self.dtype_)
        self.X_fit_ = Z if Z.shape[0] <= self.max_rows else self._draw_landmarks(Z)
        labels = _weighted_labels(Y, root)
        system = self._choose(Z, Y, labels, root)
        self.approximation_error_ = system.error
        if self.keep_system:
            self.system_ = tuple(system[:3])
        if self.loo_score:
            self.loo_decision_ = self._held_out(system.spectrum(), labels, root, self.alpha_)
        self.dual_coef_ = system.solve(self.alpha_)

    def _draw_landmarks(self, Z: Any) -> Any:
        drawn = check_random_state(self.random_state).permutation(Z.shape[0])[: self.n_landmarks]
        return Z[np.sort(drawn)]

    def _choose(self, Z: Any, Y: Any, labels: Any, root: np.ndarray) -> KernelSystem:
        """Set ``gamma_`` and ``alpha_``; return the system of that width."""
        gammas = self._candidates("gamma", GAMMAS) if self.kernel_ in BY_DISTANCE else [1.0]
        alphas = self._candidates("alpha", ALPHAS)
        self.gamma_, self.alpha_ = gammas[0], alphas[0]
        self.tried_: list[tuple[float, float, float]] = []

        def at_width(gamma: float) -> Callable[[float], float]:
            spectrum = self._system(gamma, Z, labels, root).spectrum()
            return lambda alpha: float(auprc(Y, self._held_out(spectrum, labels, root, alpha)))

        if len(gammas) * len(alphas) > 1 and Z.shape[0] > 1 and labels.sum() > 0:
            best, tried = climb(at_width, gammas, alphas)
            self.tried_ = [(gamma, alpha, area) for gamma, alpha, area in tried]
            self.gamma_, self.alpha_ = best.gamma, best.alpha
        return self._system(self.gamma_, Z, labels, root)

    def _candidates(self, name: str, usual: Sequence[float]) -> list[float]:
        if getattr(self, name) != "auto":
            return [float(getattr(self, name))]
        given = getattr(self, f"{name}s")
        return sorted(ridge.check_penalty(value, f"{name}s") for value in (usual if given is None else given))

    def _system(self, gamma: float, Z: Any, labels: Any, root: np.ndarray) -> KernelSystem:
        kernel = self._kernel(gamma)
        if Z.shape[0] <= self.max_rows:
            return exact_system(kernel, Z, labels, root)
        return landmark_system(kernel, Z, self.X_fit_, labels, root)

    def _kernel(self, gamma: float) -> Kernel:
        return Kernel(self.kernel_, gamma, self.scale_, np.dtype(self.dtype_))

    def _held_out(self, spectrum: ridge.Spectrum, labels: Any, root: np.ndarray, alpha: float) -> np.ndarray:
        """Return the coherent scores of the training rows, each by a model of all others."""
        S = ridge.leave_one_out(spectrum, labels, alpha)
        S /= root[:, None]
        return self._to_scores(S)

    def _all_held_out(self, X: Any, used: np.ndarray) -> np.ndarray:
        """Return the held-out scores of all rows; those of weight zero were not learned from anyway."""
        if used.size == X.shape[0]:
            return self.loo_decision_
        S = self.predict_proba(X)
        S[used] = self.loo_decision_
        return S

    def refit(self, alpha: float) -> MultiLabelKernelRidge:
        """Solve again with another penalty, on the same rows and with the same width.

        Costs one Cholesky factorisation. Needs ``keep_system=True`` at ``fit``; ``loo_decision_`` is not computed again
        and goes.

        Parameters
        ----------
        alpha : float
        """
        check_is_fitted(self, "dual_coef_")
        if not hasattr(self, "system_"):
            raise ValueError("refit needs what fit keeps with keep_system=True; fit once more with that.")
        self.alpha_ = ridge.check_penalty(alpha, "alpha")
        self.dual_coef_ = KernelSystem(*self.system_).solve(self.alpha_)
        if hasattr(self, "loo_decision_"):
            del self.loo_decision_
        return self

    # -------------------------------------------------------------------------------------- predicting

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Return coherent scores, shape (n_samples, n_nodes)."""
        X = check_predict_input(self, X, allow_nan=True)
        if sparse.issparse(X) != sparse.issparse(self.X_fit_):
            X = X.toarray() if sparse.issparse(X) else sparse.csr_array(X)
        Z = apply_scaler(X, self.scaler_, self.with_gaps_)
        kernel = self._kernel(self.gamma_)
        S = np.empty((Z.shape[0], self.dual_coef_.shape[1]), self.dual_coef_.dtype)
        for start in range(0, Z.shape[0], ROW_BLOCK):
            rows = slice(start, min(start + ROW_BLOCK, Z.shape[0]))
            K = np.zeros((ROW_BLOCK, self.X_fit_.shape[0]), S.dtype)
            K[: rows.stop - start] = kernel(Z[rows], self.X_fit_)
            S[rows] = (K @ self.dual_coef_)[: rows.stop - start]
        return self._to_scores(S)

    def _to_scores(self, S: np.ndarray) -> np.ndarray:
        np.clip(S, 0.0, 1.0, out=S)
        is_constant = np.isfinite(self.constant_)
        S[:, is_constant] = self.constant_[is_constant]
        return project_scores(S, self.hierarchy_, self.project)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _weighted_labels(Y: Any, root: np.ndarray) -> sparse.csr_array:
    """Return the labels, few of which are set, times the roots of the rows' weights."""
    labels = sparse.csr_array(Y, dtype=root.dtype)
    labels.data *= np.repeat(root, np.diff(labels.indptr))
    return labels

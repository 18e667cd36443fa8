"""The multitask lasso with logistic loss per sibling group: the base learner of Bi & Kwok (2012).

For each parent u, the conditionals p(y_v = 1 | y_u = 1, x) of all its children v are learned together from the rows
that carry u, under a penalty over the group's coefficient matrix. See
:mod:`truepath.learners.linear.multitask_lasso` for the objective and the solver. Bi & Kwok used MALSAR's
solver; they give neither the penalty's strength nor which of the two penalties it was.
"""

from __future__ import annotations

import logging
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone

from truepath.adapters.parallel import run_parallel, single_blas_thread
from truepath.adapters.rows import take_rows
from truepath.held import holds, numbers, sparse_numbers
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.arcs import arc_pointers, marginals_from_conditional
from truepath.learners.base import (
    HierarchicalLearner,
    check_fit_input,
    check_predict_input,
    groups_to_learn,
    leave_out_weightless,
    spawn_seeds,
)
from truepath.learners.linear.held_out import best_on_held_out
from truepath.learners.linear.multitask_lasso import PENALTIES, LassoFit, largest_alpha, solve_path
from truepath.learners.local.base import LabelView, Problem
from truepath.learners.local.per_parent import pose_arcs
from truepath.parameters import check_choice, check_number
from truepath.ridge.rows import multiply_rows

if TYPE_CHECKING:
    from typing import Self  # Python 3.11

logger = logging.getLogger(__name__)


@holds(coef_=sparse_numbers("csc", "n_features", "arcs"), intercept_=numbers("arcs"))
class SiblingLasso(HierarchicalLearner):
    """Multitask lasso with logistic loss for each group of siblings.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        None takes Y as flat, or as label paths that make a tree.
    penalty : {"l21", "l1"}, default="l21"
        Whether siblings share their features (row norms) or each has its own.
    alpha : float, optional
        The penalty's strength, for the mean loss over the rows of a group. None chooses it for each group by
        cross-validation.
    n_alphas : int, default=20
        Points of the path, spaced evenly in the logarithm.
    alpha_ratio : float, default=0.01
        The last of them, as a share of the first, at which all coefficients vanish.
    cv : int, default=3
        Folds of the cross-validation.
    tol : float, default=1e-4
        Allowed duality gap, as a share of the loss without features.
    max_iter : int, default=1000
        Passes over the features for each alpha.
    random_state : int, RandomState or None, default=0
        Assigns the rows to folds.
    n_jobs : int, optional
        Number of joblib workers, over groups.

    Attributes
    ----------
    hierarchy_ : Hierarchy
    coef_ : csc_array, shape (n_features, n_arcs)
        One column per arc (sorted by child, then parent; on a tree column v is node v).
    intercept_ : ndarray, shape (n_arcs,)
        Infinite where all rows of the parent agree; minus infinity where there are none.
    alphas_ : dict
        The strength chosen for each parent by name (None: the implicit root).
    gaps_ : dict
        The duality gap reached there.
    n_iter_ : int
        The most passes any group took at its last strength.

    Notes
    -----
    Scale the features first: the penalty depends on their units. The path of each fold runs over the strengths of
    the whole group. The strength with the least held-out loss is taken, the stronger one in a tie; the path ends after
    two strengths in a row without a smaller loss. A group whose labels cannot be held out (fewer than two rows of
    either value for all of them) gets its intercepts only. Cost: a pass is O(entries of the working features *
    siblings).

    References
    ----------
    Bi, W. & Kwok, J. T. (2012). Mandatory leaf node prediction in hierarchical multilabel classification. NIPS 25.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> Y = h.encode([["a/1"], ["a/2"], ["b/1"], ["b/1"]])
    >>> learner = SiblingLasso(hierarchy=h, alpha=0.01).fit(X, Y)
    >>> h.decode(learner.predict(X))
    [('a/1',), ('a/2',), ('b/1',), ('b/1',)]
    """

    name = "sibling-lasso"
    summary = "logistic regression that chooses features jointly for siblings"
    learns_from = "the rows that carry each parent"

    def __init__(
        self,
        *,
        hierarchy: Hierarchy | None = None,
        penalty: str = "l21",
        alpha: float | None = None,
        n_alphas: int = 20,
        alpha_ratio: float = 0.01,
        cv: int = 3,
        tol: float = 1e-4,
        max_iter: int = 1000,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ):
        self.hierarchy = hierarchy
        self.penalty = penalty
        self.alpha = alpha
        self.n_alphas = n_alphas
        self.alpha_ratio = alpha_ratio
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Fit the groups of siblings.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
        y : closed 0/1 matrix (n_samples, n_nodes), dense or sparse, or label names or paths
        sample_weight : array-like of shape (n_samples,), optional
        groups : array-like, shape (n_samples,), optional
            What each row belongs to: rows of one group are held out together.

        Returns
        -------
        self
        """
        self._check_parameters()
        X, Y, weight, hierarchy = check_fit_input(self, X, y, sample_weight, dtype=np.float64)
        groups = groups_to_learn(groups, Y.shape[0], weight)
        X, Y, weight = leave_out_weightless(X, Y, weight)
        weight = np.ones(X.shape[0]) if weight is None else weight
        problems = list(pose_arcs(LabelView(Y, hierarchy)))
        seeds = spawn_seeds(self.random_state, len(problems))
        fits = run_parallel(
            _fit_group, zip(problems, seeds), common=(clone(self), X, weight, groups), n_jobs=self.n_jobs
        )
        self.coef_, self.intercept_ = _assemble(problems, fits, X.shape[1], int(arc_pointers(hierarchy)[0][-1]))
        self.alphas_ = {problem.key: fit.alpha for problem, fit in zip(problems, fits)}
        self.gaps_ = {problem.key: fit.gap for problem, fit in zip(problems, fits)}
        self.n_iter_ = max(fit.n_iter for fit in fits)
        return self

    def predict_conditional_proba(self, X: Any) -> np.ndarray:
        """Return p(v | u), one column per arc (sorted by child, then parent; on a tree column v is node v)."""
        X = check_predict_input(self, X, dtype=np.float64)
        return expit(multiply_rows(X, self.coef_) + self.intercept_)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return coherent marginals: the smallest of p(v | u) * S[u] over the parents u."""
        return marginals_from_conditional(self.predict_conditional_proba(X), self.hierarchy_)

    def check_loaded(self) -> None:
        """Refuse weights from a file that are not one column per arc."""
        if self.intercept_.size != arc_pointers(self.hierarchy_)[0][-1]:
            raise ValueError("the weights of a SiblingLasso are not those of the arcs")

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with its tables by parent as pairs: in a model file no key can be None, the root's."""
        state = dict(super().__getstate__())
        return state | {name: list(state[name].items()) for name in ("alphas_", "gaps_") if name in state}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state | {name: dict(state[name]) for name in ("alphas_", "gaps_") if name in state})

    def _check_parameters(self) -> None:
        check_choice(self, "penalty", tuple(PENALTIES))
        check_number(self, "alpha", Real, 0, above=True, none=True)
        check_number(self, "alpha_ratio", Real, 0, 1, above=True)
        if self.alpha is None:
            check_number(self, "cv", Integral, 2)
            check_number(self, "n_alphas", Integral, 1)


def _fit_group(
    learner: SiblingLasso, X: Any, weight: np.ndarray, groups: Any, problem: Problem, seed: int | None
) -> LassoFit:
    """Fit one group of siblings; labels on which all rows agree get an infinite intercept."""
    X, omega = take_rows(X, problem.rows), take_rows(weight, problem.rows)
    omega, groups = omega / omega.sum(), None if groups is None else take_rows(groups, problem.rows)
    varies = problem.targets.any(axis=0) & ~problem.targets.all(axis=0)
    coef = np.zeros((X.shape[1], varies.size))
    intercept = np.where(problem.targets.all(axis=0), np.inf, -np.inf)
    if not varies.any():
        return LassoFit(np.inf, coef, intercept, 0.0, 0.0, 0)
    Y = problem.targets[:, varies].astype(np.float64)
    with single_blas_thread():
        fit = _choose_and_solve(learner, X, Y, omega, seed, groups)
    coef[:, varies], intercept[varies] = fit.coef, fit.intercept
    logger.info("%s: alpha %.3g, gap %.2g, %d rows, %d labels", problem.key, fit.alpha, fit.gap, *Y.shape)
    return fit._replace(coef=coef, intercept=intercept)


def _choose_and_solve(
    learner: SiblingLasso, X: Any, Y: np.ndarray, omega: np.ndarray, seed: int | None, groups: Any
) -> LassoFit:
    """Choose the strength if none is given, then solve along the path down to it."""
    penalty = PENALTIES[learner.penalty]
    solve = partial(solve_path, penalty=penalty, tol=learner.tol, max_iter=learner.max_iter)
    top = largest_alpha(X, Y, omega, penalty)
    path = top * np.geomspace(1.0, learner.alpha_ratio, learner.n_alphas) if top > 0 else np.array([1.0])
    if learner.alpha is not None:
        path = np.append(path[path > learner.alpha], learner.alpha)
    elif path.size > 1:
        path = path[: 1 + best_on_held_out(solve, X, Y, omega, path, learner.cv, seed, groups)]
    *_, last = solve(X, Y, omega, path)
    return last


def _assemble(
    problems: list[Problem], fits: list[LassoFit], n_features: int, n_arcs: int
) -> tuple[sparse.csc_array, np.ndarray]:
    """Put the groups' coefficients into one sparse matrix, and their intercepts beside it."""
    arcs, intercept = np.concatenate([problem.columns for problem in problems]), np.full(n_arcs, -np.inf)
    intercept[arcs] = np.concatenate([fit.intercept for fit in fits])
    stacked = sparse.hstack([sparse.csc_array(fit.coef) for fit in fits], format="coo")
    entries = (stacked.data, (stacked.row, arcs[stacked.col]))
    return sparse.csc_array(entries, shape=(n_features, n_arcs)), intercept

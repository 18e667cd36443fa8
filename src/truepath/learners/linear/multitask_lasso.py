"""The multitask lasso with logistic loss, solved along a path by proximal Newton steps.

For targets ``Y`` (0/1, one column per task), weights omega_i that add up to one, coefficients ``W`` (features by tasks)
and an unpenalised intercept ``b``::

    F(W, b) = sum_i omega_i sum_j [ log(1 + exp(z_ij)) - y_ij z_ij ] + alpha * Omega(W),     Z = X W + b

Omega is the sum of the row norms ||W[f, :]||_2 ("l21": a feature serves all tasks or none) or of |W[f, j]| ("l1").

Solver. Proximal Newton (Lee, Sun & Saunders 2014): the loss's quadratic model is minimised by cyclic descent over
features, all tasks of a feature at once (:mod:`truepath.learners.linear.quadratic_models`), and a backtracking step is
taken towards it. The working set of features grows by the strong rule (Tibshirani et al. 2012) and by the features that
break the optimality conditions. Dense X is centred, which changes nothing but ``b``; sparse X stays as it is.
It stops when the duality gap over *all* features falls to ``tol`` times F(0, best b). The dual point is
the residual R = omega (sigma(Z) - Y), whose columns sum to zero once b is best, scaled into the dual norm's ball.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit, logit, xlogy

from truepath.learners.linear.quadratic_models import ColumnModel, GramModel

logger = logging.getLogger(__name__)

MODEL_SHARE = 0.03  # of the first pass's largest squared move: below it the model counts as minimised
MAX_PASSES = 100  # over the working features for one model
GRAM_SHARE = 4  # rows per working feature from which the model of dense X is cheaper as a matrix
MAX_ROUNDS = 50  # of growing the working set; each adds a feature or tightens the inner tolerance
SLACK = 1e-13  # relative rounding allowed in the descent test


@dataclass(frozen=True)
class Penalty:
    """Omega: its value, each feature's share in the dual norm, and whether the tasks of a feature go together."""

    value: Callable[[np.ndarray], float]
    strength: Callable[[np.ndarray], np.ndarray]
    by_row: bool


def _row_norms(W: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("fj,fj->f", W, W))


PENALTIES = {
    "l21": Penalty(lambda W: float(_row_norms(W).sum()), _row_norms, by_row=True),
    "l1": Penalty(lambda W: float(np.abs(W).sum()), lambda W: np.abs(W).max(axis=1, initial=0.0), by_row=False),
}


class Design:
    """X by columns: dense minus its weighted column means, or sparse as it is."""

    def __init__(self, X: Any, omega: np.ndarray):
        self.is_sparse = sparse.issparse(X)
        self.mean = np.zeros(X.shape[1]) if self.is_sparse else omega @ X
        self.X: Any = sparse.csc_array(X) if self.is_sparse else np.asfortranarray(X - self.mean)

    def narrow(self, features: np.ndarray) -> Design:
        """Return the design of some features."""
        part = object.__new__(Design)
        part.is_sparse, part.mean, part.X = self.is_sparse, self.mean[features], self.X[:, features]
        return part


class LassoFit(NamedTuple):
    """A point of the path, in the coordinates of the X given."""

    alpha: float
    coef: np.ndarray
    intercept: np.ndarray
    gap: float  # absolute duality gap
    objective: float
    n_iter: int


class State(NamedTuple):
    """Coefficients, intercepts and X W, of X centred if it is dense."""

    W: np.ndarray
    b: np.ndarray
    XW: np.ndarray


def logistic_loss(Z: np.ndarray, Y: np.ndarray, omega: np.ndarray) -> float:
    """Return the sum of the losses of linear scores, rows weighted."""
    return float(omega @ (np.logaddexp(0.0, Z) - Y * Z).sum(axis=1))


class Task(NamedTuple):
    """What is minimised: the loss of some rows and the penalty at one strength."""

    design: Design
    Y: np.ndarray
    omega: np.ndarray
    alpha: float
    penalty: Penalty

    def objective(self, state: State) -> float:
        """Return F at a point."""
        return logistic_loss(state.XW + state.b, self.Y, self.omega) + self.alpha * self.penalty.value(state.W)


def best_intercept(XW: np.ndarray, Y: np.ndarray, omega: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the intercepts that minimise the loss for given X W, by Newton's method kept inside a bracket."""
    low, high = logit(omega @ Y) - XW.max(axis=0), logit(omega @ Y) - XW.min(axis=0)
    b = np.clip(b, low, high)
    for _ in range(100):
        p = expit(XW + b)
        slope = omega @ (p - Y)
        low, high = np.where(slope < 0, b, low), np.where(slope > 0, b, high)
        step = b - slope / np.maximum(omega @ (p * (1 - p)), np.finfo(float).tiny)
        inside = (step >= low) & (step <= high)
        following = np.where(inside, step, (low + high) / 2)
        done = np.abs(following - b) <= 4 * np.finfo(float).eps * np.maximum(1.0, np.abs(b))
        b = following
        if done.all():
            break
    return b


def largest_alpha(X: Any, Y: np.ndarray, omega: np.ndarray, penalty: Penalty) -> float:
    """Return the smallest alpha at which all coefficients vanish."""
    design = Design(X, omega)
    return float(penalty.strength(design.X.T @ (omega[:, None] * (omega @ Y - Y))).max(initial=0.0))


def solve_path(
    X: Any,
    Y: np.ndarray,
    omega: np.ndarray,
    alphas: Iterable[float],
    penalty: Penalty,
    *,
    tol: float = 1e-4,
    max_iter: int = 1000,
) -> Iterator[LassoFit]:
    """Yield the solution for each of the decreasing ``alphas``, each started from the one before.

    Parameters
    ----------
    X : ndarray or sparse matrix, shape (n_samples, n_features)
    Y : ndarray of float, shape (n_samples, n_tasks)
        Zeros and ones; every column must show both.
    omega : ndarray, shape (n_samples,)
        Weights that add up to one.
    alphas : sequence of float
    penalty : Penalty
    tol : float, default=1e-4
        The gap allowed, as a share of the objective without features.
    max_iter : int, default=1000
        Passes over the features for each alpha; past them the best found is yielded and a warning logged.
    """
    design = Design(X, omega)
    null = logit(omega @ Y)
    n_features, n_tasks = X.shape[1], Y.shape[1]
    state = State(np.zeros((n_features, n_tasks)), null, np.zeros_like(Y))
    allowed = tol * logistic_loss(state.XW + null, Y, omega)
    strength = penalty.strength(design.X.T @ (omega[:, None] * (expit(null) - Y)))
    before = float(strength.max(initial=0.0))
    for alpha in alphas:
        working = (strength >= 2 * alpha - before) | state.W.any(axis=1)  # strong rule
        task = Task(design, Y, omega, alpha, penalty)
        state, gap, strength, n_iter = _solve(task, state, working, allowed, max_iter)
        value, before = task.objective(state), alpha
        logger.debug("alpha %.3g: objective %.6g, gap %.2g after %d passes", alpha, value, gap, n_iter)
        yield LassoFit(alpha, state.W, state.b - design.mean @ state.W, gap, value, n_iter)


def _solve(
    task: Task, state: State, working: np.ndarray, allowed: float, max_iter: int
) -> tuple[State, float, np.ndarray, int]:
    """Solve for one alpha: on the working set, then look at all features, until the gap is small enough."""
    inner, n_iter = 0.5 * allowed, 0
    gap, strength = _duality_gap(task, state)
    for _ in range(MAX_ROUNDS):
        if gap <= allowed:
            break
        if n_iter >= max_iter:
            said = "the sibling lasso stopped at max_iter=%d passes (alpha %.3g, gap %.2g above %.2g): raise it, or tol"
            logger.warning(said, max_iter, task.alpha, gap, allowed)
            break
        found, steps = _solve_working(task, state, working, inner, max_iter - n_iter)
        state, n_iter = found, n_iter + steps
        gap, strength = _duality_gap(task, state)
        breaking = (strength > task.alpha) & ~working
        working = working | breaking
        inner = inner if breaking.any() else 0.1 * inner
    return state, gap, strength, n_iter


def _solve_working(task: Task, state: State, working: np.ndarray, allowed: float, max_iter: int) -> tuple[State, int]:
    """Solve over the working features alone, the others held at zero."""
    features = np.flatnonzero(working)
    if not features.size:
        return state, 0
    start = State(state.W[features], state.b, state.XW)
    narrow = task._replace(design=task.design.narrow(features))
    found, n_iter = _newton(narrow, start, allowed, max_iter)
    W = np.zeros_like(state.W)
    W[features] = found.W
    return State(W, found.b, found.XW), n_iter


def _duality_gap(task: Task, state: State) -> tuple[float, np.ndarray]:
    """Return F minus the dual value at the scaled residual, and each feature's share in the dual norm."""
    p = expit(state.XW + state.b)
    strength = task.penalty.strength(task.design.X.T @ (task.omega[:, None] * (p - task.Y)))
    scale = min(1.0, task.alpha / strength.max(initial=task.alpha))
    q = scale * p + (1 - scale) * task.Y
    dual = -float(task.omega @ (xlogy(q, q) + xlogy(1 - q, 1 - q)).sum(axis=1))
    return task.objective(state) - dual, strength


def _newton(task: Task, start: State, allowed: float, max_iter: int) -> tuple[State, int]:
    """Take proximal Newton steps until the gap over this design's features is at most ``allowed``."""
    design, Y, omega = task.design, task.Y, task.omega
    few = GRAM_SHARE * design.X.shape[1] <= design.X.shape[0]
    model_of = GramModel if few and not design.is_sparse else ColumnModel
    state, n_passes = start, 0
    while n_passes < max_iter:
        model = model_of(design, Y, omega, state)
        n_passes += _minimize(model, task.alpha, task.penalty, max_iter - n_passes)
        following = _search_line(task, state, model.target())
        if following is None:  # as good as rounding allows
            break
        state = following._replace(b=best_intercept(following.XW, Y, omega, following.b))
        if _duality_gap(task, state)[0] <= allowed:
            break
    return state, n_passes


def _minimize(model: ColumnModel | GramModel, alpha: float, penalty: Penalty, max_passes: int) -> int:
    """Minimise a model plus the penalty by passes over all features and over those in use; return their number."""
    everything = np.arange(model.W.shape[0])
    features, first, n_passes = everything, 0.0, 0
    while n_passes < min(MAX_PASSES, max_passes):
        moved = model.descend(features, alpha, penalty.by_row)
        first, n_passes = max(first, moved), n_passes + 1
        if moved > MODEL_SHARE**2 * first:
            features = np.flatnonzero(model.W.any(axis=1))
        elif features.size == everything.size:
            break
        else:
            features = everything
    return n_passes


def _search_line(task: Task, state: State, target: State) -> State | None:
    """Return the first of the points at 1, 1/2, 1/4 ... of the way to the target that descends enough, or None."""
    alpha, penalty = task.alpha, task.penalty
    Z = state.XW + state.b
    here, size = logistic_loss(Z, task.Y, task.omega), penalty.value(state.W)
    XD, dW, db = task.design.X @ target.W - state.XW, target.W - state.W, target.b - state.b
    slope = np.vdot(task.omega[:, None] * (expit(Z) - task.Y), XD + db) + alpha * (penalty.value(target.W) - size)
    for share in 0.5 ** np.arange(30):
        point = State(state.W + share * dW, state.b + share * db, state.XW + share * XD)
        if task.objective(point) <= here + alpha * size + 0.25 * share * slope + SLACK * here:
            return point if share < 1 else point._replace(W=target.W)
    return None

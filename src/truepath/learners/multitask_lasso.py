"""The multitask lasso with logistic loss, solved along a path by accelerated proximal gradient.

For targets ``Y`` (0/1, one column a task), weights omega_i that add up to one, coefficients ``W`` (features by tasks)
and an unpenalised intercept ``b``::

    F(W, b) = sum_i omega_i sum_j [ log(1 + exp(z_ij)) - y_ij z_ij ] + alpha * Omega(W),     Z = X W + b

Omega is the sum of the row norms ||W[f, :]||_2 ("l21": a feature serves all tasks or none) or of |W[f, j]| ("l1").

Solver. FISTA (Beck & Teboulle 2009) with backtracking and gradient restart (O'Donoghue & Candès 2015), on a working
set of features grown by the strong rule (Tibshirani et al. 2012) and by whoever breaks the optimality conditions.
X is centred, which changes nothing but ``b`` and parts the curvature of ``W`` from that of ``b``; sparse X is centred
on the fly. It stops when the duality gap over *all* features falls to ``tol`` times F(0, best b). The dual point is
the residual R = omega (sigma(Z) - Y), whose columns sum to zero once b is best, scaled into the dual norm's ball.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit, logit, xlogy

__all__ = ["PENALTIES", "CenteredDesign", "LassoFit", "Penalty", "best_intercept", "largest_alpha", "solve_path"]

logger = logging.getLogger(__name__)

CHECK_EVERY = 10  # iterations between two looks at the duality gap
FIRST_SCALE = 0.25  # of the curvature's upper bound: most labels are rare, and their curvature is far below it
MAX_ROUNDS = 50  # of growing the working set; each adds a feature or tightens the inner tolerance
SLACK = 1e-13  # relative rounding allowed in the descent test


@dataclass(frozen=True)
class Penalty:
    """Omega: its value, its proximal map, and each feature's share in the dual norm."""

    value: Callable[[np.ndarray], float]
    shrink: Callable[[np.ndarray, float], np.ndarray]
    strength: Callable[[np.ndarray], np.ndarray]


def _row_norms(W: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("fj,fj->f", W, W))


def _shrink_rows(W: np.ndarray, t: float) -> np.ndarray:
    norms = _row_norms(W)
    factor = np.zeros_like(norms)
    np.divide(norms - t, norms, out=factor, where=norms > t)
    return W * factor[:, None]


PENALTIES = {
    "l21": Penalty(lambda W: float(_row_norms(W).sum()), _shrink_rows, _row_norms),
    "l1": Penalty(
        lambda W: float(np.abs(W).sum()),
        lambda W, t: np.sign(W) * np.maximum(np.abs(W) - t, 0.0),
        lambda W: np.abs(W).max(axis=1, initial=0.0),
    ),
}


class CenteredDesign:
    """X minus its weighted column means, as an operator; sparse X is never filled in."""

    def __init__(self, X, omega: np.ndarray):
        self.mean = np.asarray(omega @ X).ravel()
        self.is_sparse = sparse.issparse(X)
        self.X = sparse.csc_array(X) if self.is_sparse else np.asfortranarray(X - self.mean)

    def dot(self, W: np.ndarray, features=slice(None)) -> np.ndarray:
        """Return (X - mean) W over some features."""
        Z = self.X[:, features] @ W
        return Z - self.mean[features] @ W if self.is_sparse else Z

    def correlate(self, R: np.ndarray) -> np.ndarray:
        """Return (X - mean)^T R."""
        G = self.X.T @ R
        return G - np.outer(self.mean, R.sum(axis=0)) if self.is_sparse else G

    def narrow(self, features: np.ndarray) -> CenteredDesign:
        """Return the design of some features."""
        part = object.__new__(CenteredDesign)
        part.mean, part.is_sparse, part.X = self.mean[features], self.is_sparse, self.X[:, features]
        return part

    def curvature(self, omega: np.ndarray) -> float:
        """Return the largest eigenvalue of X^T diag(omega) X, by power iteration from a fixed random start.

        Not from ones: the columns of a one-hot attribute add up to nothing once centred.
        """
        v = np.random.default_rng(0).normal(size=(self.X.shape[1], 1))
        value = 0.0
        for _ in range(20):
            v = self.correlate(omega[:, None] * self.dot(v))
            value = float(np.linalg.norm(v))
            if value == 0.0:
                return 0.0
            v /= value
        return value


class LassoFit(NamedTuple):
    """A point of the path, in the coordinates of the X given."""

    alpha: float
    coef: np.ndarray
    intercept: np.ndarray
    gap: float  # absolute duality gap
    objective: float
    n_iter: int


class _State(NamedTuple):
    W: np.ndarray
    b: np.ndarray
    XW: np.ndarray


def _loss(Z: np.ndarray, Y: np.ndarray, omega: np.ndarray) -> float:
    return float(omega @ (np.logaddexp(0.0, Z) - Y * Z).sum(axis=1))


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


def largest_alpha(X, Y: np.ndarray, omega: np.ndarray, penalty: Penalty) -> float:
    """Return the smallest alpha at which all coefficients vanish."""
    design = CenteredDesign(X, omega)
    return float(penalty.strength(design.correlate(omega[:, None] * (omega @ Y - Y))).max(initial=0.0))


def solve_path(X, Y, omega, alphas, penalty: Penalty, *, tol=1e-4, max_iter=1000) -> Iterator[LassoFit]:
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
        Proximal steps for each alpha; past them the best found is yielded and a warning logged.
    """
    design = CenteredDesign(X, omega)
    null = logit(omega @ Y)
    n_features, n_tasks = X.shape[1], Y.shape[1]
    state = _State(np.zeros((n_features, n_tasks)), null, np.zeros_like(Y))
    allowed = tol * _loss(state.XW + null, Y, omega)
    strength = penalty.strength(design.correlate(omega[:, None] * (expit(null) - Y)))
    before = float(strength.max(initial=0.0))
    for alpha in alphas:
        working = (strength >= 2 * alpha - before) | state.W.any(axis=1)  # strong rule
        state, gap, strength, n_iter = _solve(design, Y, omega, alpha, penalty, state, working, allowed, max_iter)
        value = _loss(state.XW + state.b, Y, omega) + alpha * penalty.value(state.W)
        before = alpha
        logger.debug("alpha %.3g: objective %.6g, gap %.2g after %d steps", alpha, value, gap, n_iter)
        yield LassoFit(alpha, state.W, state.b - design.mean @ state.W, gap, value, n_iter)


def _solve(design, Y, omega, alpha, penalty, state, working, allowed, max_iter):
    """Solve for one alpha: on the working set, then look at all features, until the gap is small enough."""
    inner, n_iter = 0.5 * allowed, 0
    gap, strength = _duality_gap(design, Y, omega, alpha, penalty, state)
    for _ in range(MAX_ROUNDS):
        if gap <= allowed:
            break
        if n_iter >= max_iter:
            logger.warning("alpha %.3g: gap %.2g above %.2g after max_iter=%d steps", alpha, gap, allowed, max_iter)
            break
        found, steps = _solve_working(design, Y, omega, alpha, penalty, state, working, inner, max_iter - n_iter)
        state, n_iter = found, n_iter + steps
        gap, strength = _duality_gap(design, Y, omega, alpha, penalty, state)
        breaking = (strength > alpha) & ~working
        working = working | breaking
        inner = inner if breaking.any() else 0.1 * inner
    return state, gap, strength, n_iter


def _solve_working(design, Y, omega, alpha, penalty, state, working, allowed, max_iter) -> tuple[_State, int]:
    """Solve over the working features alone, the others held at zero."""
    features = np.flatnonzero(working)
    if not features.size:
        return state, 0
    start = _State(state.W[features], state.b, state.XW)
    found, n_iter = _fista(design.narrow(features), Y, omega, alpha, penalty, start, allowed, max_iter)
    W = np.zeros_like(state.W)
    W[features] = found.W
    return _State(W, found.b, found.XW), n_iter


def _duality_gap(design, Y, omega, alpha, penalty, state) -> tuple[float, np.ndarray]:
    """Return F minus the dual value at the scaled residual, and each feature's share in the dual norm."""
    Z = state.XW + state.b
    p = expit(Z)
    strength = penalty.strength(design.correlate(omega[:, None] * (p - Y)))
    scale = min(1.0, alpha / strength.max(initial=alpha))
    q = scale * p + (1 - scale) * Y
    dual = -float(omega @ (xlogy(q, q) + xlogy(1 - q, 1 - q)).sum(axis=1))
    primal = _loss(Z, Y, omega) + alpha * penalty.value(state.W)
    return primal - dual, strength


def _fista(design, Y, omega, alpha, penalty, start, allowed, max_iter) -> tuple[_State, int]:
    """Take accelerated proximal steps until the gap over this design's features is at most ``allowed``."""
    bound = design.curvature(omega) / 4 or 1.0  # of W, any number if it is flat; that of b is at most 1/4
    scale, t = FIRST_SCALE, 1.0
    state = ahead = start
    for step in range(1, max_iter + 1):
        following, scale = _descend(design, Y, omega, alpha, penalty, ahead, bound, scale)
        moved_W, moved_b = following.W - state.W, following.b - state.b
        turn = bound * np.vdot(ahead.W - following.W, moved_W) + 0.25 * np.vdot(ahead.b - following.b, moved_b)
        if turn > 0:  # the momentum points uphill: start it anew
            t, ahead = 1.0, following
        else:
            t_next = (1 + np.sqrt(1 + 4 * t * t)) / 2
            beta, t = (t - 1) / t_next, t_next
            ahead = _State(*(new + beta * (new - old) for new, old in zip(following, state)))
        state = following
        if step % CHECK_EVERY == 0 or step == max_iter:
            refined = state._replace(b=best_intercept(state.XW, Y, omega, state.b))
            if _duality_gap(design, Y, omega, alpha, penalty, refined)[0] <= allowed or step == max_iter:
                return refined, step
    return state, 0


def _descend(design, Y, omega, alpha, penalty, ahead, bound, scale) -> tuple[_State, float]:
    """Take one proximal step from ``ahead``, doubling the curvature until the quadratic model lies above the loss."""
    Z = ahead.XW + ahead.b
    R = omega[:, None] * (expit(Z) - Y)
    G, g = design.correlate(R), R.sum(axis=0)
    here = _loss(Z, Y, omega)
    while True:
        W = penalty.shrink(ahead.W - G / (scale * bound), alpha / (scale * bound))
        b = ahead.b - g / (scale * 0.25)
        XW = design.dot(W)
        dW, db = W - ahead.W, b - ahead.b
        model = here + np.vdot(G, dW) + g @ db + scale / 2 * (bound * np.vdot(dW, dW) + 0.25 * (db @ db))
        if _loss(XW + b, Y, omega) <= model + SLACK * here:
            return _State(W, b, XW), scale
        scale *= 2

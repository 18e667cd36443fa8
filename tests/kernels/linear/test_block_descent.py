"""The compiled descent over features against a plain twin, dense and sparse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from oracles_learners import lasso_objective, proximal_lasso
from truepath._kernels.linear import block_descent
from truepath.learners.linear.multitask_lasso import PENALTIES, Design, State, largest_alpha, solve_path
from truepath.learners.linear.quadratic_models import ColumnModel, GramModel, columns_of


def best_row(c, h, alpha):
    """The block's minimum by bracketing its norm."""
    if np.linalg.norm(c) <= alpha:
        return np.zeros_like(c)
    above = np.linalg.norm(c) / h.min()
    t = optimize.brentq(lambda t: ((c / (h * t + alpha)) ** 2).sum() - 1, 0.0, above, xtol=1e-15, rtol=1e-14)
    return c * t / (h * t + alpha)


def descend_plainly(X, features, H, alpha, penalty, W, b, E):
    """One pass, feature by feature, in NumPy."""
    W, b, E = W.copy(), b.copy(), E.copy()
    for f in features:
        h = X[:, f] ** 2 @ H
        c = h * W[f] - X[:, f] @ E
        u = best_row(c, h, alpha) if penalty == "l21" else np.sign(c) * np.maximum(np.abs(c) - alpha, 0) / h
        E += H * np.outer(X[:, f], u - W[f])
        W[f] = u
    step = -E.sum(axis=0) / H.sum(axis=0)
    return W, b + step, E + H * step


def make_model(seed, kind):
    rng = np.random.default_rng(seed)
    n, d, m = 12, 5, int(rng.integers(1, 4))
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    X[0] = 1.0  # no empty column: its curvature would be nothing
    H = rng.uniform(0.01, 0.3, (n, m)) / n
    E = rng.normal(size=(n, m)) / n
    W = rng.normal(size=(d, m)) * (rng.random((d, 1)) < 0.6)
    return (
        X,
        columns_of(sparse.csc_array(X) if kind is sparse.csr_array else X, kind is sparse.csr_array),
        H,
        E,
        W,
        rng.normal(size=m),
    )


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.sampled_from(sorted(PENALTIES)), st.sampled_from([np.asarray, sparse.csr_array]))
def test_a_pass_is_the_plain_one(seed, penalty, kind):
    X, columns, H, E, W, b = make_model(seed, kind)
    alpha = float(np.random.default_rng(seed).choice([0.01, 0.1, 1.0]))
    features = np.random.default_rng(seed).permutation(X.shape[1])[:4]
    expected = descend_plainly(X, features, H, alpha, penalty, W, b, E)
    curvature = np.empty_like(W)
    block_descent.column_curvatures(*columns, X.shape[1], H, curvature)
    np.testing.assert_allclose(curvature, (X**2).T @ H)
    moved = block_descent.descend(*columns, features, curvature, H, alpha, PENALTIES[penalty].by_row, W, b, E)
    for found, wanted in zip((W, b, E), expected):
        np.testing.assert_allclose(found, wanted, atol=1e-10)
    assert moved >= 0


def test_an_empty_column_gets_no_coefficient():
    X, columns, H, E, W, b = make_model(0, np.asarray)
    columns = columns_of(np.zeros_like(X), False)
    curvature = np.zeros_like(W)
    for penalty in PENALTIES.values():
        block_descent.descend(*columns, np.arange(X.shape[1]), curvature, H, 0.1, penalty.by_row, W, b, E)
        assert not W.any()


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.sampled_from(sorted(PENALTIES)))
def test_both_models_have_the_same_minimum(seed, penalty):
    """One keeps rows, the other products of features with the intercepts eliminated; run to the end they agree."""
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(40, 4)), (rng.random((40, 3)) < 0.3).astype(float)
    omega = rng.dirichlet(np.ones(40))
    design = Design(X, omega)
    W = rng.normal(size=(4, 3)) * (rng.random((4, 1)) < 0.5)
    state = State(W, rng.normal(size=3), design.X @ W)
    targets = []
    for model in (ColumnModel(design, Y, omega, state), GramModel(design, Y, omega, state)):
        for _ in range(400):
            model.descend(np.arange(4), 0.01, PENALTIES[penalty].by_row)
        targets.append(model.target())
    np.testing.assert_allclose(targets[0].W, targets[1].W, atol=1e-8)
    np.testing.assert_allclose(targets[0].b, targets[1].b, atol=1e-8)


@pytest.mark.parametrize("n_samples", [20, 200])
def test_few_and_many_rows_reach_the_same_objective_as_plain_proximal_gradient(n_samples):
    """With few rows per feature the solver keeps rows, with many it keeps products of features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, 8))
    Y = (rng.random((n_samples, 2)) < 1 / (1 + np.exp(-X[:, :2]))).astype(float)
    omega = np.full(n_samples, 1 / n_samples)
    alpha = 0.1 * largest_alpha(X, Y, omega, PENALTIES["l21"])
    *_, fit = solve_path(X, Y, omega, [alpha], PENALTIES["l21"], tol=1e-9)
    expected = lasso_objective(X, Y, *proximal_lasso(X, Y, alpha, "l21"), alpha, "l21")
    assert abs(fit.objective - expected) < 1e-6

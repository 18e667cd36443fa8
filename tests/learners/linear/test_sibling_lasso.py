"""SiblingLasso against independent solvers, its duality gap, its path and its choice of strength."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from learners_room import DAG, TREE, make_data
from oracles_learners import lasso_objective, proximal_lasso
from truepath import Hierarchy
from truepath.hierarchy.arcs import arc_pointers
from truepath.learners import SiblingLasso
from truepath.learners.linear.multitask_lasso import PENALTIES, best_intercept, largest_alpha, solve_path

AGREEMENT = 1e-6  # acceptance: the same objective as an independent solver
#: How scikit-learn is asked for the L1 penalty; since 1.8 by the ratio alone
L1 = {"l1_ratio": 1} if tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 8) else {"penalty": "l1"}


def problem(n_samples=80, n_features=12, n_tasks=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * rng.uniform(0.5, 2, n_features) + rng.normal(size=n_features)
    X[rng.random(X.shape) < 0.4] = 0
    W = np.zeros((n_features, n_tasks))
    W[:4] = rng.normal(size=(4, n_tasks))
    Y = (rng.random((n_samples, n_tasks)) < 1 / (1 + np.exp(1 - X @ W))).astype(float)
    return X, Y, np.full(n_samples, 1 / n_samples)


@pytest.mark.parametrize("share", [0.5, 0.1, 0.02])
@pytest.mark.parametrize("penalty", ["l21", "l1"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_same_objective_as_plain_proximal_gradient(penalty, share, kind):
    X, Y, omega = problem()
    alpha = share * largest_alpha(X, Y, omega, PENALTIES[penalty])
    *_, fit = solve_path(kind(X), Y, omega, [alpha], PENALTIES[penalty], tol=1e-9, max_iter=50_000)
    W, b = proximal_lasso(X, Y, alpha, penalty)
    expected = lasso_objective(X, Y, W, b, alpha, penalty)
    assert fit.objective == pytest.approx(lasso_objective(X, Y, fit.coef, fit.intercept, alpha, penalty), abs=1e-12)
    assert abs(fit.objective - expected) < AGREEMENT
    assert fit.objective - expected < fit.gap + 1e-12


@pytest.mark.parametrize("share", [0.3, 0.05])
def test_same_objective_as_saga(share):
    """With the l1 penalty the tasks part, and each is scikit-learn's L1 logistic regression."""
    X, Y, omega = problem()
    alpha = share * largest_alpha(X, Y, omega, PENALTIES["l1"])
    *_, fit = solve_path(X, Y, omega, [alpha], PENALTIES["l1"], tol=1e-9, max_iter=50_000)
    W, b = np.zeros_like(fit.coef), np.zeros(Y.shape[1])
    for j in range(Y.shape[1]):
        saga = LogisticRegression(
            **L1, solver="saga", C=1 / (alpha * len(X)), tol=1e-10, max_iter=100_000, random_state=0
        ).fit(X, Y[:, j])
        W[:, j], b[j] = saga.coef_[0], saga.intercept_[0]
    assert abs(fit.objective - lasso_objective(X, Y, W, b, alpha, "l1")) < AGREEMENT


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from(["l21", "l1"]), st.floats(0.01, 0.9))
def test_gap_bounds_the_error(seed, penalty, share):
    """A loose solution is never further from a tight one than its gap says."""
    X, Y, omega = problem(n_samples=30, n_features=6, n_tasks=2, seed=seed)
    if not (Y.any(axis=0) & ~Y.all(axis=0)).all():
        return
    weight = np.random.default_rng(seed).uniform(0.5, 2, 30)
    omega = weight / weight.sum()
    alpha = share * largest_alpha(X, Y, omega, PENALTIES[penalty])
    *_, loose = solve_path(X, Y, omega, [alpha], PENALTIES[penalty], tol=1e-2)
    *_, tight = solve_path(X, Y, omega, [alpha], PENALTIES[penalty], tol=1e-8, max_iter=100_000)
    assert -1e-9 <= loose.objective - tight.objective <= loose.gap + 1e-9


@pytest.mark.parametrize("penalty", ["l21", "l1"])
def test_nothing_at_the_largest_alpha(penalty):
    X, Y, omega = problem()
    top = largest_alpha(X, Y, omega, PENALTIES[penalty])
    first, second = solve_path(X, Y, omega, [top, 0.95 * top], PENALTIES[penalty], tol=1e-8)
    assert not first.coef.any()
    assert second.coef.any()
    np.testing.assert_allclose(first.intercept, np.log(Y.mean(axis=0) / (1 - Y.mean(axis=0))))


def test_l21_keeps_or_drops_whole_rows():
    X, Y, omega = problem()
    alpha = 0.2 * largest_alpha(X, Y, omega, PENALTIES["l21"])
    *_, fit = solve_path(X, Y, omega, [alpha], PENALTIES["l21"], tol=1e-8)
    kept = fit.coef.any(axis=1)
    assert 0 < kept.sum() < kept.size
    assert fit.coef[kept].all()


def test_warm_start_ends_where_a_cold_start_does():
    X, Y, omega = problem()
    path = largest_alpha(X, Y, omega, PENALTIES["l21"]) * np.geomspace(1, 0.05, 8)
    warm = [fit.objective for fit in solve_path(X, Y, omega, path, PENALTIES["l21"], tol=1e-9, max_iter=20_000)]
    cold = [
        next(solve_path(X, Y, omega, [alpha], PENALTIES["l21"], tol=1e-9, max_iter=20_000)).objective for alpha in path
    ]
    np.testing.assert_allclose(warm, cold, atol=1e-8)


def test_one_hot_columns_that_add_up_to_one():
    """Centred, they add up to nothing, which once left the solver without a step size."""
    rng = np.random.default_rng(0)
    X = np.eye(3)[rng.integers(0, 3, 60)]
    Y = (rng.random((60, 2)) < 0.2 + 0.6 * X[:, :1]).astype(float)
    omega = np.full(60, 1 / 60)
    alpha = 0.1 * largest_alpha(X, Y, omega, PENALTIES["l21"])
    *_, fit = solve_path(X, Y, omega, [alpha], PENALTIES["l21"], tol=1e-9, max_iter=20_000)
    expected = lasso_objective(X, Y, *proximal_lasso(X, Y, alpha, "l21"), alpha, "l21")
    assert abs(fit.objective - expected) < AGREEMENT


def test_running_out_of_steps_is_logged(caplog):
    X, Y, omega = problem()
    list(solve_path(X, Y, omega, [1e-4], PENALTIES["l1"], tol=1e-12, max_iter=5))
    assert "max_iter=5" in caplog.text


@given(st.integers(0, 1000))
def test_best_intercept_balances_every_task(seed):
    rng = np.random.default_rng(seed)
    Y = np.vstack([np.eye(2), rng.random((8, 2)) < 0.3]).astype(float)
    XW = rng.normal(scale=20, size=Y.shape)
    omega = rng.dirichlet(np.ones(10))
    b = best_intercept(XW, Y, omega, np.zeros(2))
    np.testing.assert_allclose(omega @ (1 / (1 + np.exp(-(XW + b))) - Y), 0, atol=1e-9)


@pytest.mark.parametrize("h", [TREE, DAG], ids=["tree", "dag"])
def test_groups_are_the_children_of_each_parent(h):
    X, Y = make_data(h, n_samples=120)
    alpha = 0.03
    learner = SiblingLasso(hierarchy=h, alpha=alpha, tol=1e-9, max_iter=20_000).fit(X, Y)
    arc_ptr, arc_parent = arc_pointers(h)
    child = np.repeat(np.arange(h.n_nodes), np.diff(arc_ptr))
    for u in [-1, *np.flatnonzero(~h.is_leaf)]:
        arcs = np.flatnonzero(arc_parent == u)
        rows = np.ones(len(X), bool) if u < 0 else Y[:, u]
        targets = Y[rows][:, child[arcs]].astype(float)
        if not (targets.any(axis=0) & ~targets.all(axis=0)).all():
            continue
        W, b = learner.coef_[:, arcs].toarray(), learner.intercept_[arcs]
        expected = lasso_objective(X[rows], targets, *proximal_lasso(X[rows], targets, alpha, "l21"), alpha, "l21")
        assert abs(lasso_objective(X[rows], targets, W, b, alpha, "l21") - expected) < AGREEMENT


def test_cross_validation_finds_signal_and_refuses_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 10))
    Y = np.column_stack([X[:, 0] + 0.3 * rng.normal(size=300) > 0, rng.random(300) < 0.5])
    signal = SiblingLasso().fit(X, Y[:, :1])
    noise = SiblingLasso().fit(X, Y[:, 1:])
    assert np.abs(signal.coef_.toarray()[0]).item() > 0.5
    assert np.abs(noise.coef_.toarray()).max() < 0.5
    assert signal.alphas_[None] < noise.alphas_[None] or noise.coef_.nnz == 0
    assert set(signal.gaps_) == {None}


def test_same_choice_for_any_n_jobs():
    X, Y = make_data(TREE)
    one, two = (SiblingLasso(hierarchy=TREE, n_alphas=6, n_jobs=n).fit(X, Y) for n in (1, 2))
    assert one.alphas_ == two.alphas_
    assert (one.predict_proba(X) == two.predict_proba(X)).all()


def test_rare_labels_get_an_intercept():
    h = Hierarchy.flat(1)
    X, Y = np.arange(8.0)[:, None], np.eye(8)[:, :1]
    learner = SiblingLasso(hierarchy=h).fit(X, Y)
    np.testing.assert_allclose(learner.predict_proba(X), 1 / 8)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": "l2"}, "penalty must be"),
        ({"alpha": 0}, "alpha must be None or a number greater than 0"),
        ({"alpha_ratio": 1}, "alpha_ratio must be a number between 0 and 1"),
        ({"cv": 1}, "cv must be an integer >= 2"),
    ],
)
def test_parameters_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        SiblingLasso(hierarchy=TREE, **options).fit(*make_data(TREE))

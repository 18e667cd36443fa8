"""FAEL and its relatives against the equations as printed, scikit-learn where it coincides, and n refits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

import oracles_combiners as twins
from strategies import hierarchies
from truepath import Hierarchy
from truepath.combiners import FAEL, HierarchicalFAEL, KernelFAEL
from truepath.combiners.fael.constraints import constraint_gram, constraint_pairs
from truepath.data import make_ontology_like

TOY = Hierarchy.from_paths(["a/1", "a/2", "b/1"])


@st.composite
def problems(draw, max_nodes=9):
    """A hierarchy, training scores and labels (fewer or more rows than nodes), weights, and new scores."""
    h = draw(hierarchies(max_nodes=max_nodes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_samples = draw(st.integers(2, 2 * max_nodes))
    Y = h.close(rng.random((n_samples, h.n_nodes)) < 0.2)
    S = np.clip(0.6 * Y + 0.4 * rng.random(Y.shape), 0, 1)
    return h, S, Y, rng.random(n_samples) + 0.1, rng.random((3, h.n_nodes))


def penalty_of(h, beta, mu):
    M = twins.constraint_rows(h, mu)
    return beta * M.T @ M


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@settings(max_examples=20)
@given(problem=problems())
def test_fael_is_equation_2(container, fit_intercept, problem):
    h, S, Y, weight, new = problem
    model = FAEL(0.3, fit_intercept=fit_intercept, project=None, hierarchy=h).fit(container(S), container(Y), weight)
    expected = twins.fael(S, Y, new, 0.3, weight=weight, fit_intercept=fit_intercept)
    np.testing.assert_allclose(model.transform(new), expected, atol=1e-8)
    assert model.is_coherent is False
    W = model.weights_
    np.testing.assert_allclose(new @ W.toarray() + model.intercept_, expected, atol=1e-8)
    np.testing.assert_allclose(W @ np.eye(h.n_nodes), W.toarray(), atol=1e-8)
    np.testing.assert_allclose(W.H @ np.ones(h.n_nodes), W.toarray().T @ np.ones(h.n_nodes), atol=1e-8)
    np.testing.assert_allclose(W.block([0], [h.n_nodes - 1])[0, 0], W.toarray()[0, -1], atol=1e-8)


@settings(max_examples=20)
@given(problem=problems())
def test_hierarchical_fael_is_equation_11(problem):
    h, S, Y, weight, new = problem
    for fit_intercept in (False, True):
        model = HierarchicalFAEL(0.3, 0.7, 0.5, fit_intercept=fit_intercept, project=None, hierarchy=h)
        expected = twins.fael(S, Y, new, 0.3, penalty_of(h, 0.7, 0.5), weight, fit_intercept)
        np.testing.assert_allclose(model.fit(S, Y, weight).transform(new), expected, atol=1e-8)
    flat = HierarchicalFAEL(0.3, 0.0, project=None, hierarchy=h).fit(S, Y).transform(new)
    np.testing.assert_allclose(flat, FAEL(0.3, project=None, hierarchy=h).fit(S, Y).transform(new), atol=1e-8)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@settings(max_examples=15)
@given(problem=problems())
def test_kernel_fael_is_kernel_ridge(kernel, problem):
    h, S, Y, weight, new = problem
    options = {"kernel": kernel, "gamma": 0.7, "degree": 2, "coef0": 1}
    reference = KernelRidge(alpha=0.3, **options).fit(S, Y.astype(float), sample_weight=weight).predict(new)
    model = KernelFAEL(alpha=0.3, project=None, hierarchy=h, **options).fit(S, sparse.csr_array(Y), weight)
    np.testing.assert_allclose(model.transform(new), reference.reshape(new.shape), atol=1e-8)


@settings(max_examples=15)
@given(problem=problems())
def test_kernel_fael_with_intercept_and_callable(problem):
    h, S, Y, weight, new = problem
    options = {"alpha": 0.3, "fit_intercept": True, "project": None, "hierarchy": h}
    # the inner product as a callable is the linear kernel, so the centred kernel must give the centred ridge
    model = KernelFAEL(kernel=lambda a, b: float(a @ b), **options).fit(S, Y, weight)
    expected = twins.fael(S, Y, new, 0.3, weight=weight, fit_intercept=True)
    np.testing.assert_allclose(model.transform(new), expected, atol=1e-8)
    with pytest.raises(AttributeError, match=r"weights_.*kernel='linear'"):
        model.weights_  # noqa: B018


def test_nystroem_with_all_rows_is_the_exact_kernel():
    rng = np.random.default_rng(0)
    Y = TOY.close(rng.random((30, 5)) < 0.3)
    S = 0.6 * Y + 0.4 * rng.random(Y.shape)
    exact = KernelFAEL(alpha=0.5, gamma=1.0, project=None, hierarchy=TOY).fit(S, Y).transform(S)
    full = KernelFAEL(alpha=0.5, gamma=1.0, n_landmarks=30, random_state=0, project=None, hierarchy=TOY).fit(S, Y)
    np.testing.assert_allclose(full.transform(S), exact, atol=1e-6)
    few = [KernelFAEL(alpha=0.5, gamma=1.0, n_landmarks=8, random_state=3, hierarchy=TOY).fit(S, Y) for _ in range(2)]
    np.testing.assert_array_equal(few[0].transform(S), few[1].transform(S))


@settings(max_examples=25)
@given(h=hierarchies(max_nodes=8), mu=st.floats(0.1, 3), seed=st.integers(0, 99))
def test_equation_9_and_the_gram_matrix(h, mu, seed):
    pairs = constraint_pairs(h)
    M = twins.constraint_rows(h, mu)
    W = np.random.default_rng(seed).normal(size=(h.n_nodes, h.n_nodes))
    left = sum(
        (W[p, k] - mu * d * W[q, k]) ** 2 for p, q, d in zip(pairs.p, pairs.q, pairs.distance) for k in range(h.n_nodes)
    )
    gram = constraint_gram(pairs, mu, h.n_nodes)
    assert left == pytest.approx(np.linalg.norm(M @ W) ** 2)  # eq. (9)
    assert left == pytest.approx(np.trace(W.T @ (gram @ W)))
    np.testing.assert_allclose(gram.toarray(), M.T @ M, atol=1e-10)


def test_shortest_path_counts_on_a_dag():
    h = Hierarchy.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("a", "c")])
    pairs = constraint_pairs(h)
    distance = {(h.names[p], h.names[q]): int(d) for p, q, d in zip(*pairs)}
    assert distance == {("a", "b"): 1, ("a", "c"): 1, ("b", "c"): 1, ("a", "d"): 2, ("b", "d"): 2, ("c", "d"): 1}


@pytest.mark.parametrize("fit_intercept", [False, True])
@settings(max_examples=15)
@given(problem=problems(max_nodes=7))
def test_leave_one_out_equals_n_refits(fit_intercept, problem):
    h, S, Y, weight, _ = problem
    alphas = [0.1, 1.0, 10.0]
    model = FAEL("loo", alphas=alphas, fit_intercept=fit_intercept, hierarchy=h).fit(S, Y, weight)
    expected = [twins.leave_one_out(S, Y, alpha, 0.0, weight, fit_intercept) for alpha in alphas]
    np.testing.assert_allclose(model.errors_, expected, rtol=1e-7, atol=1e-10)
    assert model.errors_[alphas.index(model.alpha_)] == model.errors_.min()


@settings(max_examples=10)
@given(problem=problems(max_nodes=6))
def test_hierarchical_leave_one_out_equals_n_refits(problem):
    h, S, Y, weight, _ = problem
    grid = {"alphas": [0.1, 2.0], "ratios": [0.0, 0.5], "mus": [0.5, 1.0]}
    model = HierarchicalFAEL("loo", hierarchy=h, **grid).fit(S, Y, weight)
    for i, mu in enumerate(grid["mus"]):
        for j, ratio in enumerate(grid["ratios"]):
            for k, alpha in enumerate(grid["alphas"]):
                expected = twins.leave_one_out(S, Y, alpha, penalty_of(h, ratio * alpha, mu), weight)
                assert model.errors_[i, j, k] == pytest.approx(expected, rel=1e-7, abs=1e-10)
    chosen = grid["mus"].index(model.mu_), grid["ratios"].index(model.beta_ / model.alpha_)
    assert model.errors_[(*chosen, grid["alphas"].index(model.alpha_))] == model.errors_.min()


@settings(max_examples=15)
@given(problem=problems(max_nodes=7))
def test_generalised_cross_validation_is_its_formula(problem):
    h, S, Y, _, _ = problem
    alphas = [0.1, 1.0, 10.0]
    model = FAEL("gcv", alphas=alphas, hierarchy=h).fit(S, sparse.csr_array(Y))
    for alpha, found in zip(alphas, model.errors_):
        hat = S @ np.linalg.solve(S.T @ S + alpha * np.eye(h.n_nodes), S.T)
        residual = np.linalg.norm(Y - hat @ Y) ** 2
        assert found == pytest.approx(len(S) * residual / (len(S) - np.trace(hat)) ** 2, rel=1e-7, abs=1e-10)
    kernel = KernelFAEL("rbf", 0.5, "gcv", alphas=alphas, hierarchy=h).fit(S, Y)
    assert kernel.alpha_ in alphas


def test_kernel_leave_one_out_with_intercept_is_that_of_ridge():
    rng = np.random.default_rng(1)
    Y = TOY.close(rng.random((12, 5)) < 0.3)
    S = 0.6 * Y + 0.4 * rng.random(Y.shape)
    options = {"alphas": [0.1, 1.0], "fit_intercept": True, "hierarchy": TOY}
    by_kernel = KernelFAEL(lambda a, b: float(a @ b), alpha="loo", **options).fit(S, Y)
    np.testing.assert_allclose(by_kernel.errors_, FAEL("loo", **options).fit(S, Y).errors_, rtol=1e-8)


def test_ridge_of_scikit_learn_coincides():
    rng = np.random.default_rng(2)
    Y = TOY.close(rng.random((20, 5)) < 0.3)
    S = rng.random(Y.shape)
    reference = Ridge(alpha=2.0).fit(S, Y.astype(float))
    model = FAEL(2.0, fit_intercept=True, project=None, hierarchy=TOY).fit(S, Y)
    np.testing.assert_allclose(model.transform(S), reference.predict(S), atol=1e-10)
    np.testing.assert_allclose(model.intercept_, reference.intercept_, atol=1e-10)
    np.testing.assert_allclose(model.weights_.toarray(), reference.coef_.T, atol=1e-10)


@pytest.mark.parametrize("member", [FAEL(), HierarchicalFAEL(), KernelFAEL(alpha="loo")])
def test_several_sources_and_an_empty_class(member):
    rng = np.random.default_rng(3)
    Y = TOY.encode([["a/1"], ["a"], ["b"], ["a/1", "b"]] * 3)
    S = [np.clip(0.5 * Y + 0.5 * rng.random(Y.shape), 0, 1) for _ in range(2)]
    model = member.set_params(hierarchy=TOY).fit(S, Y)
    out = model.transform(S)
    assert out.shape == Y.shape
    assert TOY.is_coherent(out)
    raw = model.set_params(project=None).transform(S)
    np.testing.assert_allclose(raw[:, TOY.indices(["a/2", "b/1"])], 0, atol=1e-12)  # no positives, no score
    with pytest.raises(ValueError, match="1 score matrices but fit was given 2"):
        model.transform(S[:1])
    with pytest.raises(ValueError, match="different numbers of rows"):
        model.fit([S[0], S[1][:3]], Y)
    if not isinstance(member, KernelFAEL):
        assert model.weights_.shape == (10, 5)


def test_two_sources_are_constrained_each_within_itself():
    rng = np.random.default_rng(4)
    Y = TOY.close(rng.random((40, 5)) < 0.3)
    S = [rng.random(Y.shape) for _ in range(2)]
    penalty = np.kron(np.eye(2), penalty_of(TOY, 0.5, 1.0))
    model = HierarchicalFAEL(0.5, 0.5, project=None, hierarchy=TOY).fit(S, Y)
    expected = twins.fael(np.hstack(S), Y, np.hstack(S), 0.5, penalty)
    np.testing.assert_allclose(model.transform(S), expected, atol=1e-8)


def test_wrong_parameters_are_refused():
    S, Y = np.full((3, 2), 0.5), np.eye(3, 2, dtype=bool)
    for model, words in [
        (FAEL(0), "alpha must be a positive number"),
        (FAEL("aic"), "alpha must be a positive number, 'loo' or 'gcv'; got 'aic'"),
        (FAEL("loo", alphas=[-1]), "alphas must be positive"),
        (FAEL(project="up"), "project must be one of"),
        (HierarchicalFAEL(beta=-1), "beta must be a positive number"),
        (HierarchicalFAEL(mu=0), "mu must be a positive number"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.fit(S, Y)


@pytest.mark.slow
def test_forty_thousand_nodes_need_no_square_matrix():
    import tracemalloc

    rng = np.random.default_rng(5)
    n_nodes, n_samples = 40_000, 60
    h = Hierarchy.from_parents([-1, *(rng.random(n_nodes - 1) * np.arange(1, n_nodes) * 0.1).astype(int).tolist()])
    Y = h.encode([[h.names[v]] for v in rng.integers(0, n_nodes, n_samples)])
    S = rng.random((n_samples, n_nodes), dtype=np.float32)
    tracemalloc.start()
    for model in (FAEL(hierarchy=h), HierarchicalFAEL(hierarchy=h), KernelFAEL(hierarchy=h)):
        assert model.fit(S, Y).transform(S).shape == S.shape
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40 * n_samples * n_nodes * 8 < n_nodes * n_nodes * 8 / 16


# ------------------------------------------------------------------------------------------------- the heat map


def test_conjugate_gradients_give_the_weights_of_the_factorisation(monkeypatch):
    h = make_ontology_like(300, random_state=0)
    rng = np.random.default_rng(0)
    S, Y = rng.random((20, h.n_nodes)), h.close(rng.random((20, h.n_nodes)) < 0.01)
    exact = HierarchicalFAEL(0.5, 2.0, 0.5, hierarchy=h).fit(S, Y)
    monkeypatch.setattr("truepath.combiners.fael.hierarchical.MOST_FACTORISED", 0)
    stepwise = HierarchicalFAEL(0.5, 2.0, 0.5, hierarchy=h).fit(S, Y)
    np.testing.assert_allclose(stepwise.transform(S), exact.transform(S), atol=1e-9)


def test_plot_weights_draws_the_chosen_block():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    rng = np.random.default_rng(6)
    Y = TOY.close(rng.random((20, 5)) < 0.3)
    model = FAEL(hierarchy=TOY).fit(0.6 * Y + 0.4 * rng.random(Y.shape), Y)
    ax = model.plot_weights("a")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "· 1", "· 2"]
    W = model.weights_.toarray()[:3, :3]
    np.testing.assert_allclose(ax.images[0].get_array(), W)
    assert ax.images[0].get_clim() == pytest.approx((-np.abs(W).max(), np.abs(W).max()))  # no weight has no color
    listed = model.plot_weights(["b/1", 0])
    np.testing.assert_allclose(listed.images[0].get_array(), model.weights_.toarray()[np.ix_([4, 0], [4, 0])])
    assert model.plot_weights().images[0].get_array().shape == (5, 5)
    with pytest.raises(ValueError, match="source must be below 1"):
        model.plot_weights(source=1)
    plt.close("all")


@pytest.mark.parametrize("member", [FAEL, HierarchicalFAEL, KernelFAEL])
@pytest.mark.parametrize("n_rows", [3, 40])
def test_a_penalty_below_rounding_is_no_error(member, n_rows):
    """Equal rows, and columns that are sums of others: without a penalty the system is singular."""
    S = np.repeat([[0.5, 0.25, 0.25, 0.125, 0.125]], n_rows, axis=0)
    combiner = member(alpha=1e-300, hierarchy=TOY, **({"beta": 0.0} if member is HierarchicalFAEL else {}))
    Y = TOY.encode([["a/1"]] * n_rows)
    np.testing.assert_allclose(combiner.fit(S, Y).transform(S), Y, atol=1e-6)

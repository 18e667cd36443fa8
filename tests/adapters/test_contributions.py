"""Contributions are handed on from step to step: against sums, integrals and all orders, and by members of others."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from oracles_reasons import shapley_of
from strategies import dags
from truepath import Hierarchy
from truepath.adapters import Contributions, ScorePart, node_scores
from truepath.adapters.capabilities import grade
from truepath.adapters.contributions import ask_contributions, combine_contributions, keeps_columns
from truepath.combiners import FAEL, Blend, FAELBlend, GreedyBlend, KernelFAEL
from truepath.errors import TruePathError
from truepath.learners import CoherentNetwork, MultiLabelKernelRidge, PCTForest, SparseLinear, Stack
from truepath.registry import COMBINERS

H = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
NODES = np.arange(H.n_nodes)


def rows(seed=0, n_rows=60, n_columns=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    names = np.where(X[:, 0] > 0, np.where(X[:, 1] > 0, "a/1", "a/2"), np.where(X[:, 2] > 0, "b/1", "b"))
    return X, H.encode([[name] for name in names])


def made_part(rng, hierarchy, n_columns=5):
    """Return a row's scores by a linear function of its columns, with the contributions."""
    n = hierarchy.n_nodes
    base, scores = rng.random(n), rng.random(n)
    values = rng.dirichlet(np.ones(n_columns), n).T * (scores - base)
    values[:2] += [[0.3], [-0.3]]  # some cancel
    told = Contributions(np.arange(n), values, base, "linear")
    return ScorePart(told.output, told.take)


def test_a_function_of_a_sum_shares_out_its_integral():
    rng = np.random.default_rng(0)
    margin = Contributions([0], rng.normal(size=(4, 1)), np.array([-0.7]), "linear")
    found = margin.through(lambda z: 1 / (1 + np.exp(-z)), lambda z: np.full_like(z, np.nan))
    t = (np.arange(20_000) + 0.5) / 20_000
    z = margin.base + t * margin.values.sum()
    p = 1 / (1 + np.exp(-z))
    np.testing.assert_allclose(found.values[:, 0], margin.values[:, 0] * (p * (1 - p)).mean(), rtol=1e-7)
    np.testing.assert_allclose(found.base, 1 / (1 + np.exp(0.7)))


def test_clipped_scores_add_up():
    told = Contributions(
        [0, 1, 2], np.array([[2.0, 0.5, 0.4], [-0.2, -0.5, -0.4]]), np.array([-0.5, 0.5, 1.5]), "linear"
    )
    found = told.clipped()
    np.testing.assert_allclose(found.output, np.clip(told.output, 0, 1))
    np.testing.assert_allclose(found.values[:, 0], told.values[:, 0] / 1.8)  # from 0 to 1 instead of -0.5 to 1.3
    np.testing.assert_allclose(found.values[:, 1], told.values[:, 1])  # what cancels is kept within the limits
    assert not found.values[:, 2].any()


def test_a_product_is_shared_out_over_both_orders():
    one = Contributions([0], np.array([[0.3], [0.1]]), np.array([0.2]), "linear", columns=[0, 2])
    two = Contributions([0], np.array([[0.4]]), np.array([0.5]), "linear", columns=[1])
    found = one.times(two)
    wanted = shapley_of(lambda known: (0.2 + 0.4 * (0 in known)) * (0.5 + 0.4 * (1 in known)), 2)
    np.testing.assert_allclose([found.values[[0, 2]].sum(), found.values[1, 0]], wanted)
    np.testing.assert_allclose(found.output, 0.6 * 0.9)


@pytest.mark.parametrize("name", sorted(COMBINERS))
@given(dags(max_nodes=7), st.integers(0, 100))
def test_combiners_pass_on_what_adds_up_to_their_scores(name, hierarchy, seed):
    rng = np.random.default_rng(seed)
    combiner = COMBINERS[name]
    n_parts = 2 if combiner.accepts_many else 1
    if "a tree" in combiner.needs and not hierarchy.is_tree:
        return
    parts = [made_part(rng, hierarchy) for _ in range(n_parts)]
    S = [np.vstack([part.scores, rng.random((30, hierarchy.n_nodes))]) for part in parts]
    Y = np.asarray(hierarchy.close(rng.random((31, hierarchy.n_nodes)) < 0.3))
    given = S if n_parts > 1 else S[0]
    fitted = combiner(hierarchy=hierarchy).fit(given, Y)
    found = combine_contributions(fitted, parts, np.arange(hierarchy.n_nodes))
    np.testing.assert_allclose(found.output, np.asarray(fitted.transform(given))[0], atol=1e-9)


def test_linear_fael_by_hand():
    rng = np.random.default_rng(1)
    parts = [made_part(rng, H), made_part(rng, H)]
    S = [rng.random((30, H.n_nodes)) for _ in parts]
    Y = np.asarray(H.close(rng.random((30, H.n_nodes)) < 0.4))
    fael = FAEL(0.5, project=None, hierarchy=H).fit(S, Y)
    X = np.hstack(S)
    W = np.linalg.solve(X.T @ X + 0.5 * np.eye(X.shape[1]), X.T @ Y)
    found = fael.contributions(parts, NODES)
    told = np.hstack([part.everything().values for part in parts])
    np.testing.assert_allclose(found.values, told @ W, atol=1e-9)
    np.testing.assert_allclose(found.output, np.concatenate([part.scores for part in parts]) @ W, atol=1e-9)
    assert not hasattr(KernelFAEL(), "contributions")
    assert hasattr(KernelFAEL(kernel="linear"), "contributions")


@pytest.mark.parametrize("weights", [[0, 0, 1, 0], [0, 0, 0, 1], [0.1, 0.2, 0.3, 0.4]], ids=str)
def test_fael_within_a_blend(weights):
    rng = np.random.default_rng(2)
    parts = [made_part(rng, H), made_part(rng, H)]
    Y = np.asarray(H.close(rng.random((40, H.n_nodes)) < 0.4))
    S = [np.clip(0.6 * Y + rng.normal(0.2, 0.2, Y.shape), 0, 1) for _ in parts]
    model = FAELBlend(hierarchy=H).fit(S, Y)
    model.final_.weights_ = model.weights_ = np.array([weights], float)
    found = model.contributions(parts, NODES)
    wanted = model.transform([part.scores[None, :] for part in parts])[0]
    np.testing.assert_allclose(found.output, wanted, atol=1e-9)
    # kernel FAEL by integration of its numerical derivatives along the straight way
    B = model.blend_.transform([part.scores[None, :] for part in parts])[0]
    blend = ScorePart(B, lambda wanted: model.blend_.contributions(parts, wanted))
    told, voice = blend.everything(), model.kernel_
    t = (np.arange(400) + 0.5) / 400
    way = blend.scores - told.base
    points = told.base + t[:, None] * way
    slopes = np.empty((H.n_nodes, H.n_nodes))
    for u in range(H.n_nodes):
        step = np.zeros(H.n_nodes)
        step[u] = 1e-5
        slopes[u] = ((voice.predict(points + step) - voice.predict(points - step)) / 2e-5).mean(axis=0)
    np.testing.assert_allclose(voice.mean_slopes(told.base, blend.scores, NODES), slopes, atol=1e-5)


def test_blends_add_up_what_their_members_say():
    X, Y = rows()
    members = [SparseLinear(), PCTForest(n_estimators=4), MultiLabelKernelRidge("rbf", gamma=1.0, alpha=0.1)]
    stack = Stack(members, combiner=Blend(project=None), hierarchy=H).fit(X, Y)
    assert grade(stack, "contributions") == "exact"
    found = stack.contributions(X[:1], NODES)
    weights = stack.combiner_.weights_[0]
    wanted = np.zeros((4, H.n_nodes))
    for member, weight in zip(stack.learners_, weights):
        told = ask_contributions(member, X[:1], NODES)
        wanted[told.columns] += weight * told.values
    np.testing.assert_allclose(found.values, wanted[found.columns], atol=1e-12)
    np.testing.assert_allclose(found.output, stack.predict_proba(X[:1])[0], atol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_kernels_have_shapley_values_of_all_orders(kernel):
    X, Y = rows(3)
    X[::5, 1] = np.nan
    learner = MultiLabelKernelRidge(kernel, gamma=1.0, alpha=0.1, hierarchy=H, project=None).fit(X, Y)
    for x in X[[0, 1]]:
        found = learner.regression_.shares(learner._scaled_rows(x[None, :]), NODES, np.array([0, 1, 2, 3, 1]))[1]
        scaled = learner._scaled_rows(x[None, :])[0]

        def worth(known, scaled=scaled):
            row = np.where([j in known for j in (0, 1, 2, 3, 1)], scaled, 0.0)
            return learner.regression_.predict(row[None, :])[0]

        np.testing.assert_allclose(found, shapley_of(worth, 4), atol=1e-9)
        told = ask_contributions(learner, x[None, :], NODES)
        np.testing.assert_allclose(told.output, learner.predict_proba(x[None, :])[0], atol=1e-9)
    assert told.method == "shapley"


@pytest.mark.parametrize("kernel", ["cosine", "linear"])
@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
def test_kernels_that_are_sums_have_weights(kernel, as_rows):
    X, Y = rows(4)
    X[X < 0] = 0.0
    learner = MultiLabelKernelRidge(kernel, alpha=0.1, hierarchy=H, normalize=None, project=None).fit(as_rows(X), Y)
    found = ask_contributions(learner, as_rows(X[:1]), NODES)
    size = np.linalg.norm(X[0]) if kernel == "cosine" else 1.0
    raw = X[0][:, None] / size * learner.feature_weights()
    np.testing.assert_allclose(raw.sum(axis=0), learner.regression_.predict(as_rows(X[:1]))[0], atol=1e-9)
    inside = (raw.sum(axis=0) > 0) & (raw.sum(axis=0) < 1)
    np.testing.assert_allclose(found.values[:, inside], raw[found.columns][:, inside], atol=1e-9)


@pytest.mark.parametrize("train_on", ["parents", "all"])
@pytest.mark.parametrize("loss", ["log", "squared_hinge"])
def test_linear_scores_add_up(train_on, loss):
    X, Y = rows(5)
    learner = SparseLinear(hierarchy=H, train_on=train_on, loss=loss).fit(X, Y)
    for x in X[:5]:
        found = learner.contributions(x[None, :], NODES)
        np.testing.assert_allclose(found.output, learner.predict_proba(x[None, :])[0], atol=1e-12)
        nothing = learner.predict_proba(np.zeros((1, 4)))[0]
        np.testing.assert_allclose(found.base[H.roots], nothing[H.roots], atol=1e-12)


def test_networks_add_up():
    pytest.importorskip("torch", reason="networks are trained by PyTorch")
    X, Y = rows(6)
    X[::7, 0] = np.nan
    for options in ({}, {"n_pieces": 4}, {"loss": "bce"}):
        learner = CoherentNetwork((8, 8), hierarchy=H, n_epochs=5, n_estimators=3, **options).fit(X, Y)
        for x in X[:3]:
            found, S = learner.contributions(x[None, :], NODES), learner.predict_proba(x[None, :])[0]
            np.testing.assert_allclose(found.output, S, atol=1e-5)  # single precision
            np.testing.assert_allclose(ask_contributions(learner, x[None, :], NODES).output, S, atol=1e-12)
    start = learner.predict_proba(np.nanmean(X, axis=0)[None, :])[0]
    assert np.abs(learner.contributions(X[1:2], NODES).base - start).max() < 0.3


def test_zero_is_a_value_in_dense_rows_and_absent_in_sparse_ones():
    X = np.array([[0.0, 1.0], [0.0, 2.0], [5.0, 1.0], [5.0, 2.0]] * 6)
    Y = H.encode([["a/1"], ["a/1"], ["b"], ["b"]] * 6)

    class Mean(ClassifierMixin, BaseEstimator):
        """Scores by the first column; a missing value is the usual one."""

        def fit(self, X, y):
            self.n_features_in_ = X.shape[1]
            return self

        def predict_proba(self, X):
            X = X.toarray() if sparse.issparse(X) else X
            p = np.where(np.isnan(X[:, :1]), 0.5, X[:, :1] / 5)
            return np.hstack([1 - p] * 2 + [np.zeros_like(p)] + [p, np.zeros_like(p)])

        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.allow_nan = tags.input_tags.sparse = True
            return tags

    learner = Mean().fit(X, Y)
    dense = ask_contributions(learner, X[:1], [0])
    assert dense.of(0) == [("x0", 0.5)]
    assert ask_contributions(learner, sparse.csr_array(X[:1]), [0]).columns.tolist() == [1]
    assert grade(learner, "contributions") == "no"


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_feature_that_is_0_adds_something_where_the_baseline_is_not(form):
    X, Y = rows(3)
    X[np.abs(X) < 0.4] = 0
    learner = make_pipeline(KNeighborsClassifier()).fit(form(X), Y)
    x, usual = X[int(np.argmax((X == 0).sum(axis=1)))], X.mean(axis=0)
    assert (x == 0).any()
    found = ask_contributions(learner, form(x[None, :]), NODES, method="leave-one-out", baseline=form(usual[None, :]))
    assert found.columns.tolist() == list(range(X.shape[1]))
    score = node_scores(learner, form(x[None, :]))[0, NODES]
    for j in range(X.shape[1]):
        other = np.where(np.arange(X.shape[1]) == j, usual, x)
        fall = score - node_scores(learner, form(other[None, :]))[0, NODES]
        np.testing.assert_allclose(found.values[j], fall, atol=1e-12)


def test_members_behind_steps_are_asked_by_column_where_steps_keep_columns():
    X, Y = rows(7)
    kept = make_pipeline(StandardScaler(), SparseLinear(hierarchy=H))
    mixed = make_pipeline(PCA(3), SparseLinear(hierarchy=H))
    foreign = make_pipeline(StandardScaler(), KNeighborsClassifier())
    stack = Stack([kept, mixed, foreign], combiner=GreedyBlend(), hierarchy=H, cv=3).fit(X, Y)
    methods = [ask_contributions(learner, X[:1], NODES).method for learner in stack.learners_]
    assert methods == ["linear", "leave-one-out", "leave-one-out"]
    assert (keeps_columns(stack.learners_[0], 4), keeps_columns(stack.learners_[1], 4)) == (True, False)
    assert grade(stack, "contributions") == "approximate"
    for x in X[:3]:
        found = stack.contributions(x[None, :], NODES)
        np.testing.assert_allclose(found.output, stack.predict_proba(x[None, :])[0], atol=1e-9)
    weights = stack.feature_weights()
    assert weights.shape == (4, H.n_nodes)


def test_what_does_not_add_up_is_refused():
    class Wrong(LogisticRegression):
        def contributions(self, x, nodes):
            return Contributions(nodes, np.ones((x.shape[1], len(nodes))), np.zeros(len(nodes)), "guess")

        def predict_proba(self, X):
            return np.zeros((len(X), H.n_nodes))

    X, Y = rows(8)
    with pytest.raises(TruePathError, match="contributions of Wrong to label 0 add up to 4, but its score is 0"):
        ask_contributions(Wrong().fit(X, np.asarray(Y)[:, 0]), X[:1], NODES)

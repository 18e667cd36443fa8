"""Linear classifiers of sparse rows: against scikit-learn and a plain twin, their rows, their best labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from learners_room import DAG, TREE, make_data
from oracles_learners import dual_logistic, linear_objective
from strategies import dags
from truepath import Hierarchy
from truepath.data import make_hmc
from truepath.learners import PerNode, SparseLinear
from truepath.learners.linear.label_graph import LabelGraph, order_labels
from truepath.persistence import load, save

EXACT = {"loss": "log", "tol": 1e-10, "max_iter": 5000, "min_weight": 0.0}


def one_label(n_samples=40, n_features=4, seed=0, share=0.6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * (rng.random((n_samples, n_features)) < share)
    return X, X[:, 0] + X[:, 1] + rng.normal(size=n_samples) > 0.3


def weights_of(learner, v=0):
    return np.append(learner.coef_[:, [v]].toarray().ravel(), learner.intercept_[v])


@pytest.mark.parametrize("C", [0.1, 1.0, 20.0])
def test_the_objective_is_that_of_logistic_regression(C):
    X, y = one_label()
    found = weights_of(SparseLinear(C=C, **EXACT).fit(X, y[:, None]))
    theirs = LogisticRegression(C=C, tol=1e-12, max_iter=10_000, fit_intercept=False)
    theirs.fit(np.column_stack([X, np.ones(len(X))]), y)
    least = linear_objective(X, y, theirs.coef_[0], C)
    assert linear_objective(X, y, found, C) == pytest.approx(least, rel=1e-6)


@pytest.mark.parametrize("C", [0.5, 1.0, 2.0])
def test_no_row_is_passed_over_as_good_enough_from_the_start(C):
    X, y = one_label()
    usual = weights_of(SparseLinear(C=C, loss="log", min_weight=0.0).fit(X / np.linalg.norm(X + 1e-9), y[:, None]))
    exact = weights_of(SparseLinear(C=C, **EXACT).fit(X / np.linalg.norm(X + 1e-9), y[:, None]))
    np.testing.assert_allclose(usual, exact, atol=0.1 * np.abs(exact).max())


def test_the_plain_twin_finds_the_same_weights():
    X, y = one_label(n_samples=12)
    found = SparseLinear(C=1.0, **EXACT).fit(X, y[:, None])
    np.testing.assert_allclose(weights_of(found), dual_logistic(X, y, 1.0), atol=1e-6)


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_the_squared_hinge_is_that_of_linear_svc(share):
    X, y = one_label(share=share)
    found = weights_of(SparseLinear(C=0.5, **{**EXACT, "loss": "squared_hinge"}).fit(X, y[:, None]))
    theirs = LinearSVC(C=0.5, tol=1e-10, max_iter=100_000, random_state=0).fit(X, y)
    least = linear_objective(X, y, np.append(theirs.coef_[0], theirs.intercept_), 0.5, "squared_hinge")
    assert linear_objective(X, y, found, 0.5, "squared_hinge") == pytest.approx(least, rel=1e-6)


def test_labels_of_dense_rows_are_fitted_each_by_itself():
    """Beside any others, in any number of jobs, on rows of any weight."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 20)), rng.random((60, 40)) < rng.random(40)
    Y[:, 3], Y[:, 7] = True, False
    weight = rng.integers(1, 4, size=60)
    whole = SparseLinear().fit(X, Y, sample_weight=weight)
    chosen = [39, 3, 20, 7]
    some = SparseLinear(n_jobs=2).fit(X, Y[:, chosen], sample_weight=weight)
    assert whole.intercept_[[3, 7]].tolist() == [np.inf, -np.inf]
    np.testing.assert_array_equal(some.coef_.toarray(), whole.coef_[:, chosen].toarray())
    np.testing.assert_array_equal(some.intercept_, whole.intercept_[chosen])
    exact = {"tol": 1e-10, "max_iter": 5000}
    repeated = SparseLinear(C=0.5, **exact).fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0))
    weighted = SparseLinear(C=0.5, **exact).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(weighted.coef_.toarray(), repeated.coef_.toarray(), atol=1e-5)


def test_dense_rows_of_length_one_keep_their_small_weights():
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(6, 400))
    which = rng.integers(0, 6, size=300)
    X = centers[which] + 2 * rng.normal(size=(300, 400))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    learner = SparseLinear().fit(X[:200], np.eye(6, dtype=bool)[which[:200]])
    assert learner.coef_.nnz > 0.95 * 6 * 400
    assert (learner.predict_proba(X[200:]).argmax(axis=1) == which[200:]).mean() > 0.9


@pytest.mark.parametrize("class_weight", [{0: 1.0, 1: 4.0}, "balanced"])
def test_class_weights_are_those_of_scikit_learn(class_weight):
    X, y = one_label()
    found = weights_of(SparseLinear(C=1.0, class_weight=class_weight, **EXACT).fit(X, y[:, None]))
    theirs = LogisticRegression(tol=1e-12, max_iter=10_000, fit_intercept=False, class_weight=class_weight)
    theirs.fit(np.column_stack([X, np.ones(len(X))]), y)
    np.testing.assert_allclose(found, theirs.coef_[0], atol=1e-5)


@pytest.mark.parametrize("hierarchy", [TREE, DAG])
@pytest.mark.parametrize(("train_on", "policy"), [("parents", "parents"), ("all", "less_inclusive")])
def test_scores_are_those_of_local_classifiers(hierarchy, train_on, policy):
    X, Y = make_data(hierarchy)
    ones = np.column_stack([X, np.ones(len(X))])
    local = PerNode(
        LogisticRegression(tol=1e-12, max_iter=10_000, fit_intercept=False), hierarchy=hierarchy, policy=policy
    )
    found = SparseLinear(hierarchy=hierarchy, C=1.0, train_on=train_on, **EXACT).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(found, local.fit(ones, Y).predict_proba(ones), atol=1e-6)


@settings(max_examples=25, deadline=None)
@given(
    dags(max_nodes=9),
    st.integers(1, 9),
    st.sampled_from([("parents", None), ("parents", 2), ("all", 2)]),
    st.booleans(),
    st.integers(0, 2**16),
)
def test_the_best_labels_are_those_of_all_scores(hierarchy, k, how, leaves, seed):
    X, Y = make_data(hierarchy, n_samples=25, seed=seed)
    options = {"train_on": how[0], "max_children": how[1]}
    learner = SparseLinear(hierarchy=hierarchy, C=1.0, n_jobs=1, **options).fit(X, Y)
    S, top = learner.predict_proba(X), learner.predict_top(X, k, leaves=leaves)
    if leaves:
        S = np.where(np.isin(np.arange(hierarchy.n_nodes), hierarchy.leaves), S, 0.0)
    best = -np.sort(-S, axis=1)[:, :k]
    found = np.zeros_like(best)
    for i in range(len(X)):
        own = np.sort(top[[i]].data)[::-1]
        found[i, : own.size] = own
    np.testing.assert_allclose(found, best, rtol=1e-12)
    cells = top.toarray() > 0
    np.testing.assert_allclose(top.toarray()[cells], S[cells], rtol=1e-12)
    assert leaves or hierarchy.is_closed(cells)


def test_a_beam_follows_the_best_labels_of_each_level():
    h = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2"])
    X, Y = make_data(h, n_samples=80)
    learner = SparseLinear(hierarchy=h, C=1.0).fit(X, Y)
    S, found = learner.predict_proba(X), learner.predict_top(X, 6, beam=1).toarray()
    a, b = h.index("a"), h.index("b")
    for i in range(len(X)):
        better = a if S[i, a] >= S[i, b] else b
        expected = sorted([a, b, *h.children(better).tolist()])
        assert np.flatnonzero(found[i]).tolist() == expected
    assert (learner.predict_top(X, 6, beam=2).toarray() == learner.predict_top(X, 6).toarray()).all()


def test_weights_that_move_no_score_are_dropped_whatever_the_units():
    X, y = one_label()
    scale = np.array([1.0, 1e6, 1e-6, 1.0])
    learner = SparseLinear(C=1e6, min_weight=0.0).fit(X * scale, y[:, None])
    pruned = SparseLinear(C=1e6, min_weight=0.5).fit(X * scale, y[:, None])
    weight = learner.coef_.toarray().ravel()
    moves = np.abs(weight) * np.abs(X * scale).max(axis=0)
    np.testing.assert_array_equal(pruned.coef_.toarray().ravel(), np.where(moves >= 0.5, weight, 0))
    assert (moves >= 0.5).sum() in (1, 2, 3)
    assert learner.coef_.dtype == np.float32


def test_columns_keep_siblings_together():
    graph = order_labels(DAG)
    graph.check(DAG.n_nodes)
    ranges = graph.ranges()
    for c in range(-1, graph.n_columns):
        at_home = np.flatnonzero(graph.home() == c)
        assert at_home.tolist() == list(range(ranges[c + 1], ranges[c + 2]))
    with pytest.raises(ValueError, match="leads outside"):
        LabelGraph(graph.parent_ptr, graph.parent_idx[::-1], graph.node_of).check(DAG.n_nodes)


@pytest.mark.parametrize("kind", ["duplicates", "int64"])
def test_rows_of_any_form(kind):
    X, Y = make_data(TREE)
    rows = sparse.csr_array(X)
    expected = SparseLinear(hierarchy=TREE).fit(rows, Y).predict_proba(rows)
    if kind == "duplicates":
        data = np.repeat(rows.data, 2) / 2
        rows = sparse.csr_array((data, np.repeat(rows.indices, 2), rows.indptr * 2), shape=rows.shape)
    else:
        rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    found = SparseLinear(hierarchy=TREE).fit(rows, Y).predict_proba(rows)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_saved_without_pickle(tmp_path):
    X, Y = make_data(DAG)
    learner = SparseLinear(hierarchy=DAG).fit(X, Y)
    save(learner, tmp_path / "model.truepath")
    again = load(tmp_path / "model.truepath")
    assert (again.predict_proba(X) == learner.predict_proba(X)).all()
    assert (again.predict_top(X, 2) != learner.predict_top(X, 2)).nnz == 0
    again._intercepts = again._intercepts[:-1]
    with pytest.raises(ValueError, match="do not fit"):
        again.check_loaded()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "hinge"}, "loss must be one of 'auto', 'log', 'squared_hinge'"),
        ({"train_on": "leaves"}, "train_on must be one of"),
        ({"C": 0}, "C must be None or a number greater than 0"),
        ({"max_children": 1}, "max_children must be None or an integer"),
        ({"class_weight": {2: 1.0}}, "class_weight must be 'sqrt', 'balanced', a dict"),
    ],
)
def test_parameters_are_checked(options, message):
    X, y = one_label()
    with pytest.raises(ValueError, match=message):
        SparseLinear(**options).fit(X, y[:, None])


@pytest.mark.parametrize("options", [{"k": 0}, {"k": 2, "beam": 0}, {"k": 1.5}])
def test_how_many_is_checked(options):
    X, y = one_label()
    with pytest.raises(ValueError, match="must be an integer >= 1"):
        SparseLinear().fit(X, y[:, None]).predict_top(X, **options)


def test_the_usual_penalty_suits_rows_of_any_length():
    ds = make_hmc(300, 40, 10, random_state=0)
    X = np.asarray(ds.train.X, float)

    def fitted(scale):
        learner = SparseLinear(hierarchy=ds.hierarchy, max_iter=200, tol=1e-6, min_weight=0.0)
        return learner.fit(scale * X, ds.train.y).predict_proba(scale * X)

    np.testing.assert_allclose(fitted(30.0), fitted(300.0), atol=0.02)


@pytest.mark.parametrize("loss", ["log", "squared_hinge"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("exponent", [-300, -30, 10, 29, 31, 154, 300])
def test_huge_values_are_learned_from_or_refused_by_column(loss, form, exponent):
    """Squares of 1e154 overflow, and what is divided by them is 0 / 0."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    Y = X @ rng.normal(size=(4, 3)) > 0
    X[:, 2] *= 10.0**exponent
    learner = SparseLinear(loss=loss)
    if exponent > 30:
        with pytest.raises(ValueError, match=r"X holds .* in column 2, beyond 1e\+30.* Scale the columns"):
            learner.fit(form(X), Y)
        learner.fit(form(X[:, [0, 1, 3, 3]]), Y)
        with pytest.raises(ValueError, match="column 2"):
            learner.predict_proba(form(X))
    else:
        assert np.isfinite(learner.fit(form(X), Y).predict_proba(form(X))).all()
    with pytest.raises(ValueError, match="infinity"):
        learner.fit(form(np.where(X == X[0, 0], np.inf, X)), Y)

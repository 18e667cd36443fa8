"""Every query against a listing of all label sets and all completions of missing features."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import oracles_cutset as oracles
from truepath import Hierarchy
from truepath.errors import ConstraintError
from truepath.learners import ChowLiuTree, CutsetNetwork, RestrictedCutsetNetwork

TOLERANCE = 1e-10


def make_rows(seed, n_labels, n_features, n_rows=60, max_states=3):
    rng = np.random.default_rng(seed)
    n_states = np.concatenate([np.full(n_labels, 2), rng.integers(1, max_states + 1, n_features)])
    hidden = rng.random(n_rows)
    X = np.column_stack([np.floor((0.6 * hidden + 0.4 * rng.random(n_rows)) * k) for k in n_states[n_labels:]])
    Y = hidden[:, None] + 0.5 * rng.random((n_rows, n_labels)) > rng.random(n_labels) + 0.3
    return X, Y


def make_model(kind, **more):
    free = {"min_split_fraction": 0.0, "min_features": 0, "criterion": "likelihood", "max_depth": 2, **more}
    if kind == "tree":
        return ChowLiuTree()
    if kind == "labels":
        return CutsetNetwork(split_labels=True, **free)
    return {"free": CutsetNetwork, "restricted": RestrictedCutsetNetwork}[kind](**free)


def hide(X, seed, share=0.4):
    X = X.astype(float).copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return X


models = st.sampled_from(["tree", "free", "restricted", "labels"])


@settings(max_examples=30, deadline=None)
@example("labels", 34, 1, 0)  # a leaf without labels whose only feature has one state
@given(models, st.integers(0, 10**6), st.integers(1, 5), st.integers(0, 4))
def test_queries_equal_brute_force(kind, seed, n_labels, n_features):
    X, Y = make_rows(seed, n_labels, max(n_features, 1))
    model = make_model(kind).fit(X, Y)
    asked = hide(X[:4], seed)
    evidence = model._evidence(asked, None)
    n_states = model._growth(60, n_labels).n_states
    found = model.predict(asked)
    marginals = model.predict_marginals(asked)
    joint = model.joint_log_proba(asked, Y[:4])
    for i in range(4):
        _, expected = oracles.marginals(model.network_, evidence[i], n_states, n_labels)
        np.testing.assert_allclose(marginals[i], expected, atol=TOLERANCE)
        best = oracles.mpe(model.network_, evidence[i], n_states, n_labels)
        fixed = evidence[i].copy()
        fixed[:n_labels] = found[i]
        assert oracles.mpe(model.network_, fixed, n_states, n_labels) == pytest.approx(best, abs=TOLERANCE)
        fixed[:n_labels] = Y[i]
        assert joint[i] == pytest.approx(oracles.marginals(model.network_, fixed, n_states, n_labels)[0], abs=TOLERANCE)


@pytest.mark.parametrize("kind", ["tree", "free", "restricted", "labels"])
def test_eight_labels_against_all_label_sets(kind):
    X, Y = make_rows(3, 8, 3)
    model = make_model(kind).fit(X, Y)
    asked = X[:3].copy()
    asked[0, 0] = np.nan
    evidence, n_states = model._evidence(asked, None), model._growth(60, 8).n_states
    best, _ = model._most_probable(evidence)
    for i in range(3):
        assert best[i] == pytest.approx(oracles.mpe(model.network_, evidence[i], n_states, 8), abs=TOLERANCE)
        _, expected = oracles.marginals(model.network_, evidence[i], n_states, 8)
        np.testing.assert_allclose(model.predict_marginals(asked)[i], expected, atol=TOLERANCE)


@settings(max_examples=20, deadline=None)
@given(models, st.integers(0, 10**6))
def test_probabilities_sum_to_one(kind, seed):
    X, Y = make_rows(seed, 3, 3)
    model = make_model(kind).fit(X, Y)
    n_states = model._growth(60, 3).n_states
    nothing = np.full(n_states.size, -1)
    total, _ = oracles.marginals(model.network_, nothing, n_states, 3)
    assert total == pytest.approx(0.0, abs=TOLERANCE)


@pytest.mark.parametrize("kind", ["free", "restricted", "labels"])
def test_samples_match_marginals(kind):
    X, Y = make_rows(5, 4, 3)
    model = make_model(kind).fit(X, Y)
    drawn_X, drawn_Y = model.sample(20_000, random_state=0)
    expected = model.predict_marginals(np.full((1, 3), np.nan))[0]
    assert np.abs(drawn_Y.mean(axis=0) - expected).max() < 4 * 0.5 / np.sqrt(20_000)
    first = drawn_X[:, 0] == drawn_X[0, 0]
    given_first = model.predict_marginals([[drawn_X[0, 0], np.nan, np.nan]])[0]
    assert np.abs(drawn_Y[first].mean(axis=0) - given_first).max() < 4 * 0.5 / np.sqrt(first.sum())
    np.testing.assert_array_equal(model.sample(5, random_state=1)[0], model.sample(5, random_state=1)[0])


HIERARCHIES = {
    "chain": Hierarchy.from_parents([-1, 0, 1, 2]),
    "tree": Hierarchy.from_parents([-1, 0, 0, -1, 3]),
    "dag": Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "c"), ("b", "c"), ("c", "d"), ("b", "e")]),
}


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(sorted(HIERARCHIES)), models, st.integers(0, 10**6), st.booleans())
def test_closed_mpe_is_the_best_closed_set(name, kind, seed, nonempty):
    hierarchy = HIERARCHIES[name]
    rng = np.random.default_rng(seed)
    Y = hierarchy.close(rng.random((60, hierarchy.n_nodes)) < 0.3)
    X = (Y[:, rng.integers(0, hierarchy.n_nodes, 3)] ^ (rng.random((60, 3)) < 0.3)).astype(float)
    model = make_model(kind).set_params(hierarchy=hierarchy, force_nonempty=nonempty, prior_weight=20.0).fit(X, Y)
    asked = hide(rng.integers(0, 2, (5, 3)), seed, 0.2)
    found = model.predict(asked)
    assert hierarchy.is_closed(found)
    evidence, n_states = model._evidence(asked, None), model._growth(60, hierarchy.n_nodes).n_states
    for i in range(5):
        fixed = evidence[i].copy()
        fixed[: hierarchy.n_nodes] = found[i]
        value = oracles.mpe(model.network_, fixed, n_states, hierarchy.n_nodes)
        best = oracles.mpe(model.network_, evidence[i], n_states, hierarchy.n_nodes, hierarchy, nonempty)
        assert value == pytest.approx(best, abs=TOLERANCE)


def test_known_labels_condition_the_answer():
    X, Y = make_rows(8, 4, 3)
    model = make_model("restricted").fit(X, Y)
    known = np.full((10, 4), np.nan)
    known[:, 1], known[:, 2] = 1, 0
    found = model.predict(X[:10], known=known)
    assert found[:, 1].all()
    assert not found[:, 2].any()
    evidence, n_states = model._evidence(X[:10], known), model._growth(60, 4).n_states
    marginals = model.predict_marginals(X[:10], known=known)
    for i in range(10):
        fixed = evidence[i].copy()
        fixed[:4] = found[i]
        best = oracles.mpe(model.network_, evidence[i], n_states, 4)
        assert oracles.mpe(model.network_, fixed, n_states, 4) == pytest.approx(best, abs=TOLERANCE)
        np.testing.assert_allclose(
            marginals[i], oracles.marginals(model.network_, evidence[i], n_states, 4)[1], atol=TOLERANCE
        )


def test_known_labels_that_break_the_hierarchy_are_refused():
    hierarchy = HIERARCHIES["chain"]
    Y = hierarchy.close(np.eye(4, dtype=bool))
    model = RestrictedCutsetNetwork(hierarchy=hierarchy).fit(Y.astype(float), Y)
    with pytest.raises(ConstraintError, match="descendant is on"):
        model.predict(Y[:1].astype(float), known=[[0, np.nan, 1, np.nan]])


def test_scores_are_coherent_under_a_hierarchy():
    hierarchy = HIERARCHIES["dag"]
    rng = np.random.default_rng(0)
    Y = hierarchy.close(rng.random((60, 5)) < 0.3)
    X = rng.integers(0, 3, (60, 4)).astype(float)
    model = RestrictedCutsetNetwork(hierarchy=hierarchy).fit(X, Y)
    assert hierarchy.is_coherent(model.predict_proba(X))

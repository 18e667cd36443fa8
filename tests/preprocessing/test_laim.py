"""LAIM against its criterion written out, and against the published discretisation."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import oracles_cutset as oracles
from truepath.data import load_dataset
from truepath.learners import RestrictedCutsetNetwork
from truepath.preprocessing import LAIM


def candidates(values):
    distinct = np.unique(values)
    return (distinct[1:] + distinct[:-1]) / 2


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 25), st.integers(1, 4))
def test_one_cut_is_the_best_of_all(seed, n_rows, n_labels):
    rng = np.random.default_rng(seed)
    values, Y = rng.integers(0, 8, n_rows).astype(float), rng.integers(0, 2, (n_rows, n_labels))
    (cuts,) = LAIM().fit(values[:, None], Y).cuts_
    if np.unique(values).size == 1:
        assert cuts.size == 0
        return
    best = max(oracles.laim(values, Y, [cut]) for cut in candidates(values))
    assert oracles.laim(values, Y, cuts) == pytest.approx(best)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 20))
def test_greedy_cuts_are_literal(seed, n_rows):
    rng = np.random.default_rng(seed)
    values, Y = rng.integers(0, 6, n_rows).astype(float), rng.integers(0, 2, (n_rows, 3))
    expected = []
    while True:  # literally: try every cut, keep the best, stop when nothing rises (the first cut is free)
        left = [cut for cut in candidates(values) if cut not in expected]
        scores = [oracles.laim(values, Y, sorted([*expected, cut])) for cut in left]
        if not left or (expected and max(scores) <= oracles.laim(values, Y, sorted(expected)) + 1e-12):
            break
        expected.append(left[int(np.argmax(scores))])
    (cuts,) = LAIM(max_intervals=None).fit(values[:, None], Y).cuts_
    assert oracles.laim(values, Y, cuts) == pytest.approx(oracles.laim(values, Y, sorted(expected)))


def test_two_cuts_of_a_clear_case_are_the_best_pair():
    values, Y = np.arange(12.0), np.repeat(np.eye(3, dtype=int), 4, axis=0)
    (cuts,) = LAIM(max_intervals=3).fit(values[:, None], Y).cuts_
    best = max(combinations(candidates(values), 2), key=lambda pair: oracles.laim(values, Y, pair))
    np.testing.assert_array_equal(cuts, best)


def test_missing_and_sparse_values():
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 5, (40, 3)).astype(float), rng.integers(0, 2, (40, 4))
    dense = LAIM().fit(X, Y)
    thin = LAIM().fit(sparse.csr_array(X), sparse.csr_array(Y))
    np.testing.assert_array_equal(dense.transform(X), thin.transform(sparse.csr_matrix(X)))
    X[3, 1] = np.nan
    assert np.isnan(LAIM().fit(X, Y).transform(X)[3, 1])


@pytest.mark.parametrize("name", ["emotions", "yeast"])
def test_published_discretisation_is_met(name, shared_data):
    original = load_dataset(f"mulan/{name}", home=shared_data)["all"]
    published = load_dataset(f"mulan/{name}", version="laim", home=shared_data)["all"]
    np.testing.assert_array_equal(LAIM().fit_transform(original.X, original.y), published.X)


def test_runs_in_a_pipeline():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    Y = X[:, :2] > 0
    model = make_pipeline(LAIM(), RestrictedCutsetNetwork()).fit(X, Y)
    assert (model.predict(X) == Y).mean() > 0.9


def test_scikit_learn_contract():
    check_estimator(LAIM(), on_skip=None)

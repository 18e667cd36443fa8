"""HMC-LP: label sets as classes, level by level."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

from learners_room import TREE, logistic, make_data
from strategies import label_matrices, trees
from truepath import Hierarchy
from truepath.learners import HMCLabelPowerset


def test_flat_is_label_powerset():
    """One level: the classes are the label sets, as scikit-learn's multi-class classifier sees them."""
    h = Hierarchy.flat(3)
    X, Y = make_data(h, n_samples=80)
    sets, code = np.unique(Y, axis=0, return_inverse=True)
    P = logistic().fit(X, code.ravel()).predict_proba(X)
    learner = HMCLabelPowerset(logistic(), hierarchy=h).fit(X, Y)
    np.testing.assert_allclose(learner.predict_proba(X), P @ sets, atol=1e-6)
    np.testing.assert_array_equal(learner.predict(X), sets[P.argmax(axis=1)])


def test_steps_are_scaled_over_what_can_follow():
    """Two levels by hand: p(a) from level 1, then a's sets share level 2's scores for them."""
    h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    labels = np.array(["a/1", "a/2", "b/1"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]
    Y = h.encode(labels.tolist())
    top = GaussianNB().fit(X, Y[:, h.index("a")]).predict_proba(X)[:, 1]
    bottom = GaussianNB().fit(X, np.searchsorted(["a/1", "a/2", "b/1"], labels)).predict_proba(X)
    S = HMCLabelPowerset(GaussianNB(), hierarchy=h).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(S[:, h.index("a")], top)
    np.testing.assert_allclose(S[:, h.index("a/1")], top * bottom[:, 0] / (bottom[:, 0] + bottom[:, 1]))
    np.testing.assert_allclose(S[:, h.index("b/1")], 1 - top, atol=1e-12)


@settings(max_examples=30)
@given(st.data())
def test_predicts_label_sets_it_has_seen(data):
    h = data.draw(trees())
    Y = data.draw(label_matrices(h, n_rows=8, min_rows=3))
    X = np.random.default_rng(0).normal(size=(len(Y), 2))
    learner = HMCLabelPowerset(logistic(), hierarchy=h).fit(X, Y)
    seen = {row.tobytes() for row in Y}
    assert {row.tobytes() for row in learner.label_sets_} == seen
    assert {row.tobytes() for row in learner.predict(X)} <= seen
    assert h.is_coherent(learner.predict_proba(X))


def test_full_paths_stay_full():
    X, Y = make_data(TREE)
    full = ~(Y[:, TREE.index("a")] & ~Y[:, TREE.children("a")].any(axis=1))
    full &= ~(Y[:, TREE.index("b")] & ~Y[:, TREE.children("b")].any(axis=1))
    found = HMCLabelPowerset(logistic(), hierarchy=TREE).fit(X[full], Y[full]).predict(X)
    for u in ("a", "b"):
        assert (found[:, TREE.index(u)] == found[:, TREE.children(u)].any(axis=1)).all()


def test_scores_are_at_most_one():
    """The probabilities of the label sets add up to one and a last bit; a decoder of probabilities takes them."""
    rng = np.random.default_rng(0)
    h = Hierarchy.from_paths(["a/1", "a/2", "a/3", "b"])
    Y = h.close(np.column_stack([np.ones(60), rng.random((60, 4)) < 0.4]).astype(bool))
    X = rng.normal(size=(60, 3))
    S = HMCLabelPowerset(GaussianNB(), hierarchy=h).fit(X, Y).predict_proba(rng.normal(size=(4000, 3)))
    assert S.max() == 1
    assert S.min() >= 0

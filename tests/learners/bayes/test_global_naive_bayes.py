"""GlobalNaiveBayes against scikit-learn's naive Bayes on flat labels, and against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from strategies import hierarchies, label_matrices
from truepath import Hierarchy
from truepath.learners import GlobalNaiveBayes

TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2"])


def make_classes(n_samples=120, n_classes=3, categorical=False, seed=0):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, n_classes, n_samples)
    X = rng.normal(size=(n_classes, 4))[classes] + rng.normal(size=(n_samples, 4))
    if categorical:
        X = np.clip(np.floor(X), -2, 2) + 2
    return X, classes, np.eye(n_classes, dtype=bool)[classes]


def test_gaussian_flat_is_scikit_learn():
    X, classes, Y = make_classes()
    weight = np.random.default_rng(1).random(len(X))
    ours = GlobalNaiveBayes().fit(X, Y, sample_weight=weight).predict_proba(X)
    theirs = GaussianNB().fit(X, classes, sample_weight=weight).predict_proba(X)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-9)  # smoothing counts weights there


def test_categories_flat_is_scikit_learn():
    X, classes, Y = make_classes(categorical=True)
    ours = GlobalNaiveBayes(categorical_features="all").fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(ours, CategoricalNB().fit(X, classes).predict_proba(X), rtol=1e-9)


def test_gaussian_and_categories_add_up():
    X, classes, Y = make_classes()
    mixed = np.column_stack([X, make_classes(categorical=True)[0]])
    ours = GlobalNaiveBayes(categorical_features=[4, 5, 6, 7]).fit(mixed, Y)
    mask = GlobalNaiveBayes(categorical_features=np.arange(8) >= 4).fit(mixed, Y)
    gaussian = GaussianNB().fit(X, classes).predict_joint_log_proba(X)
    counted = CategoricalNB().fit(mixed[:, 4:], classes)
    joint = gaussian + counted.predict_joint_log_proba(mixed[:, 4:]) - counted.class_log_prior_
    expected = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
    np.testing.assert_allclose(ours.predict_proba(mixed), expected, rtol=1e-6, atol=1e-12)
    assert (ours.predict_proba(mixed) == mask.predict_proba(mixed)).all()


def test_counts_climb_to_ancestors():
    """By hand: all nodes compete with P(v) N(x; mean, variance) over the rows at or below v."""
    rng = np.random.default_rng(0)
    leaf = rng.integers(0, 4, 100)
    X = np.array([[0.0], [1.0], [4.0], [5.0]])[leaf] + 0.5 * rng.normal(size=(100, 1))
    Y = TREE.close(np.eye(4, dtype=bool)[leaf] @ np.eye(TREE.n_nodes, dtype=bool)[TREE.leaves])
    learner = GlobalNaiveBayes(hierarchy=TREE, var_smoothing=1e-12).fit(X, Y)
    assert learner.is_exclusive_
    joint = np.empty((100, TREE.n_nodes))
    for v in range(TREE.n_nodes):
        mine = X[Y[:, v], 0]
        joint[:, v] = np.log(Y[:, v].mean()) - 0.5 * np.log(2 * np.pi * mine.var())
        joint[:, v] -= 0.5 * (X[:, 0] - mine.mean()) ** 2 / mine.var()
    posterior = np.exp(joint) / np.exp(joint).sum(axis=1, keepdims=True)
    S = posterior.copy()
    for u, v in reversed(TREE.edges.tolist()):
        S[:, u] += S[:, v]
    np.testing.assert_allclose(learner.predict_proba(X), S, rtol=1e-7)
    np.testing.assert_array_equal(
        learner.predict(X), TREE.close(np.eye(TREE.n_nodes, dtype=bool)[joint.argmax(axis=1)])
    )


def test_independent_labels_stand_against_the_rest():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    Y = X + 0.5 * rng.normal(size=X.shape) > 0
    learner = GlobalNaiveBayes().fit(X, Y)
    assert not learner.is_exclusive_
    S = learner.predict_proba(X)
    for j in range(2):
        joint = GaussianNB().fit(X, Y[:, j]).predict_joint_log_proba(X)
        np.testing.assert_allclose(S[:, j], expit(joint[:, 1] - joint[:, 0]), rtol=1e-6, atol=1e-12)


def test_missing_values_and_new_categories_are_left_out():
    X, _, Y = make_classes(categorical=True)
    learner = GlobalNaiveBayes(categorical_features="all").fit(X, Y)
    unknown, missing = X[:5].copy(), X[:5].copy()
    unknown[:, 2], missing[:, 2] = 99.0, np.nan
    assert (learner.predict_proba(unknown) == learner.predict_proba(missing)).all()
    X[::3, 1] = np.nan
    for categorical in (None, "all"):
        S = GlobalNaiveBayes(categorical_features=categorical).fit(X, Y).predict_proba(X)
        assert np.isfinite(S).all()
    everything = np.full((1, 4), np.nan)
    np.testing.assert_allclose(learner.predict_proba(everything)[0], Y.mean(axis=0))


@settings(max_examples=40)
@given(st.data())
def test_coherent_on_any_hierarchy(data):
    h = data.draw(hierarchies(max_nodes=7))
    Y = data.draw(label_matrices(h, n_rows=10))
    X = np.random.default_rng(0).normal(size=(len(Y), 3)).round(1)
    for labels in ("auto", "exclusive", "independent"):
        for categorical in (None, "all", [1]):
            learner = GlobalNaiveBayes(hierarchy=h, labels=labels, categorical_features=categorical).fit(X, Y)
            S = learner.predict_proba(X)
            assert h.is_coherent(S)
            assert ((S >= 0) & (S <= 1)).all()
            assert h.is_closed(learner.predict(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": "both"}, "labels must be one of 'auto', 'exclusive', 'independent'"),
        ({"categorical_features": "some"}, "categorical_features must be 'all'"),
        ({"smoothing": 0}, "smoothing must be a number greater than 0"),
        ({"var_smoothing": 0}, "var_smoothing must be a number greater than 0"),
    ],
)
def test_errors_name_the_parameter(options, message):
    X, _, Y = make_classes()
    with pytest.raises(ValueError, match=message):
        GlobalNaiveBayes(**options).fit(X, Y)

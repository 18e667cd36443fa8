"""Rows with missing values that go both ways, in training as in prediction: against plain weights carried down."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from oracles_pct import best_known_gain, send_both_ways, weighted_variance
from strategies import dags, label_matrices
from truepath import Hierarchy
from truepath._kernels.trees import arrays as fields
from truepath.learners import PCTForest, PCTree, class_weights

TOLERANCE = 1e-9


@st.composite
def problems(draw):
    """Draw a hierarchy, features with gaps, labels, weights, and a least leaf weight."""
    hierarchy = draw(dags(max_nodes=6))
    Y = draw(label_matrices(hierarchy, n_rows=14, min_rows=2))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = (len(Y), draw(st.integers(1, 3)))
    X = np.where(rng.random(shape) < draw(st.sampled_from([0.1, 0.4])), np.nan, rng.integers(0, 4, shape))
    return hierarchy, X, Y, rng.random(len(Y)) + 0.25, draw(st.sampled_from([0, 1, 2.5]))


def walk(tree, X, b):
    """Yield (node, weights of all rows in it, share that goes left or None in a leaf)."""
    todo = [(0, b)]
    while todo:
        t, weights = todo.pop()
        j = tree.link[t, fields.FEATURE]
        if j < 0:
            yield t, weights, None
            continue
        left, right, share = send_both_ways(weights, X[:, j], tree.number[t, fields.THRESHOLD])
        yield t, weights, share
        todo += [(tree.link[t, fields.LEFT], left), (tree.link[t, fields.RIGHT], right)]


NOTHING_TO_GAIN = (
    Hierarchy.flat(["a"]),
    np.array([[2, 2, np.nan, np.nan, 1, 3, 2, 0.0]]).T,
    np.arange(8)[:, None] == 2,
    np.array([1.10740428, 0.28358558, 0.97965545, 0.42565562, 1.11317892, 0.79146122, 0.54971189, 0.67268722]),
    0,
)


@settings(max_examples=25)
@given(problems())
@example(NOTHING_TO_GAIN)
def test_every_node_has_the_weights_carried_down_to_it(problem):
    hierarchy, X, Y, b, min_leaf = problem
    w = class_weights(hierarchy)
    learner = PCTree(hierarchy=hierarchy, missing="fractional", min_leaf_weight=min_leaf).fit(X, Y, sample_weight=b)
    tree, S = learner.tree_, np.zeros(Y.shape)
    for t, weights, share in walk(tree, X, b):
        rows = weights > 0
        here = X[rows], Y[rows], weights[rows]
        assert tree.number[t, fields.WEIGHT] == pytest.approx(weights.sum())
        best = best_known_gain(*here, w, min_leaf)
        if share is None:
            is_pure = weighted_variance(*here[1:], w) <= TOLERANCE
            assert is_pure or best is None or weights.sum() < 2 * min_leaf
            S += (weights / b)[:, None] * np.average(Y[rows], axis=0, weights=weights[rows])
        else:
            assert tree.number[t, fields.SHARE] == pytest.approx(share)
            assert tree.number[t, fields.GAIN] == pytest.approx(best, abs=TOLERANCE)
    np.testing.assert_allclose(learner.predict_proba(X), S, atol=1e-6)


@settings(max_examples=20)
@given(problems())
def test_nothing_is_drawn(problem):
    hierarchy, X, Y, b, min_leaf = problem
    trees = [
        PCTree(hierarchy=hierarchy, missing="fractional", min_leaf_weight=min_leaf, random_state=seed).fit(rows, Y, b)
        for seed, rows in ((0, X), (1, X), (2, sparse.csr_array(X)))
    ]
    S = [tree.predict_proba(X) for tree in trees]
    assert np.array_equal(S[0], S[1])
    assert np.array_equal(S[0], S[2])


@settings(max_examples=20)
@given(problems())
def test_without_missing_values_it_is_the_usual_tree(problem):
    hierarchy, X, Y, b, min_leaf = problem
    X = np.nan_to_num(X)
    one, other = (
        PCTree(hierarchy=hierarchy, missing=missing, min_leaf_weight=min_leaf).fit(X, Y, b)
        for missing in ("fractional", "learned")
    )
    assert np.array_equal(one.tree_.link, other.tree_.link)
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))


def test_by_hand():
    """Three rows, the last without value: two thirds of the known weight are left, and so are two thirds of it."""
    X, Y = [[0.0], [1.0], [np.nan]], np.array([[1], [0], [1]], bool)
    learner = PCTree(missing="fractional", min_leaf_weight=0).fit(X, Y, sample_weight=[2.0, 1.0, 3.0])
    assert learner.tree_.number[:, fields.WEIGHT].tolist() == [6.0, 4.0, 2.0]
    np.testing.assert_allclose(learner.predict_proba(X)[:, 0], [1.0, 0.5, 2 / 3 + 1 / 3 * 0.5])


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_copies_may_take_more_room_than_there_are_rows(splitter):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((40, 6)) < 0.5, np.nan, rng.integers(0, 9, (40, 6)))
    X[:, 0] = np.where(rng.random(40) < 0.8, 0.0, X[:, 0])  # mostly one value
    Y = Hierarchy.flat(5).close(rng.random((40, 5)) < 0.4)
    settings = {"missing": "fractional", "min_leaf_weight": 0.5, "splitter": splitter, "categorical_features": [1]}
    forest = PCTForest(n_estimators=3, random_state=0, **settings).fit(X, Y)
    assert sum(len(tree.link) for tree in forest.trees_) > 2 * 40
    again = PCTForest(n_estimators=3, random_state=0, n_jobs=2, **settings).fit(X, Y)
    assert np.array_equal(forest.predict_proba(X), again.predict_proba(X))
    for tree in forest.trees_:
        is_leaf = tree.link[:, fields.FEATURE] < 0
        assert tree.number[is_leaf, fields.WEIGHT].sum() == pytest.approx(tree.number[0, fields.WEIGHT])

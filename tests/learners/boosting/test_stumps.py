"""The stump search against brute force over all cuts and classes, and against scikit-learn's stump."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

from oracles_boosting import best_stump, cut_gain, side_gain
from truepath.learners.boosting.feature_bins import bin_features
from truepath.learners.boosting.stumps import CRITERIA, TreeLearner


def draw_problem(seed, n_samples, n_features, n_classes, distinct=0, missing=0.0):
    """Random features (few distinct values, if asked), labels, and weights that add up to one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    if distinct:
        X = rng.integers(0, distinct, X.shape).astype(float)
    X[rng.random(X.shape) < missing] = np.nan
    y = np.where(rng.random((n_samples, n_classes)) < 0.4, 1, -1).astype(np.int8)
    w = rng.random((n_samples, n_classes))
    return X, y, w / w.sum()


def check_against_brute_force(X, y, w, criterion, shared):
    learner = TreeLearner(X, y, shared=shared, votes="discrete", criterion=criterion, max_bins=None)
    trees, votes = learner.train(w)
    np.testing.assert_array_equal(trees.votes(X), votes)  # bins and raw values go the same way
    for j, (feature, threshold, missing_left, gain) in enumerate(best_stump(X, w, y, criterion, shared)):
        if feature < 0:
            assert trees.feature[0, j] == feature
            continue
        x = X[:, trees.feature[0, j]]
        goes_left = np.where(np.isnan(x), trees.missing_left[0, j], x <= trees.threshold[0, j])
        found = cut_gain(w, y, goes_left, criterion)
        found = found.sum() if shared else found[j]
        assert found == pytest.approx(gain, rel=1e-9)
        expected = (feature, threshold, missing_left if np.isnan(X[:, feature]).any() else trees.missing_left[0, j])
        same = (trees.feature[0, j], trees.threshold[0, j], trees.missing_left[0, j]) == expected
        # another stump only if they tie up to rounding, of which a square root near 0 makes more
        assert same or found == pytest.approx(gain, rel=1e-10)


@settings(max_examples=80)
@example(18, 5, 4, 2, 0, 0.0, "z", False)  # two features part the classes alike
@example(65, 6, 4, 2, 2, 0.3, "z", False)  # so they do, and nearly all of a class
@given(
    seed=st.integers(0, 10_000),
    n_samples=st.integers(1, 30),
    n_features=st.integers(1, 4),
    n_classes=st.integers(1, 4),
    distinct=st.sampled_from([0, 2, 3, 6]),
    missing=st.sampled_from([0.0, 0.3, 1.0]),
    criterion=st.sampled_from(CRITERIA),
    shared=st.booleans(),
)
def test_every_cut_and_class(seed, n_samples, n_features, n_classes, distinct, missing, criterion, shared):
    X, y, w = draw_problem(seed, n_samples, n_features, n_classes, distinct, missing)
    check_against_brute_force(X, y, w, criterion, shared)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("shared", [False, True])
def test_more_classes_than_a_block_and_bundled_features(criterion, shared):
    X, y, w = draw_problem(0, n_samples=150, n_features=7, n_classes=70, distinct=2, missing=0.1)
    binned = bin_features(X)
    assert binned.bundle_ptr.size - 1 < X.shape[1]  # some features share a bundle
    check_against_brute_force(X, y, w, criterion, shared)


@pytest.mark.parametrize("seed", range(5))
def test_scikit_learns_best_stump_of_every_class(seed):
    X, y, w = draw_problem(seed, n_samples=80, n_features=6, n_classes=5)
    trees, votes = TreeLearner(X, y, shared=False, votes="discrete", criterion="gini", max_bins=None).train(w)
    for j in range(y.shape[1]):
        stump = DecisionTreeClassifier(max_depth=1).fit(X.astype(np.float32), y[:, j], sample_weight=w[:, j])
        assert trees.feature[0, j] == stump.tree_.feature[0]
        assert trees.threshold[0, j] == pytest.approx(stump.tree_.threshold[0], abs=1e-6)
        np.testing.assert_array_equal(votes[:, j], stump.predict(X.astype(np.float32)))


def test_real_votes_are_half_the_log_odds():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    y = np.array([[1], [1], [1], [-1]], np.int8)
    w = np.full((4, 1), 0.25)
    trees, votes = TreeLearner(X, y, shared=False, votes="real", criterion="z").train(w)
    expected = 0.5 * np.log([(0.5 + 0.25) / 0.25, 1.0])
    np.testing.assert_allclose(trees.leaf_votes[:, 0], expected)
    np.testing.assert_allclose(votes[:, 0], expected[[0, 0, 1, 1]])


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("depth", [1, 3])
def test_same_bits_for_any_n_jobs(criterion, shared, depth):
    X, y, w = draw_problem(3, n_samples=60, n_features=9, n_classes=40, missing=0.1)
    options = {"shared": shared, "votes": "real", "criterion": criterion, "max_depth": depth}
    one = TreeLearner(X, y, n_jobs=1, **options).train(w)
    for n_jobs in (2, 3):
        many = TreeLearner(X, y, n_jobs=n_jobs, **options).train(w)
        assert (one[1] == many[1]).all()
        for ours, theirs in zip(one[0], many[0]):
            np.testing.assert_array_equal(ours, theirs)


def test_deeper_trees_are_stumps_of_the_parts():
    X, y, w = draw_problem(1, n_samples=90, n_features=3, n_classes=1)
    deep, _ = TreeLearner(X, y, shared=False, votes="discrete", criterion="edge", max_depth=2).train(w)
    goes_left = X[:, deep.feature[0, 0]] <= deep.threshold[0, 0]
    for node, side in ((1, goes_left), (2, ~goes_left)):
        inner = X[:, deep.feature[node, 0]] <= deep.threshold[node, 0]
        found = cut_gain(w[side], y[side], inner[side], "edge")[0]
        best = best_stump(X[side], w[side], y[side], "edge", False)[0][3]
        assert found == pytest.approx(best, rel=1e-9)
        assert found >= side_gain(w[side], y[side], "edge")[0] - 1e-12


def test_bins_are_exact_up_to_their_number():
    x = np.arange(300.0)[:, None]
    exact = bin_features(x, None)
    assert exact.bins.dtype == np.int32
    np.testing.assert_array_equal(exact.bins[:, 0], np.arange(300))
    few = bin_features(x, 10)
    np.testing.assert_array_equal(np.bincount(few.bins[:, 0]), np.full(10, 30))
    assert few.bins.dtype == np.uint8
    np.testing.assert_array_equal(few.bins[:, 0], np.searchsorted(few.upper[:-1], x[:, 0]))
    same = bin_features(np.repeat(x[:200], 2, axis=0), 200)
    assert same.upper.size == 200


def test_thresholds_lie_between_neighbours_however_close():
    x = np.array([1.0, np.nextafter(1.0, 2.0), 2.0**1000, -(2.0**1000)])[:, None]
    binned = bin_features(x)
    np.testing.assert_array_equal(np.searchsorted(binned.upper[:-1], x[:, 0]), binned.bins[:, 0])


def test_sparse_columns_are_read_one_by_one():
    X = np.random.default_rng(0).integers(-1, 2, (50, 6)).astype(float)
    dense, from_sparse = bin_features(X), bin_features(sparse.csr_array(X))
    for ours, theirs in zip(dense, from_sparse):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("function", ["walk", "measure_edge", "reweigh", "hierarchical_mistakes"])
def test_compiled_is_plain(function):
    """Kernels against their own Python on one small problem."""
    from truepath import Hierarchy, _kernels

    h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    rng = np.random.default_rng(0)
    votes, y = np.sign(rng.normal(size=(6, 4))), np.sign(rng.normal(size=(6, 4))).astype(np.int8)
    w, up = rng.random((6, 4)), (h.parent_ptr, h.parent_idx)
    tables = (rng.integers(-1, 2, (3, 4)).astype(np.int32), rng.normal(size=(3, 4)), rng.random((3, 4)) < 0.5)
    X = np.where(rng.random((6, 2)) < 0.2, np.nan, rng.normal(size=(6, 2)))
    arguments = {
        "walk": lambda: (X, *tables, np.arange(16.0).reshape(4, 4), np.zeros((6, 4))),
        "measure_edge": lambda: (w, y, votes),
        "reweigh": lambda: (w.copy(), y, votes * 0.7, 0.4, np.zeros((6, 4))),
        "hierarchical_mistakes": lambda: (rng.normal(size=(6, 4)) * 0 + votes, y, *up, True),
    }[function]
    kernel = getattr(_kernels.boosting.stump_votes, function)
    compiled, plain = arguments(), arguments()
    assert kernel(*compiled) == pytest.approx(kernel.py_func(*plain))
    for ours, theirs in zip(compiled, plain):
        np.testing.assert_allclose(ours, theirs)

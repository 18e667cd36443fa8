"""Split scores against brute force, and whole trees against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.tree import DecisionTreeRegressor

from oracles_pct import best_gain, gain, subsets, weighted_variance
from strategies import dags, label_matrices
from truepath._kernels.trees import arrays as fields
from truepath.data import make_hmc
from truepath.learners import PCTree, class_weights
from truepath.learners.trees import grow

TOLERANCE = 1e-9


@st.composite
def problems(draw, max_rows=14):
    """Draw a hierarchy, features on a coarse grid with gaps, labels, weights, and a least leaf weight."""
    hierarchy = draw(dags(max_nodes=7))
    Y = draw(label_matrices(hierarchy, n_rows=max_rows, min_rows=2))
    n_features = draw(st.integers(1, 3))
    grid = draw(st.sampled_from([2, 4, 30]))
    cells = st.one_of(st.integers(0, grid).map(float), st.just(float("nan")) if draw(st.booleans()) else st.just(0.0))
    X = np.array([[draw(cells) for _ in range(n_features)] for _ in range(len(Y))])
    weights = st.integers(1, 3) if draw(st.booleans()) else st.floats(0.25, 2.0)
    b = np.array([float(draw(weights)) for _ in range(len(Y))])
    return hierarchy, X, Y, b, draw(st.sampled_from([0, 1, 2.5]))


def walk(tree, X, categories=None):
    """Yield (node, rows that reach it, mask of those that go left) for every inner node."""
    todo = [(0, np.arange(len(X)))]
    while todo:
        t, rows = todo.pop()
        j = tree.link[t, fields.FEATURE]
        if j < 0:
            yield t, rows, None
            continue
        is_left = goes_left(tree, t, X[rows, j])
        yield t, rows, is_left
        todo += [(tree.link[t, fields.LEFT], rows[is_left]), (tree.link[t, fields.RIGHT], rows[~is_left])]


def goes_left(tree, t, x):
    start = tree.link[t, fields.CATEGORY_START]
    if start < 0:
        found = x <= tree.number[t, fields.THRESHOLD]
    else:
        bits = [int(tree.categories[start + int(code) // 64]) >> (int(code) % 64) & 1 for code in np.nan_to_num(x)]
        found = np.array(bits, bool)
    return np.where(np.isnan(x), tree.number[t, fields.SHARE] >= 0.5, found)


@given(problems())
def test_every_split_is_the_best_one(problem):
    hierarchy, X, Y, b, min_leaf = problem
    w = class_weights(hierarchy)
    tree = PCTree(hierarchy=hierarchy, missing="learned", min_leaf_weight=min_leaf).fit(X, Y, sample_weight=b).tree_
    for t, rows, is_left in walk(tree, X):
        best = best_gain(X[rows], Y[rows], b[rows], w, min_leaf)
        if is_left is None:  # a leaf: pure, too light, or nothing to cut
            is_pure = weighted_variance(Y[rows], b[rows], w) <= TOLERANCE
            assert is_pure or best is None or b[rows].sum() < 2 * min_leaf
        else:
            assert tree.number[t, fields.GAIN] == pytest.approx(best, abs=TOLERANCE)
            assert gain(Y[rows], b[rows], w, is_left) == pytest.approx(best, abs=TOLERANCE)


@given(problems())
def test_sparse_and_dense_features_grow_equal_trees(problem):
    hierarchy, X, Y, b, min_leaf = problem
    dense = PCTree(hierarchy=hierarchy, missing="learned", min_leaf_weight=min_leaf).fit(X, Y, sample_weight=b)
    thin = PCTree(hierarchy=hierarchy, missing="learned", min_leaf_weight=min_leaf).fit(
        sparse.csr_array(X), sparse.csr_array(Y), sample_weight=b
    )
    assert np.array_equal(dense.tree_.link, thin.tree_.link)
    assert np.array_equal(dense.predict_proba(X), thin.predict_proba(sparse.csr_array(X)))


@given(problems())
def test_leaves_hold_the_means_of_their_rows(problem):
    hierarchy, X, Y, b, min_leaf = problem
    learner = PCTree(hierarchy=hierarchy, missing="learned", min_leaf_weight=min_leaf).fit(X, Y, sample_weight=b)
    S, leaves = learner.predict_proba(X), learner.apply(X)
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        assert np.allclose(S[rows], np.average(Y[rows], axis=0, weights=b[rows]), atol=1e-6)


@given(problems(), st.integers(0, 99))
def test_random_splits_report_their_true_gain(problem, seed):
    hierarchy, X, Y, b, min_leaf = problem
    w = class_weights(hierarchy)
    learner = PCTree(
        hierarchy=hierarchy, missing="learned", min_leaf_weight=min_leaf, splitter="random", random_state=seed
    )
    tree = learner.fit(X, Y, sample_weight=b).tree_
    for t, rows, is_left in walk(tree, X):
        if is_left is not None:
            assert 0 < is_left.sum() < rows.size
            assert tree.number[t, fields.GAIN] == pytest.approx(gain(Y[rows], b[rows], w, is_left), abs=TOLERANCE)


@given(problems(), st.sampled_from(["best", "random"]))
def test_nominal_splits_report_their_true_gain(problem, splitter):
    hierarchy, X, Y, b, min_leaf = problem
    w = class_weights(hierarchy)
    learner = PCTree(
        hierarchy=hierarchy,
        missing="learned",
        min_leaf_weight=min_leaf,
        categorical_features=[0],
        splitter=splitter,
        random_state=0,
    ).fit(X, Y, sample_weight=b)
    codes = X.copy()
    codes[:, 0] = np.where(np.isnan(X[:, 0]), np.nan, np.searchsorted(learner.categories_[0], X[:, 0]))
    for t, rows, is_left in walk(learner.tree_, codes):
        if is_left is not None:
            reported = learner.tree_.number[t, fields.GAIN]
            assert reported == pytest.approx(gain(Y[rows], b[rows], w, is_left), abs=TOLERANCE)


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1))
def test_nominal_splits_are_optimal_for_one_label(seed):
    x, Y = draw_nominal(seed)
    check_nominal_split(x, Y)


def test_a_nominal_split_is_optimal_for_a_label_of_one_row():
    check_nominal_split(*draw_nominal(20405))


def draw_nominal(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 6, size=25).astype(float)
    return x, rng.random((25, 1)) < rng.random(6)[x.astype(int)][:, None]


def check_nominal_split(x, Y):
    learner = PCTree(min_leaf_weight=0, max_depth=1, categorical_features=[0]).fit(x[:, None], Y)
    best = best_gain(x[:, None], Y, np.ones(25), np.array([0.75]), 0, splits=subsets)
    found = learner.tree_.number[0, fields.GAIN]
    assert found == pytest.approx(best, abs=TOLERANCE) or Y.min() == Y.max()


def test_nominal_splits_come_near_the_best_subset_for_many_labels():
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(30):
        x = rng.integers(0, 5, size=60).astype(float)
        Y = rng.random((60, 8)) < rng.random((5, 8))[x.astype(int)]
        learner = PCTree(min_leaf_weight=0, max_depth=1, categorical_features=[0], w0=1.0).fit(x[:, None], Y)
        best = best_gain(x[:, None], Y, np.ones(60), np.ones(8), 0, splits=subsets)
        shares.append(learner.tree_.number[0, fields.GAIN] / best)
    assert np.mean(shares) > 0.93
    assert min(shares) > 0.6


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("grid", [3, 1000])
def test_a_tree_equals_scikit_learns(seed, grid):
    """Node by node: the same gain everywhere, and the same rows below unless two splits tie."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, grid, size=(150, 6)).astype(np.float32)
    X = X + (rng.random(X.shape).astype(np.float32) if grid > 3 else 0)
    Y = rng.random((150, 7)) < 0.3 + 0.4 * (X[:, [0]] > np.median(X[:, 0]))
    w = 0.75 * np.ones(7)
    ours = PCTree(min_leaf_weight=4).fit(X, Y).tree_
    theirs = DecisionTreeRegressor(min_samples_leaf=4, random_state=0).fit(X, Y * np.sqrt(w)).tree_
    n_compared = compare(ours, theirs, X, Y.astype(float), w, 0, 0, np.arange(150))
    assert n_compared >= 3


def compare(ours, theirs, X, Y, w, t, s, rows):
    """Compare two subtrees on the same rows; return the number of splits compared."""
    if theirs.children_left[s] < 0:
        assert ours.link[t, fields.FEATURE] < 0
        return 0
    is_left = goes_left(ours, t, X[rows, ours.link[t, fields.FEATURE]])
    is_their_left = X[rows, theirs.feature[s]] <= theirs.threshold[s]
    b = np.ones(rows.size)
    assert gain(Y[rows], b, w, is_left) == pytest.approx(gain(Y[rows], b, w, is_their_left), abs=1e-6)
    if np.array_equal(is_left, ~is_their_left):
        is_their_left = is_left
        below = [theirs.children_right[s], theirs.children_left[s]]
    elif np.array_equal(is_left, is_their_left):
        below = [theirs.children_left[s], theirs.children_right[s]]
    else:
        return 1  # a tie: what lies below differs
    left, right = ours.link[t, fields.LEFT], ours.link[t, fields.RIGHT]
    n_left = compare(ours, theirs, X, Y, w, left, below[0], rows[is_left])
    return 1 + n_left + compare(ours, theirs, X, Y, w, right, below[1], rows[~is_left])


def test_random_cuts_do_not_depend_on_how_rows_are_ordered(monkeypatch):
    ds = make_hmc(n_samples=120, n_features=8, missing=0.1, random_state=0)
    X, Y = ds.train.X, ds.train.y
    assert len(set(np.asarray(Y.sum(axis=1)).ravel())) > 1
    model = PCTree(hierarchy=ds.hierarchy, splitter="random", max_features=4, random_state=0)
    ordered = model.fit(X, Y).predict_proba(ds.test.X)
    monkeypatch.setattr(grow, "MOST_ROWS_REORDERED", 0)
    assert np.array_equal(model.fit(X, Y).predict_proba(ds.test.X), ordered)

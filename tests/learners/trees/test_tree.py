"""One tree: missing values, unseen categories, small leaves."""

from __future__ import annotations

import pickle

import numpy as np

from truepath._kernels.trees import arrays as fields
from truepath.learners import PCTForest, PCTree


def test_surrogates_stand_in_for_missing_values():
    rng = np.random.default_rng(0)
    x = rng.random(200)
    X, Y = np.column_stack([x, 1 - x + 0.05 * rng.random(200)]), (x > 0.5)[:, None]
    X[::4, 0] = np.nan  # the second feature is complete, but blurred
    tree = PCTree(min_leaf_weight=5, max_depth=1, w0=1.0).fit(X, Y)
    link = tree.tree_.link[0]
    asked, other = int(link[fields.FEATURE]), int(link[fields.SURROGATE])
    if asked == 0:
        assert other == 1
        hidden = np.column_stack([np.full(200, np.nan), X[:, 1]])
        assert (tree.predict(hidden) == Y).mean() > 0.9
    X[1::4, 1] = np.nan  # never both
    tree.fit(X, Y)
    assert {int(tree.tree_.link[0, fields.FEATURE]), int(tree.tree_.link[0, fields.SURROGATE])} == {0, 1}
    for column in (0, 1):
        hidden = np.column_stack([x, 1 - x])
        hidden[:, column] = np.nan
        assert (tree.predict(hidden) == Y).mean() > 0.9


def test_sparse_leaves_are_small_and_pickle(problem):
    hierarchy, X, Y = problem
    forest = PCTForest(hierarchy=hierarchy, n_estimators=5, random_state=0).fit(X, Y)
    copy = pickle.loads(pickle.dumps(forest))
    assert np.array_equal(copy.predict_proba(X), forest.predict_proba(X))
    dense_bytes = sum(len(tree.link) for tree in forest.trees_) * hierarchy.n_nodes * 8
    assert len(pickle.dumps(forest.trees_)) < dense_bytes


def test_nominal_values_unseen_in_training_go_as_missing():
    X = np.array([[3.0], [3.0], [7.0], [7.0]] * 5)
    Y = X == 7.0
    tree = PCTree(min_leaf_weight=1, categorical_features=[0]).fit(X, Y)
    assert tree.predict([[3.0], [7.0]]).tolist() == [[False], [True]]
    assert np.isfinite(tree.predict_proba([[5.0], [np.nan]])).all()
    assert len(tree.export_rules()) == 2
    assert "x0 in {" in tree.export_text()

"""Feature importances: the feature that matters, and the sum over classes."""

from __future__ import annotations

import numpy as np
import pytest

from truepath import Hierarchy
from truepath._kernels.trees import arrays as fields
from truepath.learners import PCTForest, PCTree


def test_importances_find_the_feature_that_matters():
    rng = np.random.default_rng(0)
    hierarchy = Hierarchy.from_paths(["a/1", "a/2", "b"])
    X = rng.random((400, 4))
    Y = np.column_stack(
        [X[:, 0] > 0.5, (X[:, 0] > 0.5) & (X[:, 1] > 0.5), (X[:, 0] > 0.5) & (X[:, 1] <= 0.5), X[:, 2] > 0.5]
    )
    forest = PCTForest(hierarchy=hierarchy, n_estimators=20, max_features=None, random_state=0).fit(X, Y)
    assert forest.feature_importances_.sum() == pytest.approx(1)
    assert forest.feature_importances_.argmin() == 3
    by_class = forest.importances(by="class")
    assert by_class.shape == (4, 4)
    assert by_class[:, 3].argmax() == 2
    assert by_class[:, hierarchy.index("a")].argmax() == 0
    assert by_class.sum(axis=0) == pytest.approx(np.ones(4))
    by_level = forest.importances(by="level")
    assert by_level.shape == (4, 2)
    assert by_level[:, 1].argmax() == 1


def test_overall_importances_are_the_weighted_sum_of_the_classes(problem):
    hierarchy, X, Y = problem
    tree = PCTree(hierarchy=hierarchy).fit(X, Y)
    from truepath.learners.trees.importance import _by_feature, _gains

    gains = _gains(tree.tree_, hierarchy.n_nodes) @ tree.class_weight_
    assert gains == pytest.approx(tree.tree_.number[:, fields.GAIN], rel=1e-4, abs=1e-5)
    total = _by_feature(tree.tree_, X.shape[1]) @ gains
    assert total / total.sum() == pytest.approx(tree.feature_importances_, rel=1e-3)

"""Binary relevance: what others collapse to, and leaves alone."""

from __future__ import annotations

import numpy as np

from learners_room import TREE, logistic, make_data
from truepath import Hierarchy
from truepath.learners import BinaryRelevance, PerLevel, PerNode, PerParent


def test_flat_collapses_to_binary_relevance():
    h = Hierarchy.flat(4)
    X, Y = make_data(h)
    expected = BinaryRelevance(logistic(), hierarchy=h).fit(X, Y).predict_proba(X)
    for learner in (
        PerNode(logistic(), hierarchy=h, policy="parents"),
        PerParent(logistic(), hierarchy=h),
        PerLevel(logistic(), hierarchy=h),
    ):
        np.testing.assert_array_equal(learner.fit(X, Y).predict_proba(X), expected)


def test_leaves_only():
    X, Y = make_data(TREE)
    S = BinaryRelevance(logistic(), hierarchy=TREE, leaves_only=True).fit(X, Y).predict_proba(X)
    every = (
        BinaryRelevance(logistic(), hierarchy=Hierarchy.flat(TREE.leaves.size))
        .fit(X, Y[:, TREE.leaves])
        .predict_proba(X)
    )
    np.testing.assert_allclose(S[:, TREE.leaves], every)
    np.testing.assert_allclose(S[:, TREE.index("a")], S[:, TREE.children("a")].max(axis=1))

"""Smaller trees: the F-test, and pruning with rows kept aside."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from truepath.learners import PCTree


def test_f_test_and_pruning_make_smaller_trees(problem):
    hierarchy, X, Y = problem
    full = PCTree(hierarchy=hierarchy, min_leaf_weight=1).fit(X[:200], Y[:200])
    tested = clone(full).set_params(significance=0.001).fit(X[:200], Y[:200])
    assert tested.n_leaves_ < full.n_leaves_
    w = full.class_weight_

    def error(tree):
        return (w * (Y[200:].toarray() - tree.predict_proba(X[200:])) ** 2).sum()

    before, n_before = error(full), full.n_leaves_
    full.prune(X[200:], Y[200:])
    assert full.n_leaves_ < n_before
    assert error(full) <= before + 1e-6
    held = PCTree(hierarchy=hierarchy, min_leaf_weight=1, validation_fraction=0.3, random_state=0).fit(X, Y)
    assert held.n_leaves_ < PCTree(hierarchy=hierarchy, min_leaf_weight=1).fit(X, Y).n_leaves_
    assert hierarchy.is_coherent(held.predict_proba(X))


def test_pruning_with_pure_noise_leaves_the_root():
    rng = np.random.default_rng(0)
    X, Y = rng.random((200, 3)), rng.random((200, 4)) < 0.5
    tree = PCTree(min_leaf_weight=1).fit(X[:100], Y[:100])
    assert tree.prune(X[100:], Y[100:]).n_leaves_ <= 6

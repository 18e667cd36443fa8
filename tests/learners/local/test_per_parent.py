"""One problem per parent: arcs, exclusive siblings, stops."""

from __future__ import annotations

import numpy as np
import pytest

from learners_room import DAG, TREE, exclusive_data, logistic, make_data
from truepath.hierarchy.arcs import arc_pointers
from truepath.learners import PerParent


def test_per_parent_is_one_classifier_an_arc():
    """On a DAG, column (u, v) is a classifier of v on the rows that carry u."""
    X, Y = make_data(DAG, n_samples=100)
    P = PerParent(logistic(), hierarchy=DAG, labels="independent").fit(X, Y).predict_conditional_proba(X)
    arc_ptr, arc_parent = arc_pointers(DAG)
    for v in range(DAG.n_nodes):
        for arc in range(arc_ptr[v], arc_ptr[v + 1]):
            rows = np.ones(len(X), bool) if arc_parent[arc] < 0 else Y[:, arc_parent[arc]]
            own = logistic().fit(X[rows], Y[rows, v]).predict_proba(X)[:, 1]
            np.testing.assert_allclose(P[:, arc], own, atol=1e-6)


def test_exclusive_siblings_become_one_multi_class_problem():
    X, Y = exclusive_data()
    learner = PerParent(logistic(), hierarchy=TREE).fit(X, Y)
    P = learner.predict_conditional_proba(X)
    assert len(learner.models_) == 3  # the root, a and b
    below_a = TREE.children("a")
    rows = Y[:, TREE.index("a")]
    target = np.where(Y[:, below_a].any(axis=1), Y[:, below_a].argmax(axis=1), 3)
    expected = logistic().fit(X[rows], target[rows]).predict_proba(X)[:, :3]
    np.testing.assert_allclose(P[:, below_a], expected, atol=1e-6)
    np.testing.assert_allclose(P[:, TREE.roots].sum(axis=1), 1)


def test_siblings_policy_leaves_stops_out():
    X, Y = exclusive_data()
    P = PerParent(logistic(), hierarchy=TREE, policy="siblings").fit(X, Y).predict_conditional_proba(X)
    below_a = TREE.children("a")
    rows = Y[:, below_a].any(axis=1)
    expected = logistic().fit(X[rows], Y[rows][:, below_a].argmax(axis=1)).predict_proba(X)
    np.testing.assert_allclose(P[:, below_a], expected, atol=1e-6)
    with pytest.raises(ValueError, match="policy must be 'parents' or 'siblings'"):
        PerParent(logistic(), hierarchy=TREE, policy="inclusive").fit(X, Y)

"""HBR and flat binary relevance with a MetaLabeler."""

from __future__ import annotations

import numpy as np
import pytest

from learners_room import DAG, TREE, logistic, make_data
from truepath.decoders import TopLeaves
from truepath.learners import HBR, BinaryRelevance, BRMetaLabeler, HMCLabelPowerset, PerNode, PerParent, SiblingLasso


def test_hbr_decides_top_down():
    X, Y = make_data(TREE)
    hbr = HBR(logistic(), hierarchy=TREE).fit(X, Y)
    local = PerNode(logistic(), hierarchy=TREE, policy="parents").fit(X, Y).predict_conditional_proba(X)
    expected = local > 0.5
    for v in range(TREE.n_nodes):
        for u in TREE.parents(v):
            expected[:, v] &= expected[:, u]
    np.testing.assert_array_equal(hbr.predict(X), expected)
    assert (hbr.predict(X) >= (hbr.predict_proba(X) > 0.5)).all()


def test_hbr_on_a_dag_asks_every_parent():
    X, Y = make_data(DAG, n_samples=100)
    hbr = HBR(PerParent(logistic()), hierarchy=DAG).fit(X, Y)
    P, found = hbr.predict_conditional_proba(X), hbr.predict(X)
    c, e = DAG.index("c"), DAG.index("e")
    a, b, d = DAG.indices(["a", "b", "d"])
    assert DAG.is_closed(found)
    np.testing.assert_array_equal(found[:, c], (P[:, [a, b]] > 0.5).all(axis=1) & (P[:, 2:4] > 0.5).all(axis=1))
    assert (found[:, e] <= found[:, [c, d]].all(axis=1)).all()


def test_hbr_takes_the_lasso_by_default_and_learners_as_they_are():
    X, Y = make_data(TREE)
    assert isinstance(HBR(hierarchy=TREE).fit(X, Y).learner_, SiblingLasso)
    learner = SiblingLasso(alpha=0.1)
    hbr = HBR(learner, hierarchy=TREE).fit(X, Y)
    assert hbr.learner_.alpha == 0.1
    assert not hasattr(learner, "hierarchy_")
    with pytest.raises(TypeError, match="predict_conditional_proba"):
        HBR(HMCLabelPowerset(logistic()), hierarchy=TREE).fit(X, Y)


def test_br_metalabeler_is_its_parts():
    X, Y = make_data(TREE)
    Y = Y[:, :]
    flat = BRMetaLabeler(logistic(), hierarchy=TREE).fit(X, Y)
    S = BinaryRelevance(logistic(), hierarchy=TREE, leaves_only=True).fit(X, Y).predict_proba(X)
    k = flat.metalabeler_.predict(X)
    np.testing.assert_array_equal(flat.predict(X), TopLeaves(k=k, hierarchy=TREE).predict(S))
    found = flat.predict(X)
    np.testing.assert_array_equal(found[:, TREE.leaves].sum(axis=1), k)

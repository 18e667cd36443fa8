"""Decoders among allowed labels: none that is forbidden, the optimum among what is possible, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from oracles_leaf import full_path_sets
from strategies import hierarchies, score_matrices
from truepath import Hierarchy
from truepath.combiners import PathProduct, condition_scores
from truepath.decoders import MAS, BestPath, ConformalSet, ExactLeafMAP, StoppingPath, TopLeaves
from truepath.decoders.leaves.weights import posterior_weights, risk_weights
from truepath.hierarchy import AllowedLabels
from truepath.registry import DECODERS
from variants import variants

TREE = Hierarchy.from_paths(["a/1/x", "a/1/y", "a/2", "b/1", "b/2", "c"])
RNG = np.random.default_rng(0)
S = PathProduct(hierarchy=TREE).transform(RNG.random((30, TREE.n_nodes)).round(2))
Y = TREE.close(RNG.random(S.shape) < S)
SETS = [["a/1/x", "b"], ["a"], ["b/1", "c"], ["a/2", "b/2"]]
ALLOWED = [SETS[i] for i in RNG.integers(0, 4, len(S))]
POSSIBLE = TREE.close(np.vstack([AllowedLabels(a).resolve(TREE).possible.toarray() for a in ALLOWED]))
MEMBERS = [decoder for member in DECODERS.members() for decoder in variants(member) if hasattr(decoder, "predict")]


@pytest.mark.parametrize("decoder", MEMBERS, ids=str)
def test_no_forbidden_label_appears_and_rows_are_their_own(decoder):
    fitted = clone(decoder).set_params(hierarchy=TREE)
    if np.ndim(getattr(fitted, "k", 0)):
        return
    fitted.fit(S, Y)
    found = fitted.predict(S, allowed=ALLOWED)
    assert found.dtype == bool
    assert TREE.is_closed(found)
    assert not found[~POSSIBLE].any()
    np.testing.assert_array_equal(found, np.vstack([fitted.predict(s[None], allowed=[a]) for s, a in zip(S, ALLOWED)]))
    np.testing.assert_array_equal(found, np.vstack([fitted.predict(s[None], allowed=a) for s, a in zip(S, ALLOWED)]))
    np.testing.assert_array_equal(found, fitted.predict(sparse.csr_array(S), allowed=ALLOWED).toarray())
    everything = fitted.predict(S, allowed=np.ones(TREE.n_nodes, bool))
    np.testing.assert_array_equal(everything, fitted.predict(S))
    masked = fitted.predict(S, allowed=AllowedLabels(ALLOWED, renormalize=False))
    assert not masked[~POSSIBLE].any()


@given(st.data())
@pytest.mark.parametrize("weights", ["map", "risk"])
def test_leaf_decoders_find_the_optimum_among_possible_sets(weights, data):
    hierarchy = data.draw(hierarchies(max_nodes=8, max_parents=1 + data.draw(st.integers(0, 1))))
    S = data.draw(score_matrices(hierarchy, n_rows=2))
    flags = st.lists(st.booleans(), min_size=hierarchy.n_nodes, max_size=hierarchy.n_nodes).filter(any)
    allowed = np.array([data.draw(flags) for _ in S])
    possible = hierarchy.close(allowed)
    found = ExactLeafMAP(weights, hierarchy=hierarchy, alpha=1.5).predict(S, allowed=allowed)
    given_allowed = condition_scores(S, hierarchy, allowed)
    w = posterior_weights(given_allowed, hierarchy) if weights == "map" else risk_weights(given_allowed, hierarchy, 1.5)
    for i in range(len(S)):
        nodes = np.flatnonzero(possible[i])
        sets, _ = full_path_sets(hierarchy.subgraph(nodes))
        values = sets @ w.nodes[i, nodes]
        assert not found[i, ~possible[i]].any()
        assert w.nodes[i, found[i]].sum() == pytest.approx(values.max(), abs=1e-5)
        assert (sets == found[i, nodes]).all(axis=1).any()


def test_best_path_and_top_leaves_choose_among_allowed_leaves():
    leaves = TREE.leaves[None, :] * POSSIBLE[:, TREE.leaves]
    for decoder, k in ((BestPath(hierarchy=TREE), 1), (TopLeaves(2, hierarchy=TREE), 2)):
        options = {"renormalize": False}
        found = decoder.predict(S, allowed=AllowedLabels(ALLOWED, **options))
        for i, row in enumerate(S):
            own = leaves[i][leaves[i] > 0]
            own = own[np.argsort(-row[own], kind="stable")][:k]
            assert set(np.flatnonzero(found[i] & TREE.is_leaf)) == set(own)


def test_a_general_label_alone_is_where_paths_end():
    allowed = np.zeros(TREE.n_nodes, bool)
    allowed[TREE.indices(["a", "b/1"])] = True
    for decoder in (BestPath(hierarchy=TREE), MAS(k=1, hierarchy=TREE), TopLeaves(hierarchy=TREE)):
        found = TREE.decode(decoder.predict(S, allowed=allowed))
        assert set(found) == {("a",), ("b/1",)}


def test_conditional_scores_become_marginals_first():
    C = np.full((1, TREE.n_nodes), 0.5)
    found = MAS(hierarchy=TREE).predict(None, conditional=C, allowed="b")
    wanted = MAS(hierarchy=TREE).predict(PathProduct(hierarchy=TREE).transform(C), allowed="b")
    np.testing.assert_array_equal(found, wanted)
    thin = MAS(hierarchy=TREE).predict(None, conditional=sparse.csr_array(C), allowed="b")
    np.testing.assert_array_equal(thin.toarray(), wanted)


def test_stopping_path_has_a_label_of_the_set_where_it_must_have_one():
    decoder = StoppingPath(hierarchy=TREE, worth="costs", allow_none=False)
    found = decoder.predict(np.zeros((2, TREE.n_nodes)), allowed=[["b"], ["c"]])
    assert TREE.decode(found) == [("b",), ("c",)]


def test_conformal_sets_keep_their_coverage_where_the_true_labels_are_allowed():
    rng = np.random.default_rng(1)
    hold, new = (PathProduct(hierarchy=TREE).transform(rng.random((2000, TREE.n_nodes))) for _ in range(2))
    true = [TREE.close(rng.random(rows.shape) < rows) for rows in (hold, new)]
    allowed = true[1] | (rng.random(new.shape) < 0.5)
    decoder = ConformalSet(0.9, hierarchy=TREE).fit(hold, true[0])
    found = decoder.predict(new, allowed=np.where(allowed.any(axis=1, keepdims=True), allowed, True))
    usual = decoder.predict(new)
    assert not (found & ~usual).any()
    np.testing.assert_array_equal((true[1] & ~found).any(axis=1), (true[1] & ~usual).any(axis=1))

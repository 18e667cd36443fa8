"""Sparse scores are labelled as their dense form is, whatever is stored and however many rows are taken at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import truepath.decoders.base as base
from strategies import dags
from truepath import Hierarchy
from truepath.decoders import BestPath, MultiThreshold, Threshold, TopLeaves
from truepath.hierarchy import raise_up
from truepath.registry import DECODERS

TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2", "c"])


def draw_scores(hierarchy, n_rows, seed, negative=False):
    """Draw scores with many zeros and ties; stored zeros too."""
    rng = np.random.default_rng(seed)
    S = rng.integers(-4 if negative else 0, 5, (n_rows, hierarchy.n_nodes)) / 4.0
    S[rng.random(S.shape) < 0.6] = 0
    return S if negative else raise_up(S, hierarchy)


def with_stored_zeros(S, seed):
    kept = (S != 0) | (np.random.default_rng(seed).random(S.shape) < 0.2)
    rows, columns = np.nonzero(kept)
    return sparse.csr_array((S[rows, columns], (rows, columns)), shape=S.shape)


@pytest.mark.parametrize("name", sorted(member.name for member in DECODERS.members()))
def test_sparse_is_dense(name, monkeypatch):
    monkeypatch.setattr(base, "ROWS_AT_A_TIME", 3)
    S = draw_scores(TREE, 20, seed=1)
    decoder = DECODERS[name](hierarchy=TREE)
    if decoder.learns:
        decoder.fit(S, S > 0.5)
    found = decoder.predict(sparse.csr_array(S))
    assert sparse.issparse(found)
    assert found.has_canonical_format
    np.testing.assert_array_equal(found.toarray(), decoder.predict(S))
    assert decoder.predict(sparse.csr_array((0, TREE.n_nodes))).shape == (0, TREE.n_nodes)


@settings(max_examples=40, deadline=None)
@given(dags(max_nodes=8), st.integers(0, 999), st.booleans())
def test_best_leaves_of_sparse_scores(hierarchy, seed, negative):
    S = draw_scores(hierarchy, 4, seed, negative)
    thin = with_stored_zeros(S, seed)
    k = np.random.default_rng(seed).integers(1, hierarchy.leaves.size + 1, 4)
    for decoder in (TopLeaves(k), BestPath(), BestPath(single_path=False, threshold=0.25), BestPath(by="mean")):
        decoder = clone(decoder).set_params(hierarchy=hierarchy)
        np.testing.assert_array_equal(decoder.predict(thin).toarray(), decoder.predict(S))


@settings(max_examples=40, deadline=None)
@given(dags(max_nodes=8), st.integers(0, 999), st.booleans())
def test_thresholds_below_zero_label_what_is_not_stored(hierarchy, seed, single_precision):
    rng = np.random.default_rng(seed)
    S = draw_scores(hierarchy, 4, seed).astype(np.float32 if single_precision else np.float64)
    t = np.maximum.accumulate(rng.choice([-np.inf, -0.5, 0.0, 0.5], hierarchy.n_nodes))  # parents come first
    decoder = Threshold(t, hierarchy=hierarchy)
    found = decoder.predict(with_stored_zeros(S, seed))
    assert found.has_canonical_format
    np.testing.assert_array_equal(found.toarray(), decoder.predict(S))


def test_scores_are_corrected_in_blocks_too(monkeypatch):
    monkeypatch.setattr(base, "ROWS_AT_A_TIME", 2)
    S = np.abs(draw_scores(TREE, 9, seed=3, negative=True))
    decoder = Threshold(0.3, hierarchy=TREE, coherent="max-up")
    np.testing.assert_array_equal(decoder.predict(sparse.csr_array(S)).toarray(), decoder.predict(S))


def test_errors_count_the_rows_of_the_whole_matrix(monkeypatch):
    monkeypatch.setattr(base, "ROWS_AT_A_TIME", 2)
    S = np.zeros((9, TREE.n_nodes))
    S[[5, 7], TREE.index("a/1")] = 1
    with pytest.raises(ValueError, match=r"2 rows .*first: row 5"):
        Threshold(hierarchy=TREE).predict(sparse.csr_array(S))


def test_a_class_that_is_always_predicted_makes_no_dense_matrix():
    """At 45,000 classes a dense block of these rows would take gigabytes."""
    h = Hierarchy.flat(45_000)
    t = np.full(h.n_nodes, 0.5)
    t[7] = -np.inf
    found = Threshold(t, hierarchy=h).predict(sparse.csr_array((200_000, h.n_nodes)))
    assert found.nnz == 200_000
    assert (found.indices == 7).all()


def test_learned_thresholds_below_zero():
    S = draw_scores(TREE, 12, seed=5)
    Y = np.ones_like(S, bool)  # every class always
    decoder = MultiThreshold(hierarchy=TREE).fit(S, Y)
    assert (decoder.thresholds_ < 0).any()
    np.testing.assert_array_equal(decoder.predict(sparse.csr_array(S)).toarray(), decoder.predict(S))

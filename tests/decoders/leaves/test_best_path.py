"""BestPath: the best leaf of every row by trying them all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from strategies import hierarchies, score_matrices
from truepath import Hierarchy
from truepath.decoders import BestPath

TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1"])


def worth(row, leaf, hierarchy, by):
    if by == "leaf":
        return row[leaf]
    return np.mean([row[leaf], *row[hierarchy.ancestors(leaf)]])


@given(st.data())
def test_no_leaf_is_better(data):
    h = data.draw(hierarchies(max_nodes=8))
    S = data.draw(score_matrices(h, coherent=data.draw(st.booleans())))
    by = data.draw(st.sampled_from(["leaf", "mean"]))
    Y = BestPath(hierarchy=h, by=by).fit(S).predict(S)
    assert h.is_closed(Y)
    for row, labels in zip(S, Y):
        (leaf,) = np.flatnonzero(labels & h.is_leaf)
        assert set(np.flatnonzero(labels)) == {leaf, *h.ancestors(leaf)}
        best = [worth(row, other, h, by) for other in h.leaves]
        assert worth(row, leaf, h, by) == pytest.approx(max(best))
        if by == "leaf":
            assert leaf == h.leaves[int(np.argmax(best))]  # ties: the smaller number


@given(st.data())
def test_not_single_adds_what_lies_above(data):
    h = data.draw(hierarchies(max_nodes=8))
    S = data.draw(score_matrices(h))
    one, more = (BestPath(hierarchy=h, single_path=single).fit(S).predict(S) for single in (True, False))
    np.testing.assert_array_equal(more, one | (S > 0.5))
    assert h.is_closed(more)


def test_incoherent_scores_count_only_below_yes():
    S = [[0.2, 0.9, 0.1, 0.6, 0.4]]  # a, a/1, a/2, b, b/1
    decoder = BestPath(hierarchy=TREE, single_path=False).fit(S)
    assert TREE.decode(decoder.predict(S)) == [("a/1", "b")]


def test_sparse_is_dense():
    S = np.random.default_rng(0).random((20, 5)).round(1)
    for by in ("leaf", "mean"):
        dense = BestPath(hierarchy=TREE, by=by).fit(S).predict(S)
        found = BestPath(hierarchy=TREE, by=by).fit(sparse.csr_array(S)).predict(sparse.csr_matrix(S))
        assert isinstance(found, sparse.csr_array)
        np.testing.assert_array_equal(found.toarray(), dense)


def test_empty_and_flat():
    empty = np.zeros((0, 5))
    assert BestPath(hierarchy=TREE).fit(empty).predict(empty).shape == (0, 5)
    assert BestPath(hierarchy=TREE).fit(empty).predict(sparse.csr_array(empty)).shape == (0, 5)
    np.testing.assert_array_equal(BestPath().fit([[0.1, 0.3]]).predict([[0.1, 0.3]]), [[False, True]])


def test_errors_and_clone():
    for call in ("fit", "predict"):
        with pytest.raises(ValueError, match="by must be one of 'leaf', 'mean'; got 'sum'"):
            getattr(BestPath(hierarchy=TREE, by="sum"), call)(np.zeros((1, 5)))
    with pytest.raises(ValueError, match="5 nodes"):
        BestPath(hierarchy=TREE).fit(np.zeros((1, 5))).predict(np.zeros((1, 3)))
    assert clone(BestPath(hierarchy=TREE, by="mean")).get_params()["by"] == "mean"

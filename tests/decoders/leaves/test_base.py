"""What every decoder of mandatory leaf prediction must do; a new member is tested by being listed."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import oracles_leaf
from strategies import dags, hierarchies, score_matrices, trees
from truepath import Hierarchy
from truepath.decoders import MAS, MASR, ExactLeafMAP, MetaLabeler, TopLeaves
from truepath.decoders.leaves.base import BLOCK_CELLS
from truepath.errors import ConstraintError
from truepath.hierarchy.arcs import conditional_from_marginals

# Name, how to make one with k leaves, whether k may be None
MEMBERS = [
    pytest.param(lambda k, h: MAS(k, hierarchy=h), True, id="MAS"),
    pytest.param(lambda k, h: MASR(2.0, k, hierarchy=h), True, id="MASR"),
    pytest.param(lambda k, h: ExactLeafMAP(k=k, hierarchy=h), True, id="ExactLeafMAP-map"),
    pytest.param(lambda k, h: ExactLeafMAP("risk", k, alpha=2.0, hierarchy=h), True, id="ExactLeafMAP-risk"),
    pytest.param(lambda k, h: TopLeaves(k, hierarchy=h), False, id="TopLeaves"),
]
members = pytest.mark.parametrize(("make", "finds_k"), MEMBERS)


@members
@settings(max_examples=40)
@given(hierarchies(max_nodes=9), st.data())
def test_closed_ends_in_leaves_k_as_asked(make, finds_k, h, data):
    S = data.draw(score_matrices(h))  # zeros, ones and ties among them
    counts = st.integers(1, h.leaves.size)
    each = data.draw(st.lists(counts, min_size=len(S), max_size=len(S)).map(np.array))
    for k in (data.draw(counts), each, *[None] * finds_k):
        Y = make(k, h).predict(S)
        assert Y.dtype == bool
        assert all(oracles_leaf.has_full_paths(y, h) for y in Y)
        assert k is None or (Y[:, h.leaves].sum(axis=1) == k).all()


@members
@settings(max_examples=40)
@given(hierarchies(max_nodes=9), st.data())
def test_rows_do_not_know_each_other(make, finds_k, h, data):
    S = data.draw(score_matrices(h, min_rows=2))
    k = None if finds_k and data.draw(st.booleans()) else data.draw(st.integers(1, h.leaves.size))
    decoder = make(k, h)
    together = decoder.predict(S)
    assert (together == np.concatenate([decoder.predict(row[None]) for row in S])).all()
    assert (together[::-1] == decoder.predict(S[::-1])).all()


@members
@settings(max_examples=40)
@given(hierarchies(max_nodes=9), st.data())
def test_sparse_in_sparse_out_and_float32(make, finds_k, h, data):
    S = data.draw(score_matrices(h))
    decoder = make(data.draw(st.integers(1, h.leaves.size)), h)
    Y = decoder.predict(S)
    for kind in (sparse.csr_array, sparse.csr_matrix):
        found = decoder.predict(kind(S))
        assert isinstance(found, sparse.csr_array)
        assert found.dtype == bool
        assert (found.toarray() == Y).all()
    single = decoder.predict(S.astype(np.float32))  # eighths are exact in float32
    assert (single == decoder.predict(S.astype(np.float32).astype(np.float64))).all()


@members
def test_blocks_of_rows_make_no_difference(make, finds_k):
    rng = np.random.default_rng(0)
    h = Hierarchy.from_parents([-1 if v < 3 else int(rng.integers(0, v)) for v in range(40)])
    S = rng.random((3 * BLOCK_CELLS // 40, 40))
    for v in range(40):
        S[:, v] *= S[:, h.parents(v)].min(axis=1, initial=1)
    assert S.size > 2 * BLOCK_CELLS
    k = rng.integers(1, h.leaves.size + 1, len(S))
    Y = make(k, h).predict(S)
    some = rng.permutation(len(S))[:50]
    assert (Y[some] == make(k[some], h).predict(S[some])).all()
    assert (make(k, h).predict(sparse.csr_array(S)).toarray() == Y).all()


@members
def test_no_rows(make, finds_k):
    h = Hierarchy.from_paths(["a/1", "b"])
    assert make(1, h).predict(np.zeros((0, 3))).shape == (0, 3)
    assert make(1, h).predict(sparse.csr_array((0, 3))).shape == (0, 3)


@members
def test_scikit_learn_manners(make, finds_k):
    h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    S, Y = np.array([[0.8, 0.4, 0.2, 0.5]]), np.array([[1, 1, 0, 1]], bool)
    decoder = make(1, h)
    fitted = decoder.fit(S, Y)
    assert fitted is decoder
    assert clone(decoder).get_params() == decoder.get_params()
    again = pickle.loads(pickle.dumps(decoder))
    assert (again.predict(S) == decoder.predict(S)).all()
    before = S.copy()
    decoder.predict(S)
    assert (before == S).all()
    assert decoder.set_params(k=2).predict(S).sum() > again.predict(S).sum()


@members
def test_labels_are_asked_for_only_where_they_teach(make, finds_k):
    h = Hierarchy.from_paths(["a/1", "b"])
    S = [[0.5, 0.4, 0.3]]
    assert (make(1, h).fit(S).predict(S) == make(1, h).predict(S)).all()
    with pytest.raises(ValueError, match="requires y"):
        make("metalabeler", h).fit(S)


@members
def test_flat_labels_when_there_is_no_hierarchy(make, finds_k):
    assert make(2, None).predict([[0.1, 0.9, 0.5]]).tolist() == [[False, True, True]]


@members
def test_metalabeler_is_fitted_on_scores(make, finds_k):
    h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    S = np.array([[0.9, 0.9, 0.1, 0.1], [0.8, 0.8, 0.2, 0.1], [0.9, 0.9, 0.8, 0.9], [0.9, 0.8, 0.8, 0.8]])
    Y = h.encode([["a/1"], ["a/1"], ["a/1", "a/2", "b"], ["a/1", "a/2", "b"]])
    for k in ("metalabeler", MetaLabeler()):
        with pytest.raises(NotFittedError, match="fit"):
            make(k, h).predict(S)
        decoder = make(k, h).fit(S, Y)
        assert decoder.predict(S)[:, h.leaves].sum(axis=1).tolist() == [1, 1, 3, 3]
        assert decoder.get_params()["k"] is k


@members
@pytest.mark.parametrize(
    ("k", "problem"),
    [
        (0, "between 1 and the number of leaves, 3; got 0"),
        (4, "between 1 and the number of leaves, 3; got 4"),
        ([1, 2], "one int for each of the 1 rows"),
        ([0.5], "one int for each"),
        ("many", "'metalabeler'"),
    ],
)
def test_wrong_k(make, finds_k, k, problem):
    with pytest.raises(ValueError, match=problem):
        make(k, Hierarchy.flat(3)).predict([[0.1, 0.2, 0.3]])


@members
def test_wrong_types_and_shapes(make, finds_k):
    h = Hierarchy.from_paths(["a/1", "b"])
    for k in (1.5, True):
        with pytest.raises(ValueError, match="k must be"):
            make(k, h).predict([[0.1, 0.1, 0.1]])
    with pytest.raises(ValueError, match="number of leaves, 2; got 3"):
        make([1, 3], h).predict(np.full((2, 3), 0.1))
    with pytest.raises(ValueError, match="2 columns"):
        make(1, h).predict([[0.1, 0.1]])
    with pytest.raises(ValueError, match="1 rows but y has 2"):
        make(1, h).fit([[0.1, 0.1, 0.1]], np.zeros((2, 3)))
    with pytest.raises(ConstraintError, match="without 'a'"):
        make(1, h).fit([[0.1, 0.1, 0.1]], [[0, 1, 0]])


@pytest.mark.parametrize("decoder", [MAS(), ExactLeafMAP()], ids=["MAS", "ExactLeafMAP"])
@given(h=st.one_of(trees(max_nodes=8), dags(max_nodes=8)), data=st.data())
def test_conditional_scores_are_taken_instead(decoder, h, data):
    S = data.draw(score_matrices(h))
    decoder = clone(decoder).set_params(hierarchy=h)
    C = conditional_from_marginals(S, h)
    Y = decoder.predict(S)
    assert (decoder.predict(None, conditional=C) == Y).all()
    assert (decoder.predict(np.zeros_like(S), conditional=C) == Y).all()
    assert (decoder.predict(None, conditional=sparse.csr_array(C)).toarray() == Y).all()


@pytest.mark.parametrize("decoder", [MAS(), ExactLeafMAP()], ids=["MAS", "ExactLeafMAP"])
def test_wrong_scores(decoder):
    h = Hierarchy.from_parents([-1, -1, [0, 1]])
    decoder = clone(decoder).set_params(hierarchy=h)
    with pytest.raises(ValueError, match="each of the 4 arcs"):
        decoder.predict(None, conditional=np.zeros((1, 3)))
    with pytest.raises(ValueError, match=r"\[0, 1\]; found 1.5"):
        decoder.predict(None, conditional=np.full((1, 4), 1.5))
    with pytest.raises(ValueError, match=r"S must hold probabilities.*found -1"):
        decoder.predict([[-1.0, 0.1, 0.1]])
    with pytest.raises(ValueError, match="finite"):
        decoder.predict(None, conditional=np.full((1, 4), np.nan))
    with pytest.raises(ValueError, match="S is None"):
        decoder.predict(None)
    with pytest.raises(ValueError, match="2 rows, conditional 1"):
        decoder.predict(np.zeros((2, 3)), conditional=np.zeros((1, 4)))
    with pytest.raises(ConstraintError, match="coherent"):
        decoder.predict([[0.1, 0.5, 0.4]])
    counting = decoder.set_params(k="metalabeler").fit(np.zeros((1, 3)), [[1, 1, 1]])
    with pytest.raises(ValueError, match="counts leaves from S"):
        counting.predict(None, conditional=np.zeros((1, 4)))

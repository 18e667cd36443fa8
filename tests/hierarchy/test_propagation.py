"""Walks along the hierarchy, dense and sparse, boolean and float, against their plain twins."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import oracles
import oracles_combiners as twins
from places import SOURCES
from strategies import hierarchies, label_matrices, score_matrices
from truepath import Hierarchy
from truepath.data import make_ontology_like
from truepath.hierarchy import cap_down, raise_up
from truepath.hierarchy.propagation import find_incoherent, mark_below_parents, multiply_down
from truepath.metrics import incoherent_share

WALKS = {raise_up: twins.max_up, cap_down: twins.min_down}
CONE = Hierarchy.from_edges([("a", "c"), ("b", "c"), ("c", "d"), (None, "e")])

every_walk = pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.__name__)
every_type = pytest.mark.parametrize("dtype", [np.float64, np.float32, bool])


@st.composite
def cases(draw, dtype, lowest=0.0):
    """A hierarchy and values between ``lowest`` and 1, many of them 0; no row or one node are among them."""
    h = draw(hierarchies(max_nodes=9))
    S = draw(score_matrices(h, min_rows=0, coherent=False))
    S = S * (1 - lowest) + lowest
    S[S < max(lowest, 0) + 0.5] *= draw(st.sampled_from([0.0, 1.0]))
    return h, (S > 0.25 if dtype is bool else S.astype(dtype))


@every_walk
@every_type
@given(data=st.data())
def test_dense_and_sparse_agree_with_the_plain_twin(walk, dtype, data):
    h, S = data.draw(cases(dtype))
    expected, before = WALKS[walk](S, h), S.copy()
    for given_rows in (S, np.asfortranarray(S), S.tolist() if dtype is np.float64 and len(S) else S):
        found = walk(given_rows, h)
        assert found.dtype == S.dtype
        np.testing.assert_array_equal(found, expected)
    for container in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array):
        thin = walk(container(S), h)
        assert isinstance(thin, sparse.csr_array)
        assert thin.dtype == S.dtype
        assert thin.has_sorted_indices
        np.testing.assert_array_equal(thin.toarray(), expected)
    np.testing.assert_array_equal(S, before)


@every_walk
@given(data=st.data())
def test_what_is_not_stored_is_zero_among_negative_scores_too(walk, data):
    h, S = data.draw(cases(np.float64, lowest=-1.0))
    np.testing.assert_array_equal(walk(sparse.csr_array(S), h).toarray(), WALKS[walk](S, h))


@every_walk
@every_type
def test_results_can_be_written_in_place_or_elsewhere(walk, dtype):
    S = np.array([[1, 0, 1, 1, 0], [0, 1, 1, 0, 1]], dtype)
    expected = WALKS[walk](S, CONE)
    elsewhere, in_columns = np.zeros_like(S), np.zeros(S.shape, dtype, order="F")
    for out in (elsewhere, in_columns, S):
        assert walk(S, CONE, out=out) is out
        np.testing.assert_array_equal(out, expected)


@every_walk
def test_sparse_rows_may_be_unsorted_and_hold_zeros_and_doubles(walk):
    data, indices, indptr = [0.25, 0.5, 0.25, 0.0], [3, 0, 3, 4], [0, 4, 4]
    S = sparse.csr_array((data, indices, indptr), shape=(2, 5))
    np.testing.assert_array_equal(walk(S, CONE).toarray(), WALKS[walk](S.toarray(), CONE))
    assert S.nnz == 4
    with pytest.raises(TypeError, match="out is for dense"):
        walk(S, CONE, out=np.zeros((2, 5)))


@every_walk
def test_shapes_are_checked_before_a_kernel_sees_them(walk):
    with pytest.raises(ValueError, match="4 columns but the hierarchy has 5"):
        walk(np.zeros((2, 4)), CONE)
    with pytest.raises(ValueError, match="must be a matrix"):
        walk(np.zeros(5), CONE)


def test_whole_numbers_stay_whole():
    votes = np.array([[-1, 1, 1, 1, 1]], np.int8)
    assert cap_down(votes, CONE, out=votes) is votes
    assert votes.tolist() == [[-1, 1, -1, -1, 1]]
    assert raise_up([[0, 0, 0, 3, 0]], CONE).tolist() == [[3, 3, 3, 3, 0]]


def test_only_parents_not_above_the_threshold_cap():
    S = np.array([[-1.0, 2.0, 1.0, 3.0, 4.0], [1.0, 2.0, 5.0, 6.0, 0.0]])
    expected = [[-1, 2, -1, -1, 4], [1, 2, 5, 6, 0]]
    assert cap_down(S, CONE, threshold=0.0).tolist() == expected
    assert cap_down(sparse.csr_array(S), CONE, threshold=0.0).toarray().tolist() == expected


@given(st.data())
def test_products_are_taken_along_the_path(data):
    h = data.draw(hierarchies())
    S = data.draw(score_matrices(h, coherent=False))
    np.testing.assert_allclose(multiply_down(S, h), twins.path_product(S, h))


@given(data=st.data())
def test_rows_below_all_parents(data):
    h = data.draw(hierarchies())
    Y = data.draw(label_matrices(h))
    found, is_top = mark_below_parents(sparse.csr_array(Y), h).toarray(), np.diff(h.parent_ptr) == 0
    np.testing.assert_array_equal(found[:, ~is_top], oracles.below_parents(Y, h)[:, ~is_top])
    assert not found[:, is_top].any()


@every_walk
@given(data=st.data())
def test_coherent_scores_stay_as_they_are(walk, data):
    h = data.draw(hierarchies())
    S = data.draw(score_matrices(h))
    np.testing.assert_array_equal(walk(S, h), S)


def test_the_walks_have_one_home():
    pattern = re.compile(r"\b(raise|cap)_(dense|rows|below)\b|np\.(maximum|minimum)\(S?\w*\[:, (u|v|parent|child)\]")
    found = {path.name for path in (SOURCES / "truepath").rglob("*.py") if pattern.search(path.read_text("utf-8"))}
    assert found == {"propagation.py", "propagate.py"}


@pytest.mark.parametrize("dtype", [bool, np.float32, np.float64, np.int64])
@pytest.mark.parametrize("walk", [raise_up, cap_down])
def test_many_rows_are_walked_as_each_by_itself(walk, dtype):
    # More rows than are walked side by side, and more nodes than are copied at a time
    h = make_ontology_like(150, random_state=0)
    S = np.random.default_rng(0).integers(0, 2 if dtype is bool else 9, (131, h.n_nodes)).astype(dtype)
    np.testing.assert_array_equal(walk(S, h), np.vstack([walk(row[None], h) for row in S]))
    np.testing.assert_array_equal(walk(S, h), walk(sparse.csr_array(S), h).toarray())


@pytest.mark.parametrize("tolerance", [0.0, 0.25])
def test_the_first_incoherent_score_of_many_rows(tolerance):
    h = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    rng = np.random.default_rng(0)
    S = raise_up(rng.random((21, 4)), h)
    for row, node, parent in [(13, 1, 0), (13, 3, 1), (20, 3, 2)]:
        S[row, node] = S[row, parent] + 0.5
    broken = (S[:, h.edges[:, 1]] > S[:, h.edges[:, 0]] + tolerance).any(axis=1)
    found = find_incoherent(S, h, tolerance)
    assert (found.n_rows, found.row, found.child, found.parent) == (broken.sum(), 13, 1, 0)
    assert find_incoherent(S[:13], h, tolerance) is None
    assert incoherent_share(S, h, tolerance=tolerance) == broken.mean()

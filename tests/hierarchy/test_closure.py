"""The true-path rule on matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import oracles
from strategies import hierarchies, label_matrices, score_matrices
from truepath import Hierarchy
from truepath.errors import ConstraintError
from truepath.hierarchy import check_labels, check_scores, resolve_hierarchy


@st.composite
def any_labels(draw):
    """A hierarchy and a matrix that need not be closed."""
    h = draw(hierarchies(max_nodes=9))
    rows = draw(st.integers(0, 4))
    bits = draw(st.lists(st.booleans(), min_size=rows * h.n_nodes, max_size=rows * h.n_nodes))
    return h, np.array(bits, bool).reshape(rows, h.n_nodes)


@given(any_labels())
def test_closing_marks_all_ancestors_and_nothing_else(case):
    h, Y = case
    expected = oracles.close_upwards(Y, h)
    assert (h.close(Y) == expected).all()
    closed = h.close(sparse.csr_array(Y))
    assert (closed.toarray() == expected).all()
    assert closed.has_sorted_indices
    assert (h.close(expected) == expected).all()
    assert h.is_closed(Y) == h.is_closed(sparse.csr_array(Y)) == bool((expected == Y).all())


def test_closing_sparse_rows_of_a_wide_hierarchy():
    rng = np.random.default_rng(3)
    h = Hierarchy.from_parents([-1 if v < 5 else int(rng.integers(0, v)) for v in range(2_000)])
    Y = sparse.random_array((30, 2_000), density=0.001, rng=rng, format="csr") != 0
    full = sparse.random_array((5, 2_000), density=0.3, rng=rng, format="csr") != 0
    for matrix in (Y, full):
        assert (h.close(matrix).toarray() == oracles.close_upwards(matrix.toarray(), h)).all()


@given(hierarchies(), st.data())
def test_coherence(h, data):
    S = data.draw(score_matrices(h, coherent=data.draw(st.booleans())))
    expected = all((S[:, v] <= S[:, u]).all() for u, v in h.edges)
    assert h.is_coherent(S) == h.is_coherent(sparse.csr_array(S)) == expected
    assert h.is_coherent(S.astype(np.float32)) == expected
    assert h.is_coherent(S, tolerance=1.0)


@given(hierarchies())
def test_ancestor_matrix(h):
    A = h.ancestor_matrix().toarray()
    for v in range(h.n_nodes):
        assert set(np.flatnonzero(A[v])) == {v} | oracles.ancestors(h, v)


@given(hierarchies(), st.data())
def test_decode_inverts_encode(h, data):
    Y = data.draw(label_matrices(h))
    names = h.decode(Y)
    assert (h.encode(names) == Y).all()
    assert h.decode(sparse.csr_array(Y)) == names
    for row, labels in zip(Y, names):
        specific = [v for v in np.flatnonzero(row) if not row[h.children(v)].any()]
        assert list(labels) == h.names[specific].tolist()
    assert [len(row) for row in h.decode(Y, most_specific=False)] == Y.sum(axis=1).tolist()


def test_check_labels_names_the_offender():
    h = Hierarchy.from_paths(["a/1", "b"])
    with pytest.raises(ConstraintError, match=r"2 rows .* \(first: row 1, 'a/1' without 'a'\)"):
        check_labels([[1, 1, 0], [0, 1, 0], [0, 1, 1]], h)
    assert check_labels([[0, 1, 0]], h, close=True).tolist() == [[True, True, False]]
    with pytest.raises(ValueError, match="only 0 and 1; found 2"):
        check_labels([[2, 0, 0]], h)
    with pytest.raises(ValueError, match="2 columns but the hierarchy has 3"):
        check_labels([[1, 0]], h)
    with pytest.raises(TypeError, match=r"hierarchy\.encode"):
        check_labels([["a", "b", "c"]], h)


def test_check_scores_names_the_offender():
    h = Hierarchy.from_paths(["a/1", "b"])
    with pytest.raises(ValueError, match="row 1"):
        check_scores([[0.1, 0.1, 0.1], [np.nan, 0, 0]], h)
    with pytest.raises(ValueError, match="row 0"):
        check_scores(sparse.csr_array([[np.inf, 0, 0]]), h)
    with pytest.raises(ConstraintError, match=r"row 0, 'a/1' above 'a'.*combiners"):
        check_scores([[0.1, 0.2, 0.1]], h, coherent=True)
    assert check_scores([[1, 0, 0]], h).dtype == np.float64
    assert check_scores(np.zeros((2, 3), np.float32), h).dtype == np.float32
    with pytest.raises(ValueError, match="matrix"):
        check_scores([0.1, 0.2, 0.3], h)


def test_resolve_hierarchy():
    assert resolve_hierarchy(None, 3) == Hierarchy.flat(3)
    with pytest.raises(TypeError, match=r"truepath\.Hierarchy"):
        resolve_hierarchy([("a", "b")], 2)


def test_a_hierarchy_is_no_other_thing():
    h = Hierarchy.from_paths(["a/b"])
    assert (h == "a/b") is False
    assert (h != 3) is True

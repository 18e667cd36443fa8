"""Which form a label matrix is given in, and rows in blocks."""

import numpy as np
import pytest
from scipy import sparse

from truepath import Hierarchy
from truepath.combiners import MaxUp
from truepath.hierarchy import matrices

Y = np.array([[True, False], [True, True], [False, False]])


@pytest.mark.parametrize("given", [Y, sparse.csr_array(Y), sparse.csc_matrix(Y)], ids=["dense", "csr", "csc"])
def test_the_form_asked_for_is_given(given):
    assert isinstance(matrices.choose_form(given), np.ndarray)
    assert isinstance(matrices.choose_form(given, False), np.ndarray)
    found = matrices.choose_form(given, True)
    assert isinstance(found, sparse.csr_array)
    assert found.dtype == bool
    np.testing.assert_array_equal(found.toarray(), Y)


def test_a_matrix_of_the_limit_is_sparse(monkeypatch):
    monkeypatch.setattr(matrices, "DENSE_LIMIT", Y.size)
    assert isinstance(matrices.choose_form(Y), sparse.csr_array)
    assert isinstance(matrices.choose_form(Y, False), np.ndarray)
    monkeypatch.setattr(matrices, "DENSE_LIMIT", Y.size + 1)
    assert isinstance(matrices.choose_form(Y), np.ndarray)


def test_other_words_are_refused():
    with pytest.raises(ValueError, match="sparse_output must be 'auto', True or False; got 'yes'"):
        matrices.choose_form(Y, "yes")


def test_blocks_cover_all_rows_once():
    found = list(matrices.dense_blocks(sparse.csr_array(Y), Y, cells=4))
    assert [rows for rows, _ in found] == [slice(0, 2), slice(2, 3)]
    for part in range(2):
        np.testing.assert_array_equal(np.vstack([blocks[part] for _, blocks in found]), Y)
    assert list(matrices.row_blocks(0, 3)) == []
    assert list(matrices.row_blocks(2, 0)) == [slice(0, 2)]


@pytest.mark.parametrize("rows", [[[0.5], [0.1, 0.2]], [np.zeros((0, 0)), [1.0]]])
def test_rows_of_several_lengths_are_named(rows):
    with pytest.raises(ValueError, match=r"S must be a matrix.*differ in length"):
        MaxUp(hierarchy=Hierarchy.flat(["a"])).transform(rows)


def test_labels_in_canonical_form():
    doubled = sparse.csr_array((np.array([1, 1, 0, 1]), np.array([1, 1, 0, 0]), np.array([0, 3, 4])), shape=(2, 2))
    for given in (doubled, doubled.astype(bool), sparse.csr_array(doubled.toarray()), doubled.toarray()):
        found = matrices.as_bool(given)
        assert found.dtype == bool
        assert matrices.as_dense(found).tolist() == [[False, True], [True, False]]
        assert not sparse.issparse(found) or (found.nnz == 2 and found.has_canonical_format)
    assert doubled.nnz == 4  # what was given is left as it was
    fine = sparse.csr_array(Y)
    assert np.shares_memory(matrices.as_bool(fine).data, fine.data)
    assert matrices.as_bool(np.asfortranarray(Y)).flags.c_contiguous


def test_blocks_are_stacked():
    parts = [Y[:1], sparse.csr_array(Y[1:])]
    found = matrices.stack_sparse(parts, 2)
    np.testing.assert_array_equal(found.toarray(), Y)
    assert found.dtype == bool
    assert found.has_canonical_format
    one = sparse.csr_array(Y)
    np.testing.assert_array_equal(matrices.stack_sparse([one], 2).toarray(), Y)
    for dtype in (bool, np.float32):
        nothing = matrices.stack_sparse([], 2, dtype)
        assert (nothing.shape, nothing.dtype) == ((0, 2), dtype)
    loose = sparse.csr_array((np.ones(2), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
    loose.has_canonical_format = False
    assert not matrices.stack_sparse([loose, Y], 2).has_canonical_format


def test_columns_and_signs_of_both_forms():
    M = np.array([[0.0, -1.0], [2.0, 0.0]])
    for form in (np.asarray, sparse.csc_array, sparse.csr_array):
        assert [matrices.dense_column(form(M), j).tolist() for j in (0, 1)] == [[0.0, 2.0], [-1.0, 0.0]]
        assert [matrices.has_negative(form(X)) for X in (M, -M, abs(M), 0 * M, M > 0)] == [True, True, *[False] * 3]
    assert not matrices.has_negative(np.zeros((0, 2)))


def test_the_dimensions_are_named():
    with pytest.raises(ValueError, match=r"Y must be a matrix.*got 1 dimension"):
        matrices.as_matrix([1, 0], name="Y")
    with pytest.raises(ValueError, match="S has 2 columns but the hierarchy has 3 nodes"):
        matrices.as_matrix(Y, 3)
    assert isinstance(matrices.as_matrix(sparse.csc_matrix(Y), 2), sparse.csr_array)


def test_the_column_that_is_there_twice_is_named():
    with pytest.raises(ValueError, match="two columns are called 'a'"):
        matrices.find_node_columns(["b", "a", "a"], Hierarchy.flat(["a", "b"]), "scores", ValueError, "")
    assert matrices.find_node_columns(["b", "a"], Hierarchy.flat(["a", "b"]), "scores", ValueError, "") == [1, 0]

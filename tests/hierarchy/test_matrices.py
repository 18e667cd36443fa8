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

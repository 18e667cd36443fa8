"""Rows of weight zero are left out, whole weights repeat."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from truepath.learners.base import leave_out_weightless, repeat_by_weight

X, Y = np.arange(6.0).reshape(3, 2), np.eye(3, dtype=bool)


def test_without_zeros_nothing_is_copied():
    for weight in (None, np.array([1.0, 2.0, 0.5])):
        assert all(a is b for a, b in zip(leave_out_weightless(X, Y, weight), (X, Y, weight)))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rows_that_weigh_nothing_are_left_out(form):
    kept, labels, weight = leave_out_weightless(form(X), form(Y), np.array([2.0, 0.0, 0.5]))
    np.testing.assert_array_equal(sparse.csr_array(kept).toarray(), X[[0, 2]])
    np.testing.assert_array_equal(sparse.csr_array(labels).toarray(), Y[[0, 2]])
    assert weight.tolist() == [2.0, 0.5]


def test_whole_weights_repeat():
    rows, labels = repeat_by_weight(X, Y, np.array([2.0, 0.0, 1.0]))
    np.testing.assert_array_equal(rows, X[[0, 0, 2]])
    np.testing.assert_array_equal(labels, Y[[0, 0, 2]])
    assert repeat_by_weight(X, Y, None)[0] is X
    with pytest.raises(ValueError, match=r"row 1 has 0\.5"):
        repeat_by_weight(X, Y, np.array([2.0, 0.5, 1.0]))

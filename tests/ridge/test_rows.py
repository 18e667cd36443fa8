"""Products of rows: the same bits whatever rows stand beside."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from truepath.ridge.rows import multiply_rows


@settings(max_examples=60)
@given(n=st.integers(0, 210), k=st.integers(1, 300), m=st.integers(1, 300), seed=st.integers(0, 99))
def test_a_rows_bits_do_not_depend_on_the_others(n, k, m, seed):
    rng = np.random.default_rng(seed)
    X, W = rng.normal(size=(n, k)), rng.normal(size=(k, m))
    found, rows = multiply_rows(X, W), rng.permutation(n)[: rng.integers(0, n + 1)]
    np.testing.assert_allclose(found, X @ W, atol=1e-11)
    np.testing.assert_array_equal(multiply_rows(np.asfortranarray(X[rows]), W), found[rows])
    in_csr = multiply_rows(sparse.csr_array(X), W)
    np.testing.assert_array_equal(multiply_rows(sparse.csr_array(X[rows]), W), in_csr[rows])
    np.testing.assert_allclose(in_csr, found, atol=1e-11)

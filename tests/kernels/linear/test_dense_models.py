"""The sums of dense rows, whose order is the machine's: what they are of any numbers."""

from __future__ import annotations

import numpy as np
import pytest

from truepath._kernels.jit import kernel
from truepath._kernels.linear.dense_models import dot_dense


@kernel
def dots(X, W):
    out = np.empty((X.shape[0], W.shape[0]))
    for i in range(X.shape[0]):
        for j in range(W.shape[0]):
            out[i, j] = dot_dense(X, i, W, j, X.shape[1])
    return out


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 7, 64, 513])
def test_sums_in_any_order_are_those_of_the_plain_twin(n, dtype):
    rng = np.random.default_rng(n)
    X, W = rng.normal(size=(3, n)).astype(dtype), rng.normal(size=(2, n))
    plain = [[dot_dense.py_func(X, i, W, j, n) for j in range(2)] for i in range(3)]
    np.testing.assert_allclose(dots(X, W), plain, rtol=0, atol=1e-12 * n)
    np.testing.assert_array_equal(dots(X, W), dots(X[::-1].copy(), W)[::-1])  # wherever a row stands


def test_nan_infinity_and_ties():
    X = np.ones((4, 40))
    X[1, 3], X[2, 3], X[3, 3] = np.nan, np.inf, -np.inf
    found = dots(X, np.ones((1, 40)))[:, 0]
    assert found[0] == 40
    assert np.isnan(found[1])
    assert found[2:].tolist() == [np.inf, -np.inf]
    assert np.isnan(dots(X[2:3], np.zeros((1, 40))))[0, 0]

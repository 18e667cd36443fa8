"""The kernels that rows are predicted by are those that were fitted, to rounding, whatever float type rows come in."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from truepath.ridge.kernels import BY_DISTANCE, KERNELS, compare_with, kernel_of, likeness


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("is_sparse", [False, True])
def test_prediction_and_fit_compare_alike(kernel, dtype, is_sparse):
    if is_sparse and kernel in BY_DISTANCE:
        return
    rng = np.random.default_rng(0)
    Z, X = rng.normal(3.0, 1.0, (40, 5)).astype(dtype), rng.normal(3.0, 1.0, (96, 5))
    X[:40] = Z  # no farther than rounding
    if is_sparse:
        Z, X = sparse.csr_array(Z), sparse.csr_array(X)
    found = compare_with(Z, kernel, 0.7, 2.5)(X)
    expected = kernel_of(likeness(X, Z, kernel, 2.5, float), kernel, 0.7)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert kernel not in BY_DISTANCE or found.max() <= 1.0

"""Trees of binary variables: the loops that run several lanes at once against the general ones, and the logarithm."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath import _kernels
from truepath.learners.cutset.codes import MISSING, StateCoder


@given(st.floats(1e-299, 1e300))
def test_logarithm(p):
    found = _kernels.cutset.logarithm.log_or_zero(p)
    assert found == pytest.approx(np.log(p), rel=1e-15, abs=4e-16)
    assert _kernels.cutset.logarithm.log_or_zero.py_func(np.float64(p)) == pytest.approx(found, rel=1e-15, abs=4e-16)


def test_logarithm_next_to_one_and_of_nothing():
    for p in (1.0, np.nextafter(1.0, 0), np.nextafter(1.0, 2), np.sqrt(0.5), np.sqrt(2.0), 0.5, 2.0):
        assert _kernels.cutset.logarithm.log_or_zero(p) == pytest.approx(np.log(p), rel=4e-16, abs=1e-17)
    for p in (0.0, -1e-17, 1e-301):
        assert _kernels.cutset.logarithm.log_or_zero(p) == 0.0
        assert _kernels.cutset.logarithm.xlogx(p) == 0.0


def count_some(seed, n_labels, n_features, is_restricted):
    """Return random counts with their prior; some features have one state and so no column."""
    rng = np.random.default_rng(seed)
    n_rows, n = int(rng.integers(1, 90)), n_labels + n_features
    owns = np.concatenate([np.ones(n_labels, bool), rng.random(n_features) < 0.7])
    offset = np.concatenate([[0], np.cumsum(owns)])
    Z = (rng.random((n_rows, offset[-1])) < rng.random(offset[-1])).astype(np.int64)
    n_first = n_labels if is_restricted else n
    pairs = (Z.T @ Z)[: offset[n_first]].astype(np.int32)
    prior = 0.2 * rng.random(pairs.shape)  # of both; below the 0.25 of either, so that a joint table exists
    return pairs, Z.sum(axis=0), n_rows, prior, np.full(offset[-1], 0.25), 0.5, offset, n_first


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(0, 6), st.booleans())
def test_information_and_likelihood_are_those_of_the_general_loops(seed, n_labels, n_features, is_restricted):
    pairs, columns, n_rows, prior_pairs, prior_columns, strength, offset, n_first = count_some(
        seed, n_labels, n_features, is_restricted
    )
    general, binary = _kernels.cutset.chow_liu, _kernels.cutset.chow_liu_binary
    n = offset.size - 1
    assert general.make_tables(offset) is None
    smooth_pairs, smooth_columns = general.smooth(pairs, columns, n_rows, prior_pairs, prior_columns, strength)
    tables = np.empty((2, 2, 2))
    information = general.share_information(smooth_pairs, smooth_columns, offset, n_first, -1, tables[0])
    p = np.empty(columns.size)
    found = binary.learn_information(
        pairs, columns, n_rows, prior_pairs, prior_columns, strength, offset, n_first, p
    )  # fmt: skip
    later = np.triu(np.ones((n_first, n), bool), 1) | (np.arange(n) < n_first)
    np.testing.assert_allclose(found[later], information[later], atol=1e-13)
    np.testing.assert_allclose(p, smooth_columns, rtol=1e-15)

    parent, order = np.empty(n, np.int32), np.empty(n, np.int32)
    size = general.span(found, n_first, -1, parent, order)
    assert size == n
    expected = general.tree_log_likelihood(
        parent, order, size, pairs, columns, n_rows, smooth_pairs, smooth_columns, offset, tables
    )
    likelihood = binary.tree_log_likelihood(
        parent, order, size, pairs, columns, n_rows, prior_pairs, strength, offset, p
    )  # fmt: skip
    assert likelihood == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_variable_of_three_states_is_left_to_the_general_loops():
    tables = _kernels.cutset.chow_liu.make_tables(np.array([0, 1, 3, 3]))  # two columns, then none
    assert tables.shape == (2, 3, 3)


def test_numbered_states_are_coded_like_any_others():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (50, 6)).astype(float)
    X[:, 1] += 1
    X[:, 2] *= 0.5
    X[:, 3] = 0
    X[:, 4] = 5
    coder = StateCoder.learn(X, 8)
    asked = np.vstack([X, rng.integers(-2, 9, (60, 6)) * 0.5, np.full((1, 6), np.nan)])
    codes = coder.encode(asked)
    for j, values in enumerate(coder.categories):
        for value, code in zip(asked[:, j], codes[:, j]):
            place = np.flatnonzero(values == value)
            assert code == (place[0] if place.size else MISSING)

"""Bootstrap intervals: reproducible, ordered, near the known answer."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from truepath import Hierarchy, metrics

HIERARCHY = Hierarchy.from_paths(["a/1", "a/2", "b/1"])


def data(n_samples=80):
    rng = np.random.default_rng(0)
    Y = HIERARCHY.close(rng.random((n_samples, 5)) < 0.3)
    return Y, np.clip(0.5 * Y + 0.6 * rng.random(Y.shape), 0, 1)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("name", ["h_loss", "auprc", "fmax"])
def test_same_seed_same_bits_and_the_value_lies_inside(name, method):
    Y, S = data()
    predicted = S > 0.5 if metrics.get_metric(name).needs == "labels" else S
    options = {"n_resamples": 60, "method": method}
    first = metrics.bootstrap_interval(name, Y, predicted, HIERARCHY, random_state=3, **options)
    again = metrics.bootstrap_interval(name, Y, sparse.csr_array(predicted), HIERARCHY, random_state=3, **options)
    assert first == pytest.approx(again, rel=1e-12)
    assert first == metrics.bootstrap_interval(name, Y, predicted, HIERARCHY, random_state=3, **options)
    assert first != metrics.bootstrap_interval(name, Y, predicted, HIERARCHY, random_state=4, **options)
    assert first.low <= first.value <= first.high
    assert first.value == metrics.get_metric(name)(Y, predicted, HIERARCHY)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_a_mean_of_rows_has_the_normal_interval(method):
    rng = np.random.default_rng(1)
    Y = np.ones((300, 1))
    P = rng.random((300, 1)) < 0.6
    share, error = P.mean(), np.sqrt(P.mean() * (1 - P.mean()) / 300)
    interval = metrics.bootstrap_interval(
        "exact_match", Y, P, n_resamples=600, method=method, confidence=0.9, random_state=0
    )
    assert interval.standard_error == pytest.approx(error, rel=0.1)
    assert (interval.low, interval.high) == pytest.approx((share - 1.645 * error, share + 1.645 * error), abs=0.012)


def test_callables_weights_options_and_other_generators():
    Y, S = data(40)
    weight = np.arange(1, 41)
    options = {"n_resamples": 20, "random_state": 0, "sample_weight": weight, "nodes": ["a"]}
    named = metrics.bootstrap_interval("hierarchical_f1", Y, S > 0.5, HIERARCHY, **options)
    called = metrics.bootstrap_interval(metrics.hierarchical_f1, Y, S > 0.5, HIERARCHY, **options)
    assert named == called
    seeds = np.random.default_rng(5), np.random.RandomState(5), None
    for seed in seeds:
        assert metrics.bootstrap_interval("h_loss", Y, S > 0.5, HIERARCHY, n_resamples=5, random_state=seed).value >= 0


def test_resamples_without_a_value_are_left_out():
    Y, S = np.zeros((12, 2)), np.full((12, 2), 0.5)
    Y[0, 0] = 1
    interval = metrics.bootstrap_interval("auprc", Y, S, n_resamples=40, random_state=0)
    assert np.isfinite(interval).all()
    assert np.isnan(metrics.bootstrap_interval("auprc", 0 * Y, S, n_resamples=5)).all()


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="confidence"):
        metrics.bootstrap_interval("h_loss", [[1]], [[1]], confidence=95)
    with pytest.raises(ValueError, match="method"):
        metrics.bootstrap_interval("h_loss", [[1]], [[1]], method="normal")

"""Bootstrap intervals: reproducible, ordered, near the known answer."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse, stats

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


class MeanOfRows:
    """A metric that keeps all its values: on all rows, on each draw, and without each row."""

    def __init__(self):
        self.values = []

    def __call__(self, y_true, predicted, hierarchy):
        self.values.append(float(np.mean(predicted)))
        return self.values[-1]


@pytest.mark.parametrize("confidence", [0.5, 0.9])
def test_corrected_intervals_are_those_of_scipy(confidence):
    rows = np.random.default_rng(2).exponential(size=(12, 1)) ** 2  # skewed
    metric, n_resamples = MeanOfRows(), 101
    options = {"n_resamples": n_resamples, "confidence": confidence, "method": "bca", "random_state": 0}
    found = metrics.bootstrap_interval(metric, rows, rows, **options)
    draws = np.array(metric.values[1 : n_resamples + 1])
    assert metric.values[n_resamples + 1 :] == pytest.approx([np.delete(rows, i).mean() for i in range(12)])
    same = type("Drawn", (), {"bootstrap_distribution": draws})
    expected = stats.bootstrap(
        (rows[:, 0],), np.mean, n_resamples=0, method="BCa", confidence_level=confidence, bootstrap_result=same
    )
    assert (found.low, found.high) == pytest.approx(tuple(expected.confidence_interval), rel=1e-12)
    assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-12)
    plain = metrics.bootstrap_interval(MeanOfRows(), rows, rows, **{**options, "method": "percentile"})
    assert (plain.low, plain.high) != pytest.approx((found.low, found.high), rel=1e-3)


@pytest.mark.parametrize("sign", [-1, 1])
def test_corrected_intervals_of_draws_that_lie_on_one_side(sign):
    """The bias is taken as if half a draw lay on the other side; without a spread of rows nothing is accelerated."""
    values = iter([sign * 1.0, sign * 0.5, sign * 0.9, *[7.0] * 4])  # on all rows, on two draws, without each row
    found = metrics.bootstrap_interval(
        lambda *_: next(values), np.ones((4, 1)), np.ones((4, 1)), n_resamples=2, confidence=0.5, method="bca"
    )
    low, high = stats.norm.cdf(2 * sign * stats.norm.ppf(0.75) + stats.norm.ppf([0.25, 0.75]))
    inner = sorted((sign * 0.5, sign * 0.9))
    expected = [inner[0] + (inner[1] - inner[0]) * share for share in (low, high)]
    assert (found.low, found.high) == pytest.approx((min(expected[0], sign), max(expected[1], sign)))


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_one_row_or_one_draw_has_no_spread(method):
    options = {"method": method, "random_state": 0}
    assert metrics.bootstrap_interval("exact_match", [[1]], [[1]], **options) == (1.0, 1.0, 1.0, 0.0)
    Y, S = data(20)
    one = metrics.bootstrap_interval("h_loss", Y, S > 0.5, HIERARCHY, n_resamples=1, **options)
    assert one == (one.value, one.value, one.value, 0.0)


@pytest.mark.parametrize("name", [name for name in metrics.list_metrics() if metrics.get_metric(name).number is None])
def test_every_interval_holds_its_value(name):
    """Few rows and many rare labels, which most draws lack: quantiles alone lie beside the value."""
    metric = metrics.get_metric(name)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        Y = np.eye(40, dtype=bool)[rng.integers(40, size=12)]
        S = np.clip(Y * 0.6 + rng.random(Y.shape) * 0.5, 0, 1)
        predicted = S > 0.45 if metric.needs == "labels" else S
        for method in ("percentile", "bca"):
            found = metrics.bootstrap_interval(name, Y, predicted, n_resamples=25, method=method, random_state=seed)
            assert np.isnan(found.value) or found.low <= found.value <= found.high, (name, method, found)
            assert np.isnan(found.value) or (found.low >= metric.bounds[0] and found.high <= metric.bounds[1])


def test_labels_that_a_draw_lacks_do_not_lower_the_interval():
    Y = np.repeat(np.eye(30, dtype=bool), 2, axis=0)
    P = Y & (np.arange(60) % 2 == 0)[:, None]  # one of the two rows of each label is found: every F1 is 2/3
    found = metrics.bootstrap_interval("macro_f1", Y, P, n_resamples=100, random_state=0)
    assert found.low < 0.66 < found.value < 0.67 < found.high
    assert (found.low + found.high) / 2 == pytest.approx(2 / 3, abs=0.03)


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
    for wrong in ({"confidence": 95}, {"confidence": 1}, {"confidence": 0}, {"n_resamples": 0}):
        with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
            metrics.bootstrap_interval("h_loss", [[1]], [[1]], **wrong)
    with pytest.raises(ValueError, match="method"):
        metrics.bootstrap_interval("h_loss", [[1]], [[1]], method="normal")

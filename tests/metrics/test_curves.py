"""Areas under precision-recall curves: Davis & Goadrich's interpolation by hand, by stepping, and at its limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_metrics as oracle
from truepath import metrics


def area(positives, negatives, **options):
    S = np.array([*positives, *negatives])[:, None]
    Y = np.arange(S.size)[:, None] < len(positives)
    return metrics.auprc(Y, S, method="davis_goadrich", **options)


def test_by_hand():
    assert area([0.9], [0.1]) == 1.0
    assert area([0.1], [0.9]) == pytest.approx(1 - np.log(2))  # integral of t / (t + 1) over 0..1
    assert area([0.5, 0.5], [0.5, 0.5]) == pytest.approx(0.5)  # one tie: precision 1/2 all the way
    assert area([0.9, 0.5], [0.5]) == pytest.approx((1 + 0.5 + 0.25 * np.log(3)) / 2)  # a = 2, b = -1, N from 1 to 3


@given(counts=st.tuples(*[st.integers(0, 20)] * 4))
@settings(max_examples=25)
def test_closed_form_equals_stepping(counts):
    tp, fp, more_tp, more_fp = counts
    ends = (tp, fp, tp + more_tp + 1, fp + more_fp)
    assert oracle.interpolated(*ends) == pytest.approx(oracle.stepped(*ends, n_steps=2000), rel=1e-4, abs=1e-6)


def test_all_scores_equal_is_the_share_of_positives():
    Y = np.random.default_rng(0).random((50, 4)) < 0.3
    S = np.full(Y.shape, 0.7)
    for method in ("average_precision", "davis_goadrich"):
        assert metrics.auprc(Y, S, method=method) == pytest.approx(Y.mean())


def test_large_counts_keep_their_digits():
    rng = np.random.default_rng(1)
    S = rng.random((2000, 500))
    Y = rng.random(S.shape) < 0.01
    value = metrics.auprc(Y, S, method="davis_goadrich")
    order = np.argsort(-S, axis=None)
    fp = np.cumsum(~Y.ravel()[order])[Y.ravel()[order]].astype(np.longdouble)
    tp = np.arange(1, fp.size + 1, dtype=np.longdouble)
    exact = (1 - fp * np.log1p(1 / (tp - 1 + fp))).mean()  # no ties: fp does not change within a step
    assert value == pytest.approx(float(exact), rel=1e-11)


def test_options_are_checked():
    Y, S = [[1, 0]], [[0.5, 0.2]]
    with pytest.raises(ValueError, match="method"):
        metrics.auprc(Y, S, method="trapezoid")
    with pytest.raises(ValueError, match="average"):
        metrics.auprc(Y, S, average="micro")
    with pytest.raises(ValueError, match="not both"):
        metrics.precision_recall_curve(Y, S, node=0, nodes=[1])


def test_float32_and_float64_sweep_alike():
    rng = np.random.default_rng(0)
    truth, S = rng.random((30, 40)) < 0.3, (rng.integers(0, 50, (30, 40)) / 64).astype(np.float32)
    narrow, wide = metrics.cafa_curve(truth, S), metrics.cafa_curve(truth, S.astype(np.float64))
    assert narrow.thresholds.tolist() == wide.thresholds.tolist()
    for one, other in zip(narrow, wide):
        assert one == pytest.approx(other, abs=1e-12)


def test_a_curve_without_weights_is_that_of_equal_weights():
    rng = np.random.default_rng(0)
    truth, S = rng.random((30, 40)) < 0.3, rng.integers(0, 50, (30, 40)) / 64
    for one, other in zip(
        metrics.precision_recall_curve(truth, S), metrics.precision_recall_curve(truth, S, sample_weight=np.ones(30))
    ):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("thresholds", ["exact", "grid"])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_thresholds_are_swept_in_the_order_of_the_scores(monkeypatch, thresholds, weighted):
    rng = np.random.default_rng(0)
    truth, S = rng.random((20, 30)) < 0.3, rng.integers(-9, 50, (20, 30)) / 64  # some are not predictions
    truth[:3], S[3] = False, 0.0
    options = {"thresholds": thresholds, "ic": rng.random(30), "sample_weight": rng.random(20) if weighted else None}
    few = metrics.cafa_curve(truth, S, **options)
    monkeypatch.setattr("truepath.metrics.sweep.MANY", 0)
    for one, other in zip(metrics.cafa_curve(truth, S, **options), few):
        np.testing.assert_allclose(one, other, atol=1e-12)

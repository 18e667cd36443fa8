"""Intervals from sums over rows: the same as computing the metric on every resample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import hierarchies, label_matrices, score_matrices
from truepath import metrics
from truepath.metrics import bootstrap_interval
from truepath.report import Evaluated
from truepath.report import measures as room
from truepath.report.evaluated import check_subject
from truepath.report.measures import MEASURES, measure_all, paired_difference, values_only

BY_METRIC = {
    "f1": (metrics.hierarchical_f1, {}),
    "precision": (metrics.hierarchical_precision, {}),
    "recall": (metrics.hierarchical_recall, {}),
    "macro_f1": (metrics.macro_f1, {"zero_division": np.nan}),
    "jaccard": (metrics.jaccard_score, {"zero_division": 1.0}),
    "exact": (metrics.exact_match, {}),
    "h_loss": (metrics.h_loss, {}),
    "hmc_loss": (metrics.hmc_loss, {}),
    "auprc": (metrics.auprc, {}),
}


def test_every_measure_is_one_of_the_metrics():
    assert {measure.key for measure in MEASURES} == set(BY_METRIC)


@given(hierarchies(), st.data())
def test_a_draw_is_the_metric_on_the_rows_drawn(hierarchy, data):
    truth = data.draw(label_matrices(hierarchy, n_rows=6, min_rows=6))
    labels = data.draw(label_matrices(hierarchy, n_rows=6, min_rows=6))
    S = data.draw(score_matrices(hierarchy, n_rows=6, min_rows=6))
    if not truth.any():
        return
    rows = np.array([0, 0, 2, 3, 3, 5])
    weights = np.bincount(rows, minlength=6).astype(float)[None]
    subject = check_subject(hierarchy, truth, Evaluated("x", labels, S))
    T, P = subject.y_true, subject.results[0].y_pred
    drawn = {
        **room._row_draws(weights, room._row_sums(T, P, hierarchy)),
        **room._class_draws(weights, T, P, hierarchy.costs),
    }
    for key, values in drawn.items():
        function, options = BY_METRIC[key]
        wanted = function(truth[rows], labels[rows], hierarchy=hierarchy, **options)
        assert values[0] == pytest.approx(wanted, nan_ok=True), key
    if truth[rows].any():  # few cells: every positive score begins a bin of its own, and binning changes nothing
        positives, negatives = room._score_bins(T, S)
        area = room._area_draws(weights @ positives, weights @ negatives)
        assert area[0] == pytest.approx(metrics.auprc(truth[rows], S[rows]))


@pytest.mark.parametrize("key", [measure.key for measure in MEASURES])
def test_intervals_agree_with_the_general_bootstrap(one, key):
    result, h = one.results[0], one.hierarchy
    subject = check_subject(h, one.y_true, result)
    found = measure_all(subject)[result.name][key]
    function, options = BY_METRIC[key]
    predicted = result.S if key == "auprc" else result.y_pred

    def metric(T, P, hierarchy):
        return function(T, P, hierarchy=hierarchy, **options)

    wanted = bootstrap_interval(metric, one.y_true, predicted, h, n_resamples=500, random_state=1)
    assert found.value == pytest.approx(wanted.value)
    assert found.low == pytest.approx(wanted.low, abs=0.6 * wanted.standard_error)
    assert found.high == pytest.approx(wanted.high, abs=0.6 * wanted.standard_error)
    assert values_only(subject, subject.results[0])[key] == found.value


def test_differences_are_paired(three):
    measured = measure_all(check_subject(three.hierarchy, three.y_true, three.results))
    first, second = measured["method 1"]["f1"], measured["method 2"]["f1"]
    same = paired_difference(first, first)
    assert (same.value, same.low, same.high) == (0, 0, 0)
    other = paired_difference(first, second)
    assert other.high - other.low < (first.high - first.low) + (second.high - second.low)


def test_curves_agree_with_the_labels_at_a_threshold(one):
    from truepath.report.curves import trace_curves

    S = one.results[0].S
    curves = trace_curves(one.y_true, S)
    for k in (0, 25, 60, 90):
        labels = S > curves.threshold[k]
        precision, recall, f1 = metrics.hierarchical_precision_recall_f1(one.y_true, labels)
        assert curves.at_recall[k] == pytest.approx(recall)
        assert curves.at_f1[k] == pytest.approx(f1)
        if labels.any():
            assert curves.at_precision[k] == pytest.approx(precision)
    assert curves.calibration.counts.sum() == (S > 0).sum()
    assert curves.recall.size <= 2 * 242
    assert curves.recall[0] == 1

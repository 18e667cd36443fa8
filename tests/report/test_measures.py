"""Intervals from sums over rows: the same as computing the metric on every resample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import hierarchies, label_matrices, score_matrices
from truepath import Hierarchy, metrics
from truepath.hierarchy import raise_up
from truepath.metrics import bootstrap_interval
from truepath.report import Evaluated, Run, load_run, save_run, write_report
from truepath.report import measures as module
from truepath.report.measures import draw_intervals, paired_difference
from truepath.report.run import MEASURES


def test_the_report_lists_metrics_by_name_only():
    assert [name for name in MEASURES if name not in metrics.list_metrics()] == []


@given(hierarchies(), st.data())
def test_a_draw_is_the_metric_on_the_rows_drawn(hierarchy, data):
    truth = data.draw(label_matrices(hierarchy, n_rows=6, min_rows=6))
    labels = data.draw(label_matrices(hierarchy, n_rows=6, min_rows=6))
    S = data.draw(score_matrices(hierarchy, n_rows=6, min_rows=6))
    if not truth.any():
        return
    rows = np.array([0, 0, 2, 3, 3, 5])
    weights = np.bincount(rows, minlength=6).astype(float)[None]
    run = Run(hierarchy, truth, Evaluated("x", labels, S))
    T, P = run.y_true, run.results[0].y_pred
    drawn = {
        **module._row_draws(weights, module._row_sums(T, P, hierarchy)),
        **module._class_draws(weights, T, P, hierarchy.costs),
    }
    assert {*drawn, "auprc"} == set(MEASURES)
    for name, values in drawn.items():
        wanted = metrics.get_metric(name)(truth[rows], labels[rows], hierarchy)
        assert values[0] == pytest.approx(wanted), name
    for name in module.RANKED:
        terms = module._score_terms(name, T, S, hierarchy)
        wanted = metrics.get_metric(name)(truth[rows], S[rows], hierarchy)
        assert terms.value(weights @ terms.terms)[0] == pytest.approx(wanted), name
    if truth[rows].any():  # few cells: every positive score begins a bin of its own, and binning changes nothing
        positives, negatives = module._score_bins(T, S)
        area = module._area_draws(weights @ positives, weights @ negatives)
        assert area[0] == pytest.approx(metrics.auprc(truth[rows], S[rows]))


@pytest.mark.parametrize("name", [*MEASURES, *module.RANKED])
def test_intervals_agree_with_the_general_bootstrap(one, name):
    run = Run(one.hierarchy, one.y_true, one.results)
    result = run.results[0]
    found = draw_intervals(run)[result.name][name]
    predicted = result.S if metrics.get_metric(name).needs == "scores" else result.y_pred
    wanted = bootstrap_interval(name, one.y_true, predicted, one.hierarchy, n_resamples=500, random_state=1)
    assert found.value == pytest.approx(wanted.value)
    assert found.low == pytest.approx(wanted.low, abs=0.6 * wanted.standard_error)
    assert found.high == pytest.approx(wanted.high, abs=0.6 * wanted.standard_error)
    assert run.measures[result.name].get(name, found.value) == found.value


def test_every_interval_of_rare_labels_holds_its_value():
    """Most draws lack most labels; the intervals of single methods and of differences hold what they are about."""
    hierarchy = Hierarchy.from_paths([f"{top}/{leaf}" for top in "abcde" for leaf in range(8)])
    for seed in range(4):
        rng = np.random.default_rng(seed)
        truth = hierarchy.close(np.eye(hierarchy.n_nodes, dtype=bool)[rng.choice(np.asarray(hierarchy.leaves), 14)])
        results = []
        for name in ("one", "other"):
            S = raise_up(np.clip(truth * 0.6 + rng.random(truth.shape) * 0.5, 0, 1), hierarchy)
            results.append(Evaluated(name, S > 0.55, S))
        found = draw_intervals(Run(hierarchy, truth, results), seed)
        for name in found["one"]:
            one, other = (found[method][name] for method in ("one", "other"))
            ahead = paired_difference(one, other)
            assert one.low <= one.value <= one.high, name
            assert ahead.low <= ahead.value <= ahead.high, name


def test_measures_are_computed_once_for_the_run_its_folder_and_its_page(one, tmp_path, monkeypatch):
    calls = []
    measure = metrics.Metric.__call__
    monkeypatch.setattr(
        metrics.Metric,
        "__call__",
        lambda self, y, *a, **b: calls.append((self.name, y.shape[1])) or measure(self, y, *a, **b),
    )
    run = Run(one.hierarchy, one.y_true, one.results)
    assert calls == []
    save_run(tmp_path, run)
    write_report(tmp_path / "a.html", run)
    write_report(tmp_path / "b.html", load_run(tmp_path))  # which has them already
    n_nodes = one.hierarchy.n_nodes  # of one depth, fewer labels are measured
    assert sorted(name for name, n_labels in calls if n_labels == n_nodes) == sorted(MEASURES)


def test_differences_are_paired(three):
    measured = draw_intervals(Run(three.hierarchy, three.y_true, three.results))
    first, second = measured["method 1"]["hierarchical_f1"], measured["method 2"]["hierarchical_f1"]
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

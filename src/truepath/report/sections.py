"""What each part of the page shows, computed and drawn: records for the template."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from truepath.metrics import Metric, get_metric
from truepath.report import charts, curve_charts
from truepath.report.curves import trace_curves
from truepath.report.examples import Example, choose_examples
from truepath.report.measures import RANKED, Difference, Measured, paired_difference
from truepath.report.nodes import Mistakes, most_mistaken
from truepath.report.profile import Level, measure_levels
from truepath.report.run import MEASURES, Evaluated, Run

__all__ = [
    "Coverage",
    "draw_curves",
    "draw_levels",
    "draw_measures",
    "draw_method",
    "find_headline",
    "measure_coverage",
    "name_measures",
]

By = Mapping[str, Mapping[str, Measured]]  # method -> metric -> value with interval

MAIN = ("hierarchical_f1", "auprc", "exact_match")  # at the top of the page


class Headline(NamedTuple):
    """The result in a sentence or two: the best method, its main measures, and its lead over the next."""

    number: int
    name: str
    values: Mapping[str, Measured]
    main: list[tuple[Metric, Measured]]
    runner_up: str | None
    lead: Difference | None


class MeasureRow(NamedTuple):
    """One measure over all methods: numbers, which of them is best, and their chart."""

    metric: Metric
    values: list[Measured | None]
    best: int
    chart: str


class MethodPart(NamedTuple):
    """What the page shows about one method alone."""

    number: int
    name: str
    sign: str
    mistakes: list[Mistakes]
    examples: list[tuple[str, list[Example]]]
    fit_seconds: float | None


class LevelPart(NamedTuple):
    """Results by depth: the methods together, and each with its chart and table."""

    together: str
    charts: list[str]
    tables: list[list[Level]]


class CurvePart(NamedTuple):
    """Curves: the pooled ones together, thresholds and calibration of each method with scores."""

    together: str
    thresholds: list[str]
    calibration: list[str]
    n_cells: int


class Coverage(NamedTuple):
    """What a method's label sets cover, beside what was asked: shares of rows and labels, and labels per row."""

    name: str
    asked: float
    rows: float
    labels: float
    sure: float
    size: float


def name_measures() -> list[tuple[str, str, bool]]:
    """Return each measure's name, label and whether greater is better."""
    return [(metric.name, metric.label, metric.greater_is_better) for metric in map(get_metric, (*MEASURES, *RANKED))]


def measure_coverage(run: Run) -> list[Coverage]:
    """Return what label sets cover, of the methods that were asked for a coverage."""
    found = []
    for result in run.results:
        if result.coverage is None:
            continue
        true, predicted = np.diff(run.y_true.indptr), np.diff(result.y_pred.indptr)
        hits = np.asarray(run.y_true.multiply(result.y_pred).sum(axis=1)).ravel()
        shares = (
            float((hits == true).mean()),
            float(hits.sum() / max(true.sum(), 1)),
            float((hits == predicted).mean()),
        )
        found.append(Coverage(result.name, result.coverage, *shares, float(predicted.mean())))
    return found


def find_headline(run: Run, measured: By) -> Headline:
    """Find the method with the highest hierarchical F1 and its lead over the next."""
    order = sorted(measured, key=lambda name: -measured[name]["hierarchical_f1"].value)
    best = measured[order[0]]
    main = [(get_metric(name), best[name]) for name in MAIN if name in best]
    number = [result.name for result in run.results].index(order[0])
    if len(order) == 1:
        return Headline(number, order[0], best, main, None, None)
    lead = paired_difference(best["hierarchical_f1"], measured[order[1]]["hierarchical_f1"])
    return Headline(number, order[0], best, main, order[1], lead)


def draw_measures(measured: By, alone: bool = True) -> list[MeasureRow]:
    """Draw each measure: a whisker alone, or a panel with one line per method (left out unless ``alone``)."""
    rows = []
    for metric in map(get_metric, (*MEASURES, *RANKED)):
        values = [of_method.get(metric.name) for of_method in measured.values()]
        if all(value is None for value in values):
            continue
        sign = 1 if metric.greater_is_better else -1
        known = [-np.inf if v is None or not isfinite(v.value) else sign * v.value for v in values]
        together = charts.whisker_panel(values, metric.digits) if alone and len(values) > 1 else ""
        chart = together if len(values) > 1 else _alone(values[0])
        rows.append(MeasureRow(metric, values, int(np.argmax(known)), chart))
    return rows


def _alone(measured: Measured | None) -> str:
    """Draw one value from 0 to 1; a loss above 1, where the axis ends, is shown in numbers only."""
    return "" if measured is None or max(measured.value, measured.high) > 1 else charts.whisker(measured)


def draw_method(run: Run, k: int, random_state: Any) -> MethodPart:
    """Gather one method's worst labels and its examples."""
    result = run.results[k]
    parts = (most_mistaken(run, result), choose_examples(run, result, random_state))
    return MethodPart(k, result.name, charts.method_sign(k), *parts, result.fit_seconds)


def draw_levels(run: Run) -> LevelPart:
    """Measure and draw every method by depth."""
    tables = [measure_levels(run, result) for result in run.results]
    together = curve_charts.levels_by_method(tables) if len(tables) > 1 else ""
    return LevelPart(together, [curve_charts.level_chart(levels) for levels in tables], tables)


def draw_curves(run: Run, measured: By) -> CurvePart | None:
    """Trace and draw every method that has scores; None without any score or any true label."""
    if run.y_true.nnz == 0 or all(result.S is None for result in run.results):
        return None
    traced = [None if r.S is None else trace_curves(run.y_true, r.S) for r in run.results]
    points = [
        (by_name["hierarchical_recall"].value, by_name["hierarchical_precision"].value) for by_name in measured.values()
    ]
    thresholds = [
        "" if curves is None else curve_charts.threshold_chart(curves, _single(result))
        for curves, result in zip(traced, run.results)
    ]
    calibration = [
        "" if curves is None or curves.calibration is None else curve_charts.calibration_chart(curves.calibration)
        for curves in traced
    ]
    n_cells = int(np.prod(run.y_true.shape))
    return CurvePart(curve_charts.precision_recall_chart(traced, points), thresholds, calibration, n_cells)


def _single(result: Evaluated) -> float | None:
    """Return the single threshold of all labels, if there is one."""
    if result.thresholds is None:
        return None
    found = np.unique(result.thresholds)
    return float(found[0]) if found.size == 1 and isfinite(found[0]) else None

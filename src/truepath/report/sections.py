"""What each part of the page shows, computed and drawn, by the names that the template uses."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from truepath.metrics import get_metric
from truepath.report import charts, curve_charts
from truepath.report.curves import trace_curves
from truepath.report.examples import choose_examples
from truepath.report.measures import RANKED, By, Measured, paired_difference
from truepath.report.profile import measure_levels
from truepath.report.run import MEASURES, Evaluated, Run

MAIN = ("hierarchical_f1", "auprc", "exact_match")  # at the top of the page

Shown = dict[str, Any]


def name_measures() -> list[tuple[str, str, bool]]:
    """Return each measure's name, label and whether greater is better."""
    return [(metric.name, metric.label, metric.greater_is_better) for metric in map(get_metric, (*MEASURES, *RANKED))]


def check_promises(run: Run) -> list[Shown]:
    """Return what was promised of label sets, and what came of it, for the methods that promise something."""
    return [_check(run, result) for result in run.results if result.promise is not None]


def _check(run: Run, result: Evaluated) -> Shown:
    """Return a promise and what came of it, and shares of rows and labels that nothing was promised about."""
    assert result.promise is not None
    true, predicted = np.diff(run.y_true.indptr), np.diff(result.y_pred.indptr)
    hits = np.asarray(run.y_true.multiply(result.y_pred).sum(axis=1)).ravel()
    return {
        "name": result.name,
        "kept": result.promise.check(run.y_true, result.y_pred, run.hierarchy),
        "rows": float((hits == true).mean()),
        "labels": float(hits.sum() / max(true.sum(), 1)),
        "sure": float((hits == predicted).mean()),
        "empty": float((predicted == 0).mean()),
    }


def find_headline(measured: By) -> Shown:
    """Find the method with the highest hierarchical F1, its main measures, and its lead over the next, if any."""
    methods = list(measured)
    order = sorted(methods, key=lambda name: -measured[name]["hierarchical_f1"].value)
    best, runner_up = measured[order[0]], order[min(1, len(order) - 1)]
    return {
        "number": methods.index(order[0]),
        "name": order[0],
        "values": best,
        "main": [(get_metric(name), best[name]) for name in MAIN if name in best],
        "runner_up": runner_up,
        "lead": paired_difference(best["hierarchical_f1"], measured[runner_up]["hierarchical_f1"]),
    }


def draw_measures(measured: By, alone: bool = True) -> list[Shown]:
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
        rows.append({"metric": metric, "values": values, "best": int(np.argmax(known)), "chart": chart})
    return rows


def _alone(measured: Measured | None) -> str:
    """Draw one value from 0 to 1; a loss above 1, where the axis ends, is shown in numbers only."""
    return "" if measured is None or max(measured.value, measured.high) > 1 else charts.whisker(measured)


def draw_method(run: Run, k: int, random_state: Any) -> Shown:
    """Gather what the page says about one method alone."""
    result = run.results[k]
    about = {"number": k, "name": result.name, "sign": charts.method_sign(k), "fit_seconds": result.fit_seconds}
    return {**about, "examples": choose_examples(run, result, random_state)}


def draw_levels(run: Run) -> Shown:
    """Measure by depth; draw the methods together, and each alone."""
    tables = [measure_levels(run, result) for result in run.results]
    together = curve_charts.levels_by_method(tables) if len(tables) > 1 else ""
    return {"together": together, "charts": [curve_charts.level_chart(levels) for levels in tables], "tables": tables}


def draw_curves(run: Run, measured: By) -> Shown | None:
    """Trace and draw every method that has scores; None without any score or any true label."""
    if run.y_true.nnz == 0 or all(result.S is None for result in run.results):
        return None
    traced = [None if r.S is None else trace_curves(run.y_true, r.S) for r in run.results]
    points = [
        (by_name["hierarchical_recall"].value, by_name["hierarchical_precision"].value) for by_name in measured.values()
    ]
    return {
        "together": curve_charts.precision_recall_chart(traced, points),
        "thresholds": [
            "" if curves is None else curve_charts.threshold_chart(curves, _single(result))
            for curves, result in zip(traced, run.results)
        ],
        "calibration": [
            "" if curves is None or curves.calibration is None else curve_charts.calibration_chart(curves.calibration)
            for curves in traced
        ],
        "n_cells": int(np.prod(run.y_true.shape)),
    }


def _single(result: Evaluated) -> float | None:
    """Return the single threshold of all labels, if there is one."""
    if result.thresholds is None:
        return None
    found = np.unique(result.thresholds)
    return float(found[0]) if found.size == 1 and isfinite(found[0]) else None

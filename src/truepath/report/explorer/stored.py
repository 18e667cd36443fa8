"""Everything the page's script works with, ready for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from truepath.files.strict_json import json_values
from truepath.hierarchy import Hierarchy
from truepath.report.explorer.optima import find_optima
from truepath.report.explorer.paired import By, pair_table
from truepath.report.explorer.rows import row_table
from truepath.report.explorer.score_counts import (
    as_coherent,
    choose_thresholds,
    count_at_thresholds,
    positions,
    score_table,
)
from truepath.report.nodes import node_table
from truepath.report.run import Evaluated, Run

__all__ = ["stored_data"]


def stored_data(run: Run, measured: Mapping[int, By], random_state: Any = 0) -> dict[str, Any]:
    """Return the labels, each method's counts and curves, the rows and the pairs of methods.

    ``measured`` has each method's measures with intervals, by depth; 0 stands for all labels.
    """
    data = node_table(run)
    for table, result in zip(data["methods"], run.results):
        table["curves"] = _curves(run, result)
    data["costs"] = [float(f"{cost:.8g}") for cost in run.hierarchy.costs]
    data["rows"] = row_table(run, random_state)
    data["pairs"] = pair_table(run, measured)
    return data


def _curves(run: Run, result: Evaluated) -> dict[str, Any] | None:
    """Return what a method's scores give at many thresholds, with the thresholds used and the best ones."""
    if result.S is None or run.y_true.nnz == 0:
        return None
    truth, hierarchy = run.y_true, run.hierarchy
    S, is_raised = as_coherent(result.S, hierarchy)
    best = find_optima(truth, S, hierarchy)
    used = None if result.thresholds is None else np.unique(result.thresholds)
    wanted = [best.f1, best.h_loss, *(used if used is not None and used.size == 1 else ())]
    grid = choose_thresholds(truth, S, np.array(wanted))
    return {
        **score_table(count_at_thresholds(truth, S, hierarchy, grid)),
        "raised": is_raised,
        "used": None if result.thresholds is None else positions(grid, _each(result.thresholds, hierarchy)),
        "best": {"f1": positions(grid, best.f1), "h_loss": positions(grid, best.h_loss)},
        "best_each": {"at": positions(grid, best.per_label), "values": json_values(best.per_label, str)},
    }


def _each(thresholds: Any, hierarchy: Hierarchy) -> Any:
    return np.broadcast_to(thresholds, (hierarchy.n_nodes,))

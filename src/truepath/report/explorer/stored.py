"""Everything the page's script works with, ready for JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from truepath.decoders import MultiThreshold, SingleThreshold
from truepath.files.strict_json import json_values
from truepath.report.explorer.paired import pair_table
from truepath.report.explorer.rows import row_table
from truepath.report.explorer.score_counts import (
    as_coherent,
    choose_thresholds,
    count_at_thresholds,
    positions,
    score_table,
)
from truepath.report.measures import By
from truepath.report.nodes import node_table
from truepath.report.run import Evaluated, Run


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
    """Return what a method's scores give at many thresholds, with the thresholds used and the best on these rows."""
    if result.S is None or run.y_true.nnz == 0:
        return None
    truth, hierarchy = run.y_true, run.hierarchy
    S, is_raised = as_coherent(result.S, hierarchy)
    names = {"f1": "micro_f1", "h_loss": "h_loss"}
    best = {key: SingleThreshold(name, hierarchy=hierarchy).fit(S, truth).threshold_ for key, name in names.items()}
    best_each = np.asarray(MultiThreshold("micro_f1", hierarchy=hierarchy).fit(S, truth).thresholds_, np.float64)
    used = None if result.thresholds is None else np.broadcast_to(result.thresholds, (hierarchy.n_nodes,))
    wanted = [*best.values(), *(used[:1] if used is not None and (used == used[0]).all() else ())]
    grid = choose_thresholds(truth, S, np.array(wanted))
    return {
        **score_table(count_at_thresholds(truth, S, hierarchy, grid)),
        "raised": is_raised,
        "used": None if used is None else positions(grid, used),
        "best": {key: positions(grid, threshold) for key, threshold in best.items()},
        "best_each": {"at": positions(grid, best_each), "values": json_values(best_each, str)},
    }

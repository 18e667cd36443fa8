"""The measures at each depth: as if the labels of that depth were all there are."""

from __future__ import annotations

from typing import Any

from truepath.hierarchy import Hierarchy
from truepath.metrics.inputs import take_columns
from truepath.report.measures import Measured, draw_intervals
from truepath.report.run import Evaluated, Run

#: The depth that stands for all labels
ALL = 0
#: Depend on what is above a label, or on the whole hierarchy
NOT_OF_ONE_DEPTH = ("h_loss", "hmc_loss")


def draw_depths(run: Run, random_state: Any = 0) -> dict[int, dict[str, dict[str, Measured]]]:
    """Return depth -> method -> measure -> value with interval; depth 0 counts all labels."""
    found = {ALL: draw_intervals(run, random_state)}
    depths = range(1, run.hierarchy.height + 1) if run.hierarchy.height > 1 else ()
    for depth in depths:
        drawn = draw_intervals(run_of_depth(run, depth), random_state)
        found[depth] = {
            method: {name: value for name, value in of_method.items() if name not in NOT_OF_ONE_DEPTH}
            for method, of_method in drawn.items()
        }
    return found


def run_of_depth(run: Run, depth: int) -> Run:
    """Return the same rows and methods with the labels of one depth only, which are a flat list."""
    nodes = run.hierarchy.levels[depth - 1]
    flat = Hierarchy.flat([str(run.hierarchy.names[v]) for v in nodes])
    results = [
        Evaluated(r.name, take_columns(r.y_pred, nodes), None if r.S is None else take_columns(r.S, nodes))
        for r in run.results
    ]
    return Run(flat, take_columns(run.y_true, nodes), results)

"""The data in a few numbers and three histograms, and the results level by level."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.hierarchy.propagation import drop_ancestors
from truepath.metrics import hierarchical_precision_recall_f1
from truepath.report.nodes import count_labels
from truepath.report.run import Evaluated, Run

FREQUENCY_STEPS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000)
MOST_BARS = 12


class Bars(NamedTuple):
    """A histogram: one text and one count per bar; a text may belong to the left edge of a bar instead of the bar."""

    texts: list[str]
    counts: list[int]
    at_edges: bool = False
    sizes: list[tuple[int, int]] | None = None  # for bars that count rows: how many labels theirs have, from and to


class Level(NamedTuple):
    """One depth of the hierarchy: its labels, their true cells in the test rows, and a method's three ratios."""

    depth: int
    n_labels: int
    n_true: int
    n_missed: int
    n_wrong: int
    precision: float
    recall: float
    f1: float


def describe_data(run: Run) -> dict[str, Any]:
    """Count what is in the test rows, the hierarchy and, where given, the training rows."""
    hierarchy, Y = run.hierarchy, run.y_true
    per_row = np.diff(Y.indptr)
    specific = drop_ancestors(Y, hierarchy)
    inner = specific[:, np.flatnonzero(~hierarchy.is_leaf)].sum(axis=1) > 0
    kind = ("flat list" if hierarchy.n_edges == 0 else "tree") if hierarchy.is_tree else "DAG"
    facts = [
        ("test rows", f"{run.n_samples:,}"),
        ("labels", f"{hierarchy.n_nodes:,} ({len(hierarchy.leaves):,} leaves)"),
        ("hierarchy", f"{kind} of depth {hierarchy.height}"),
        ("labels per row", f"{per_row.mean():.1f} with ancestors, {specific.nnz / run.n_samples:.1f} without"),
        ("partial paths", f"{100 * inner.mean():.0f} % of the rows stop above a leaf"),
        ("labels without a test row", f"{hierarchy.n_nodes - np.unique(Y.indices).size:,}"),
    ]
    if run.y_train is not None:
        facts.insert(1, ("training rows", f"{run.y_train.shape[0]:,}"))
    counted = Y if run.y_train is None else run.y_train
    support = np.bincount(counted.indices, minlength=hierarchy.n_nodes)
    return {
        "facts": facts + _described(run),
        "frequency": _frequencies(support),
        "counted": "test rows" if run.y_train is None else "training rows",
        "per_row": _lengths(per_row),
        "per_depth": Bars([str(d + 1) for d in range(hierarchy.height)], [len(level) for level in hierarchy.levels]),
    }


def _described(run: Run) -> list[tuple[str, str]]:
    """Take from the data set's own description what the matrices here do not show."""
    if run.description is None:
        return []
    described = dict(run.description.rows())
    return [(what, described[what]) for what in ("data set", "rows", "features", "missing values") if what in described]


def _frequencies(support: NDArray[Any]) -> Bars:
    """Count labels by how many rows have them, in steps of 1, 2, 5."""
    top = next((k for k, step in enumerate(FREQUENCY_STEPS) if step > support.max()), len(FREQUENCY_STEPS))
    starts = FREQUENCY_STEPS[:top]
    place = np.searchsorted(starts, support, side="right") - 1
    texts = [f"{start // 1000}k" if start >= 1000 else str(start) for start in starts]
    return Bars(texts, np.bincount(place, minlength=top).tolist(), at_edges=True)


def _lengths(per_row: NDArray[Any]) -> Bars:
    """Count rows by number of labels, in steps wide enough to need at most a dozen bars."""
    top = int(per_row.max())
    step = max(1, -(-(top + 1) // MOST_BARS))
    counts = np.bincount(per_row // step)
    sizes = [(k * step, (k + 1) * step - 1) for k in range(counts.size)]
    return Bars([str(k * step) for k in range(counts.size)], counts.tolist(), at_edges=step > 1, sizes=sizes)


def measure_levels(run: Run, result: Evaluated) -> list[Level]:
    """Return precision, recall and F1 at each depth; NaN where nothing is predicted or nothing is true."""
    hierarchy = run.hierarchy
    ratios = hierarchical_precision_recall_f1(
        run.y_true, result.y_pred, hierarchy, average="per_level", zero_division=np.nan
    )
    support, hits, predicted = count_labels(run, result)
    counts = (support, support - hits, predicted - hits)
    return [
        Level(d + 1, len(level), *(int(c[level].sum()) for c in counts), *(float(values[d]) for values in ratios))
        for d, level in enumerate(hierarchy.levels)
    ]

"""The hierarchy as the page's script draws it: one tree, and each method's counts beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.files.strict_json import json_values
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.names import short_name
from truepath.report.run import Evaluated, Run

N_MISTAKEN = 12


def drawn_parents(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the parent each node is drawn under, its first; -1 for the top."""
    first = np.full(hierarchy.n_nodes, -1, np.int64)
    has_parent = np.diff(hierarchy.parent_ptr) > 0
    first[has_parent] = hierarchy.parent_idx[hierarchy.parent_ptr[:-1][has_parent]]
    return first


def short_names(hierarchy: Hierarchy) -> list[str]:
    """Return each node's name without that of the parent it is drawn under."""
    return [short_name(hierarchy, v, [] if u < 0 else [u]) for v, u in enumerate(drawn_parents(hierarchy).tolist())]


def node_table(run: Run) -> dict[str, Any]:
    """Return plain lists, one entry per node, ready for JSON."""
    hierarchy = run.hierarchy
    n_nodes = hierarchy.n_nodes
    several = np.flatnonzero(np.diff(hierarchy.parent_ptr) > 1).tolist()
    train = None if run.y_train is None else np.bincount(run.y_train.indices, minlength=n_nodes).tolist()
    return {
        "n_samples": run.n_samples,
        "full": [hierarchy.label(v) for v in range(n_nodes)],
        "names": [str(name) for name in hierarchy.names] if hierarchy.titles else None,
        "short": short_names(hierarchy),
        "parent": drawn_parents(hierarchy).tolist(),
        "others": {str(v): hierarchy.parents(v)[1:].tolist() for v in several},
        "depth": hierarchy.depth.tolist(),
        "support": np.bincount(run.y_true.indices, minlength=n_nodes).tolist(),
        "train": train,
        "methods": [_method_table(run, result) for result in run.results],
    }


def _method_table(run: Run, result: Evaluated) -> dict[str, Any]:
    """Return a method's right and predicted rows per node, and its thresholds to the last digit, infinity as text."""
    thresholds = None if result.thresholds is None else json_values(np.asarray(result.thresholds, np.float64), str)
    _, hits, predicted = count_labels(run, result)
    counts = {"hits": hits.tolist(), "predicted": predicted.tolist()}
    return {"name": result.name, **counts, "thresholds": thresholds, "h_loss": run.measures[result.name]["h_loss"]}


def count_labels(run: Run, result: Evaluated) -> list[NDArray[np.int64]]:
    """Count true, right and predicted rows per node."""
    hits = run.y_true.multiply(result.y_pred).tocsr()
    hits.eliminate_zeros()
    return [np.bincount(Y.indices, minlength=run.hierarchy.n_nodes) for Y in (run.y_true, hits, result.y_pred)]


def most_mistaken(run: Run, result: Evaluated) -> list[dict[str, Any]]:
    """Return the labels with the most missed and wrongly predicted rows."""
    support, hits, predicted = count_labels(run, result)
    missed, wrong = support - hits, predicted - hits
    order = np.argsort(-(missed + wrong), kind="stable")[:N_MISTAKEN]
    return [
        {
            "name": run.hierarchy.label(int(v)),
            "support": int(support[v]),
            "missed": int(missed[v]),
            "wrong": int(wrong[v]),
            "f1": float(2 * hits[v] / max(support[v] + predicted[v], 1)),
        }
        for v in order
        if missed[v] + wrong[v] > 0
    ]

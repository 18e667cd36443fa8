"""Linear local classifiers in an export graph: margins, and the sigmoid or softmax that makes probabilities of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit

from truepath.adapters.capabilities import reach
from truepath.adapters.exporting import export_steps
from truepath.adapters.fitting import class_scores
from truepath.errors import CapabilityError
from truepath.graph import Graph
from truepath.hierarchy.matrices import as_dense


def export_classes(graph: Graph, model: Any, rows: Any, n_classes: int) -> str:
    """Add the scores of the classes 0 .. n_classes - 1 of a linear classifier, float64."""
    found = reach(model)
    member = found.member
    rows = graph.double(export_steps(graph, found.steps, rows))
    if len(member.classes_) == 1:
        is_gap = graph.double(graph.add("IsNaN", graph.columns(rows, [0])))  # one number per row
        nothing = graph.add("Mul", is_gap, graph.constant(0.0))
        return graph.add("Add", nothing, graph.constant(np.eye(n_classes)[member.classes_]))
    weights, intercept = as_dense(member.coef_).T, np.broadcast_to(member.intercept_, len(member.coef_))
    z = graph.add("MatMul", rows, graph.constant(weights, float))
    z = graph.add("Add", z, graph.constant(intercept[None, :], float))
    if weights.shape[1] > 1:
        return place_columns(graph, graph.add("Softmax", z, axis=1), member.classes_, n_classes)
    _check_sigmoid(member)
    p = graph.add("Sigmoid", z)
    both = graph.add("Concat", graph.add("Sub", graph.constant(1.0), p), p, axis=1)
    return place_columns(graph, both, member.classes_, n_classes)


def _check_sigmoid(member: Any) -> None:
    """Refuse a classifier whose probabilities are another function of its margin."""
    w, b = as_dense(member.coef_)[0], float(np.ravel(member.intercept_)[0])
    some = np.outer(np.array([-2.0, -0.5, 0.5, 2.0]) - b, w / max(float(w @ w), np.finfo(float).tiny))  # these margins
    own = class_scores(member, some, int(max(member.classes_)) + 1)[:, member.classes_[1]]
    if not np.allclose(own, expit(member.decision_function(some)), atol=1e-12, rtol=0):
        raise CapabilityError(
            f"{type(member).__name__} cannot be exported to ONNX: its probabilities are not the sigmoid of its margin.",
            "export",
            ("LogisticRegression", "LinearSVC"),
        )


def place_columns(graph: Graph, values: str, at: Any, n_columns: int) -> str:
    """Put columns at their places among ``n_columns``, zeros elsewhere."""
    order = np.full(n_columns, len(at))
    order[np.asarray(at)] = np.arange(len(at))
    if (order == len(at)).any():
        values = graph.add("Pad", values, graph.constant([0, 0, 0, 1], np.int64), graph.number(0.0, values))
    return graph.columns(values, order)

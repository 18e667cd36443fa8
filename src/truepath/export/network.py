"""Ensembles of networks: columns on one scale, then all members at once, in single precision as our own."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from truepath.errors import TruePathError
from truepath.export.graph import Graph
from truepath.export.walks import raise_columns
from truepath.learners.network.inputs import FARTHEST_INPUT
from truepath.learners.network.layers import FARTHEST_LOGIT

__all__ = ["network_scores"]


def network_scores(graph: Graph, learner: Any, features: str) -> str:
    """Return the scores of a :class:`~truepath.learners.CoherentNetwork`."""
    hierarchy = learner.hierarchy_
    up = hierarchy.parent_ptr, hierarchy.parent_idx
    if learner.project not in ("max-up", None):
        raise TruePathError(
            f"networks made coherent by {learner.project!r} cannot be exported to ONNX.",
            "Fit it with project='max-up'.",
        )
    x = graph.cast(_inputs(graph, learner.inputs_, features), "FLOAT")
    total, n_members = None, learner.weights_[0].shape[0]
    for e in range(n_members):
        own = _member(graph, [(W[e], b[e]) for W, b in zip(learner.weights_, learner.biases_)], x)
        own = raise_columns(graph, own, *up) if learner.loss == "constraint" else own
        total = own if total is None else graph.add("Add", total, own)
    assert total is not None
    scores = graph.add("Div", total, graph.constant(n_members, np.float32))
    is_constant = np.isfinite(learner.constant_)
    if is_constant.any():
        known = graph.constant(np.where(is_constant, learner.constant_, 0.0)[None, :], np.float32)
        scores = graph.add("Where", graph.constant(is_constant[None, :]), known, scores)
    return graph.cast(raise_columns(graph, scores, *up) if learner.project else scores, "DOUBLE")


def _member(graph: Graph, layers: list[tuple[np.ndarray, np.ndarray]], x: str) -> str:
    for k, (W, b) in enumerate(layers):
        x = graph.add("Add", graph.add("MatMul", x, graph.constant(W)), graph.constant(b))
        x = graph.add("Relu", x) if k + 1 < len(layers) else x
    bounds = graph.constant(-FARTHEST_LOGIT, np.float32), graph.constant(FARTHEST_LOGIT, np.float32)
    return graph.add("Sigmoid", graph.add("Clip", x, *bounds))


def _inputs(graph: Graph, inputs: Any, features: str) -> str:
    """Scale the columns, fill and mark gaps, encode piecewise."""
    if inputs.is_sparse:
        return features
    if not (inputs.scaler is None or isinstance(inputs.scaler, StandardScaler)):
        raise TruePathError("networks with normalize='quantile' cannot be exported to ONNX.", "Take 'standard'.")
    is_gap = graph.add("IsNaN", features)
    scaled = features
    if inputs.scaler is not None:
        scaled = graph.add("Sub", features, graph.constant(inputs.scaler.mean_, float))
        scaled = graph.add("Div", scaled, graph.constant(inputs.scaler.scale_, float))
    x = graph.add("Where", is_gap, graph.constant(0.0), scaled)
    if inputs.with_gaps.size:
        marks = graph.cast(graph.columns(graph.cast(is_gap, "INT64"), inputs.with_gaps), "DOUBLE")
        x = graph.add("Concat", x, marks, axis=1)
    if inputs.pieces is not None:
        x = graph.add("Sub", graph.columns(x, inputs.pieces.column), graph.constant(inputs.pieces.start, float))
        x = graph.add("Div", x, graph.constant(inputs.pieces.length, float))
        x = graph.add("Clip", x, graph.constant(0.0), graph.constant(1.0))
    return graph.add("Clip", x, graph.constant(-FARTHEST_INPUT), graph.constant(FARTHEST_INPUT))

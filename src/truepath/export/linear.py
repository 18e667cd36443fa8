"""Linear models: one product with the weights of all labels, then the hierarchy."""

from __future__ import annotations

from typing import Any

from truepath.export.graph import Graph
from truepath.export.walks import under_parents

__all__ = ["linear_scores"]


def linear_scores(graph: Graph, learner: Any, features: str) -> str:
    """Return the scores of a :class:`~truepath.learners.SparseLinear`, one column per label."""
    weights = graph.cast(graph.constant(learner._weights.toarray()), "DOUBLE")
    z = graph.add("Add", graph.add("MatMul", features, weights), graph.constant(learner._intercepts, float))
    if learner.loss_ == "log":
        own = graph.add("Sigmoid", z)
    else:  # exp(-loss) of a squared hinge
        gap = graph.add("Max", graph.add("Sub", graph.constant(1.0), z), graph.constant(0.0))
        own = graph.add("Exp", graph.add("Neg", graph.add("Mul", gap, gap)))
    parent_ptr, parent_idx, _ = learner._graph
    scores = under_parents(graph, own, parent_ptr, parent_idx, learner.train_on_ == "parents")
    return graph.columns(scores, learner._columns())

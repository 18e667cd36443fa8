"""Members written into an export graph: down pipelines and searches, with the steps before a learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from truepath.adapters.capabilities import ask, reach
from truepath.graph import Graph
from truepath.graph.transformers import export_transformer

#: The name of an input that is a whole matrix
FEATURES = "features"
#: The name of an input that is one text per row
TEXT = "text"


def export_inputs(graph: Graph, estimator: Any) -> Any:
    """Add the inputs of a model; return them as its first step takes them.

    A first step or a learner with ``export_inputs(graph)``, such as one that takes texts, adds its own. Vectorizers
    take texts, and all others a matrix of numbers.
    """
    found = reach(estimator)
    first = found.steps[0] if found.steps else found.member
    if hasattr(first, "export_inputs"):
        return first.export_inputs(graph)
    if not hasattr(first, "n_features_in_"):  # scikit-learn's vectorizers of texts
        return graph.input_column(TEXT, "STRING", TEXT)
    return graph.input_matrix(FEATURES, int(first.n_features_in_))


def export_steps(graph: Graph, steps: Sequence[Any], rows: Any) -> Any:
    """Add fitted transformers, one after the other; return what they make of the rows."""
    for step in steps:
        rows = export_transformer(graph, step, rows)
    return rows


def export_scores(graph: Graph, estimator: Any, rows: Any) -> str:
    """Add a learner with the steps before it; return the name of its scores, or refuse by ``CapabilityError``."""
    found = ask(estimator, "export")
    return str(found.member.export_scores(graph, export_steps(graph, found.steps, rows)))

"""The steps before a learner: numbers imputed and scaled inside the graph; for all else it starts at the features."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from truepath.errors import TruePathError
from truepath.export.graph import Graph
from truepath.preprocessing import AutoFeatures
from truepath.preprocessing.column_kinds import NUMBER

__all__ = ["add_steps", "split_steps"]


def split_steps(learner: Any) -> tuple[list[Any], Any]:
    """Return the transformers before a learner, and the learner."""
    if not isinstance(learner, Pipeline):
        return [], learner
    steps = [step for _, step in learner.steps if step not in (None, "passthrough")]
    before, last = steps[:-1], steps[-1]
    inside, last = split_steps(last)
    return [*before, *inside], last


def add_steps(graph: Graph, steps: list[Any], rows: str) -> str:
    """Add transformers of numbers to the graph; return what they make of the rows."""
    for step in steps:
        rows = _add_step(graph, step, rows)
    return rows


def _add_step(graph: Graph, step: Any, rows: str) -> str:
    if isinstance(step, Pipeline):
        return add_steps(graph, [inner for _, inner in step.steps], rows)
    if isinstance(step, AutoFeatures):
        return _add_numbers(graph, step, rows)
    if isinstance(step, StandardScaler):
        rows = graph.add("Sub", rows, graph.constant(step.mean_, float)) if step.with_mean else rows
        return graph.add("Div", rows, graph.constant(step.scale_, float)) if step.with_std else rows
    if isinstance(step, SimpleImputer) and _fills_gaps(step):
        return graph.add("Where", graph.add("IsNaN", rows), graph.constant(step.statistics_, float), rows)
    if isinstance(step, FunctionTransformer) and step.func is None:
        return rows
    raise _refusal(f"the step {type(step).__name__}")


def _fills_gaps(imputer: SimpleImputer) -> bool:
    """Say whether an imputer puts one number per column in place of NaN, and does nothing else."""
    fills = isinstance(imputer.missing_values, float) and np.isnan(imputer.missing_values)
    fillers = np.asarray(imputer.statistics_)
    return bool(fills and not imputer.add_indicator and fillers.dtype.kind == "f" and np.isfinite(fillers).all())


def _add_numbers(graph: Graph, features: AutoFeatures, rows: str) -> str:
    """Add the steps of a table of numbers."""
    other = sorted({kind for kind, _, _ in features.blocks_ if kind != NUMBER})
    if other:
        raise _refusal(f"AutoFeatures of {' and '.join(other)} columns")
    _, keys, transformer = features.blocks_[0]
    names = list(getattr(features, "feature_names_in_", ()))
    places = [names.index(key) if key in names else key for key in keys]
    rows = rows if places == list(range(features.n_features_in_)) else graph.columns(rows, places)
    return _add_step(graph, transformer, rows)


def _refusal(what: str) -> TruePathError:
    return TruePathError(
        f"{what} cannot be exported to ONNX.",
        "Take from_features=True (--from-features): the graph then starts at the matrix that the last step gets, "
        "model.learner_[:-1].transform(X) in Python.",
    )

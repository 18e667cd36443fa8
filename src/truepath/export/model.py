"""A fitted model as an ONNX graph: features in, scores and closed label sets out.

Names of labels, edges of the hierarchy, thresholds and versions are in the file's metadata.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from truepath import __version__
from truepath.classifier import HierarchicalClassifier
from truepath.combiners import MaxUp
from truepath.decoders.thresholds.threshold import ThresholdDecoder
from truepath.errors import TruePathError
from truepath.export.features import add_steps, split_steps
from truepath.export.forest import forest_scores
from truepath.export.graph import Graph
from truepath.export.linear import linear_scores
from truepath.export.network import network_scores
from truepath.export.walks import raise_columns
from truepath.hierarchy import Hierarchy
from truepath.learners import CoherentNetwork, PCTForest, PCTree, SparseLinear
from truepath.learners.base import HALF

__all__ = ["INPUT", "LABELS", "SCORES", "to_onnx"]

#: Names of the graph's input and outputs
INPUT, SCORES, LABELS = "features", "scores", "labels"
#: Operator sets: the oldest with all that is needed, so that older runtimes can read the file
OPSETS = {"": 18, "ai.onnx.ml": 3}
IR_VERSION = 8

#: How the scores of each learner are made
WRITERS: dict[type, Callable[[Graph, Any, str], str]] = {
    SparseLinear: linear_scores,
    PCTForest: forest_scores,
    PCTree: forest_scores,
    CoherentNetwork: network_scores,
}


def to_onnx(model: Any, path: str | PathLike[str] | None = None, *, from_features: bool = False) -> Any:
    """Return a fitted model as an ONNX graph, with its thresholds and its hierarchy inside.

    Parameters
    ----------
    model : HierarchicalClassifier or learner, fitted
        Linear (:class:`~truepath.learners.SparseLinear`), trees and forests (:class:`~truepath.learners.PCTree`,
        :class:`~truepath.learners.PCTForest`) and networks (:class:`~truepath.learners.CoherentNetwork`), alone or as
        the learner of a classifier with thresholds (``"single"``, ``"multi"``, ``"threshold"``).
    path : str or path, optional
        A file to write as well.
    from_features : bool, default=False
        Start at the matrix that the learner itself gets, leaving out the steps before it, such as TF-IDF weights of
        texts. False takes rows as the model does, which must be numbers.

    Returns
    -------
    onnx.ModelProto
        Input ``features`` (float64, rows x columns, NaN where missing); outputs ``scores`` (float64) and ``labels``
        (bool), rows x labels. The metadata hold ``labels``, ``edges``, ``thresholds``, ``columns`` and
        ``truepath_version``, the first four as JSON.

    Notes
    -----
    Scores of trees and forests are those of the model to the bit, of linear models and networks to rounding: within
    1e-12 and 1e-5. A label is set where its score is above its threshold; ancestors are added.

    Examples
    --------
    >>> from truepath import HierarchicalClassifier, load_dataset
    >>> from truepath.export import to_onnx
    >>> from truepath.learners import PCTForest
    >>> ds = load_dataset("toy")
    >>> model = HierarchicalClassifier(PCTForest(n_estimators=2), hierarchy=ds.hierarchy).fit(ds.train.X, ds.train.y)
    >>> [output.name for output in to_onnx(model).graph.output]
    ['scores', 'labels']
    """
    learner, thresholds, raises = _parts(model)
    steps, learner = split_steps(learner)
    writer = next((write for kind, write in WRITERS.items() if isinstance(learner, kind)), None)
    if writer is None:
        known = ", ".join(kind.__name__ for kind in WRITERS)
        raise TruePathError(
            f"{type(learner).__name__} cannot be exported to ONNX.", f"Fit one of {known}, or use truepath serve."
        )
    check_is_fitted(learner)
    graph, hierarchy = Graph(), learner.hierarchy_
    steps = [] if from_features else steps
    scores = writer(graph, learner, add_steps(graph, steps, INPUT))
    if raises:
        scores = raise_columns(graph, scores, hierarchy.parent_ptr, hierarchy.parent_idx)
    graph.add("Identity", scores, output=SCORES)
    _add_labels(graph, hierarchy, thresholds)
    first = steps[0] if steps else learner
    columns = getattr(first, "feature_names_in_", None)
    made = _finish(graph, first.n_features_in_, hierarchy, thresholds, None if columns is None else list(columns))
    if path is not None:
        graph.onnx.save(made, str(path))
    return made


def _parts(model: Any) -> tuple[Any, np.ndarray, bool]:
    """Return the learner, one threshold per label, and whether scores are raised to those of descendants."""
    if not isinstance(model, HierarchicalClassifier):
        final = split_steps(model)[1]
        check_is_fitted(final)
        n_nodes = getattr(getattr(final, "hierarchy_", None), "n_nodes", 0)
        return model, np.full(n_nodes, HALF), False
    check_is_fitted(model, "learner_")
    for what, part in (("combiner", model.combiner_), ("calibrator", model.calibrator_)):
        if part is not None and not isinstance(part, MaxUp):
            raise TruePathError(
                f"a model with the {what} {type(part).__name__} cannot be exported to ONNX.", "Fit one without it."
            )
    if not isinstance(model.decoder_, ThresholdDecoder):
        name = "own predict of its learner" if model.decoder_ is None else type(model.decoder_).__name__
        raise TruePathError(
            f"a model that decides by {name} cannot be exported to ONNX.",
            "Fit it with thresholds: decoder='single', 'multi' or 'threshold'.",
        )
    thresholds = np.asarray(model.decoder_._thresholds(model.hierarchy_), np.float64)
    return model.learner_, thresholds, model.combiner_ is not None


def _add_labels(graph: Graph, hierarchy: Hierarchy, thresholds: np.ndarray) -> None:
    """Set the labels whose score is above their threshold, and all above them."""
    passed = graph.cast(graph.add("Greater", SCORES, graph.constant(thresholds[None, :])), "DOUBLE")
    closed = raise_columns(graph, passed, hierarchy.parent_ptr, hierarchy.parent_idx)
    graph.add("Cast", closed, to=graph.onnx.TensorProto.BOOL, output=LABELS)


def _finish(graph: Graph, n_features: int, hierarchy: Hierarchy, thresholds: np.ndarray, columns: Any) -> Any:
    """Return the checked model with its metadata."""
    helper, kinds = graph.onnx.helper, graph.onnx.TensorProto
    inputs = [helper.make_tensor_value_info(INPUT, kinds.DOUBLE, ["rows", int(n_features)])]
    shape = ["rows", hierarchy.n_nodes]
    outputs = [helper.make_tensor_value_info(SCORES, kinds.DOUBLE, shape)]
    outputs.append(helper.make_tensor_value_info(LABELS, kinds.BOOL, shape))
    made = helper.make_graph(graph.nodes, "truepath", inputs, outputs, graph.constants)
    opsets = [helper.make_opsetid(domain, version) for domain, version in OPSETS.items()]
    model = helper.make_model(made, opset_imports=opsets, producer_name="truepath", producer_version=__version__)
    model.ir_version = IR_VERSION
    said = {
        "labels": hierarchy.names.tolist(),
        "edges": hierarchy.edges.tolist(),
        "thresholds": thresholds.tolist(),
        "columns": columns,
    }
    metadata = {name: json.dumps(value, ensure_ascii=False, default=str) for name, value in said.items()}
    helper.set_model_props(model, {**metadata, "truepath_version": __version__})
    graph.onnx.checker.check_model(model)
    return model

"""A fitted model as an ONNX graph: rows in, scores and closed label sets out.

Every part writes itself: transformers their features, learners and combiners their scores, decoders the label sets.
Here the graph is begun and finished. Names of labels, edges of the hierarchy, thresholds, columns and versions are in
the file's metadata.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from os import PathLike
from typing import Any

import sklearn
from sklearn.utils.validation import check_is_fitted

from truepath import __version__
from truepath.adapters.capabilities import Reached, ask, reach
from truepath.adapters.exporting import export_inputs, export_steps
from truepath.classifier.exporting import export_decision
from truepath.files.strict_json import dump_json
from truepath.files.writing import open_atomically
from truepath.graph import Graph
from truepath.hierarchy import Hierarchy
from truepath.learners.base import HALF

#: Names of the graph's outputs
SCORES, LABELS = "scores", "labels"
#: Operator sets: the oldest with all that is needed, so that older runtimes can read the file
OPSETS = {"": 18, "ai.onnx.ml": 3, "com.microsoft": 1}
IR_VERSION = 8


def to_onnx(model: Any, path: str | PathLike[str] | None = None, *, from_features: bool = False) -> Any:
    """Return a fitted model as an ONNX graph, with its features, thresholds and hierarchy inside.

    Parameters
    ----------
    model : HierarchicalClassifier or learner, fitted
        The default models of texts, tables, embeddings and mixed frames can be exported, and whatever else is made of
        members that offer it: see :ref:`capabilities`.
    path : str or path, optional
        A file to write as well.
    from_features : bool, default=False
        Start at the matrix that the learner itself gets, leaving out the steps before it.

    Returns
    -------
    onnx.ModelProto
        Its inputs are what the model takes: ``text`` (strings, one per row), ``features`` (float64, rows x columns, NaN
        where missing), or one input per column of a table with columns of several kinds: strings for texts and
        categories ("" where missing), float64 for numbers and, as days since 1970, for dates. Outputs are ``scores``
        (float64) and ``labels`` (bool), rows x labels. The metadata hold ``labels``, ``edges``, ``thresholds``,
        ``columns`` and ``inputs`` as JSON, and ``truepath_version`` and ``sklearn_version``.

    Raises
    ------
    CapabilityError
        If a part of the model cannot be exported; it names the parts that can.

    Notes
    -----
    Scores of trees and forests are those of the model to the bit; of linear models, kernels and networks to rounding,
    in float64 or, where the model itself rounds to float32, within 1e-6.

    Examples
    --------
    >>> from truepath import HierarchicalClassifier
    >>> from truepath.export import to_onnx
    >>> texts = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"]
    >>> labels = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3]
    >>> graph = to_onnx(HierarchicalClassifier().fit(texts, labels)).graph
    >>> [value.name for value in (*graph.input, *graph.output)]
    ['text', 'scores', 'labels']
    """
    model = _without_steps(model) if from_features else model
    found = ask(model, "export")
    check_is_fitted(found.member)
    graph = Graph()
    rows = export_steps(graph, found.steps, export_inputs(graph, model))
    scores = graph.double(found.member.export_scores(graph, rows))
    graph.add("Identity", scores, output=SCORES)
    graph.add("Identity", _labels(graph, found), output=LABELS)
    made = _finish(graph, found)
    if path is not None:
        with open_atomically(path) as file:
            file.write(made.SerializeToString())
    return made


def _without_steps(model: Any) -> Any:
    """Return a model that begins at the matrix its learner gets."""
    member = reach(model).member
    if not hasattr(member, "learner_"):
        return member
    bare, found = copy(member), reach(member.learner_)
    names = found.names(member.fitted_on_.columns)
    bare.learner_ = found.member
    bare.fitted_on_ = replace(member.fitted_on_, columns=() if names is None else tuple(map(str, names)))
    return bare


def _labels(graph: Graph, found: Reached) -> str:
    if hasattr(found.member, "export_labels"):
        return str(found.member.export_labels(graph, SCORES))
    return export_decision(graph, None, found.member, found.member.hierarchy_, SCORES)


def _finish(graph: Graph, found: Reached) -> Any:
    """Return the checked model with its metadata."""
    helper, kinds, hierarchy = graph.onnx.helper, graph.onnx.TensorProto, found.member.hierarchy_
    shape = ["rows", hierarchy.n_nodes]
    outputs = [helper.make_tensor_value_info(SCORES, kinds.DOUBLE, shape)]
    outputs.append(helper.make_tensor_value_info(LABELS, kinds.BOOL, shape))
    made = helper.make_graph(graph.nodes, "truepath", graph.inputs, outputs, graph.constants)
    used = {"": OPSETS[""], **{domain: OPSETS[domain] for domain in sorted(graph.domains)}}
    opsets = [helper.make_opsetid(domain, version) for domain, version in used.items()]
    model = helper.make_model(made, opset_imports=opsets, producer_name="truepath", producer_version=__version__)
    model.ir_version = IR_VERSION
    helper.set_model_props(model, _metadata(graph, found, hierarchy))
    graph.onnx.checker.check_model(model)
    return model


def _metadata(graph: Graph, found: Reached, hierarchy: Hierarchy) -> dict[str, str]:
    """Return what the file says about itself."""
    decoder = getattr(found.member, "decoder_", None)
    usual = [HALF] * hierarchy.n_nodes if decoder is None else None
    thresholds = getattr(decoder, "thresholds_", None)
    first = found.steps[0] if found.steps else found.member
    names = getattr(first, "feature_names_in_", None)
    inputs = graph.columns_in
    texts = getattr(getattr(found.member, "fitted_on_", None), "texts", ()) if inputs else ()
    if texts:  # one input, of one column or of several with a line break between them
        inputs = {name: (" + ".join(texts), kind) for name, (_, kind) in inputs.items()}
    columns = list(texts) or graph.matrix_columns or [column for column, _ in inputs.values()] or names
    said = {
        "labels": hierarchy.names.tolist(),
        "edges": hierarchy.edges.tolist(),
        "thresholds": usual if thresholds is None else thresholds.tolist(),
        "columns": None if columns is None else [str(column) for column in columns],
        "inputs": [{"name": n, "column": column, "holds": kind} for n, (column, kind) in inputs.items()],
    }
    written = {name: dump_json(value, str, ensure_ascii=False) for name, value in said.items()}
    return {**written, "truepath_version": __version__, "sklearn_version": sklearn.__version__}

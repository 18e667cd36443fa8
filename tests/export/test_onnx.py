"""ONNX files say what the model says: the same scores, the same label sets, or a refusal that names the way out."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from commands import refusal_of, run_command
from truepath import HierarchicalClassifier, Hierarchy, __version__
from truepath.data import make_hmc
from truepath.errors import MissingExtraError, TruePathError
from truepath.hierarchy.matrices import as_dense
from truepath.learners import CoherentNetwork, PCTForest, PCTree, SparseLinear
from truepath.learners.network.backend import has_torch
from truepath.preprocessing import AutoFeatures

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

from truepath.export import to_onnx  # noqa: E402 - only where onnx is
from truepath.export.graph import Graph  # noqa: E402
from truepath.export.model import _add_labels, _finish  # noqa: E402

NEEDS_TORCH = pytest.mark.skipif(not has_torch(), reason="PyTorch is not installed")


def make_rows(n_rows, dag=False, missing=0.0):
    """Return rows and their labels, of a tree or a DAG."""
    ds = make_hmc(n_rows, 8, 30, dag=dag, random_state=0).merge()
    X = np.array(ds["all"].X, float)
    X[np.random.default_rng(0).random(X.shape) < missing] = np.nan
    return X, ds["all"].y, ds.hierarchy


def ask(made, X):
    """Return the scores and labels of a graph."""
    session = runtime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(["scores", "labels"], {"features": X})


def check_same(model, X, made=None, atol=1e-12, rows=None):
    """Compare a graph with its model."""
    scores, labels = ask(to_onnx(model) if made is None else made, X)
    given = X if rows is None else rows
    np.testing.assert_allclose(scores, model.predict_proba(given), atol=atol, rtol=0)
    np.testing.assert_array_equal(labels, as_dense(model.predict(given)))
    assert labels.any()


FOREST = PCTForest(n_estimators=3, random_state=0)
NETWORK = {"hidden_layer_sizes": (8,), "n_estimators": 2, "n_epochs": 2}
#: A learner, the share of missing values, and how far scores may be off
KINDS = {
    "forest": (FOREST, 0.0, 0.0),
    "tree": (PCTree(), 0.0, 0.0),
    "random cuts": (PCTForest(n_estimators=3, splitter="random", random_state=0), 0.0, 0.0),
    "missing values": (PCTForest(n_estimators=3, missing="learned", random_state=0), 0.1, 0.0),
    "linear": (SparseLinear(), 0.0, 1e-12),
    "linear given parents": (SparseLinear(train_on="parents", loss="log"), 0.0, 1e-12),
    "linear in groups": (SparseLinear(train_on="parents", loss="squared_hinge", max_children=2), 0.0, 1e-12),
    "network": (CoherentNetwork(**NETWORK), 0.1, 1e-5),
    "constrained network": (CoherentNetwork(loss="constraint", encoding="piecewise", **NETWORK), 0.0, 1e-5),
}


@pytest.mark.parametrize("dag", [False, True])
@pytest.mark.parametrize("kind", [pytest.param(k, marks=NEEDS_TORCH) if "network" in k else k for k in KINDS])
def test_scores_and_label_sets_are_the_model_s(kind, dag):
    learner, missing, atol = KINDS[kind]
    X, y, h = make_rows(90, dag, missing)
    model = HierarchicalClassifier(learner, decoder="multi", hierarchy=h, cv=2).fit(X, y)
    check_same(model, X, atol=atol)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["forest", "linear", pytest.param("network", marks=NEEDS_TORCH)])
def test_a_thousand_new_rows(kind):
    learner, missing, _ = KINDS[kind]
    X, y, h = make_rows(1600, missing=missing)
    model = HierarchicalClassifier(learner, hierarchy=h, cv=2).fit(X[:600], y[:600])
    check_same(model, X[600:], atol=1e-5)


def test_a_learner_alone_decides_at_one_half():
    X, y, h = make_rows(60)
    check_same(PCTForest(n_estimators=2, hierarchy=h, random_state=0).fit(X, y), X)


def test_steps_for_numbers_are_in_the_graph():
    X, y, h = make_rows(90, missing=0.1)
    learner = make_pipeline(AutoFeatures(scale=True), StandardScaler(), SparseLinear())
    check_same(HierarchicalClassifier(learner, hierarchy=h, cv=2).fit(X, y), X)


def test_texts_start_at_the_features():
    texts = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"]
    labels = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3]
    model = HierarchicalClassifier(decoder="threshold").fit(texts, labels)
    with pytest.raises(TruePathError, match=r"text.*from_features=True"):
        to_onnx(model)
    features = model.learner_[:-1].transform(texts).toarray().astype(float)
    check_same(model, features, to_onnx(model, from_features=True), rows=texts, atol=1e-6)


def test_the_file_says_what_its_columns_are(tmp_path):
    X, y, h = make_rows(60)
    model = HierarchicalClassifier(FOREST, hierarchy=h).fit(X, y)
    to_onnx(model, tmp_path / "model.onnx")
    said = {entry.key: entry.value for entry in onnx.load(tmp_path / "model.onnx").metadata_props}
    assert json.loads(said["labels"]) == h.names.tolist()
    assert json.loads(said["thresholds"]) == model.decoder_.thresholds_.tolist()
    assert json.loads(said["edges"]) == h.edges.tolist()
    assert said["truepath_version"] == __version__


def test_labels_bring_their_ancestors():
    h = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "c"), ("b", "c"), ("c", "d")])
    graph = Graph()
    graph.add("Identity", "features", output="scores")  # of another model, incoherent
    _add_labels(graph, h, np.full(4, 0.5))
    made = _finish(graph, 4, h, np.full(4, 0.5), None)
    labels = ask(made, np.array([[0.0, 0.0, 0.0, 0.9], [0.0, 0.9, 0.5, 0.0]]))[1]
    assert labels.tolist() == [[True] * 4, [False, True, False, False]]


REFUSED = {
    "surrogate": (PCTForest(n_estimators=2, missing="surrogate"), {}, "missing='learned'"),
    "categories": (PCTForest(n_estimators=2, categorical_features="all"), {}, "categorical_features"),
    "combiner": (FOREST, {"combiner": "isotonic"}, "combiner Isotonic"),
    "calibrator": (FOREST, {"calibrate": "sigmoid"}, "calibrator Calibrator"),
    "decoder": (FOREST, {"decoder": "best-path"}, "BestPath.*'single'"),
    "own predict": (FOREST, {"decoder": "learner"}, "own predict.*'single'"),
    "a step": (make_pipeline(MinMaxScaler(), FOREST), {}, "MinMaxScaler.*from_features"),
    "a learner": (GaussianNB(), {}, "BinaryRelevance.*PCTForest"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_exported_is_named_with_the_way_out(case):
    learner, options, said = REFUSED[case]
    X, y, h = make_rows(60, missing=0.2 if case == "surrogate" else 0.0)
    X = np.round(X) if case == "categories" else X
    model = HierarchicalClassifier(learner, hierarchy=h, cv=2, **options).fit(X, y)
    with pytest.raises(TruePathError, match=said):
        to_onnx(model)


def test_without_onnx_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    X, y, h = make_rows(30)
    with pytest.raises(MissingExtraError, match=r"truepath\[onnx\]"):
        to_onnx(PCTree(hierarchy=h).fit(X, y))


def test_the_command_writes_the_file(tmp_path):
    pytest.importorskip("skops", reason="skops is not installed")
    X, y, h = make_rows(60)
    model = HierarchicalClassifier(FOREST, hierarchy=h).fit(X, y)
    model.save(tmp_path / "model.tp")
    out, _ = run_command("export", tmp_path / "model.tp", tmp_path / "model.onnx")
    assert "8 columns in" in out
    assert f"{h.n_nodes} each" in out
    session = runtime.InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    np.testing.assert_array_equal(session.run(["labels"], {"features": X})[0], as_dense(model.predict(X)))
    assert "is a folder" in refusal_of("export", tmp_path / "model.tp", tmp_path)

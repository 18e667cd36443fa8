"""ONNX files say what the model says: the same scores, the same label sets, or a refusal that names the way out."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from commands import refusal_of, run_command
from truepath import HierarchicalClassifier, Hierarchy, __version__
from truepath.combiners import FAEL, Blend, HierarchicalFAEL, KernelFAEL
from truepath.data import make_hmc
from truepath.decoders import BestPath, Threshold, TopLeaves
from truepath.errors import CapabilityError, MissingExtraError
from truepath.hierarchy.matrices import as_dense
from truepath.learners import (
    BinaryRelevance,
    BoostedTrees,
    CoherentNetwork,
    MultiLabelKernelRidge,
    PCTForest,
    PCTree,
    PerLevel,
    PerNode,
    PerParent,
    SparseLinear,
    Stack,
    TableBlend,
)
from truepath.learners.network.backend import has_torch
from truepath.preprocessing import AutoFeatures

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

from truepath.export import to_onnx  # noqa: E402 - only where onnx is
from truepath.graph import Graph  # noqa: E402

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
    "surrogates": (PCTForest(n_estimators=3, random_state=0), 0.2, 0.0),
    "extra trees with surrogates": (PCTForest(n_estimators=3, splitter="random", random_state=0), 0.2, 0.0),
    "kernel": (MultiLabelKernelRidge("rbf"), 0.1, 1e-12),
    "kernel of ranks": (MultiLabelKernelRidge("rbf", normalize="quantile"), 0.1, 1e-12),
    "laplacian kernel": (MultiLabelKernelRidge("laplacian", normalize=None), 0.1, 1e-12),
    "cosine kernel": (MultiLabelKernelRidge("cosine"), 0.0, 1e-12),
    "linear kernel": (MultiLabelKernelRidge("linear"), 0.0, 1e-12),
    "a stack": (Stack([FOREST, MultiLabelKernelRidge()], combiner=Blend(project="max-up")), 0.1, 1e-12),
    "linear": (SparseLinear(), 0.0, 1e-12),
    "linear given parents": (SparseLinear(train_on="parents", loss="log"), 0.0, 1e-12),
    "boosted trees": (BoostedTrees(max_iter=5), 0.1, 1e-12),
    "boosted trees given parents": (BoostedTrees(train_on="parents", max_iter=5), 0.1, 1e-12),
    "linear in groups": (SparseLinear(train_on="parents", loss="squared_hinge", max_children=2), 0.0, 1e-12),
    "network": (CoherentNetwork(**NETWORK), 0.1, 1e-5),
    "constrained network": (CoherentNetwork(loss="constraint", n_pieces=8, **NETWORK), 0.0, 1e-5),
}


@pytest.mark.parametrize("dag", [False, True])
@pytest.mark.parametrize("kind", [pytest.param(k, marks=NEEDS_TORCH) if "network" in k else k for k in KINDS])
def test_scores_and_label_sets_are_the_model_s(kind, dag):
    learner, missing, atol = KINDS[kind]
    X, y, h = make_rows(90, dag, missing)
    model = HierarchicalClassifier(learner, decoder="multi", hierarchy=h, cv=2).fit(X, y)
    check_same(model, X, atol=atol)


@pytest.mark.parametrize("kind", ["forest", "linear", pytest.param("network", marks=NEEDS_TORCH)])
def test_a_thousand_new_rows(kind):
    learner, missing, _ = KINDS[kind]
    X, y, h = make_rows(1600, missing=missing)
    model = HierarchicalClassifier(learner, hierarchy=h, cv=2).fit(X[:600], y[:600])
    check_same(model, X[600:], atol=1e-5)


#: Learners around linear classifiers of scikit-learn; on a DAG PerParent scores arcs, which are not exported
LOCAL = {
    "binary relevance": (BinaryRelevance(LogisticRegression()), True),
    "margins": (BinaryRelevance(LinearSVC()), True),
    "with steps": (BinaryRelevance(make_pipeline(StandardScaler(), LogisticRegression())), True),
    "leaves": (BinaryRelevance(LogisticRegression(), leaves_only=True), True),
    "per node": (PerNode(LogisticRegression()), True),
    "per parent": (PerParent(LogisticRegression()), False),
    "per level": (PerLevel(LogisticRegression()), True),
}


@pytest.mark.parametrize("dag", [False, True])
@pytest.mark.parametrize("kind", LOCAL)
def test_local_learners_of_linear_classifiers(kind, dag):
    learner, on_dag = LOCAL[kind]
    X, y, h = make_rows(90, dag)
    model = HierarchicalClassifier(learner, hierarchy=h, cv=2).fit(X[:60], y[:60])
    if dag and not on_dag:
        with pytest.raises(CapabilityError, match="PerParent cannot be exported"):
            to_onnx(model)
    else:
        check_same(model, X[60:])


def test_other_functions_of_a_margin_are_refused():
    X, y, h = make_rows(60)
    model = BinaryRelevance(SGDClassifier("modified_huber", random_state=0), hierarchy=h).fit(X, y)
    with pytest.raises(CapabilityError, match="not the sigmoid of its margin"):
        to_onnx(model)


def test_a_learner_alone_decides_at_one_half():
    X, y, h = make_rows(60)
    check_same(PCTForest(n_estimators=2, hierarchy=h, random_state=0).fit(X, y), X)


def test_steps_for_numbers_are_in_the_graph():
    X, y, h = make_rows(90, missing=0.1)
    learner = make_pipeline(AutoFeatures(scale=True), StandardScaler(), SparseLinear())
    check_same(HierarchicalClassifier(learner, hierarchy=h, cv=2).fit(X, y), X)


def test_features_before_a_graph_are_named():
    texts = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"]
    model = HierarchicalClassifier("linear").fit(texts, [["a"], ["a"], ["a"], ["b"], ["b"], ["b"]])
    about = {entry.key: entry.value for entry in to_onnx(model, from_features=True).metadata_props}
    assert json.loads(about["columns"]) == model.learner_[:-1].get_feature_names_out().tolist()


def test_a_graph_can_start_at_the_features():
    texts = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"]
    labels = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3]
    model = HierarchicalClassifier(decoder="threshold").fit(texts, labels)
    features = model.learner_[:-1].transform(texts).toarray().astype(float)
    check_same(model, features, to_onnx(model, from_features=True), rows=texts, atol=1e-6)


#: Combiners, calibrators and decoders that write themselves
PARTS = {
    "max-up": {"combiner": "max-up"},
    "min-down": {"combiner": "min-down"},
    "path product": {"combiner": "path-product"},
    "fael": {"combiner": FAEL(project="max-up")},
    "fael with intercept": {"combiner": FAEL("gcv", project="min-down", fit_intercept=True)},
    "hierarchical fael": {"combiner": HierarchicalFAEL(project="max-up")},
    "kernel fael": {"combiner": KernelFAEL(project="max-up")},
    "centred kernel fael": {"combiner": KernelFAEL(project="max-up", fit_intercept=True)},
    "polynomial fael": {"combiner": KernelFAEL(kernel="poly", degree=2, project="max-up")},
    "isotonic calibration": {"calibrate": "isotonic"},
    "sigmoid calibration": {"calibrate": "sigmoid"},
    "beta calibration": {"calibrate": "beta"},
    "calibration by choice": {"calibrate": "auto"},
    "single threshold": {"decoder": "single"},
    "given thresholds": {"decoder": Threshold(0.3, coherent="max-up"), "combiner": "max-up"},
    "best path": {"decoder": "best-path"},
    "best path by mean": {"decoder": BestPath(by="mean")},
    "best path and more": {"decoder": BestPath(single_path=False, threshold=0.3)},
    "top leaves": {"decoder": TopLeaves(3)},
    "own predict": {"decoder": "learner"},
}


@pytest.mark.parametrize("dag", [False, True])
@pytest.mark.parametrize("parts", PARTS)
def test_combiners_calibrators_and_decoders_write_themselves(parts, dag):
    X, y, h = make_rows(120, dag)
    model = HierarchicalClassifier(FOREST, hierarchy=h, cv=2, **PARTS[parts]).fit(X[:80], y[:80])
    check_same(model, X[80:], atol=1e-12)


def test_the_file_says_what_its_columns_are(tmp_path):
    X, y, h = make_rows(60)
    model = HierarchicalClassifier(FOREST, hierarchy=h).fit(X, y)
    to_onnx(model, tmp_path / "model.onnx")
    said = {entry.key: entry.value for entry in onnx.load(tmp_path / "model.onnx").metadata_props}
    assert json.loads(said["labels"]) == h.names.tolist()
    assert json.loads(said["thresholds"]) == model.decoder_.thresholds_.tolist()
    assert json.loads(said["edges"]) == h.edges.tolist()
    assert said["truepath_version"] == __version__


def test_an_updated_model_is_exported_as_well():
    X, y, h = make_rows(160)
    model = HierarchicalClassifier(TableBlend(members=["forest", "kernel ridge, rbf"]), hierarchy=h).fit(X, y)
    diff = h.edit().add("new", parents=[str(h.names[0])]).remove(str(h.names[h.leaves[-1]])).diff()
    model.update(diff, X, diff.transfer(y))
    check_same(model, X[:60], atol=1e-9)


def test_labels_bring_their_ancestors():
    h = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "c"), ("b", "c"), ("c", "d")])
    graph = Graph()
    scores = graph.input("features", "DOUBLE", ["rows", 4])  # of another model, incoherent
    graph.add("Identity", scores, output="scores")
    labels = Threshold(0.5, hierarchy=h).fit(np.zeros((1, 4))).export_labels(graph, scores)
    graph.add("Identity", labels, output="labels")
    found = ask(close(graph), np.array([[0.0, 0.0, 0.0, 0.9], [0.0, 0.9, 0.5, 0.0]]))[1]
    assert found.tolist() == [[True] * 4, [False, True, False, False]]


def close(graph):
    """Return the model of a graph whose outputs are scores and labels."""
    helper, kinds = onnx.helper, onnx.TensorProto
    outputs = [helper.make_tensor_value_info("scores", kinds.DOUBLE, None)]
    outputs.append(helper.make_tensor_value_info("labels", kinds.BOOL, None))
    made = helper.make_graph(graph.nodes, "test", graph.inputs, outputs, graph.constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)])
    model.ir_version = 8
    return model


REFUSED = {
    "both ways": (PCTForest(n_estimators=2, missing="fractional"), {}, "missing='surrogate'"),
    "categories": (PCTForest(n_estimators=2, categorical_features="all"), {}, "categorical_features"),
    "combiner": (FOREST, {"combiner": "isotonic"}, "Isotonic cannot be exported.* MaxUp"),
    "projection": (FOREST, {"combiner": "fael"}, "Isotonic cannot be exported.* MaxUp"),
    "decoder": (FOREST, {"decoder": "masr"}, "MASR cannot be exported.* BestPath"),
    "a step": (make_pipeline(PCA(2), FOREST), {}, "PCA cannot be exported.*StandardScaler.*from_features"),
    "a learner": (
        GaussianNB(),
        {},
        "BinaryRelevance cannot be exported.*: not with the .* members that it has here.*PCTForest",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_exported_is_named_with_the_way_out(case):
    learner, options, said = REFUSED[case]
    X, y, h = make_rows(60, missing=0.2 if case == "both ways" else 0.0)
    X = np.round(X) if case == "categories" else X
    model = HierarchicalClassifier(learner, hierarchy=h, cv=2, **options).fit(X, y)
    with pytest.raises(CapabilityError, match=said):
        to_onnx(model)


def test_without_onnx_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    X, y, h = make_rows(30)
    with pytest.raises(MissingExtraError, match=r"truepath\[onnx\]"):
        to_onnx(PCTree(hierarchy=h).fit(X, y))


def test_the_command_writes_the_file(tmp_path):
    X, y, h = make_rows(60)
    model = HierarchicalClassifier(FOREST, hierarchy=h).fit(X, y)
    model.save(tmp_path / "model.tp")
    out, _ = run_command("export", tmp_path / "model.tp", "-o", tmp_path / "model.onnx")
    assert "features (8 columns) in" in out
    assert f"{h.n_nodes} each" in out
    session = runtime.InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    np.testing.assert_array_equal(session.run(["labels"], {"features": X})[0], as_dense(model.predict(X)))
    assert "is a folder" in refusal_of("export", tmp_path / "model.tp", "-o", tmp_path)


def test_the_command_writes_a_model_of_texts(tmp_path):
    texts = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"]
    labels = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3]
    model = HierarchicalClassifier(decoder="best-path").fit(texts, labels)
    model.save(tmp_path / "model.tp")
    out, _ = run_command("export", tmp_path / "model.tp", "-o", tmp_path / "model.onnx")
    assert "text in; scores and labels out, 5 each" in out
    session = runtime.InferenceSession(str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"])
    found = session.run(["labels"], {"text": np.array(["The CAT sleeps"], object)})[0]
    assert model.hierarchy_.decode(found) == [("animal/cat",)]


NAMED = [("cat", "animal/cat"), ("dog", "animal/dog"), ("oak", "plant/oak")]


def test_inputs_are_called_like_the_columns_of_the_file(tmp_path):
    rows = [f"{i},a {name} number {i % 7},{name[0]},{label}" for i in range(40) for name, label in NAMED]
    (tmp_path / "things.csv").write_text("size,about it,letter,labels\n" + "\n".join(rows) + "\n")
    run_command("fit", tmp_path / "things.csv", "-o", tmp_path / "things.tp", "--test-share", 0)
    out, _ = run_command("export", tmp_path / "things.tp", "-o", tmp_path / "things.onnx")
    assert "size, about_it, letter in" in out
    session = runtime.InferenceSession(str(tmp_path / "things.onnx"), providers=["CPUExecutionProvider"])
    row = {"size": np.array([3.0]), "about_it": np.array(["an oak"], object), "letter": np.array(["o"], object)}
    about = session.get_modelmeta().custom_metadata_map
    names = np.array(json.loads(about["labels"]))
    assert names[session.run(["labels"], row)[0][0]].tolist() == ["plant", "plant/oak"]
    assert json.loads(about["columns"]) == ["size", "about it", "letter"]


@pytest.mark.parametrize(("text", "columns"), [("about", ["about"]), ("about,more", ["about", "more"])])
def test_columns_of_texts_are_named(tmp_path, text, columns):
    rows = [f"{i},a {name} {i % 7},{name[0]} x,{label}" for i in range(20) for name, label in NAMED]
    (tmp_path / "things.csv").write_text("id,about,more,labels\n" + "\n".join(rows) + "\n")
    asked = ("--method", "linear", "--text", text, "--ids", "id", "--test-share", 0)
    run_command("fit", tmp_path / "things.csv", "-o", tmp_path / "things.tp", *asked)
    run_command("export", tmp_path / "things.tp", "-o", tmp_path / "things.onnx")
    about = {entry.key: entry.value for entry in onnx.load(tmp_path / "things.onnx").metadata_props}
    assert json.loads(about["columns"]) == columns
    assert json.loads(about["inputs"]) == [{"name": "text", "column": " + ".join(columns), "holds": "text"}]

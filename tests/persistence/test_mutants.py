"""Files of every kind of model with something changed inside: valid answers, or one error when they are loaded."""

from __future__ import annotations

import io

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from learners_room import make_data
from model_mutants import arrays_of, judge, mutate, nodes_of, seal, unpack
from persistence_room import fitted
from truepath import Hierarchy
from truepath.combiners import Blend
from truepath.decoders import SingleThreshold
from truepath.errors import ModelFileError
from truepath.learners import BinaryRelevance, PCTForest, PCTree, SparseLinear
from truepath.persistence import load, save

TREE = Hierarchy.from_paths(["a/1", "a/2", "b"])
N_QUICK, N_SLOW = 60, 1000


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Some models of different make, as bytes."""
    X, Y = make_data(TREE, n_samples=25, n_features=3)
    S = np.sort(np.random.default_rng(0).random((25, TREE.n_nodes)))[:, ::-1]
    models = {
        "decoders.single": SingleThreshold("micro_f1", hierarchy=TREE).fit(S, Y),
        "combiners.blend": Blend(hierarchy=TREE).fit([S], Y),
        "learners.tree": PCTree(hierarchy=TREE).fit(X.round(), Y),
        "learners.sparse-linear": SparseLinear(hierarchy=TREE).fit(X, Y),
        "learners.binary-relevance": BinaryRelevance(LogisticRegression(), hierarchy=TREE).fit(X, Y),
    }
    return _as_bytes(models, tmp_path_factory.mktemp("models"))


def _as_bytes(models, folder):
    files = {}
    for name, model in models.items():
        save(model, folder / "model")
        assert judge(folder / "model", name) == "valid"
        files[name] = (folder / "model").read_bytes()
    return files


def _try_all(files, n_files, path):
    """Change files one after the other; return how many were valid and refused, raise what goes wrong otherwise."""
    counts = {"valid": 0, "refused": 0}
    names = list(files)
    for case in range(n_files):
        name = names[case % len(names)]
        data, done = mutate(files[name], np.random.default_rng([99, case]))
        path.write_bytes(data)
        try:
            counts[judge(path, name)] += 1
        except Exception as problem:
            raise AssertionError(f"case {case}, {name}: {done}") from problem
    return counts


def test_changed_files_of_some_models(small, tmp_path):
    counts = _try_all(small, N_QUICK, tmp_path / "changed")
    assert min(counts.values()) > N_QUICK / 10


@pytest.mark.slow
def test_changed_files_of_every_kind(tmp_path):
    counts = _try_all(_as_bytes(fitted(), tmp_path), N_SLOW, tmp_path / "changed")
    assert min(counts.values()) > N_SLOW / 10


def _rewrite(data, path, change):
    metadata, schema, entries = unpack(data)
    change(schema, entries)
    path.write_bytes(seal(metadata, schema, entries))
    return path


@pytest.mark.parametrize("name", ["predict", "check_loaded", "_label"])
def test_an_attribute_does_not_stand_for_a_method(small, tmp_path, name):
    """A check that the file replaces by a type would be passed by calling that type."""

    def change(schema, entries):
        attributes = schema["content"]
        attributes["content"][name] = {
            "__loader__": "TypeNode",
            "__module__": "builtins",
            "__class__": "list",
            "__id__": 4711,
        }
        attributes["key_types"]["content"].append(attributes["key_types"]["content"][0])

    with pytest.raises(ModelFileError, match=f"has an attribute called {name}"):
        load(_rewrite(small["decoders.single"], tmp_path / "model", change))


@pytest.mark.parametrize(
    ("name", "attribute", "said"),
    [
        ("decoders.single", "thresholds_", "lacks thresholds_"),
        ("decoders.single", "coherent", "coherent"),
        ("combiners.blend", "weights_", "weights_"),
        ("learners.sparse-linear", "_weights", "lacks _weights"),
        ("learners.binary-relevance", "models_", "lacks models_"),
    ],
)
def test_what_predicting_needs_is_asked_for_when_loading(small, tmp_path, name, attribute, said):
    def change(schema, entries):
        attributes = schema["content"]
        position = list(attributes["content"]).index(attribute)
        del attributes["content"][attribute]
        del attributes["key_types"]["content"][position]

    with pytest.raises(ModelFileError, match=said):
        load(_rewrite(small[name], tmp_path / "model", change))


def test_files_are_taken_apart_as_they_were_put_together(small, tmp_path):
    for name, data in small.items():
        _, schema, entries = unpack(data)
        assert {node["file"] for node in arrays_of(nodes_of(schema), entries)} == set(entries)
        assert judge(_rewrite(data, tmp_path / "same", lambda *parts: None), name) == "valid"


@pytest.mark.parametrize("edge", [(-1, 1), (0, -1), (0, 4), (4, 1)])
def test_edges_of_a_hierarchy_lead_to_nodes(small, tmp_path, edge):
    """A number from the end would stand for a node that comes later, so that a parent came after its child."""

    def change(schema, entries):
        node = next(node for node in nodes_of(schema) if node["__class__"] == "Hierarchy")
        name = next(part["file"] for part in arrays_of(nodes_of(node), entries))
        buffer = io.BytesIO()
        np.save(buffer, np.array([edge, (0, 2)], np.int32))
        entries[name] = buffer.getvalue()

    with pytest.raises(ModelFileError, match="cannot be rebuilt"):
        load(_rewrite(small["decoders.single"], tmp_path / "model", change))


def test_a_forest_has_trees(tmp_path):
    forest = PCTForest(hierarchy=TREE, n_estimators=2).fit(*make_data(TREE, n_samples=25, n_features=3))
    forest.trees_ = []
    save(forest, tmp_path / "model")
    with pytest.raises(ModelFileError, match="no trees"):
        load(tmp_path / "model")


def test_a_lack_of_memory_need_not_be_the_file(small, tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.write_bytes(small["decoders.single"])

    def full(*args, **options):
        raise MemoryError("Unable to allocate 8.00 EiB for an array")

    monkeypatch.setattr("skops.io.loads", full)
    with pytest.raises(ModelFileError, match="too little memory, or the file is damaged"):
        load(path)

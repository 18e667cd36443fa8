"""Embeddings in every form, and one model per aspect."""

from __future__ import annotations

import numpy as np
import pytest

from truepath import Hierarchy
from truepath.cafa import (
    Embeddings,
    Ontology,
    evaluate_predictions,
    load_models,
    predict_naively,
    read_embeddings,
    train_models,
)
from truepath.errors import DataFormatError, TruePathError

HIERARCHY = Hierarchy.from_edges([("r", "a"), ("r", "b"), ("a", "c"), ("s", "d"), ("s", "e")])
ONTOLOGY = Ontology.of(HIERARCHY, {"R": ["r", "a", "b", "c"], "S": ["s", "d", "e"]})


def make(n=90, seed=0):
    """Proteins whose embedding is the sum of those of their terms, with noise."""
    rng = np.random.default_rng(seed)
    of = dict(zip("abcde", np.random.default_rng(9).normal(size=(5, 12))))
    terms = [[("a", "b", "c")[rng.integers(3)], ("d", "e")[rng.integers(2)]] for _ in range(n)]
    X = np.array([sum(of[term] for term in some) for some in terms]) + 0.3 * rng.normal(size=(n, 12))
    ids = [f"P{seed}_{i}" for i in range(n)]
    return Embeddings(ids, X.astype(np.float32)), dict(zip(ids, terms))


@pytest.mark.parametrize("kind", ["archive", "vectors", "matrix", "parquet", "lists"])
def test_embeddings_of_every_form(tmp_path, kind):
    found, _ = make(5)
    ids, X = found
    if kind == "archive":
        np.savez(tmp_path / "e.npz", ids=np.array(ids), embeddings=X)
    elif kind == "vectors":
        np.savez(tmp_path / "e.npz", **dict(zip(ids, X)))
    elif kind == "matrix":
        np.save(tmp_path / "e.npy", X)
        (tmp_path / "e.txt").write_text("\n".join(ids) + "\n")
    else:
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        frame = pandas.DataFrame(X, columns=[f"x{k}" for k in range(12)]) if kind == "parquet" else pandas.DataFrame()
        frame["id"] = ids
        if kind == "lists":
            frame["x"] = list(X)
        frame.to_parquet(tmp_path / "e.parquet")
    again = read_embeddings(next(path for path in tmp_path.iterdir() if path.suffix != ".txt"))
    assert again.ids == ids
    np.testing.assert_array_equal(again.X, X)


def test_embeddings_that_cannot_be_used_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros((2, 3)))
    with pytest.raises(DataFormatError, match="a matrix without ids"):
        read_embeddings(tmp_path / "a.npy")
    (tmp_path / "a.txt").write_text("P1\nP1\n")
    with pytest.raises(DataFormatError, match="'P1' occurs twice"):
        read_embeddings(tmp_path / "a.npy")
    (tmp_path / "a.txt").write_text("P1\n")
    with pytest.raises(DataFormatError, match="1 ids for 2 rows"):
        read_embeddings(tmp_path / "a.npy")
    np.savez(tmp_path / "b.npz", ids=np.array(["P1"]), X=np.array([[np.nan, 1.0]]))
    with pytest.raises(DataFormatError, match="of 'P1' has a value"):
        read_embeddings(tmp_path / "b.npz")
    np.savez(tmp_path / "c.npz", ids=np.array(["P1"], object), X=np.zeros((1, 2)))
    with pytest.raises(DataFormatError, match="Object arrays cannot be loaded"):
        read_embeddings(tmp_path / "c.npz")
    (tmp_path / "d.csv").write_text("x")
    with pytest.raises(DataFormatError, match=r"\.npy, \.npz or \.parquet"):
        read_embeddings(tmp_path / "d.csv")


def test_damaged_and_oversized_files_of_embeddings_are_named(tmp_path, monkeypatch):
    np.savez(tmp_path / "a.npz", ids=["P1", "P2"], X=np.zeros((2, 300)))
    whole = (tmp_path / "a.npz").read_bytes()
    (tmp_path / "a.txt").write_text("P1\nP2\n")
    for name, data in (("a.npz", whole[:200]), ("a.npy", whole[:200]), ("a.npy", b"\x93NUMPY\x01\x00v")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(DataFormatError, match=rf"{name}.*not a readable NumPy file"):
            read_embeddings(tmp_path / name)
    (tmp_path / "a.npy").write_bytes(whole)
    with pytest.raises(DataFormatError, match="archive of several arrays"):
        read_embeddings(tmp_path / "a.npy")
    (tmp_path / "a.npz").write_bytes(whole)
    monkeypatch.setenv("TRUEPATH_MAX_BYTES", "3000")
    with pytest.raises(DataFormatError, match=r"a\.npz.*bytes"):
        read_embeddings(tmp_path / "a.npz")


def test_one_model_per_aspect_beats_frequencies_and_survives_a_folder(tmp_path):
    train, annotations = make()
    test, truth = make(40, seed=1)
    models = train_models(train, annotations, ONTOLOGY, min_count=5)
    predicted = models.predict(test, ONTOLOGY)
    naive = predict_naively(annotations, ONTOLOGY, test.ids)
    ours, theirs = (evaluate_predictions(truth, given, ONTOLOGY).summary() for given in (predicted, naive))
    for aspect, other in zip(ours, theirs):
        assert aspect["fmax"] > other["fmax"] + 0.1
    again = load_models(models.save(tmp_path / "models")).predict(test, ONTOLOGY)
    assert (again.scores != predicted.scores).nnz == 0
    only = train_models(train, annotations, ONTOLOGY, head="sparse-linear", aspects=["S"], min_count=5)
    assert type(only.models["S"].learner_).__name__ == "SparseLinear"
    assert list(only.models) == ["S"]


def test_what_cannot_be_trained_is_said():
    train, annotations = make(20)
    with pytest.raises(TruePathError, match="none of the 1 annotated proteins has an embedding"):
        train_models(train, {"Q": ["a"]}, ONTOLOGY)
    with pytest.raises(TruePathError, match="no term has 999"):
        train_models(train, annotations, ONTOLOGY, min_count=999)
    with pytest.raises(ValueError, match="no learner is called 'tree'"):
        train_models(train, annotations, ONTOLOGY, head="tree")
    with pytest.raises(TruePathError, match="no models"):
        load_models("/nowhere")

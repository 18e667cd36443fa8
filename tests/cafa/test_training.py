"""Embeddings in every form, and one model per aspect."""

from __future__ import annotations

import numpy as np
import pytest

from commands import refusal_of, run_command
from truepath import Hierarchy
from truepath.cafa import (
    Embeddings,
    Ontology,
    evaluate_predictions,
    load_models,
    predict_naively,
    read_annotations,
    read_embeddings,
    read_ontology,
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
    with pytest.raises(DataFormatError, match=r"\.npy, \.npz, \.h5 or \.parquet"):
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
    with pytest.raises(
        TruePathError, match="none of the 1 annotated protein can be trained on: 1 line of proteins without"
    ):
        train_models(train, {"Q": ["a"]}, ONTOLOGY)
    with pytest.raises(TruePathError, match="no term has 999"):
        train_models(train, annotations, ONTOLOGY, min_count=999)
    with pytest.raises(ValueError, match="no learner is called 'tree'"):
        train_models(train, annotations, ONTOLOGY, head="tree")
    with pytest.raises(TruePathError, match="no models"):
        load_models("/nowhere")


GAF_LINE = "UniProtKB\t{}\tG\t{}\t{}\tPMID:1\tIDA\t\tF\t\t\tprotein\ttaxon:9606\t20230105\tX\n"
OBO = """format-version: 1.2

[Term]
id: X:000
name: root
namespace: f

[Term]
id: X:001
name: one
namespace: f
is_a: X:000

[Term]
id: X:009
name: gone
namespace: f
is_obsolete: true
"""


def write_lines(folder, *lines):
    """Write annotations, an ontology of one term below its root and one that is obsolete, and 10 embeddings."""
    (folder / "k.gaf").write_text("!gaf-version: 2.2\n" + "".join(GAF_LINE.format(*line) for line in lines))
    (folder / "o.obo").write_text(OBO)
    X = np.random.default_rng(0).normal(size=(10, 4)).astype(np.float32)
    np.savez(folder / "e.npz", ids=np.array([f"P{i}" for i in range(10)]), X=X)
    return ["cafa", "train", folder / "e.npz", folder / "k.gaf", "-O", folder / "o.obo", "-o", folder / "m"]


def test_every_line_is_accounted_for(tmp_path):
    good = [(f"P{i}", "enables", "X:001") for i in range(8)]
    bad = [
        ("P8", "NOT|enables", "X:001"),
        ("P0", "enables", "Y:1"),
        ("P1", "enables", "X:009"),
        ("Q1", "enables", "X:001"),
    ]
    call = write_lines(tmp_path, *good, *bad)
    account = train_models(
        read_embeddings(tmp_path / "e.npz"), read_annotations(tmp_path / "k.gaf"), read_ontology(tmp_path / "o.obo"),
        min_count=8,
    ).account  # fmt: skip
    assert (account.n_lines, account.n_used, sum(account.left_out.values())) == (12, 8, 4)
    assert (account.n_proteins, account.n_proteins_used, account.n_spare) == (9, 8, 2)
    assert account.aspects == {"f": (2, 0, 8)}
    said = run_command(*call, "--min-count", "8")[1].splitlines()
    assert [line.partition("k.gaf: ")[2] for line in said] == [
        "8 of 12 lines and 8 of 9 proteins are trained on",
        "1 line left out: that say NOT",
        "1 line left out: with terms that the ontology does not have, such as 'Y:1'",
        "1 line left out: with obsolete terms, such as 'X:009'",
        "1 line left out: of proteins without an embedding, such as 'Q1'",
        "2 embeddings not used: no line that can be trained on",
    ]


@pytest.mark.parametrize(
    ("names", "term", "way_out"),
    [
        ("sp|P{}|NAME", "X:001", "written alike in both files (here 'sp|P0|NAME' and 'P0')"),
        ("P{}", "Y:001", "Give the ontology that the annotations were made with"),
    ],
)
def test_training_on_a_small_rest_is_refused(tmp_path, names, term, way_out):
    lost = [(names.format(i), "enables", term) for i in range(7)]
    call = write_lines(tmp_path, *lost, *[(f"P{i}", "enables", "X:001") for i in (7, 8, 9)])
    said = refusal_of(*call, "--min-count", "1")
    assert "only 3 of 10 annotated proteins and 3 of 10 lines can be trained on: 7 lines" in said
    assert way_out in said
    assert "--min-used 0" in said
    assert not (tmp_path / "m").exists()
    run_command(*call, "--min-count", "1", "--min-used", "0")
    assert (tmp_path / "m" / "f.tp").exists()

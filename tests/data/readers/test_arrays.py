"""Embeddings in files of NumPy, and rows in lines of JSON or on standard input."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from typer.testing import CliRunner

from commands import refusal_of, run_command
from truepath import HierarchicalClassifier, open_dataset
from truepath.cli.app import app
from truepath.data import read_arrays_with_labels, read_paths_csv
from truepath.errors import DataFormatError, FoundSeparatorWarning, InputWarning

LABELS = ["a > 1", "a > 2", "b"]


def rows(n=45):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 6)).astype(np.float32) + np.arange(n)[:, None] % 3 * 2
    return X, np.array([f"p{i}" for i in range(n)]), np.array([LABELS[i % 3] for i in range(n)])


@pytest.fixture
def folder(tmp_path):
    X, ids, labels = rows()
    np.savez(tmp_path / "all.npz", X=X, ids=ids, labels=labels)
    np.savez(tmp_path / "bare.npz", emb=X, ids=ids)
    np.save(tmp_path / "bare.npy", X)
    turned = np.argsort(ids)[::-1]
    pd.DataFrame({"who": ids[turned], "labels": labels[turned]}).to_csv(tmp_path / "labels.csv", index=False)
    pd.DataFrame({"labels": labels}).to_csv(tmp_path / "order.csv", index=False)
    return tmp_path


def names(ds):
    return ds.hierarchy.decode(ds["all"].y)


def test_labels_come_from_the_file_or_from_a_table_by_ids_or_by_order(folder):
    X, ids, labels = rows()
    with pytest.warns(FoundSeparatorWarning, match="read as paths with ' > '"):
        found = read_arrays_with_labels(folder / "all.npz")
    joined = read_arrays_with_labels(folder / "bare.npz", str(folder / "labels.csv"), sep=" > ")
    ordered = read_arrays_with_labels(folder / "bare.npy", str(folder / "order.csv"), sep=" > ")
    assert names(found) == names(joined) == names(ordered) == [(label,) for label in labels]
    np.testing.assert_array_equal(found["all"].X, X)
    assert found["all"].X.dtype.kind == "f"
    assert joined["all"].ids.tolist() == ids.tolist()
    assert ordered["all"].ids is None


def test_fit_and_predict_from_the_command_line(folder):
    run_command(
        "fit", folder / "bare.npz", "--labels", folder / "labels.csv", "-o", folder / "m.tp", "--method", "linear"
    )
    for name in ("bare.npz", "bare.npy", "all.npz"):
        run_command("predict", folder / "m.tp", folder / name, "-o", folder / "p.csv")
        table = pd.read_csv(folder / "p.csv", dtype=str)
        assert (table.labels.to_numpy() == rows()[2]).mean() > 0.9
        assert table.id.tolist()[:2] == (["0", "1"] if name.endswith("npy") else ["p0", "p1"])


def test_rows_without_ids_that_the_labels_have_are_said_to_be_in_order(folder):
    with pytest.warns(InputWarning, match=r"bare.npy has no ids: its rows .* in the same order, whatever column 'who'"):
        read_arrays_with_labels(folder / "bare.npy", str(folder / "labels.csv"), sep=" > ")


def test_ids_are_found_under_any_name_and_half_precision_is_single(folder):
    X, ids, labels = rows()
    np.savez(folder / "other.npz", emb=X.astype(np.float16), filenames=ids, kind=np.array(["x"] * len(ids)))
    found = read_arrays_with_labels(folder / "other.npz", str(folder / "labels.csv"), sep=" > ")
    assert found["all"].ids.tolist() == ids.tolist()
    assert names(found) == [(label,) for label in labels]
    assert found["all"].X.dtype == np.float32


def test_sparse_matrices_and_parts(folder):
    X, _, labels = rows()
    sparse.save_npz(folder / "sparse.npz", sparse.csr_array(X))
    found = read_arrays_with_labels(folder / "sparse.npz", str(folder / "order.csv"), sep=" > ")
    parts = open_dataset({"train": folder / "all.npz", "test": folder / "all.npz"}, sep=" > ")
    assert sparse.issparse(found["all"].X)
    assert names(found) == [(label,) for label in labels]
    assert {name: len(split) for name, split in parts.splits.items()} == {"train": 45, "test": 45}


@pytest.mark.parametrize(
    ("arrays", "options", "problem"),
    [
        ({"X": np.eye(3)}, {}, r"no column 'labels'.*--labels"),
        ({"a": np.eye(3), "b": np.eye(3)}, {}, r"2 arrays are matrices of numbers, not one.*Call it X"),
        ({"X": np.eye(3), "labels": np.eye(3)}, {}, r"array 'labels' is float64 of shape \(3, 3\); labels are 3 texts"),
        ({"X": np.eye(3), "labels": ["a", "b"]}, {}, r"labels are 3 texts"),
        (
            {"X": np.eye(3), "labels": ["a", "b", "c"], "ids": ["x", "y"]},
            {},
            "has 2 ids, the matrix 3 rows",
        ),
        ({"X": np.eye(3), "labels": ["a", "b", "c"], "ids": ["x", "y", "x"]}, {}, "the id 'x' occurs twice"),
        ({"X": np.eye(3), "labels": ["a", "b", "c"]}, {"ids": "who"}, "no column 'who'"),
        ({"X": np.eye(3), "labels": np.array(["a", None, 1], object)}, {}, "not a readable NumPy file"),
    ],
)
def test_what_is_not_clear_is_refused(arrays, options, problem, tmp_path):
    np.savez(tmp_path / "rows.npz", **arrays)
    with pytest.raises(DataFormatError, match=problem):
        read_arrays_with_labels(tmp_path / "rows.npz", **options)


def test_rows_that_do_not_match_the_labels_are_refused(folder):
    pd.read_csv(folder / "labels.csv").iloc[:30].to_csv(folder / "few.csv", index=False)
    assert "lacks 15 of 45 rows" in refusal_of(
        "fit", folder / "bare.npz", "--labels", folder / "few.csv", "-o", folder / "n.tp"
    )
    pd.read_csv(folder / "order.csv").iloc[:30].to_csv(folder / "few.csv", index=False)
    assert "30 rows" in refusal_of("fit", folder / "bare.npy", "--labels", folder / "few.csv", "-o", folder / "n.tp")


# --------------------------------------------------------------------------- lines of JSON, standard input


def objects(n=40):
    return [
        {"x": i % 3 * 10 + i / 50, "word": "abc"[i % 3], "labels": [["p/1"], ["p/2", "q"], ["q"]][i % 3]}
        for i in range(n)
    ]


def test_lines_of_json(tmp_path):
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in objects()))
    ds = open_dataset(tmp_path / "rows.jsonl")
    assert names(ds)[:3] == [("p/1",), ("p/2", "q"), ("q",)] or {*names(ds)[1]} == {"p/2", "q"}
    run_command("fit", tmp_path / "rows.jsonl", "-o", tmp_path / "m.tp", "--method", "linear")
    bare = [{key: value for key, value in one.items() if key != "labels"} for one in objects(9)]
    (tmp_path / "new.ndjson").write_text("".join(json.dumps(one) + "\n" for one in bare))
    out, _ = run_command("predict", tmp_path / "m.tp", tmp_path / "new.ndjson")
    assert out.splitlines()[1] == "0,p/1"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"x": 1}\nx\n', "rows.jsonl:2: not a line of JSON"),
        ("[1, 2]\n", "a line holds an object"),
        ('{"x": {"y": 1}}\n', "field 'x' holds an object"),
        ('{"x": [1, 2], "labels": "a"}\n', "column 'x' holds lists"),
    ],
)
def test_other_lines_are_refused(text, problem, tmp_path):
    (tmp_path / "rows.jsonl").write_text(text)
    with pytest.raises(DataFormatError, match=problem):
        read_paths_csv(tmp_path / "rows.jsonl", cells=True)


def test_standard_input_and_output(tmp_path):
    table = pd.DataFrame([{**one, "labels": ";".join(one["labels"])} for one in objects()])
    fit = CliRunner().invoke(
        app, ["fit", "-", "-o", str(tmp_path / "m.tp"), "--method", "linear"], input=table.to_csv(index=False)
    )
    assert fit.exit_code == 0, fit.output
    lines = "".join(json.dumps(one) + "\n" for one in objects(6))
    for given in (table.iloc[:6].to_csv(index=False), table.iloc[:6].to_csv(index=False, sep="\t"), lines):
        done = CliRunner().invoke(app, ["predict", str(tmp_path / "m.tp"), "-", "-o", "-"], input=given)
        assert done.exit_code == 0, done.output
        assert done.stdout.splitlines()[:2] == ["id,labels", "0,p/1"]
        assert len(done.stdout.splitlines()) == 7
    file = io.BytesIO()
    table.to_parquet(file)
    done = CliRunner().invoke(app, ["describe", "-"], input=file.getvalue())
    assert "rows                  40" in done.stdout
    assert HierarchicalClassifier.load(tmp_path / "m.tp").fitted_on_.name == "stdin"

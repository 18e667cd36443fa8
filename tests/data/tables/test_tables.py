"""Score tables and label tables: what goes out comes back, and bad input is named."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from scipy import sparse

from truepath import Hierarchy
from truepath.data import (
    match_rows,
    read_labels,
    read_scores,
    write_labels,
    write_scores,
)
from truepath.data.tables.columns import LazyColumns
from truepath.errors import (
    ConstraintError,
    DataFormatError,
    TruePathError,
    UnknownLabelError,
)

TREE = Hierarchy.from_paths(["a/1", "a/2", "b"])
S = np.array([[0.9, 0.8, 0.1, 0.2], [0.6, 1 / 3, 0.55, 0.7], [1e-9, 0.0, 0.0, 1.0]])
LABELS = [("a/1",), ("a/2", "b"), ()]


def write(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return path


# ------------------------------------------------------------------------------------------------- scores


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "npz"])
def test_scores_come_back_to_the_last_bit(tmp_path, ending):
    path = tmp_path / f"scores.{ending}"
    write_scores(path, S, TREE, ids=["x", "y", "z"])
    found = read_scores(path, TREE)
    np.testing.assert_array_equal(found.S, S)
    assert found.ids.tolist() == ["x", "y", "z"]
    assert found.names == tuple(TREE.names)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_columns_are_found_by_name_in_any_order(tmp_path):
    path = write(tmp_path, "s.csv", "b,a,a/2,a/1\n0.2,0.9,0.1,0.8\n")
    found = read_scores(path, TREE)
    assert found.S.tolist() == [[0.9, 0.8, 0.1, 0.2]]
    assert found.ids is None
    assert read_scores(path).names == ("b", "a", "a/2", "a/1")


def test_arrays_without_names_are_taken_in_order(tmp_path):
    np.save(tmp_path / "s.npy", S)
    sparse.save_npz(tmp_path / "s.npz", sparse.csr_matrix(S))
    np.testing.assert_array_equal(read_scores(tmp_path / "s.npy", TREE).S, S)
    found = read_scores(tmp_path / "s.npz", TREE)
    assert sparse.issparse(found.S)
    np.testing.assert_array_equal(found.S.toarray(), S)
    np.save(tmp_path / "short.npy", S[:, :2])
    with pytest.raises(DataFormatError, match="2 columns without names"):
        read_scores(tmp_path / "short.npy", TREE)


@pytest.mark.parametrize("header", ["id", "", "ID", "gene"])
def test_the_column_of_ids(tmp_path, header):
    path = write(tmp_path, "s.csv", f"{header},a,a/1,a/2,b\nx 1,1,0,0,0\n7,0,0,0,1\n")
    assert read_scores(path, TREE).ids.tolist() == ["x 1", "7"]
    path = write(tmp_path, "later.csv", "a,a/1,gene,a/2,b\n1,0,x,0,0\n")
    assert read_scores(path, TREE, ids="gene").ids.tolist() == ["x"]
    with pytest.raises(DataFormatError, match="no column 'none'"):
        read_scores(path, TREE, ids="none")


def test_nodes_may_be_called_by_numbers(tmp_path):
    path = write(tmp_path, "s.csv", "1,0\n0.5,0.25\n")
    assert read_scores(path, Hierarchy.flat(2)).S.tolist() == [[0.25, 0.5]]


def test_quotes_and_compression(tmp_path):
    import gzip

    h = Hierarchy.from_edges([(None, "a, b"), ("a, b", 'the "c"')])
    write_scores(tmp_path / "s.csv", [[0.5, 0.25]], h, ids=["x\ny"])
    found = read_scores(tmp_path / "s.csv", h)
    assert found.S.tolist() == [[0.5, 0.25]]
    (tmp_path / "z.csv.gz").write_bytes(gzip.compress(b"a,a/1,a/2,b\n1,1,0,0\n"))
    assert read_scores(tmp_path / "z.csv.gz", TREE).S.tolist() == [[1, 1, 0, 0]]


BAD_SCORES = [
    ("id,a,a/1,a/2,b\nx,1,0,0\n", DataFormatError, r"s\.csv:2: 4 cells in this row, 5 column names"),
    (
        "id,a,a/1,a/2,b\nx,1,0,0,0\n\ny,1,zero,0,0\n",
        DataFormatError,
        r"s\.csv:4: 'zero' is not a number \(column 'a/1'\)",
    ),
    ("id,a,a/1,a/2,b\nx,1,0,,0\n", DataFormatError, r"s\.csv:2: an empty cell \(column 'a/2'\)"),
    ("id,a,a/1,a/2,b\nx,1,0,nan,0\n", DataFormatError, r"s\.csv:2: nan in column 'a/2'"),
    ("id,a,a/1,a/2,b\nx,1,0,1e999,0\n", DataFormatError, "inf in column 'a/2'"),
    ("id,a,a/1,a/2,b\nx,1,0,0,0\nx,1,0,0,0\n", DataFormatError, r"s\.csv:3: the id 'x' occurs twice"),
    ("id,a,a/1,a/1,b\nx,1,0,0,0\n", DataFormatError, "two columns are called 'a/1'"),
    (
        "id,a,a/1,a/3,b\nx,1,0,0,0\n",
        UnknownLabelError,
        "column 'a/3' is not in the hierarchy of 4 labels. Did you mean 'a/",
    ),
    ("id,a,b\nx,1,0\n", DataFormatError, "no column for 2 of the hierarchy's 4 nodes: 'a/1', 'a/2'"),
    ("id,a,a/1,a/2,b\n", DataFormatError, "no rows below"),
    ("", DataFormatError, "the file is empty"),
    ("1,0,0,0\n1,1,0,0\n", DataFormatError, "the first line holds numbers"),
    ('id,a,a/1,a/2,b\n"x,1,0,0,0\n', DataFormatError, "not a table"),
]


@pytest.mark.parametrize(("text", "error", "match"), BAD_SCORES)
def test_bad_scores_are_named(tmp_path, text, error, match):
    with pytest.raises(error, match=match):
        read_scores(write(tmp_path, "s.csv", text), TREE)


def test_bad_arrays_are_named(tmp_path):
    (tmp_path / "s.npy").write_bytes(b"no array")
    (tmp_path / "s.parquet").write_bytes(b"no table")
    (tmp_path / "s.npz").write_bytes(b"PK no archive")
    for name in ("s.npy", "s.parquet", "s.npz"):
        with pytest.raises(DataFormatError, match="not a readable"):
            read_scores(tmp_path / name, TREE)
    for odd in (np.zeros(3), np.array([["x"]]), np.zeros((0, 4))):
        np.save(tmp_path / "odd.npy", odd)
        with pytest.raises(DataFormatError, match="must hold a matrix of numbers"):
            read_scores(tmp_path / "odd.npy", TREE)
    np.save(tmp_path / "pickled.npy", np.array([{}], object), allow_pickle=True)
    with pytest.raises(DataFormatError, match="not a readable NumPy file"):
        read_scores(tmp_path / "pickled.npy", TREE)
    np.savez(tmp_path / "two.npz", a=S, b=S)
    with pytest.raises(DataFormatError, match="must hold one matrix"):
        read_scores(tmp_path / "two.npz", TREE)
    with pytest.raises(FileNotFoundError):
        read_scores(tmp_path / "none.npy", TREE)


# ------------------------------------------------------------------------------------------------- labels


@pytest.mark.parametrize("matrix", [False, True])
@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "json"])
def test_labels_come_back(tmp_path, ending, matrix):
    path = tmp_path / f"labels.{ending}"
    if matrix and ending == "json":
        with pytest.raises(ValueError, match="not written as JSON"):
            write_labels(path, LABELS, TREE, matrix=True)
        return
    write_labels(path, TREE.encode(LABELS), TREE, ids=["x", "y", "z"], matrix=matrix)
    found = read_labels(path, TREE)
    assert TREE.decode(found.y) == LABELS
    assert found.ids.tolist() == ["x", "y", "z"]


def test_labels_to_a_stream_and_from_arrays(tmp_path):
    stream = io.StringIO()
    write_labels(stream, LABELS, TREE, format="json")
    assert json.loads(stream.getvalue())[1] == {"id": "1", "labels": ["a/2", "b"]}
    np.save(tmp_path / "y.npy", TREE.encode(LABELS))
    sparse.save_npz(tmp_path / "y.npz", TREE.encode(LABELS, sparse_output=True))
    for name in ("y.npy", "y.npz"):
        assert TREE.decode(read_labels(tmp_path / name, TREE).y) == LABELS


def test_ancestors_are_added_or_asked_for(tmp_path):
    path = write(tmp_path, "y.csv", "id,a,a/1,a/2,b\nx,0,1,0,0\n")
    with pytest.raises(ConstraintError, match=r"y\.csv: .*close=True"):
        read_labels(path, TREE)
    assert TREE.decode(read_labels(path, TREE, close=True).y) == [("a/1",)]
    assert TREE.decode(read_labels(write(tmp_path, "n.csv", "labels\na/1 ; b\n"), TREE).y) == [("a/1", "b")]


BAD_LABELS = [
    ("y.csv", "id,labels\nx,a/3\n", DataFormatError, r"y\.csv:2: the label 'a/3' is not in the hierarchy"),
    ("y.csv", "id,labels\nx,a\nx,b\n", DataFormatError, r"y\.csv:3: the id 'x' occurs twice"),
    ("y.csv", "id,labels\nx,a,b\n", DataFormatError, "3 cells in this row"),
    ("y.csv", "id,a,a/1,a/2,b\nx,0.5,0,0,0\n", DataFormatError, "must hold only 0 and 1"),
    ("y.json", "{", DataFormatError, "not JSON"),
    ("y.json", '{"id": 1}', DataFormatError, "a list of objects"),
    ("y.json", '[{"id": 1, "labels": []}, {"id": 2}]', DataFormatError, "row 1: has the keys"),
    ("y.json", '[{"id": 1}]', DataFormatError, "no column 'labels'"),
]


@pytest.mark.parametrize(("name", "text", "error", "match"), BAD_LABELS)
def test_bad_labels_are_named(tmp_path, name, text, error, match):
    with pytest.raises(error, match=match):
        read_labels(write(tmp_path, name, text), TREE)


def test_what_cannot_be_written_is_said(tmp_path):
    odd = Hierarchy.flat(["a;b"])
    with pytest.raises(ValueError, match="holds ';'"):
        write_labels(tmp_path / "y.csv", [["a;b"]], odd)
    with pytest.raises(ValueError, match="no format known"):
        write_labels(tmp_path / "y.doc", LABELS, TREE)
    with pytest.raises(ValueError, match="3 different names"):
        write_labels(tmp_path / "y.csv", LABELS, TREE, ids=["x", "x", "y"])
    with pytest.raises(ValueError, match="not to a text stream"):
        write_labels(io.StringIO(), LABELS, TREE, format="parquet")
    assert list(tmp_path.iterdir()) == []


def test_rows_are_matched_by_id():
    assert match_rows(["a", "b"], ["b", "a"]).tolist() == [1, 0]
    with pytest.raises(TruePathError, match=r"lacks 1 of 2 rows, first the id 'row-2'\. Did you mean 'row-1'"):
        match_rows(["row-1", "row-2"], ["row-1"])
    with pytest.raises(TruePathError, match="1 row too many, first the id 'c'"):
        match_rows(["a"], ["a", "c"])


def test_columns_are_not_made_by_looking_for_their_names():
    made = []
    columns = LazyColumns(["a", "b"], lambda name: made.append(name) or [1, 2])
    assert "a" in columns
    assert "c" not in columns
    assert list(columns) == ["a", "b"]
    assert not made
    assert columns["b"] == columns["b"] == [1, 2]
    assert made == ["b"]
    with pytest.raises(KeyError):
        columns["c"]

"""Tables of label paths: text files, Parquet and frames give the same data set."""

from __future__ import annotations

import gzip
import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import truepath
from truepath import Hierarchy
from truepath.data import read_paths_csv
from truepath.errors import DataFormatError

CSV = """id,title,pages,kind,part,topics
1,"Light, and more",200,hard,train,Science/Physics;Art
2,Cells,,soft,test,Science/Biology
3,"two
lines",7,,train,
4,Bones,1e2,hard,train, Science / Biology ; Science
"""
ROLES = {"labels": "topics", "ids": "id", "split": "part", "features": ["pages", "kind"]}


def check(ds):
    assert list(ds.splits) == ["train", "test"]
    assert ds.hierarchy.names.tolist() == ["Science", "Science/Physics", "Art", "Science/Biology"]
    assert ds.hierarchy.decode(ds.train.y) == [("Science/Physics", "Art"), (), ("Science/Biology",)]
    np.testing.assert_array_equal(ds.train.X, [[200, 0], [7, np.nan], [100, 0]])
    np.testing.assert_array_equal(ds.test.X, [[np.nan, 1]])
    assert dict(ds.categories) == {1: ("hard", "soft")}
    assert ds.train.ids.tolist() == ["1", "3", "4"]


def test_csv(tmp_path):
    (tmp_path / "books.csv").write_text(CSV)
    ds = read_paths_csv(tmp_path / "books.csv", **ROLES)
    assert ds.name == "books"
    check(ds)


def test_compressed_tsv_with_other_separators(tmp_path):
    text = CSV.replace("Light, and more", "Light").replace(",", "\t").replace("/", " > ").replace(";", "|")
    (tmp_path / "books.tsv.gz").write_bytes(gzip.compress(text.encode()))
    ds = read_paths_csv(tmp_path / "books.tsv.gz", sep=" > ", between="|", **ROLES)
    assert ds.hierarchy.decode(ds.test.y) == [("Science > Biology",)]


def test_text_files_need_no_frame_library(tmp_path):
    (tmp_path / "books.csv").write_text(CSV)
    code = (
        "import sys\nfor m in ('pandas', 'polars', 'pyarrow', 'narwhals'): sys.modules[m] = None\n"
        "from truepath.data import read_paths_csv\n"
        f"print(len(read_paths_csv({str(tmp_path / 'books.csv')!r}, 'topics')['all']))"
    )
    source = Path(truepath.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(source)},
    )
    assert done.stdout.strip() == "4"


def test_text_column_stays_text(tmp_path):
    (tmp_path / "books.csv").write_text(CSV)
    ds = read_paths_csv(tmp_path / "books.csv", "topics", text="title")
    assert ds["all"].X.tolist() == ["Light, and more", "Cells", "two\nlines", "Bones"]
    assert ds.feature_kinds == ("text",)
    assert ds.describe().n_text == 1
    assert ds.split((0.5, 0.5), 0).n_samples == 4


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("as_parquet", [False, True])
def test_frames_and_parquet(tmp_path, library, as_parquet):
    module = pytest.importorskip(library)
    columns = {
        "id": [1, 2, 3, 4],
        "pages": [200.0, None, 7.0, 100.0],
        "kind": ["hard", "soft", None, "hard"],
        "part": ["train", "test", "train", "train"],
        "topics": ["Science/Physics;Art", "Science/Biology", None, "Science/Biology;Science"],
    }
    frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    if as_parquet:
        file = tmp_path / "books.parquet"
        if library == "pyarrow":
            importlib.import_module("pyarrow.parquet").write_table(frame, file)
        else:
            (frame.to_parquet if library == "pandas" else frame.write_parquet)(file)
        frame = file
    check(read_paths_csv(frame, **ROLES))


def test_list_column():
    pyarrow = pytest.importorskip("pyarrow")
    frame = pyarrow.table({"labels": [["a/1", "b"], []], "x": [1.0, 2.0]})
    ds = read_paths_csv(frame)
    assert ds.hierarchy.decode(ds["all"].y) == [("a/1", "b"), ()]


def test_level_columns(tmp_path):
    (tmp_path / "t.csv").write_text("x,l1,l2\n1,a,1\n2,a,\n3,,\n")
    ds = read_paths_csv(tmp_path / "t.csv", ["l1", "l2"])
    assert ds.hierarchy.decode(ds["all"].y) == [("a/1",), ("a",), ()]
    (tmp_path / "t.csv").write_text("x,l1,l2\n1,a,1\n2,,1\n")
    with pytest.raises(DataFormatError, match=r"t\.csv:3: the label path '/1' has an empty part"):
        read_paths_csv(tmp_path / "t.csv", ["l1", "l2"])


def test_given_hierarchy(tmp_path):
    (tmp_path / "t.csv").write_text("x,labels\n1,a\n2,a/9\n")
    with pytest.raises(DataFormatError, match=r"t\.csv:3: label 'a/9' is not in the hierarchy"):
        read_paths_csv(tmp_path / "t.csv", hierarchy=Hierarchy.from_paths(["a/1"]))


def test_long_texts(tmp_path):
    (tmp_path / "t.csv").write_text("text,labels\n" + "word " * 50_000 + ",a\n")
    assert len(read_paths_csv(tmp_path / "t.csv", text="text")["all"].X[0]) == 250_000


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        ("x,labels\n1,a,b\n", "3 cells in this row, 2 column names", 2),
        ("x,labels\n1,a//b\n", "has an empty part", 2),
        ("x,y\n1,a\n", "no column 'labels'", None),
        ("x,x,labels,,\n1,2,a,,\n", "two columns are called 'x'", 1),
        ("x,x,labels\n1,2,a\n", "two columns are called 'x'", 1),
        ("x,labels\n", "no rows", None),
        ('x,labels\n1,"a\n', "not a table", 2),
        ("x,labels\n1,\n", "no row has a label", None),
    ],
)
def test_faults(tmp_path, text, problem, line):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(DataFormatError) as caught:
        read_paths_csv(tmp_path / "t.csv")
    assert problem in str(caught.value)
    assert "t.csv" in str(caught.value)
    assert caught.value.line == line


def test_not_parquet_and_not_a_frame(tmp_path):
    (tmp_path / "t.parquet").write_text("no")
    with pytest.raises(DataFormatError, match="not a readable Parquet file"):
        read_paths_csv(tmp_path / "t.parquet")
    with pytest.raises(TypeError, match="data frame"):
        read_paths_csv(object())
    with pytest.raises(FileNotFoundError):
        read_paths_csv(tmp_path / "none.parquet")


def test_cells_are_kept_as_written(tmp_path):
    path = tmp_path / "things.csv"
    path.write_text("size,colour,labels\n01,red,a/1\n,blue,b\n")
    ds = read_paths_csv(path, cells=True)
    assert ds["all"].X.tolist() == [["01", "red"], ["", "blue"]]
    assert ds.feature_names == ("size", "colour")
    assert not ds.categories
    assert ds.describe().missing_percent == 25.0


def test_labels_after_a_separator_may_begin_with_the_blank_that_also_separates_parts(tmp_path):
    (tmp_path / "t.csv").write_text("x,labels\n1,a b; c d\n2,\n")
    ds = read_paths_csv(tmp_path / "t.csv", sep=" ")
    assert ds.hierarchy.decode(ds["all"].y) == [("a b", "c d"), ()]

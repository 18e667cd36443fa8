"""The CLUS dialect: every quirk of the format as a small file, every fault with file and line."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from truepath.data import read_clus_arff
from truepath.errors import CycleError, DataFormatError

TREE = """@RELATION 'tiny.names'

@ATTRIBUTE size      numeric
@ATTRIBUTE colour    {red,green,blue}
@ATTRIBUTE class     hierarchical 01,01/01,01/01/03,02
@DATA
0.5,green,01/01/03@02
?,?,01
"""


@pytest.fixture
def read(tmp_path):
    def read(text, name="tiny.arff"):
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_clus_arff(file)

    return read


def labels(ds, split="all"):
    return ds.hierarchy.decode(ds[split].y)


def test_dense_tree(read):
    ds = read(TREE)
    assert ds.name == "tiny.names"
    assert ds.hierarchy.names.tolist() == ["01", "01/01", "01/01/03", "02"]
    np.testing.assert_array_equal(ds["all"].X, [[0.5, 1], [np.nan, np.nan]])
    assert labels(ds) == [("01/01/03", "02"), ("01",)]
    assert ds["all"].y.sum(axis=1).tolist() == [4, 1]
    assert ds["all"].n_written.tolist() == [2, 1]
    assert ds.feature_names == ("size", "colour")
    assert dict(ds.categories) == {1: ("red", "green", "blue")}
    assert ds.feature_kinds == ("numeric", "categorical")


@pytest.mark.parametrize(
    "text",
    [
        TREE.replace("\n", "\r\n"),
        TREE.upper().replace("RED,GREEN,BLUE", "red,green,blue").replace("GREEN", "green"),
        TREE.lower(),
        TREE.replace("01,01/01,01/01/03,02", "01/01/03,01/01,01,02,01,02"),  # children first, repeated items
        TREE.replace("01,01/01,01/01/03,02", "01/01/03,02"),  # parents left out
        TREE.replace("01,01/01,01/01/03,02", "01, 01/01, 01/01/03, 02"),
        TREE.replace("\n0.5,green,", "\n% a comment\n\n 0.5 , 'green' ,"),
        TREE.replace("@DATA\n", "@data   \n\n") + "\n% \n% \n",
        TREE.replace("01/01/03@02", "01/01/03 @ 02"),
        TREE.replace("@ATTRIBUTE size      numeric", "% comment\n@attribute\t'size'\tREAL"),
        "\ufeff" + TREE,
        TREE.rstrip("\n"),
        TREE.replace("size ", '"size" ').replace("colour    {red,green,blue}", "colour{ red, 'green',\"blue\" }"),
    ],
)
def test_quirks_change_nothing(read, text):
    plain, ds = read(TREE), read(text, "other.arff")
    assert {frozenset(row) for row in labels(ds)} == {frozenset(row) for row in labels(plain)}
    assert set(ds.hierarchy.names) == set(plain.hierarchy.names)
    np.testing.assert_array_equal(ds["all"].X, plain["all"].X)
    assert [name.lower() for name in ds.feature_names] == ["size", "colour"]


DAG = """@relation go
@attribute x numeric
@attribute class hierarchical b/c,root/a,root/b,a/c,c/d
@data
1,d
2,a@b
3,root
"""


def test_dag_header_and_its_root(read):
    ds = read(DAG)
    assert sorted(ds.hierarchy.names) == ["a", "b", "c", "d"]
    assert not ds.hierarchy.is_tree
    assert sorted(ds.hierarchy.names[ds.hierarchy.parents("c")]) == ["a", "b"]
    assert [set(row) for row in labels(ds)] == [{"d"}, {"a", "b"}, set()]
    assert ds["all"].y[0].all()


def test_sparse_rows_count_from_one(read):
    rows = "{1 0.5,2 green,3 01/01/03@02}\n{ 1 ?, 3 01 }\n"
    ds = read(TREE[: TREE.index("0.5,green")] + rows)
    assert sparse.issparse(ds["all"].X)
    np.testing.assert_array_equal(ds["all"].X.toarray(), [[0.5, 1], [np.nan, 0]])
    assert labels(ds) == [("01/01/03", "02"), ("01",)]


def test_repeated_attribute_names_stay(read):
    ds = read(TREE.replace("colour    {red,green,blue}", "size numeric").replace("green", "7"))
    assert ds.feature_names == ("size", "size")
    assert ds["all"].X[0].tolist() == [0.5, 7]


def test_key_column_becomes_ids(read):
    ds = read(
        TREE.replace("@ATTRIBUTE size", "@ATTRIBUTE gene key\n@ATTRIBUTE size")
        .replace("\n0.5", "\nYAL1,0.5")
        .replace("\n?,?", "\n'Y, 2',?,?")
    )
    assert ds["all"].ids.tolist() == ["YAL1", "Y, 2"]
    assert ds.n_features == 2


def test_splits_share_one_header(tmp_path):
    (tmp_path / "a.arff").write_text(TREE)
    (tmp_path / "b.arff").write_text(TREE.replace("'tiny.names'", "other"))
    ds = read_clus_arff({"train": tmp_path / "a.arff", "test": tmp_path / "b.arff"}, name="both")
    assert list(ds.splits) == ["train", "test"]
    (tmp_path / "b.arff").write_text(TREE.replace("red,green", "green,red"))
    with pytest.raises(DataFormatError, match=r"b\.arff:4: attribute 'colour' is declared differently"):
        read_clus_arff({"train": tmp_path / "a.arff", "test": tmp_path / "b.arff"})


FAULTS = [
    (TREE.replace("0.5,green,", "0.5,"), "2 values in this row, 3 attributes", 7),
    (TREE.replace("0.5,green,", "0.5,green,9,"), "4 values", 7),
    (TREE.replace("@02", "@03"), "label '03' is not declared", 7),
    (TREE.replace("green,01", "pink,01"), "'pink' is not a declared value of 'colour' (red, green, blue)", 7),
    (TREE.replace("0.5", "0.5x"), "'0.5x' is not a number (attribute 'size')", 7),
    (TREE.replace("0.5", "1_0"), "'1_0' is not a number", 7),
    (TREE.replace("?,?,01", "?,?,?"), "this row has no class", 8),
    (TREE.replace("?,?,01", "?,?,"), "this row has no class", 8),
    (TREE.replace("class     hierarchical 01,01/01,01/01/03,02", "class {a,b}"), "no hierarchical attribute", None),
    (TREE.replace("@DATA", "@END"), "no @data line", None),
    (TREE[: TREE.index("0.5")], "no data rows", None),
    (TREE.replace("@ATTRIBUTE size ", "@ATTR size "), "is neither @relation", 3),
    (TREE.replace("size      numeric", "size"), "lacks a name or a type", 3),
    (TREE.replace("size      numeric", "size date"), "has type 'date'", 3),
    (TREE.replace("blue}", "blue"), "do not end with '}'", 4),
    (TREE.replace("{red,green,blue}", "{}"), "declares no values", 4),
    (TREE.replace("01,01/01,", "01,,01/01,"), "empty name", 5),
    (TREE.replace("01,01/01,", "01,/01,"), "empty name", 5),
    (TREE.replace("@DATA", "@ATTRIBUTE c2 hierarchical a\n@DATA"), "a second hierarchical attribute", 6),
    (DAG.replace("root/b", "root/b/c"), "every item is an edge", 3),
    (DAG.replace("root/b", "b/root"), "nothing is above root", 3),
    (DAG.replace("c/d", "c/d,d/b"), "cycle", 3),
    (
        TREE.replace("0.5,green,01/01/03@02", "{0 0.5,3 01}"),
        "index 0 in a sparse row; 3 attributes are numbered 1 to 3",
        7,
    ),
    (DAG.replace("1,d\n2,a@b\n3,root", "{1 5,2 d}\n{1 5,1 6,2 d}"), "index 1 occurs twice", 6),
    (DAG.replace("1,d\n2,a@b\n3,root", "{1 5,2 d}\n1,d"), "must be in braces", 6),
    (DAG.replace("1,d\n2,a@b\n3,root", "{1 5,2 d}\n{1,2 d}"), "is not an 'index value' pair", 6),
    (DAG.replace("1,d\n2,a@b\n3,root", "{1 5,2 d}\n{1,2 d d}"), "'1' is not an 'index value' pair", 6),
    (DAG.replace("1,d\n2,a@b\n3,root", "{1 5,2 d}\n{3 1,2 d}"), "index 3 in a sparse row", 6),
    (DAG.replace("1,d\n2,a@b\n3,root", "{1 5,2 d}\n{99999999999999999999 1,2 d}"), "is not an 'index value' pair", 6),
    (DAG.replace("2,a@b", "{1 5,2 d}"), "a sparse row among dense ones", 6),
    (DAG.replace("1,d\n2,a@b\n3,root", "{1 5,2 d}\n{1 5}"), "this row has no class", 6),
    ("", "the file is empty", None),
    (" \n \n", "the file is empty", None),
    (TREE.encode() + b"\xff\xfe", "byte 0xff is not UTF-8", 9),
    (TREE.encode().replace(b"0.5", b"0\x005"), "a NUL character", 7),
]


@pytest.mark.parametrize(("text", "problem", "line"), FAULTS, ids=[str(k) for k in range(len(FAULTS))])
def test_faults_name_file_and_line(read, text, problem, line):
    if "{0 0.5" in str(text):
        text = text.replace("\n?,?,01", "")
    with pytest.raises(DataFormatError) as caught:
        read(text, "bad.arff")
    assert problem in str(caught.value)
    assert "bad.arff" in str(caught.value)
    assert caught.value.line == line


def test_cycle_is_kept_as_the_cause(read):
    with pytest.raises(DataFormatError) as caught:
        read(DAG.replace("c/d", "c/d,d/b"))
    assert isinstance(caught.value.__cause__, CycleError)


@pytest.mark.parametrize("cell", ["nan", "1e-3", "-4", "+.5", "1E5", " 7 "])
def test_numbers_as_they_are_written(read, cell):
    value = read(TREE.replace("0.5", cell))["all"].X[0, 0]
    np.testing.assert_equal(value, float(cell))


def test_wrong_kind_of_path():
    with pytest.raises(TypeError, match="path must be a file name"):
        read_clus_arff(3)
    with pytest.raises(ValueError, match="empty mapping"):
        read_clus_arff({})
    with pytest.raises(FileNotFoundError):
        read_clus_arff("no/such/file.arff")

"""The sparse text formats with and without a header."""

from __future__ import annotations

import pytest

from truepath import Hierarchy
from truepath.data import read_edges, read_libsvm, read_xmc
from truepath.errors import DataFormatError, HierarchyError

XMC = "3 4 3\n0,2 1:0.5 3:1\n 0:2\n1\n"


@pytest.fixture
def file(tmp_path):
    def write(text, name="data.txt"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def test_xmc(file):
    ds = read_xmc(file(XMC))
    assert ds["all"].X.toarray().tolist() == [[0, 0.5, 0, 1], [2, 0, 0, 0], [0, 0, 0, 0]]
    assert ds.hierarchy.decode(ds["all"].y) == [("0", "2"), (), ("1",)]
    assert ds.feature_names[3] == "3"
    assert list(ds.feature_names) == ["0", "1", "2", "3"]


def test_xmc_with_a_hierarchy_of_edges(file):
    edges = file("# parent child\nr\tall\nall\t0\nall\t2\n", "edges.tsv")
    ds = read_xmc(file(XMC), edges, root="r")
    assert set(ds.hierarchy.decode(ds["all"].y)[0]) == {"0", "2"}
    assert sorted(ds.hierarchy.names) == ["0", "1", "2", "all"]
    assert ds["all"].y.sum(axis=1).tolist() == [3, 0, 1]
    assert ds["all"].n_written.tolist() == [2, 0, 1]


def test_xmc_label_names(file):
    names = file("red\ngreen\nblue\n", "names.txt")
    assert read_xmc(file(XMC), label_names=names).hierarchy.names.tolist() == ["red", "green", "blue"]
    with pytest.raises(DataFormatError, match="2 label names for 3 labels"):
        read_xmc(file(XMC), label_names=["red", "green"])


def test_libsvm(file):
    ds = read_libsvm(file("b,a 1:0.5 3:1 # first\n\na 2:2\n1:7\n"))
    assert ds["all"].X.toarray().tolist() == [[0.5, 0, 1], [0, 2, 0], [7, 0, 0]]
    assert ds.hierarchy.decode(ds["all"].y) == [("b", "a"), ("a",), ()]
    with pytest.raises(HierarchyError, match="1 labels are not in the hierarchy"):
        read_libsvm(file("b,a 1:0.5\n"), Hierarchy.flat(["a"]))


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        (XMC.replace("3 4 3", "3 4"), "the first line must be", 1),
        (XMC.replace("3 4 3", "0,2 1:0.5"), "use read_libsvm", 1),
        (XMC.replace("3 4 3", "3 0 3"), "announces no rows", 1),
        (XMC.replace("3 4 3", "4 4 3"), "3 rows, but the first line announces 4", 4),
        (XMC.replace("3:1", "4:1"), "feature 4; features are numbered from 0 to 3", 2),
        (XMC.replace("3:1", "1:1"), "feature 1 occurs twice", 2),
        (XMC.replace("3:1", "3:x"), "'3:x' is not 'index:value'", 2),
        (XMC.replace("3:1", "3"), "'3' is not 'index:value'", 2),
        (XMC.replace("1:0.5 3:1", "1 3:1:2"), "'1' is not 'index:value'", 2),
        (XMC.replace("3:1", ":1"), "':1' is not 'index:value'", 2),
        (XMC.replace("3:1", "99999999999999999999:1"), "is not 'index:value'", 2),
        (XMC.replace("3:1", "-3:1"), "feature -3;", 2),
        (XMC.replace("0,2", "0,3"), "label '3' is not a number from 0 to 2", 2),
        (XMC.replace("0,2", "0,x"), "label 'x' is not", 2),
    ],
)
def test_xmc_faults(file, text, problem, line):
    with pytest.raises(DataFormatError) as caught:
        read_xmc(file(text))
    assert problem in str(caught.value)
    assert caught.value.line == line


def test_libsvm_index_zero(file):
    with pytest.raises(DataFormatError, match="feature 0; features are numbered from 1"):
        read_libsvm(file("a 0:1\n"))
    assert read_libsvm(file("a 0:1\n"), first_index=0).n_features == 1


def test_edges_faults(file):
    with pytest.raises(DataFormatError, match=r"edges:2: 'c' is not an edge"):
        read_edges(file("a b\nc\n", "edges"))
    with pytest.raises(HierarchyError):
        read_edges(file("a b\nb a\n", "edges"))

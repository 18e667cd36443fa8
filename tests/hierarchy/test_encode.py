"""Label collections of every kind become the same closed matrix."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from truepath import Hierarchy
from truepath.errors import ConstraintError, UnknownLabelError

H = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
EXPECTED = [[1, 0, 1, 1, 0], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0]]

THREE_LEVELS = np.array([[["a", "2"], ["b", ""]], [["a", "1"], ["", ""]], [["", ""], ["", ""]]])


@pytest.mark.parametrize(
    "labels",
    [
        [["a/2", "b"], ["a/1"], []],
        [("a/2", "b"), {"a/1"}, np.array([], dtype=object)],
        [[("a", "2"), "b"], "a/1", []],
        [[("a", "a/2"), "b"], [("a", "a/1")], []],
        THREE_LEVELS,
        np.array(EXPECTED),
        np.array(EXPECTED, float),
        sparse.csr_matrix(EXPECTED),
        pd.DataFrame(EXPECTED, columns=H.names),
        pl.DataFrame(EXPECTED, schema=H.names.tolist(), orient="row"),
        pd.DataFrame(EXPECTED, columns=H.names)[["b", "a/2", "a/1", "a", "b/1"]],
    ],
    ids=["names", "sets", "paths", "walks", "levels3", "matrix", "floats", "csr", "pandas", "polars", "any order"],
)
def test_every_kind(labels):
    Y = H.encode(labels)
    assert Y.dtype == bool
    assert isinstance(Y, np.ndarray)
    assert Y.astype(int).tolist() == EXPECTED
    forced = H.encode(labels, sparse_output=True)
    assert isinstance(forced, sparse.csr_array)
    assert forced.dtype == bool
    assert forced.toarray().astype(int).tolist() == EXPECTED


def test_a_large_matrix_is_sparse_and_can_be_forced(monkeypatch):
    monkeypatch.setattr("truepath.hierarchy.matrices.DENSE_LIMIT", 10)
    names = [["a/2", "b"], ["a/1"], []]
    assert isinstance(H.encode(names), sparse.csr_array)
    assert isinstance(H.encode(names[:1]), np.ndarray)
    assert H.encode(names, sparse_output=False).astype(int).tolist() == EXPECTED


@pytest.mark.parametrize("sparse_output", [True, False])
def test_both_forms_are_taken_back(sparse_output):
    Y = H.encode([["a/2", "b"], ["a/1"], []], sparse_output=sparse_output)
    assert H.decode(Y) == [("a/2", "b"), ("a/1",), ()]
    assert H.is_closed(Y)
    assert sparse.issparse(H.close(Y)) == sparse_output


@pytest.mark.parametrize("frame", [pd.DataFrame, lambda d: pl.DataFrame(d)], ids=["pandas", "polars"])
@pytest.mark.parametrize("empty", ["", None])
def test_columns_of_levels(frame, empty):
    levels = frame({"top": ["a", "b", "a"], "sub": ["2", empty, "1"]})
    assert H.decode(H.encode(levels)) == [("a/2",), ("b",), ("a/1",)]


def test_columns_of_levels_in_a_hierarchy_of_plain_names():
    h = Hierarchy.from_edges([("animal", "cat"), ("animal", "dog"), (None, "plant")])
    assert h.decode(h.encode(np.array([["animal", "dog"], ["plant", ""]]))) == [("dog",), ("plant",)]
    with pytest.raises(UnknownLabelError, match="row 0"):
        h.encode(np.array([["plant", "dog"]]))


def test_missing_ancestors_can_be_refused():
    with pytest.raises(ConstraintError, match="'a/1' without 'a'"):
        H.encode([["a/1"]], close=False)
    assert H.encode([["a", "a/1"]], close=False).sum() == 2


def test_aliases_are_taken():
    h = Hierarchy(["new"], np.empty((0, 2), np.int64), {"old": "new"})
    assert h.decode(h.encode([["old"]])) == [("new",)]
    assert h.index("old") == 0


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        ([["a/9"]], UnknownLabelError, "'a/9' of row 0"),
        ([["a"], [("a", "9")]], UnknownLabelError, "row 1"),
        ("a", TypeError, "Put it in a list"),
        ([3], TypeError, "row 0"),
        ([[3]], TypeError, "row 0"),
        ([None], TypeError, "row 0"),
        (np.array([["", "1"]]), ValueError, "has a gap"),
        (pd.DataFrame({"a": [2]}), ValueError, "only 0 and 1"),
        (pd.DataFrame({"a": [1, 1], "b": pd.array([1, None], "Int64")}), ValueError, "row 1 of column 'b' is missing"),
        (np.full((1, 1, 1, 1), "a"), ValueError, "2 or 3 dimensions .* got 4"),
        ([["a"], [("plant",)]], UnknownLabelError, "row 1"),
        ([[()]], TypeError, "a name or a tuple of steps"),
        (np.full((1, 5), 0.5), ValueError, "only 0 and 1"),
    ],
)
def test_errors(labels, error, message):
    with pytest.raises(error, match=message):
        H.encode(labels)


def test_no_rows():
    assert H.encode([]).shape == (0, 5)
    assert H.decode(np.zeros((0, 5))) == []

"""Frames by name, weights, and matrices that were checked already."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from truepath import Hierarchy
from truepath.errors import ConstraintError, TruePathError, UnknownLabelError
from truepath.hierarchy import check_labels, check_scores
from truepath.hierarchy.checks import (
    already_checked,
    as_probabilities,
    check_truth,
    check_weight,
    flat_like,
    hierarchy_for,
)
from truepath.hierarchy.matrices import as_dense, by_name

H = Hierarchy.from_paths(["a/1", "b"])
S = np.array([[0.9, 0.4, 0.1], [0.5, 0.5, 0.0]])


def frame(**columns):
    return pd.DataFrame({"b": S[:, 2], "a": S[:, 0], "a/1": S[:, 1], **columns})


def test_columns_are_found_by_name():
    for one in (frame(), frame().astype(np.float32), frame()[["a/1", "b", "a"]]):
        found = by_name(one, H)
        np.testing.assert_allclose(found, S, rtol=1e-6)
        assert found.dtype == one.dtypes.iloc[0]
        assert found.flags.c_contiguous
    np.testing.assert_array_equal(by_name(pd.DataFrame(S), H), S)  # columns that are only numbered
    np.testing.assert_array_equal(by_name(frame(), None), S[:, [2, 0, 1]])
    assert by_name(S, H) is S
    mixed = frame(a=[True, False], b=pd.array([1, None], "Int64"))
    np.testing.assert_array_equal(by_name(mixed, H), [[1, 0.4, 1], [0, 0.5, np.nan]])


def test_other_names_come_in_place_of_a_node():
    h = Hierarchy(["new", "b"], np.empty((0, 2), np.int64), {"old": "new"})
    assert by_name(pd.DataFrame({"b": [1.0], "old": [2.0]}), h).tolist() == [[2.0, 1.0]]


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        (frame().drop(columns="a"), TruePathError, r"S: no column for 1 of the hierarchy's 3 nodes: 'a'\."),
        (frame(x=[1, 2]), UnknownLabelError, r"S: the column 'x' is not in the hierarchy of 3 labels"),
        (frame(x=[1, 2], y=[1, 2]), UnknownLabelError, r"the column 'x' and 1 more is not"),
        (frame(a=["one", "two"]), TypeError, "S must hold numbers; its column 'a' holds String"),
        (frame().set_axis(["a", "b", "a"], axis=1), TruePathError, "two columns are called 'a'"),
    ],
)
def test_columns_that_do_not_fit_are_named(wrong, error, said):
    with pytest.raises(error, match=said):
        by_name(wrong, H)


def test_many_missing_columns_are_counted():
    h = Hierarchy.flat([f"n{k}" for k in range(9)])
    for n_missing, shown in ((5, r"'n4', 'n5', 'n6', 'n7', 'n8'\."), (6, r"'n3', 'n4', 'n5', 'n6', 'n7', …\.")):
        with pytest.raises(TruePathError, match=f"no column for {n_missing} of the hierarchy's 9 nodes: {shown}"):
            by_name(pd.DataFrame({f"n{k}": [0.5] for k in range(9 - n_missing)}), h)


def test_a_hierarchy_for_scores_without_one():
    assert hierarchy_for(None, S) == Hierarchy.flat(3)
    assert hierarchy_for(None, S.tolist()) == Hierarchy.flat(3)
    assert hierarchy_for(None, frame()) == Hierarchy.flat(["b", "a", "a/1"]) == flat_like(S, frame())
    assert hierarchy_for(H, S) is H
    assert flat_like(S, pd.DataFrame(S)) is None
    with pytest.raises(ValueError, match=r"S\.reshape\(1, -1\)"):
        hierarchy_for(None, S[0])


def test_weights_are_checked():
    assert check_weight(None, 2) is None
    assert check_weight([0, 2], 2).tolist() == [0.0, 2.0]
    for wrong, said in (
        ([1], r"shape \(2,\)"),
        ([[1, 2]], r"shape \(2,\)"),
        ([1, -1], r"row 1 has -1\.0"),
        ([np.nan, 1], "row 0 has nan"),
        ([0, 0], "zero in every row"),
    ):
        with pytest.raises(ValueError, match=said):
            check_weight(wrong, 2)


def test_truth_belongs_to_the_same_rows():
    assert check_truth([[1, 0, 0], [1, 1, 0]], S, H).tolist() == [[True, False, False], [True, True, False]]
    with pytest.raises(ValueError, match="S has 2 rows but y has 1"):
        check_truth([[1, 0, 0]], S, H)
    with pytest.raises(ValueError, match="y is None"):
        check_truth(None, S, H)


def test_only_the_very_matrix_and_hierarchy_are_taken_as_checked():
    Y, other = np.array([[False, True, False]]), Hierarchy.from_paths(["a/1", "b", "c"])  # not closed
    with already_checked(Y, H):
        assert check_labels(Y, H) is Y
        with already_checked(Y.copy(), other):
            assert check_labels(Y, H) is Y
        for wrong, hierarchy in ((Y.copy(), H), (Y, Hierarchy.from_paths(["a/1", "b"]))):
            with pytest.raises(ConstraintError, match="'a/1' without 'a'"):
                check_labels(wrong, hierarchy)
    with pytest.raises(ConstraintError, match="'a/1' without 'a'"):
        check_labels(Y, H)


def test_scores_keep_their_float_type_and_others_become_float64():
    assert [check_scores(S.astype(kind), H).dtype for kind in ("f4", "f8", "f2", "i8", "?")] == ["f4", *["f8"] * 4]
    with pytest.raises(TypeError, match="S must hold numbers; got values of type"):
        check_scores(np.full((1, 3), "x"), H)


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("wrong", [1.2, -0.2])
def test_what_is_no_probability_is_named_by_row_and_label(as_rows, wrong):
    found = as_rows(np.array([[0.5, 0.25, 1.0], [0.5, wrong, 0.75]]))
    said = rf"S must hold probabilities in \[0, 1\]; found {wrong} in row 1, "
    with pytest.raises(TruePathError, match=said + "label 'b'"):
        as_probabilities(found, labels=["a", "b", "c"])
    with pytest.raises(TruePathError, match=said + "column 1"):
        as_probabilities(found)
    by_rounding = as_probabilities(as_rows(np.array([[0.5, 1.0 + 1e-14], [-1e-14, 0.75]])))
    np.testing.assert_array_equal(as_dense(by_rounding), [[0.5, 1.0], [0.0, 0.75]])

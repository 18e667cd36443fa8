"""Labels one may use: what people give, as sets of possible labels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from truepath import Hierarchy
from truepath.errors import TruePathError, UnknownLabelError
from truepath.hierarchy import AllowedLabels

H = Hierarchy.from_paths(["a/1", "a/2", "b/1"])  # a, a/1, a/2, b, b/1


def possible(allowed, n_samples=3, saved=None, **options):
    sets = AllowedLabels(allowed, **options).resolve(H, n_samples, saved)
    return [H.names[sets.possible[[k]].toarray()[0]].tolist() for k in range(sets.possible.shape[0])], sets.of_row


@pytest.mark.parametrize(
    "given", ["a", ["a"], ("a",), {"a"}, np.array(["a"]), np.array([1, 1, 1, 0, 0], bool), ["a/1", "a/2"]]
)
def test_one_set_for_all_rows(given):
    assert possible(given) == ([["a", "a/1", "a/2"]], None)


def test_flags_are_taken_as_they_are():
    assert possible([True, False, False, False, False]) == ([["a"]], None)


@pytest.mark.parametrize(
    "given",
    [
        [["a/1"], ["b"], ["a/1"]],
        np.array([[0, 1, 0, 0, 0], [0, 0, 0, 0, 1], [0, 1, 0, 0, 0]], bool),
        sparse.csr_array(np.array([[0, 1, 0, 0, 0], [0, 0, 0, 0, 1], [0, 1, 0, 0, 0]])),
    ],
)
def test_a_set_for_each_row_is_held_once(given):
    sets, of_row = possible(given)
    assert sets == [["a", "a/1"], ["b", "b/1"]]
    assert of_row.tolist() == [0, 1, 0]


def test_a_table_says_the_set_of_each_key():
    table = {"north": ["a/2"], "south": "b", "east": ["a"]}
    sets, of_row = possible(table, by=["south", "north", "south"])
    assert (sets, of_row.tolist()) == ([["b", "b/1"], ["a", "a/2"]], [0, 1, 0])


def test_saved_sets_are_named_beside_labels():
    saved = {"summer": ("a/1", "b"), "winter": ("a/2",)}
    assert possible("winter", saved=saved)[0] == [["a", "a/2"]]
    assert possible(["winter", "b"], saved=saved)[0] == [["a", "a/2", "b", "b/1"]]
    assert possible(None, by=["winter", "summer", "winter"], saved=saved)[0] == [["a", "a/2"], ["a", "a/1", "b", "b/1"]]


def test_sets_of_some_rows():
    sets = AllowedLabels([["a/1"], ["b"], ["a/1"]]).resolve(H, 3)
    some = sets.take(1, 2)
    distinct, which = some.distinct(slice(None), 2)
    assert some.possible.toarray()[distinct][which].astype(int).tolist() == [[0, 0, 0, 1, 1], [1, 1, 0, 0, 0]]
    assert [(nodes.tolist(), rows.tolist()) for nodes, rows in sets.groups(3)] == [([0, 1], [0, 2]), ([3, 4], [1])]
    with pytest.raises(ValueError, match="allowed has labels for 3 rows, but there are more"):
        sets.take(2, 2)


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ("a/3", {}, r"'a/3', which is not in the hierarchy of 5 labels.*Did you mean 'a/"),
        (["summr"], {"saved": {"summer": ["a"]}}, r"'summr'.*saved sets 'summer'.*Did you mean 'summer'"),
        ([], {}, r"allowed has no label\. Allow one"),
        ([["a"], [], ["b"]], {}, "allowed has no label for row 1"),
        ([["a"], ["b"]], {}, "allowed has labels for 2 rows, but there are 3"),
        ([["a"], "b", ["a"]], {}, "row 1: expected a collection of names; got 'b'"),
        (3, {}, "allowed must be names or flags; got 3"),
        ([[1], [2], [3]], {}, "a label is a name; got 1"),
        (np.ones((3, 4), bool), {}, "allowed has 4 flags; the hierarchy has 5"),
        (np.full((3, 5), 2), {}, "flags must be 0 or 1"),
        (
            {"north": ["a"]},
            {"by": ["north", "nroth", "north"]},
            r"no labels for 'nroth', only for 1 other key.*Did you mean 'north'",
        ),
        ({"north": ["a"]}, {"by": "region"}, "column of X"),
    ],
)
def test_what_cannot_be_meant_is_refused(given, options, said):
    with pytest.raises((TruePathError, UnknownLabelError, ValueError, TypeError), match=said):
        possible(given, **options)


def test_options_are_checked():
    with pytest.raises(ValueError, match="paths must be one of"):
        AllowedLabels("a", paths="two")
    with pytest.raises(TypeError, match="needs by"):
        AllowedLabels({"north": ["a"]})

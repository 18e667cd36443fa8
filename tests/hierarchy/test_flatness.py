"""Warnings about labels that were read flat: when they are said, and when names are left in peace."""

from __future__ import annotations

import warnings

import pytest

from truepath.errors import FlatLabelsWarning, JoinedLabelsWarning
from truepath.hierarchy.flatness import (
    warn_about_levels,
    warn_about_lists,
    warn_about_nested,
    warn_about_separators,
)
from truepath.hierarchy.separators import explains_little, find_separator, weak_separator


@pytest.fixture(autouse=True)
def _unexpected():
    """Any warning that a test does not wait for is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize(
    ("names", "sep", "between"),
    [
        (["a", "b", "a;b", "b; a"], "/", ";"),
        (["x/a", "x/b", "x/a,x/b", "x/b,x", "x,x/a", "odd, one", "odd, two"], "/", ","),  # 3 of 5
        (["a", "b", "a\nb", "b\na"], " > ", "\n"),
    ],
)
def test_lists_are_said(names, sep, between):
    with pytest.warns(JoinedLabelsWarning, match=rf"of the {len(names)} labels.*look like several"):
        assert warn_about_lists(names, sep) == between


@pytest.mark.parametrize(
    ("names", "sep"),
    [
        (["a", "b", "a;b"], "/"),  # a single one
        (["a", "b", "a|b", "b|a"], "|"),  # levels
        (["a", "b", "a|b", "b|a"], " | "),
        (["a", "a,b", "a,c"], "/"),  # nothing is called b
        (["a", "b", "a,b", "b,a", "a,x", "b,y", "x,y"], "/"),  # 2 of 5
        (["x/a", "x/b", "a,b", "b,a"], "/"),  # those are x/a and x/b
        ([], "/"),
    ],
)
def test_names_are_no_lists(names, sep):
    assert warn_about_lists(names, sep) is None


def test_other_separators_are_said_unless_they_are_known():
    names = ["Tools", "Food > Fruit", "Food|x"]
    with pytest.warns(FlatLabelsWarning, match=r"the 3 labels are flat.*'Food > Fruit' has ' > '.*sep=' > '"):
        warn_about_separators(names, "/")
    with pytest.warns(FlatLabelsWarning, match=r"'Food\|x' has '\|'"):
        warn_about_separators(["Tools", "Food|x"], " > ")
    warn_about_separators(names, " > ")
    warn_about_separators(["Tools", "Food|x"], " > ", "|")
    warn_about_separators(["Tools", "Food"], "/")


def test_a_sign_that_is_common_in_names_counts_where_no_name_has_the_separator():
    names = ["a - 3", "a - 4", "a - 5"]
    with pytest.warns(FlatLabelsWarning, match=r"no name has the separator '/', but 'a - 3' has ' - '"):
        warn_about_separators(names, "/")
    warn_about_separators(["a/1", "a/2", *names], "/")
    warn_about_separators(["a/1", "b|x"], "/")


def test_labels_side_by_side_are_told_of_if_some_stand_above_several():
    with pytest.warns(FlatLabelsWarning, match=r"\['Life', 'Plant'\], were read as several, but nest"):
        warn_about_nested([["Life", "Plant"], ["Life", "Pet", "Cat"], ["Life", "Pet", "Dog"]], ";")
    warn_about_nested([["a", "x"], ["b", "y"], ["c", "z"]], ";")


def test_an_empty_part_makes_no_path():
    assert find_separator({"a/1": 5, "a/2": 5}).sep == "/"
    assert find_separator({"a//1": 5, "a//2": 5}) is None


LEVELS = [["animal", "mammal", "sheep"], ["animal", "mammal", "cow"], ["animal", "bird", "duck"]]


@pytest.mark.parametrize(
    "rows",
    [
        LEVELS,
        [tuple(row) for row in LEVELS],
        LEVELS[1:],
        [["a", "b"], ["a", "c"]],
        [*LEVELS, ["animal", "bird"]],  # of several lengths
        [["a", "other"], ["b", "other"], ["a", "y"], ["b", "z"]],  # one name below two others
    ],
)
def test_levels_are_said(rows):
    with pytest.warns(FlatLabelsWarning, match=f"was read as {len(rows[0])} labels side by side"):
        warn_about_levels(rows)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        LEVELS[:1],
        [["a"], ["a", "b"]],  # two rows of two lengths
        [["a"], ["b"]],
        [["a", "b"], "ac"],
        [["a", 1], ["a", 2]],
        [["a", "b"], ["c", "d"]],  # as many at the top as at the bottom
        [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]],  # all below two
        [["cat"], ["cat", "dog"], ["dog"], ["dog", "fox"]],  # dog in both places
        [["a", "b"], ["b", "c"], ["b", "d"]],  # b in both columns
    ],
)
def test_rows_that_do_not_nest_are_left_in_peace(rows):
    warn_about_levels(rows)


def test_levels_are_told_of_where_four_of_five_names_stand_below_one_other():
    rows = [["Life", "Pet", "Cat"], ["Life", "Pet", "Dog"], ["Life", "Plant"], ["Life", "Cat"]]
    with pytest.warns(FlatLabelsWarning, match="were read as several, but nest like the levels"):
        warn_about_nested(rows, ";")
    warn_about_nested([*rows, ["Life", "Dog"]], ";")  # three of five


def test_two_labels_are_enough_for_a_sign_that_is_common_in_names():
    assert weak_separator(["Toys - Lego", "Toys - Dolls", "Home"]) == ("Toys - Lego", " - ")
    assert weak_separator(["Toys - Lego", "Toys"]) is None


def test_a_separator_that_explains_half_of_its_labels_is_one():
    plain = [f"n{k}" for k in range(16)]
    assert explains_little(dict.fromkeys([*plain, "n0/z", "x/y", "u/v", "s/t"], 1), "/") is None
    assert explains_little(dict.fromkeys([*plain, "r/z", "x/y", "u/v", "s/t"], 1), "/") == "r/z"
    assert explains_little(dict.fromkeys([*plain[:15], "r/z", "x/y", "u/v", "s/t"], 1), "/") is None  # more than few

"""Inputs that new users brought: each is read as it is meant, refused in words, or told of. Nothing goes in silence."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from truepath.data import read_hierarchy, read_paths_csv
from truepath.errors import (
    DataFormatError,
    FlatLabelsWarning,
    FoundSeparatorWarning,
    JoinedLabelsWarning,
    MissingLabelsWarning,
    SpellingsWarning,
)


def read(labels, **options):
    """Return the data set of a column of labels, and what was said, by kind."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ds = read_paths_csv(pd.DataFrame({"x": range(len(labels)), "labels": labels}), **options)
    return ds, {one.category: str(one.message) for one in said}


TOLD = {
    "several paths": (["Toys > Lego, Home > Bath", "Toys > Dolls", "Toys > Lego", "Home > Bath"], JoinedLabelsWarning),
    "some parts alone": (["Red, Blue", "Red", "Blue", "Green, Red"], JoinedLabelsWarning),
    "terms with commas": (["GO:0000001,GO:0000002", "GO:0000003,GO:0000004"], JoinedLabelsWarning),
    "terms with blanks": (["GO:0000001 GO:0000002", "GO:0000003 GO:0000004"], JoinedLabelsWarning),
    "what cannot be seen": (["Toys", "Toys\u200b", "Home"], SpellingsWarning),
    "codes without a dot": (["E11.9", "E119", "I10", "J44.1", "J44.0"], SpellingsWarning),
    "codes with a sign": (["E11.9", "E11.9.", "I10.0", "I10.1", "J44.0"], SpellingsWarning),
    "codes with titles": (["E11.9 Diab. mell.", "E11.8 Diab", "I10.0 Bl. x", "I10.1 z", "J45.0 a"], FlatLabelsWarning),
    "terms of an ontology": (["GO:0006915", "GO:0008150"], FlatLabelsWarning),
    "lineages with ranks": (
        ["k__Bacteria; p__Proteo; c__Gamma", "k__Bacteria; p__Firmicutes; c__", "k__Archaea; p__; c__"],
        FlatLabelsWarning,
    ),
    "hyphens": (["Toys - Lego", "Toys - Dolls", "Home - Bath", "Home - Bed", "Home"], FlatLabelsWarning),
    "colons": (["Toys: Lego", "Toys: Dolls", "Home: Bath", "Home: Bed"], FlatLabelsWarning),
    "dots": (["toys.lego", "toys.dolls", "home.bath", "home.bed"], FlatLabelsWarning),
    "two separators": (["Toys > Lego", "Toys/Dolls", "Toys > Cars", "Home > Bed"], FlatLabelsWarning),
    "blanks or none": (["El / Cables/Adapters", "El / TV", "Home / Bath/Bed", "Home / Garden"], FlatLabelsWarning),
    "levels in one cell": (["Life;Plant;Oak", "Life;Pet", "Life;Pet;Cat", "Life;Plant;Elm"], FlatLabelsWarning),
    "signs for nothing": (["a", "-", "?", "n.a."], MissingLabelsWarning),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_looks_otherwise_than_it_is_read_is_told_of(name):
    labels, kind = TOLD[name]
    assert kind in read(labels)[1]


def test_lists_as_they_are_printed_are_lists():
    ds, said = read(["['Toys', 'Lego']", '["Home"]', "[]", "['Toys']"])
    assert ds.hierarchy.decode(ds["all"].y) == [("Toys", "Lego"), ("Home",), (), ("Toys",)]
    assert JoinedLabelsWarning in said


def test_signs_as_html_writes_them_are_signs():
    ds, said = read(["Toys &gt; Lego", "Toys &gt; Dolls", "Home &amp; Garden &gt; Bath", "Home &amp; Garden"])
    assert ds.hierarchy.names.tolist()[-2:] == ["Home & Garden", "Home & Garden > Bath"]
    assert FoundSeparatorWarning in said


def test_numbers_of_a_column_with_gaps_are_whole():
    assert read([10.0, 20.0, np.nan])[0].hierarchy.names.tolist() == ["10", "20"]
    assert read([250.0, 250.01, np.nan])[0].hierarchy.names.tolist() == ["250.0", "250.01"]


def test_quotation_marks_around_a_label_and_a_separator_at_its_end():
    assert read(['"Toys > Lego"', "Toys > Lego", "Toys > Dolls"])[0].hierarchy.n_nodes == 3
    with pytest.raises(DataFormatError, match="has an empty part"):
        read(["Toys > Lego >", "Toys > Dolls", "Toys"])


@pytest.mark.parametrize("vector", ["[0.1, -2e-3, 3]", "[0.1 0.2 0.3]", "[1 2\n 3]"])
def test_vectors_in_cells_are_no_features(vector):
    with pytest.raises(DataFormatError, match="column 'v' holds lists"):
        read_paths_csv(pd.DataFrame({"v": [vector] * 8, "labels": ["a", "b"] * 4}), cells=True)
    read_paths_csv(pd.DataFrame({"v": ["[see 1, 2]", "[1]", "[a b]"], "labels": ["a", "b", "a"]}), cells=True)


def test_edges_with_the_child_first_or_a_parent_that_is_missing(tmp_path):
    (tmp_path / "turned.csv").write_text("code,parent_id\nE11.9,E11\nE11.65,E11\n")
    h = read_hierarchy(tmp_path / "turned.csv")
    assert h.names[h.edges].tolist() == [["E11", "E11.9"], ["E11", "E11.65"]]
    (tmp_path / "top.csv").write_text("parent,child\nNone,a\nNaN,b\na,c\n")
    with pytest.warns(MissingLabelsWarning, match="parents are written as missing: 'NaN', 'None'"):
        assert read_hierarchy(tmp_path / "top.csv").names.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    "labels",
    [
        ["Home, Sweet Home", "Toys"],
        ["a/1;b/2", "a/2", "b/1;a/1", "b/2;a/2"],
        ["new york", "los angeles", "san diego"],
        ["T-shirt", "X-ray", "e-mail"],
        ["version 1.0", "version 2.0"],
        ["Q1 2020", "Q2 2020", "2021"],
    ],
)
def test_plain_names_are_not_told_of(labels):
    assert read(labels)[1] == {}


COLUMNS = {"HD": ["E11.9", "I10.0", "J45.1"], "ND1": ["I10.0", "", "E11.9"], "ND2": ["", "", "I10.0"]}


def read_columns_of(columns, **options):
    """Return the data set of several columns of labels, and what was said."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ds = read_paths_csv(pd.DataFrame({"x": range(3), **columns}), list(columns), **options)
    return ds, [str(one.message) for one in said]


def test_columns_that_share_their_names_are_said_to_be_no_levels():
    _, said = read_columns_of(COLUMNS)
    assert "'HD', 'ND1', 'ND2' are read as the levels of one path, but 'E11.9' is in several of them" in said[0]
    assert "one column, with between= (--between)" in said[0]
    repeated = {"a": ["Shoes", "Shoes", "Bags"], "b": ["Shoes", "Red", "Bags"], "c": ["Shoes", "Other", "Other"]}
    assert read_columns_of(repeated)[1] == []  # levels filled up with what is above them


def test_columns_of_codes_hold_labels_of_their_own():
    ds, said = read_columns_of(COLUMNS, prefixes=True)
    assert ds.hierarchy.decode(ds["all"].y) == [("E11.9", "I10.0"), ("I10.0",), ("E11.9", "I10.0", "J45.1")]
    assert ds.hierarchy.names.tolist() == ["E11", "E11.9", "I10", "I10.0", "J45", "J45.1"]
    assert said == []


def test_a_gap_between_columns_of_labels_is_an_error_that_says_what_columns_are():
    with pytest.raises(DataFormatError, match=r"has an empty part\. Several labels of a row go into one column"):
        read_columns_of(COLUMNS | {"ND1": ["", "", "E11.9"], "ND2": ["I10.0", "", ""]})


def test_prefixes_that_no_code_has_are_told_of():
    ds, said = read(["E119", "E118", "I100"], prefixes=True)
    assert ds.hierarchy.n_edges == 0
    assert "none of the 3 labels, such as 'E119', begins with another or has '.'" in said[FlatLabelsWarning]


def test_titles_behind_codes_are_no_part_of_them():
    ds, said = read(["E11.9 Diab. mell.", "E11.65 Diab. foot", "I10 Hypert."], prefixes=True)
    assert ds.hierarchy.names.tolist() == ["E11", "E11.9 Diab. mell.", "E11.65 Diab. foot", "I10 Hypert."]
    assert ds.hierarchy.edges.tolist() == [[0, 1], [0, 2]]
    assert said == {}


def test_levels_as_lists_are_told_of_where_a_name_holds_the_separator():
    paths = [["Life", "Plant/Tree"], ["Life", "Pet", "Cat"], ["Life", "Pet", "Dog"], ["Art", "Film"], ["Art", "Song"]]
    frame = pd.DataFrame({"x": range(5), "labels": paths})
    with pytest.warns(FlatLabelsWarning, match="nest like the levels of one path"):
        read_paths_csv(frame)

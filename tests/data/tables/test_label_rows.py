"""What a column of labels says, however people write it: separators, missing values, spellings."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from commands import run_command
from truepath import HierarchicalClassifier, Hierarchy, open_dataset
from truepath.data import read_labels, read_paths_csv
from truepath.errors import (
    DataFormatError,
    FlatLabelsWarning,
    FoundSeparatorWarning,
    InputWarning,
    MissingLabelsWarning,
    SpellingsWarning,
)
from truepath.files import Limits
from truepath.hierarchy.flatness import MISSING


def frame(labels, **columns):
    """Return a table with a column of labels."""
    return pd.DataFrame({"x": range(len(labels)), **columns, "labels": labels})


def labels_of(ds):
    """Return the most specific labels of each row."""
    return ds.hierarchy.decode(ds["all"].y)


def shop(sep, n=60):
    """Return paths of three levels; some names hold a slash."""
    words = ["Cables/Adapters", "Lamps", "Audio", "Video/TV", "Phones"]
    return [sep.join([f"Dept {i % 4}", words[i % 5], f"Kind {i}"][: 2 + i % 2]) for i in range(n)]


# ------------------------------------------------------------------------------------------------ separators


@pytest.mark.parametrize("sep", [" > ", ">", " -> ", "::", " | ", " » ", " >> ", "\\"])
def test_the_separator_that_explains_the_column_is_taken_and_said(sep):
    with pytest.warns(FoundSeparatorWarning, match="read as paths with") as said:
        ds = read_paths_csv(frame(shop(sep)))
    assert ds.hierarchy.sep == sep
    assert repr(sep) in str(said[0].message)
    assert len(ds.hierarchy.roots) == 4
    assert ds.hierarchy.height == 3


def test_a_slash_in_one_name_changes_nothing():
    plain = [label.replace("/", " and ") for label in shop(" > ")]
    with pytest.warns(FoundSeparatorWarning):
        found, wanted = (read_paths_csv(frame(labels)).hierarchy for labels in (shop(" > "), plain))
    assert [name.replace("/", " and ") for name in found.names] == wanted.names.tolist()


def test_the_command_says_what_it_found(tmp_path):
    frame(shop(" > ")).to_csv(tmp_path / "shop.csv", index=False)
    out, said = run_command("describe", tmp_path / "shop.csv")
    assert "4 at the top" in out
    assert "paths with ' > ' between their levels" in said
    out, said = run_command("describe", tmp_path / "shop.csv", "--sep", "/")
    assert "4 at the top" not in out
    assert "has ' > '. If that separates the levels of a path, pass sep=' > '" in said


@pytest.mark.parametrize(
    "labels",
    [
        ["a/1", "a/2", "b/1"],
        ["a|b", "a|c", "b|c", "a", "b", "c"],  # several labels
        [f"Input > {i}/x" if i == 1 else f"name {i}" for i in range(12)],
        ["C++ -> C", "Python", "Rust", "Go"],
        ["Smith, John", "Smith, Ann"],
    ],
)
def test_what_is_not_clear_stays_as_it_was(labels):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        warnings.simplefilter("error", FoundSeparatorWarning)
        assert read_paths_csv(frame(labels)).hierarchy == Hierarchy.from_paths(
            [[part.strip() for part in label.split("/")] for label in labels]
        )


def test_few_slashes_in_flat_names_are_told_of():
    labels = [f"name {i}" for i in range(30)] + ["Pots/Pans", "AC/DC"]
    with pytest.warns(FlatLabelsWarning, match="'Pots/Pans' is read as a path, with 'Pots' above it"):
        read_paths_csv(frame(labels))


def test_labels_in_python_are_told_of_too():
    labels = [[label] for label in shop(" > ")]
    with pytest.warns(FlatLabelsWarning, match="If that separates the levels of a path, pass sep=' > '"):
        HierarchicalClassifier("linear").fit(np.eye(60), labels)


def test_levels_in_columns_may_hold_slashes():
    table = pd.DataFrame({"x": [1, 2, 3], "a": ["E", "E", "F"], "b": ["Cables/Adapters", "Lamps", None]})
    ds = read_paths_csv(table, ["a", "b"])
    assert ds.hierarchy.names.tolist() == ["E", "E > Cables/Adapters", "E > Lamps", "F"]
    assert labels_of(ds)[2] == ("F",)


def test_paths_find_the_labels_of_a_given_hierarchy_however_they_are_separated():
    table = frame(["A > b", "A/b", "A / b", "A"])
    for given in (Hierarchy.from_paths(["A/b"]), Hierarchy.from_paths(["A > b"], sep=" > ")):
        rows = read_paths_csv(table.iloc[:1] if given.sep == " > " else table.iloc[1:], hierarchy=given)
        assert set(labels_of(rows)) <= {(given.names[1],), ("A",)}
    steps = Hierarchy.from_edges([("A", "b")])
    assert labels_of(read_paths_csv(table.iloc[:1], sep=">", hierarchy=steps)) == [("b",)]


def test_labels_joined_by_another_sign_are_refused_with_the_option():
    with pytest.raises(ValueError, match=r"'b\|c' is not in the hierarchy given. If '\|' separates labels.*--between"):
        read_paths_csv(frame(["b", "b|c"]), hierarchy=Hierarchy.flat(["b", "c"]))


# -------------------------------------------------------------------------------------------- missing values


@pytest.mark.parametrize("spelled", sorted(MISSING))
def test_missing_labels_are_missing_and_counted(spelled):
    with pytest.warns(MissingLabelsWarning, match=r"2 labels in column 'labels' are written as missing: '.*' \(2 rows"):
        ds = read_paths_csv(frame(["a/1", spelled, "b", f" {spelled} "]))
    assert ds.hierarchy.names.tolist() == ["a", "a/1", "b"]
    assert labels_of(ds) == [("a/1",), (), ("b",), ()]


def test_a_label_of_a_given_hierarchy_is_one_whatever_it_is_called():
    given = Hierarchy.from_paths(["None", "NA/1", "a"])
    with pytest.warns(MissingLabelsWarning, match=r"1 label in column 'labels' is written as missing: 'nan'"):
        ds = read_paths_csv(frame(["None", "NA", "nan", "a"]), hierarchy=given)
    assert labels_of(ds) == [("None",), ("NA",), (), ("a",)]


def test_the_end_of_a_path_may_be_missing():
    labels = ["Food > nan", "Food > N/A", "Food > Fruit", "Food > Fruit > None", "Food > Fruit > Figs"]
    with pytest.warns(InputWarning) as said:
        ds = read_paths_csv(frame(labels))
    assert labels_of(ds) == [("Food",), ("Food",), ("Food > Fruit",), ("Food > Fruit",), ("Food > Fruit > Figs",)]
    assert any("3 labels in column 'labels'" in str(one.message) for one in said)
    with pytest.warns(MissingLabelsWarning):
        assert read_paths_csv(frame(["Food/N/A", "Food/Figs"])).hierarchy.names.tolist() == ["Food", "Food/Figs"]


def test_missing_cells_of_levels_end_the_path():
    table = pd.DataFrame({"x": [1, 2], "a": ["E", "E"], "b": ["Lamps", "N/A"], "c": ["Red", "nan"]})
    with pytest.warns(MissingLabelsWarning, match="2 labels"):
        assert labels_of(read_paths_csv(table, ["a", "b", "c"])) == [("E/Lamps/Red",), ("E",)]


def test_fit_and_evaluate_say_how_many_are_missing(tmp_path):
    labels = [("a/1", "a/2", "b", "N/A")[i % 4] for i in range(40)]
    frame(labels).to_csv(tmp_path / "rows.csv", index=False)
    _, said = run_command("fit", tmp_path / "rows.csv", "-o", tmp_path / "m.tp", "--method", "linear")
    assert "10 labels in column 'labels' are written as missing: 'N/A' (10 rows)" in said
    assert HierarchicalClassifier.load(tmp_path / "m.tp").hierarchy_.n_nodes == 4
    frame(labels, id=range(40)).to_csv(tmp_path / "truth.csv", index=False)
    pages = ("report", "--truth", tmp_path / "truth.csv", "-p", tmp_path / "truth.csv", "-o", tmp_path / "p.html")
    _, said = run_command(*pages)
    assert "4 labels on 2 levels" in said
    assert "'N/A' (10 rows)" in said


def test_known_labels_are_read_with_missing_ones(tmp_path):
    (tmp_path / "y.csv").write_text("id,labels\nx,a/1\ny,N/A\nz,\n")
    with pytest.warns(MissingLabelsWarning):
        table = read_labels(tmp_path / "y.csv", Hierarchy.from_paths(["a/1"]))
    assert table.y.sum(axis=1).tolist() == [2, 0, 0]


def test_labels_in_python_that_look_missing_are_told_of():
    with pytest.warns(MissingLabelsWarning, match="labels are called as missing values are written: 'nan'"):
        HierarchicalClassifier("linear").fit(np.eye(4), [["a"], ["nan"], ["b"], ["a"]])


def test_a_data_set_of_missing_labels_alone_is_refused(tmp_path):
    (tmp_path / "rows.csv").write_text("x,labels\n1,NA\n2,N/A\n")
    with pytest.raises(ValueError, match="no row has a label"), pytest.warns(MissingLabelsWarning):
        open_dataset(tmp_path / "rows.csv")


# ------------------------------------------------------------------------------------------------- spellings

MESSY = ["Food/Caf\u00e9"] * 5 + ["Food/Cafe\u0301", "food/caf\u00e9", "Food / CAF\u00c9", "Food/Figs", "FOOD", "Tools"]


def test_spellings_are_told_of_and_merged():
    with pytest.warns(SpellingsWarning, match=r"labels are spelled like another.*'food' and 'Food'.*--merge-spellings"):
        apart = read_paths_csv(frame(MESSY))
    assert apart.hierarchy.n_nodes > 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        merged = read_paths_csv(frame(MESSY), merge_spellings=True)
    assert merged.hierarchy.names.tolist() == ["Food", "Food/Caf\u00e9", "Food/Figs", "Tools"]
    assert labels_of(merged) == [("Food/Caf\u00e9",)] * 8 + [("Food/Figs",), ("Food",), ("Tools",)]


def test_a_path_of_many_parts_is_refused_by_its_depth():
    """Spellings of it are looked for before: that took the cube of the number of parts."""
    with pytest.raises(DataFormatError, match=r"a label path of 20,000 parts, more than max_depth=1,000"):
        read_paths_csv(frame(["/".join(f"l{i}" for i in range(20000)), "b"]))


@pytest.mark.parametrize("cell", ["a;" * 20 + "b", ["a"] * 21])
def test_a_cell_of_more_labels_than_there_may_be_is_not_taken_apart(cell):
    with pytest.raises(DataFormatError, match="a cell of 21 labels, more than max_labels=20"):
        read_paths_csv(frame(["a", cell]), limits=Limits(max_labels=20))


def test_merging_takes_the_spelling_of_a_given_hierarchy():
    given = Hierarchy.from_paths(["FOOD/Figs", "Tools"])
    with pytest.raises(ValueError, match=r"'food/figs' is not in the .* 'FOOD/Figs' is; merge_spel"):
        read_paths_csv(frame(["Tools", "food/figs"]), hierarchy=given)
    ds = read_paths_csv(frame(["tools", "food / figs", "Food"]), hierarchy=given, merge_spellings=True)
    assert labels_of(ds) == [("Tools",), ("FOOD/Figs",), ("FOOD",)]


def test_levels_are_merged_too():
    table = pd.DataFrame({"x": [1, 2, 3], "a": ["E", "E", "e"], "b": ["Lamps", "Lamps", "lamps "]})
    assert read_paths_csv(table, ["a", "b"], merge_spellings=True).hierarchy.names.tolist() == ["E", "E/Lamps"]


def test_names_that_mean_different_things_are_no_spellings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_paths_csv(frame(["a/b", "b/a", "a-b", "ab", "H\u2082O", "H2O"]))


def test_the_command_names_spellings_and_merges_them(tmp_path):
    frame(MESSY * 4).to_csv(tmp_path / "rows.csv", index=False)
    out, said = run_command("describe", tmp_path / "rows.csv")
    assert "'food' and 'Food'" in said
    out, said = run_command("describe", tmp_path / "rows.csv", "--merge-spellings")
    assert "4 (3 leaves, 2 at the top)" in out
    assert said == ""


def test_blanks_around_separators_in_python_are_told_of():
    with pytest.warns(SpellingsWarning, match="'a / b' and 'a/b'|'a ' and 'a'"):
        HierarchicalClassifier("linear").fit(np.eye(4), [["a/b"], ["a / b"], ["a/c"], ["a/b"]])

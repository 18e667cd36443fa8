"""Labels written in other ways than 'a/b;c': other separators, lists of levels, cells that are no labels."""

from __future__ import annotations

import json
import re
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from typer.testing import CliRunner

from truepath import HierarchicalClassifier, Hierarchy
from truepath.adapters.labels import derive_hierarchy, split_paths
from truepath.cli.app import app
from truepath.data import read_paths_csv
from truepath.errors import DataFormatError, FlatLabelsWarning, FoundSeparatorWarning, JoinedLabelsWarning

X = np.array([[0.0], [1.0], [2.0], [3.0]] * 3)
PATHS = [("Food", "Fruit"), ("Food", "Bread"), ("Tools",), ("Tools", "Saw")] * 3


def fit(y, **options):
    return HierarchicalClassifier(LogisticRegression(), decoder="threshold", **options).fit(X, y)


@pytest.mark.parametrize("sep", [" > ", ">", "::", "|", "->", "\\", "."])
def test_any_separator_of_paths(sep):
    y = [sep.join(path) for path in PATHS]
    model = fit(y, sep=sep)
    assert sorted(model.hierarchy_.names) == sorted(sep.join(path) for path in {*PATHS, ("Food",), ("Tools",)})
    assert model.hierarchy_.n_edges == 3
    assert 0 <= model.score(X, y) <= 1


@pytest.mark.parametrize(("sep", "between"), [("/", ";"), (" > ", ", "), ("::", "|")])
def test_several_labels_in_a_cell(sep, between):
    y = [between.join([sep.join(path), "Gifts"]) for path in PATHS]
    model = fit(y, sep=sep, between=between)
    assert model.hierarchy_.n_nodes == 6
    assert set(model.hierarchy_.names[model.hierarchy_.roots]) == {"Food", "Tools", "Gifts"}


@pytest.mark.parametrize("sep", [" > ", "::", "|"])
def test_names_that_look_like_paths_are_said(sep):
    y = [sep.join(path) for path in PATHS]
    with pytest.warns(FlatLabelsWarning, match="are flat.*pass sep="):
        fit(y)
    with pytest.warns(FlatLabelsWarning, match="pass sep='/'"):
        fit(["/".join(path) for path in PATHS], sep="::")


@pytest.mark.parametrize(("sep", "between"), [("/", "|"), (" > ", ";"), ("::", ", "), ("/", " & ")])
def test_names_that_look_like_several_labels_are_said(sep, between):
    y = [sep.join(path) for path in PATHS] + [f"Tools{between}{sep.join(path)}" for path in PATHS[:2]]
    with pytest.warns(JoinedLabelsWarning, match=f"2 of the 6 labels.*pass between='{re.escape(between.strip())}'"):
        assert derive_hierarchy(split_paths(y, sep), sep=sep).n_edges > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = derive_hierarchy(split_paths(y, sep, between.strip()), sep=sep)
    assert found.n_nodes == 5


@pytest.mark.parametrize(
    "y",
    [
        ["Arts", "Music", "Arts & Music", "Sports"],  # one may be a name
        ["Arts & Crafts", "Arts & Sports", "Arts"],  # Crafts and Sports are no labels
        ["a/Salt & Pepper", "a/Pepper & Salt", "a/Salt", "a/Pepper"],  # Pepper and Salt are none of the top
    ],
)
def test_names_that_hold_a_mark_are_left_in_peace(y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        derive_hierarchy(y)


def test_flat_lists_are_said_to_be_lists_only(tmp_path):
    file = write(tmp_path, ["1,red,3,Food", "2,blue,4,Tools", "3,red,5,Food|Tools", "4,red,5,Tools|Food"])
    with pytest.warns(JoinedLabelsWarning) as said:
        read_paths_csv(file)
    assert [warning.category for warning in said] == [JoinedLabelsWarning]
    assert read_paths_csv(file, between="|").hierarchy.n_nodes == 2


def test_a_column_of_labels_that_is_not_there(tmp_path):
    file = write(tmp_path, ["1,red,3,Food"], header="id,colour,size,topics")
    with pytest.raises(DataFormatError, match=r"no column 'labels'.*'topics'.*labels= \(--labels\)"):
        read_paths_csv(file)


def test_lists_of_levels_are_said():
    y = [["Animal", "Mammal", "Sheep"], ["Animal", "Mammal", "Cow"], ["Animal", "Bird", "Duck"]]
    with pytest.warns(FlatLabelsWarning, match=r"nest like the levels.*np.array\(y\)"):
        assert derive_hierarchy(y).n_edges == 0
    assert derive_hierarchy(np.array(y)).n_edges == 5
    assert derive_hierarchy([[tuple(row)] for row in y]).n_edges == 5


@pytest.mark.parametrize(
    "y", [[["red", "big"], ["blue", "big"], ["red", "small"]], [["a", "b"], ["a"]], [["a"], ["b"]], [["x", "y"]] * 3]
)
def test_labels_that_are_flat_are_left_in_peace(y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert derive_hierarchy(y).n_edges == 0


@pytest.mark.parametrize("hierarchy", [None, Hierarchy.from_paths(["Food/Fruit", "Food/Bread", "Tools/Saw"])])
@pytest.mark.parametrize(
    ("y", "said"),
    [
        ([["Food"], None, ["Tools"]] * 4, r"row 1.*None.*Write a name.*\[\] for a row without labels"),
        ([["Food", None], ["Tools"]] * 6, r"row 0.*None.*Write a name"),
        ([["Food"], float("nan"), ["Tools"]] * 4, r"row 1.*nan.*Write a name"),
        ([1, 2, 3] * 4, r"class ids give their names, as in \[\[str\(label\)\] for label in y\]"),
        (np.array([1, 2, 3] * 4), "class ids give their names"),
        ([[1, 2], [2], [3]] * 4, "class ids give their names"),
        ([["Food"], [2], ["Tools"]] * 4, r"row 1.*2.*Write a name"),
    ],
)
def test_cells_that_are_no_labels_say_what_to_write(y, said, hierarchy):
    with pytest.raises((TypeError, ValueError), match=said):
        fit(y, hierarchy=hierarchy)


def write(tmp_path, rows, header="id,colour,size,labels"):
    file = tmp_path / "things.csv"
    file.write_text("\n".join([header, *rows]) + "\n")
    return str(file)


def test_a_file_with_another_separator_is_said_and_read(tmp_path):
    rows = [f"r{i},{'red' if i % 2 else 'blue'},{i % 5},{' > '.join(PATHS[i % 12])}" for i in range(40)]
    file = write(tmp_path, rows)
    with pytest.warns(FoundSeparatorWarning):
        read_paths_csv(file)
    said = CliRunner().invoke(app, ["describe", file, "--ids", "id"])
    assert said.exit_code == 0
    assert "--sep" in said.output
    found = [
        CliRunner().invoke(app, ["describe", file, "--ids", "id", *sep, "--json"]) for sep in ([], ["--sep", " > "])
    ]
    counts = json.loads(found[0].stdout)
    assert counts == json.loads(found[1].stdout)
    assert (counts["kind"], counts["n_classes"], counts["depth"], counts["n_leaves"]) == ("tree", 5, 2, 3)
    assert (counts["n_numeric"], counts["n_categorical"]) == (1, 1)


def test_columns_of_texts_are_counted_as_such(tmp_path):
    rows = [f"r{i},{'red' if i % 2 else 'blue'},a thing of size {i},{'/'.join(PATHS[i % 12])}" for i in range(40)]
    file = write(tmp_path, rows, header="id,colour,about,labels")
    counts = json.loads(CliRunner().invoke(app, ["describe", file, "--ids", "id", "--json"]).stdout)
    assert (counts["n_numeric"], counts["n_categorical"], counts["n_text"]) == (0, 1, 1)


def test_rows_without_labels_and_repeated_rows_are_counted(tmp_path):
    labelled = [f"{i},{'ab'[i % 2]},{i % 7},Food/{'Fruit' if i % 2 else 'Bread'}" for i in range(60)]
    rows = [
        *labelled,
        *labelled[:10],
        *(f"{100 + i},a,{i},Tools" for i in range(5)),
        *(f"{200 + i},b,{i}," for i in range(6)),
    ]
    file = write(tmp_path, rows, "weight,colour,size,labels")
    counts = json.loads(CliRunner().invoke(app, ["describe", file, "--json"]).stdout)
    assert (counts["n_unlabeled"], counts["n_duplicates"]) == (6, 10)
    said = CliRunner().invoke(app, ["describe", file]).output
    assert "rows without label    6" in said
    assert "repeated rows         10" in said
    model = str(tmp_path / "things.tp")
    fitted = CliRunner().invoke(app, ["fit", file, "-o", model, "--method", "auto"])
    assert fitted.exit_code == 0, fitted.output
    assert "Hierarchy: tree, 4 nodes, depth 2, 3 leaves" in fitted.output
    assert "6 rows without labels: kept" in fitted.output
    assert "10 rows repeat another" in fitted.output

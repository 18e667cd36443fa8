"""Codes that begin with their group: the hierarchy they make, and where it is suggested."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from commands import run_command
from truepath import HierarchicalClassifier, Hierarchy
from truepath.data import read_hierarchy, read_paths_csv
from truepath.errors import FlatLabelsWarning, FoundSeparatorWarning
from truepath.hierarchy.prefixes import are_prefixed, warn_about_codes

ICD = ["E11", "E11.6", "E11.65", "E11.9", "E10.1", "E10.9", "I10", "S72.001A", "S72.0"]


def edges(h):
    """Return the edges by name."""
    return {tuple(pair) for pair in h.names[h.edges].tolist()}


def test_codes_hang_from_the_longest_code_they_begin_with():
    h = Hierarchy.from_prefixes(ICD, titles={"I10": "Hypertension"})
    assert edges(h) == {
        ("E11", "E11.6"), ("E11.6", "E11.65"), ("E11", "E11.9"), ("E10", "E10.1"), ("E10", "E10.9"),
        ("S72", "S72.0"), ("S72.0", "S72.001A"),
    }  # fmt: skip
    assert h.sep is None
    assert (h.label("I10"), h.index("Hypertension")) == ("I10 Hypertension", h.index("I10"))
    assert "E11.9" in h.plot().to_svg()


@pytest.mark.parametrize(
    ("codes", "options", "wanted"),
    [
        (["1.1.1", "1.1.10", "1.2"], {}, {("1", "1.1"), ("1.1", "1.1.1"), ("1.1", "1.1.10"), ("1", "1.2")}),
        (["1.1", "1.10"], {}, {("1", "1.1"), ("1", "1.10")}),
        (["1.1", "1.10"], {"whole_parts": False}, {("1", "1.1"), ("1.1", "1.10")}),
        (["250.0", "250.01"], {}, {("250", "250.0"), ("250.0", "250.01")}),
        (["11", "111", "1112", "21"], {}, {("11", "111"), ("111", "1112")}),
        (["A-1", "A-1-2"], {"sep": "-"}, {("A", "A-1"), ("A-1", "A-1-2")}),
        (["E119", "E11", "E1165"], {}, {("E11", "E119"), ("E11", "E1165")}),
        (["A.", ".B", "A"], {}, {("A", "A.")}),
    ],
)
def test_where_a_group_ends(codes, options, wanted):
    assert edges(Hierarchy.from_prefixes(codes, **options)) == wanted


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (ICD, True),
        ([code.replace(".", "") for code in ICD] + ["E10", "S72"], True),
        (["11", "111", "1112", "21", "211", "2111"], True),
        ([str(i) for i in range(1, 300)], False),
        ([f"GO:{i:07d}" for i in range(50)], False),
        ([f"{i}.5" for i in range(0, 500, 100)], False),
        (["A1", "B2", "C3", "D4", "E5"], False),
        (["v1.0", "v1.1"], False),
        (["Food", "Food.Fruit"] * 5, False),
    ],
)
def test_which_names_look_like_such_codes(names, found):
    assert (are_prefixed(names) is not None) is found


def test_a_column_of_codes_gets_a_hint_and_the_option(tmp_path):
    codes = [ICD[i % len(ICD)] for i in range(36)]
    pd.DataFrame({"x": range(36), "labels": codes}).to_csv(tmp_path / "rows.csv", index=False)
    out, said = run_command("describe", tmp_path / "rows.csv")
    assert "Hierarchy.from_prefixes(codes)" in said
    assert "--prefixes" in said
    assert "(flat)" in out
    out, said = run_command("describe", tmp_path / "rows.csv", "--prefixes")
    assert "11 (6 leaves, 4 at the top)" in out
    assert said == ""
    fit = ("fit", tmp_path / "rows.csv", "-o", tmp_path / "m.tp", "--method", "linear", "--prefixes")
    run_command(*fit)
    assert edges(HierarchicalClassifier.load(tmp_path / "m.tp").hierarchy_) == edges(Hierarchy.from_prefixes(ICD))


def test_terms_of_an_ontology_get_the_hint_of_its_file():
    with pytest.warns(FlatLabelsWarning, match="3 labels are flat, but they look like terms of an ontology, as 'GO:"):
        warn_about_codes([f"GO:{k:07d}" for k in (8150, 3674, 5575)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_about_codes(["GO:0008150", "other"])
        warn_about_codes([])


def test_codes_in_python_get_the_hint():
    with pytest.warns(FlatLabelsWarning, match="they look like codes that begin with their group, as 'E11.6'"):
        HierarchicalClassifier("linear").fit(np.eye(9), [[code] for code in ICD])


LISTS = {
    "google.txt": "# Google_Product_Taxonomy_Version: 2021-09-21\n1 - Animals\n3237 - Animals > Live/Animals\n"
    "2 - Auto\n913 - Auto > Parts\n",
    "tabs.txt": "1\tAnimals\n3237\tAnimals > Live/Animals\n2\tAuto\n913\tAuto > Parts\n",
    "pairs.csv": "id,path\n1,Animals\n3237,Animals > Live/Animals\n2,Auto\n913,Auto > Parts\n",
}


@pytest.mark.parametrize("name", LISTS)
def test_paths_with_ids_are_paths_and_ids_are_other_names(name, tmp_path):
    (tmp_path / name).write_text(LISTS[name])
    with pytest.warns(FoundSeparatorWarning, match="the codes before them, such as '1', as other names"):
        h = read_hierarchy(tmp_path / name)
    assert h.names.tolist() == ["Animals", "Animals > Live/Animals", "Auto", "Auto > Parts"]
    assert h.names[h.index("913")] == "Auto > Parts"
    rows = pd.DataFrame({"x": [1, 2, 3], "labels": ["913", "Animals > Live/Animals", "Auto>Parts"]})
    ds = read_paths_csv(rows, hierarchy=h)
    assert h.decode(ds["all"].y) == [("Auto > Parts",), ("Animals > Live/Animals",), ("Auto > Parts",)]


@pytest.mark.parametrize(
    ("name", "line"),
    [("icd.txt", "{0} {1}\n"), ("icd.txt", "{0}\t{1}\n"), ("icd.csv", '{0},"{1}"\n'), ("icd.tsv", "{0}\t{1}\n")],
)
def test_codes_with_titles_are_codes(name, line, tmp_path):
    head = "code,title\n" if name.endswith("csv") else ""
    text = "".join(line.format(code, f"Disease number {k}, other") for k, code in enumerate(ICD))
    (tmp_path / name).write_text(head + text)
    with pytest.warns(FoundSeparatorWarning, match="codes with their titles, such as 'E11'"):
        h = read_hierarchy(tmp_path / name)
    assert edges(h) == edges(Hierarchy.from_prefixes(ICD))
    assert h.titles["E11.9"] == "Disease number 3, other"


def test_plain_codes_and_plain_edges(tmp_path):
    (tmp_path / "codes.txt").write_text("\n".join(ICD))
    with pytest.warns(FoundSeparatorWarning, match="codes, such as 'E11'"):
        assert edges(read_hierarchy(tmp_path / "codes.txt")) == edges(Hierarchy.from_prefixes(ICD))
    texts = {
        "e.txt": "E11\tE11.6\nE11.6\tE11.65\nE11\tE11.9\n",
        "e.csv": "GO:1,GO:2\nGO:1,GO:3\n,GO:1\n",
        "p.txt": "a/b\nc",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, text in texts.items():
            (tmp_path / name).write_text(text)
            assert read_hierarchy(tmp_path / name).n_edges == {"e.txt": 3, "e.csv": 2, "p.txt": 1}[name]

"""Sheets of workbooks are the tables that they would be as CSV; HDF5 holds what an .npz file may hold."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from commands import refusal_of, run_command
from truepath import HierarchicalClassifier, open_dataset
from truepath.data import read_paths_csv, read_scores
from truepath.errors import DataFormatError, LeftOutWarning, TruePathError
from truepath.hierarchy import Hierarchy

openpyxl = pytest.importorskip("openpyxl")

LABELS = ["Science/Physics", "Science/Biology", "Art"]


def product(i):
    return [f"00{i}", i % 3 * 10 + i / 50, "abc"[i % 3], LABELS[i % 3]]


HEADER = ["sku", "price", "shop", "labels"]


def write(path, sheets, change=None):
    """Write sheets of rows as a workbook."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    if change is not None:
        change(book)
    book.save(path)
    return path


@pytest.fixture
def folder(tmp_path):
    rows = [product(i) for i in range(45)]
    write(tmp_path / "rows.xlsx", {"Products": [HEADER, *rows], "Empty": []})
    pd.DataFrame(rows, columns=HEADER).to_csv(tmp_path / "rows.csv", index=False)
    write(tmp_path / "new.xlsx", {"Products": [HEADER[:3], *(row[:3] for row in rows)], "Notes": [["to be done"]]})
    return tmp_path


def test_a_sheet_gives_the_table_that_its_csv_gives(folder):
    sheet, text = (open_dataset(folder / name) for name in ("rows.xlsx", "rows.csv"))
    assert sheet["all"].X.tolist() == text["all"].X.tolist()
    assert (sheet["all"].y == text["all"].y).all()
    assert list(sheet.feature_names) == list(text.feature_names) == ["sku", "price", "shop"]
    assert sheet.categories == text.categories


def test_every_command_takes_workbooks(folder):
    model, new = folder / "m.tp", folder / "new.xlsx"
    run_command("fit", folder / "rows.xlsx", "-o", model, "--method", "linear", "--ids", "sku")
    run_command(
        "predict", model, new, "--sheet", "Products", "-o", folder / "p.csv", "--write-scores", folder / "s.csv"
    )
    found = pd.read_csv(folder / "p.csv", dtype=str)
    assert found.sku.tolist()[:2] == ["000", "001"]
    assert (found.labels == [LABELS[i % 3] for i in range(45)]).mean() > 0.9
    scores = pd.read_csv(folder / "s.csv", dtype={"sku": str})
    write(folder / "s.xlsx", {"scores": [list(scores), *scores.to_numpy().tolist()]})
    run_command("label", folder / "s.xlsx", "-H", model, "-o", folder / "l.csv")
    said = run_command("evaluate", folder / "rows.xlsx", folder / "l.csv", "-S", folder / "s.xlsx", "-H", model)
    assert "hierarchical_f1" in "".join(said)
    run_command("update", model, folder / "rows.xlsx", "-o", folder / "n.tp", "--step", "add Art/Film under Art")
    assert "Art/Film" in HierarchicalClassifier.load(folder / "n.tp").hierarchy_
    said = refusal_of("predict", model, new, "-o", folder / "q.csv")
    assert "2 sheets have rows: 'Products' (46 rows), 'Notes' (1 row)." in said
    assert "Name one by sheet= (--sheet)" in said
    assert "no sheet 'Product'" in refusal_of("describe", folder / "rows.xlsx", "--sheet", "Product")


def cells_of(path, **options):
    return read_paths_csv(path, cells=True, **options)["all"].X.tolist()


def test_cells_are_what_people_see(tmp_path):
    values = [1.0, 2.5, 1e15, True, dt.datetime(2026, 1, 31), dt.datetime(2026, 1, 31, 9, 30), " x ", None]
    rows = [["labels", *"abcdefgh", "code"], ["p", *values, 42], [], ["q", *values, 7.0]]

    def fill(book):
        for cell in book["S"]["J"][1:]:
            cell.number_format = "00000"

    write(tmp_path / "plain.xlsx", {"S": rows})
    write(tmp_path / "zeros.xlsx", {"S": rows}, fill)
    wanted = ["1", "2.5", "1000000000000000", "TRUE", "2026-01-31", "2026-01-31 09:30:00", " x ", ""]
    assert cells_of(tmp_path / "plain.xlsx") == [[*wanted, "42"], [*wanted, "7"]]
    assert cells_of(tmp_path / "zeros.xlsx") == [[*wanted, "00042"], [*wanted, "00007"]]


def test_merged_cells_have_the_value_of_the_range(tmp_path):
    def merge(book):
        book["S"].merge_cells("A2:A3")

    write(tmp_path / "m.xlsx", {"S": [["labels", "x"], ["a/1", 1], [None, 2], ["b", 3]]}, merge)
    ds = read_paths_csv(tmp_path / "m.xlsx")
    assert ds.hierarchy.decode(ds["all"].y) == [("a/1",), ("a/1",), ("b",)]


def test_errors_of_formulas_are_empty_and_said(tmp_path):
    write(tmp_path / "e.xlsx", {"S": [["labels", "x"], ["a", "#DIV/0!"], ["b", 2]]})
    with pytest.warns(LeftOutWarning, match="1 cell, the first #DIV/0!, holds an error of a formula: read as empty"):
        X = read_paths_csv(tmp_path / "e.xlsx")["all"].X
    np.testing.assert_array_equal(X, [[np.nan], [2]])


def test_unused_columns_and_rows_are_left_out_and_hidden_sheets_not_looked_at(tmp_path):
    def hide(book):
        book["Lists"].sheet_state = "hidden"

    rows = [[], ["labels", None, "x"], ["a", None, 1], [None, None], ["b", None, 2]]
    write(tmp_path / "u.xlsx", {"S": rows, "Lists": [["a"], ["b"]]}, hide)
    ds = read_paths_csv(tmp_path / "u.xlsx")
    assert list(ds.feature_names) == ["x"]
    assert ds.n_samples == 2


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([["Our catalogue"], ["labels", "x"], ["a", 1]], r"row 2: a value in column 2, but .*row 1, names 1.*Delete"),
        ([["labels", "x", "x"], ["a", 1, 2]], "two columns are called 'x'"),
        ([["labels", "x"]], "no rows below"),
        ([], "no visible sheet has a row"),
        ([["labels", "x"], ["a", "=1+1"], ["b", "=B2*2"]], "row 2: the file has the formula '=1.1' without its value"),
    ],
)
def test_what_is_not_a_table_is_refused(rows, problem, tmp_path):
    with pytest.raises(DataFormatError, match=problem):
        read_paths_csv(write(tmp_path / "x.xlsx", {"S": rows}))


def test_errors_name_sheet_and_row(tmp_path):
    write(tmp_path / "x.xlsx", {"S 1": [["labels", "x"], ["a", 1], ["a//b", 2]]})
    with pytest.raises(DataFormatError, match=r"x.xlsx, sheet 'S 1':3: the label path 'a//b' has an empty part"):
        read_paths_csv(tmp_path / "x.xlsx")
    with pytest.raises(DataFormatError, match=r"no sheet 'S2'.*Its sheets are 'S 1'|did you mean 'S 1'"):
        read_paths_csv(tmp_path / "x.xlsx", sheet="S2")
    (tmp_path / "x.csv").write_text("labels,x\na,1\n")
    with pytest.raises(TruePathError, match=r"sheet \(--sheet\) is for .xlsx; .*x.csv has no sheets"):
        read_paths_csv(tmp_path / "x.csv", sheet="S")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)])
def test_what_is_not_a_workbook_is_refused(content, tmp_path):
    (tmp_path / "x.xlsx").write_bytes(content)
    with pytest.raises(DataFormatError, match=r"not a readable .xlsx workbook.*\.xls, must be saved"):
        read_paths_csv(tmp_path / "x.xlsx")


def test_entities_and_large_workbooks_are_refused(folder, monkeypatch):
    with zipfile.ZipFile(folder / "rows.xlsx") as old, zipfile.ZipFile(folder / "bad.xlsx", "w") as new:
        for name in old.namelist():
            text = old.read(name)
            new.writestr(name, text.replace(b"<worksheet", b"<!DOCTYPE x [<!ENTITY a 'b'>]><worksheet", 1))
    with pytest.raises(DataFormatError, match="declares types of its own"):
        read_paths_csv(folder / "bad.xlsx")
    monkeypatch.setenv("TRUEPATH_MAX_BYTES", "20K")
    with pytest.raises(DataFormatError, match="more than max_bytes"):
        read_paths_csv(folder / "rows.xlsx")


def test_standard_input_may_be_a_workbook(folder):
    command = [sys.executable, "-m", "truepath", "describe", "-", "--json"]
    with (folder / "rows.xlsx").open("rb") as file:
        found = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
    assert json.loads(found.stdout)["sizes"]["all"] == 45, found.stderr


def test_the_way_out_without_openpyxl_is_one_line(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    said = refusal_of("fit", folder / "rows.xlsx", "-o", folder / "m.tp")
    assert "Reading .xlsx needs openpyxl, which is not installed" in said
    assert 'pip install "truepath[excel]"' in said


def test_scores_come_from_lines_of_json_and_from_workbooks(tmp_path):
    h = Hierarchy.from_paths(["a/1"])
    (tmp_path / "s.jsonl").write_text('{"id": "x", "a": 0.9, "a/1": 0.25}\n{"id": "y", "a": 1, "a/1": 0}\n')
    write(tmp_path / "s.xlsx", {"S": [["id", "a", "a/1"], ["x", 0.9, 0.25], ["y", 1, 0]]})
    for name in ("s.jsonl", "s.xlsx"):
        table = read_scores(tmp_path / name, h)
        assert table.S.tolist() == [[0.9, 0.25], [1, 0]]
        assert table.ids.tolist() == ["x", "y"]
    write(tmp_path / "t.xlsx", {"S": [["id", "a", "a/1"], ["x", 0.9, "high"]]})
    with pytest.raises(DataFormatError, match="the column 'a/1' holds texts, not numbers"):
        read_scores(tmp_path / "t.xlsx", h)


def test_a_sheet_is_looked_for_in_the_files_of_a_folder(tmp_path):
    rows = [product(i) for i in range(45)]
    shop, model = tmp_path / "shop", tmp_path / "shop.tp"
    shop.mkdir()
    for part, some in {"train": rows[:30], "test": rows[30:]}.items():
        write(shop / f"{part}.xlsx", {"Products": [HEADER, *some], "Notes": [["to be done"]]})
    run_command("fit", shop, "--sheet", "Products", "--ids", "sku", "--method", "linear", "-o", model)
    run_command("predict", model, shop, "--sheet", "Products", "-o", tmp_path / "labels.csv")
    assert len((tmp_path / "labels.csv").read_text().splitlines()) == 16
    assert "no sheet 'Product'" in refusal_of("predict", model, shop, "--sheet", "Product")

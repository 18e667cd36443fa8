"""The simulations of tools/simulate.py: a tiny run reaches its end, and the page has the tool's table."""

from __future__ import annotations

import csv

import pytest

from places import ROOT
from tools_by_file import load_tool


def rows_of(table):
    """Return the rows of a csv-table, the header first."""
    return list(csv.reader(line.strip() for line in table.splitlines() if line.startswith('   "')))


@pytest.mark.slow
def test_a_tiny_run_of_all_cases_reaches_its_end(capsys):
    tool = load_tool("simulate")
    assert tool.main(["--draws", "3", "--seed", "1"]) in (0, 1)  # so few draws prove nothing
    assert len(rows_of(capsys.readouterr().out)) == len(tool.all_cases()) + 1


def test_a_few_cases_hold_and_the_page_has_the_table_of_all():
    tool = load_tool("simulate")
    assert tool.main(["--draws", "5", "--only", "ConformalSubtree, shape"]) == 0
    page = (ROOT / "docs" / "promises.rst").read_text(encoding="utf-8")
    header, *rows = rows_of(page.split(tool.BEGIN)[1].split(tool.END)[0])
    assert tuple(header) == tool.HEADER
    wanted = [[case.promise, case.data, f"{case.side} {case.target:.3g}"] for case in tool.all_cases()]
    assert [[row[0], row[1], row[3]] for row in rows] == wanted
    for row, case in zip(rows, tool.all_cases()):
        assert tool.Outcome(case[:4], int(row[2]), float(row[4]), float(row[5]) + 5e-5).holds, row


def test_the_table_is_put_between_its_marks(tmp_path):
    tool = load_tool("simulate")
    page = tmp_path / "page.rst"
    page.write_text(f"before\n{tool.BEGIN}\nold\n{tool.END}\nafter\n", encoding="utf-8")
    tool.put_in_page(tool.write_table([tool.Outcome(("a", "b", "at most", 0.05), 9, 0.04, 0.01)]), page)
    text = page.read_text(encoding="utf-8")
    assert "old" not in text
    assert rows_of(text)[1] == ["a", "b", "9", "at most 0.05", "0.0400", "0.0100"]
    assert text.startswith("before\n")
    assert text.endswith("after\n")

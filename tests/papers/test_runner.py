"""Running a paper cell by cell: nothing finished is lost or run twice, nothing missing is made up."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from truepath.errors import DataFormatError, TruePathError
from truepath.papers import (
    PAPERS,
    Cell,
    Comparison,
    Paper,
    Settings,
    all_comparisons,
    choose_cells,
    finished_cells,
    get_paper,
    reproduce,
)


def compare(key, ours=1.0, published=1.0):
    return Comparison("Table 1", key, "method", "measure", published, ours, 0.1)


class Counting:
    """Cells that count how often they were run."""

    def __init__(self, *keys, needs=(), fail_at=None):
        self.runs = []
        self.paper = Paper("fake", "A paper", tuple(self.cell(key, needs, fail_at) for key in keys))

    def cell(self, key, needs, fail_at):
        def run(settings):
            if key == fail_at:
                raise KeyboardInterrupt
            self.runs.append(key)
            return [compare(key)]

        return Cell(key, run, needs, seconds=float(len(key)))


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "data")


def test_finished_cells_are_not_run_again(tmp_path, settings):
    made = Counting("a", "bb")
    first = reproduce(made.paper, tmp_path, settings)
    assert reproduce(made.paper, tmp_path, settings) == first
    assert made.runs == ["a", "bb"]
    reproduce(made.paper, tmp_path, settings, anew=True)
    assert made.runs == ["a", "bb", "a", "bb"]
    assert [cell.comparisons for cell in finished_cells(made.paper, tmp_path, settings).values()] == [
        [compare("a")],
        [compare("bb")],
    ]


@pytest.mark.parametrize("change", [{"random_state": 1}, {"data": Path("elsewhere")}])
def test_other_settings_are_another_run(tmp_path, settings, change):
    made = Counting("a")
    reproduce(made.paper, tmp_path, settings)
    reproduce(made.paper, tmp_path, replace(settings, **change))
    assert made.runs == ["a", "a"]
    reproduce(made.paper, tmp_path, settings)
    assert made.runs == ["a", "a"], "the first run still stands"


def test_workers_and_nothing_else_may_differ(tmp_path, settings, monkeypatch):
    made = Counting("a")
    reproduce(made.paper, tmp_path, settings)
    reproduce(made.paper, tmp_path, replace(settings, n_jobs=2))
    assert made.runs == ["a"]
    monkeypatch.setattr("truepath.__version__", "99.0")
    reproduce(made.paper, tmp_path, settings)
    assert made.runs == ["a", "a"]


def test_cheap_cells_come_first_and_results_in_the_papers_order(tmp_path, settings):
    made = Counting("long key", "mid", "s")
    found = reproduce(made.paper, tmp_path, settings)
    assert made.runs == ["s", "mid", "long key"]
    assert [comparison.dataset for comparison in found] == ["long key", "mid", "s"]


def test_an_interrupted_run_keeps_what_was_finished(tmp_path, settings):
    broken = Counting("a", "bb", "ccc", fail_at="bb")
    with pytest.raises(KeyboardInterrupt):
        reproduce(broken.paper, tmp_path, settings)
    made = Counting("a", "bb", "ccc")
    assert all_comparisons(made.paper, tmp_path, settings) == [compare("a")]
    assert len(reproduce(made.paper, tmp_path, settings)) == 3
    assert made.runs == ["bb", "ccc"]


@pytest.mark.parametrize("kept", [1, 20, 0.5, -1])
def test_a_torn_last_line_is_dropped(tmp_path, settings, kept):
    made = Counting("a", "bb")
    whole = reproduce(made.paper, tmp_path, settings)
    path = tmp_path / "fake.jsonl"
    first, second, _ = path.read_bytes().split(b"\n")
    end = int(kept * len(second)) if isinstance(kept, float) else kept
    path.write_bytes(first + b"\n" + second[:end])
    assert reproduce(made.paper, tmp_path, settings) == whole
    assert made.runs == ["a", "bb", "bb"]
    assert [json.loads(line)["key"] for line in path.read_text().splitlines()] == ["a", "bb"]


def test_a_foreign_line_is_an_error_that_says_where(tmp_path, settings):
    (tmp_path / "fake.jsonl").write_text('{"key": 1}\n')
    with pytest.raises(DataFormatError, match=r"fake\.jsonl:1: not a finished cell"):
        reproduce(Counting("a").paper, tmp_path, settings)


def test_missing_data_are_named_and_never_made_up(tmp_path, settings):
    made = Counting("a", needs=("hmc/lost",))
    (found,) = reproduce(made.paper, tmp_path, settings)
    assert made.runs == []
    assert (found.verdict, found.published, found.ours) == ("missing", None, None)
    assert "hmc/lost" in found.reason
    assert not (tmp_path / "fake.jsonl").exists(), "so that it is run once the data are there"
    (settings.data / "hmc" / "lost").mkdir(parents=True)
    assert reproduce(made.paper, tmp_path, settings) == [compare("a")]


def test_the_caller_hears_of_every_cell(tmp_path, settings):
    made, heard = Counting("a", "bb"), []
    reproduce(made.paper, tmp_path, settings, on_cell=lambda cell, found: heard.append((cell.key, found is None)))
    reproduce(made.paper, tmp_path, settings, on_cell=lambda cell, found: heard.append((cell.key, found is None)))
    assert heard == [("a", True), ("a", False), ("bb", True), ("bb", False), ("a", False), ("bb", False)]


def test_numbers_survive_the_file_bit_by_bit(tmp_path, settings):
    odd = [compare("a", ours) for ours in (0.1 + 0.2, 1e-300, 5.0, None)]
    paper = Paper("fake", "A paper", (Cell("a", lambda settings: odd),))
    reproduce(paper, tmp_path, settings)
    assert reproduce(paper, tmp_path, settings) == odd


@pytest.mark.parametrize(
    ("ours", "published", "is_up", "verdict"),
    [
        (0.55, 0.5, True, "same"),
        (0.7, 0.5, True, "better"),
        (0.7, 0.5, False, "worse"),
        (0.3, 0.5, False, "better"),
        (0.3, 0.5, True, "worse"),
        (0.3, 0.5, None, "differs"),
        (0.3, None, True, "ours only"),
        (None, 0.5, True, "missing"),
    ],
)
def test_verdicts(ours, published, is_up, verdict):
    assert Comparison("Table 1", "d", "m", "x", published, ours, 0.1, is_up).verdict == verdict


def test_choosing_cells():
    paper = Paper("fake", "A paper", (Cell("quick one", list, seconds=5), Cell("slow one", list, seconds=500)))
    assert [cell.key for cell in choose_cells(paper, only="SLOW")] == ["slow one"]
    assert [cell.key for cell in choose_cells(paper, quick=True)] == ["quick one"]
    with pytest.raises(TruePathError, match="'quick one', 'slow one'"):
        choose_cells(paper, only="other")
    with pytest.raises(TruePathError, match="cost more than 60 s"):
        choose_cells(paper, only="slow", quick=True)


@pytest.mark.parametrize("key", PAPERS)
def test_papers_are_well_formed(key):
    pytest.importorskip(f"truepath.papers.{key}")
    paper = get_paper(key)
    assert paper.key == key
    keys = [cell.key for cell in paper.cells]
    assert len(set(keys)) == len(keys)
    assert all(need.split("/")[0] in ("hmc", "mulan", "reference") for cell in paper.cells for need in cell.needs)
    assert all(cell.seconds > 0 for cell in paper.cells)


def test_an_unknown_paper_is_told_which_there_are():
    with pytest.raises(TruePathError, match="'triguero2016', 'bi2012'"):
        get_paper("nobody1900")

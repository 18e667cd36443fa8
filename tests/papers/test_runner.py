"""Running a paper cell by cell: nothing finished is lost or run twice, nothing missing is made up."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from truepath.data.fetch.sources import fetch_command, layouts_of
from truepath.errors import DataFormatError, TruePathError
from truepath.papers import PAPERS, Paper, Settings, choose_cells, reproduce
from truepath.papers.base import Cell, Comparison, comparisons_of
from truepath.papers.runner import all_comparisons, finished_cells


def test_every_command_that_brings_missing_data_names_data_that_it_brings(tmp_path):
    settings = Settings(data=tmp_path / "nothing")
    for paper in PAPERS.members():
        said = " ".join(one.reason or "" for one in all_comparisons(paper, tmp_path, settings))
        commands = re.findall(r"truepath fetch ([^.;]+)", said)
        assert commands, paper.name
        for names in commands:
            plain = names.removesuffix(" --mirror ADDRESS")
            assert all(("tree" in layouts_of(name)) == (plain == names) for name in plain.split()), names
        others = re.findall(r"Of ([^.]+) there are no public files", said)
        assert [name for listed in others for name in listed.split(" and ") if fetch_command(name)] == []


def compare(key, ours=1.0, published=1.0):
    return Comparison("Table 1", key, "method", "measure", published, ours, 0.1)


class Counting:
    """Cells that count how often they were run."""

    def __init__(self, *keys, needs=(), fail_at=None, failure=None):
        self.runs, self.failure = [], failure or KeyboardInterrupt()
        self.paper = Paper("fake", "A paper", tuple(self.cell(key, needs, fail_at) for key in keys))

    def cell(self, key, needs, fail_at):
        def run(settings):
            if key == fail_at:
                raise self.failure
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
    reproduce(made.paper, tmp_path, settings, rerun=True)
    assert made.runs == ["a", "bb", "a", "bb"]
    assert [comparisons_of(cell) for cell in finished_cells(made.paper, tmp_path, settings).values()] == [
        [compare("a")],
        [compare("bb")],
    ]


def write_data(folder, text="1,0"):
    (folder / "hmc" / "toy").mkdir(parents=True, exist_ok=True)
    (folder / "hmc" / "toy" / "train.arff").write_text(text)
    return folder


@pytest.mark.parametrize("change", ["seed", "data"])
def test_other_settings_are_another_run(tmp_path, settings, change):
    made = Counting("a", needs=("hmc/toy",))
    write_data(settings.data)
    others = {"random_state": 1} if change == "seed" else {"data": write_data(tmp_path / "elsewhere", "0,1")}
    reproduce(made.paper, tmp_path, settings)
    reproduce(made.paper, tmp_path, replace(settings, **others))
    assert made.runs == ["a", "a"]
    reproduce(made.paper, tmp_path, settings)
    assert made.runs == ["a", "a"], "the first run is still valid"


def test_data_are_known_by_content_and_not_by_place(tmp_path, settings):
    made = Counting("a", needs=("hmc/toy",))
    write_data(settings.data)
    reproduce(made.paper, tmp_path, settings)
    reproduce(made.paper, tmp_path, replace(settings, data=write_data(tmp_path / "moved")))
    assert made.runs == ["a"]
    write_data(settings.data, "1,1")
    reproduce(made.paper, tmp_path, settings)
    assert made.runs == ["a", "a"], "a file that changed in its place is recognised"


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
def test_a_torn_last_line_is_dropped_with_a_warning(tmp_path, settings, kept, caplog):
    made = Counting("a", "bb")
    whole = reproduce(made.paper, tmp_path, settings)
    path = tmp_path / "fake.jsonl"
    first, second, _ = path.read_bytes().split(b"\n")
    end = int(kept * len(second)) if isinstance(kept, float) else kept
    path.write_bytes(first + b"\n" + second[:end])
    assert reproduce(made.paper, tmp_path, settings) == whole
    assert made.runs == ["a", "bb", "bb"]
    assert "1 damaged line(s) of fake.jsonl dropped (2)" in caplog.text
    assert [json.loads(line)["unit"]["key"] for line in path.read_text().splitlines()] == ["a", "bb"]


def test_a_foreign_line_is_an_error_that_says_where(tmp_path, settings):
    (tmp_path / "fake.jsonl").write_text('{"key": 1}\n')
    with pytest.raises(DataFormatError, match=r"fake\.jsonl:1: not a line of finished work"):
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
    reproduce(made.paper, tmp_path, settings, on_progress=lambda *reported: heard.append(reported))
    assert heard == [(0, 3, "a"), (1, 3, "a"), (1, 3, "bb"), (3, 3, "bb")]
    reproduce(made.paper, tmp_path, settings, on_progress=lambda *reported: heard.append(reported))
    assert len(heard) == 4, "what is finished is not work"


def test_a_cell_that_raises_does_not_stop_the_others_and_is_tried_again(tmp_path, settings):
    broken = Counting("a", "bb", fail_at="a", failure=RuntimeError("no such\nluck"))
    found = reproduce(broken.paper, tmp_path, settings)
    assert [(c.verdict, c.dataset) for c in found] == [("missing", "a"), ("same", "bb")]
    assert found[0].reason == "the cell failed: RuntimeError: no such luck"
    assert all_comparisons(broken.paper, tmp_path, settings) == found
    made = Counting("a", "bb")
    assert [c.verdict for c in reproduce(made.paper, tmp_path, settings)] == ["same", "same"]
    assert made.runs == ["a"]
    assert all_comparisons(made.paper, tmp_path, settings) == [compare("a"), compare("bb")]


def test_two_at_a_time_are_kept_apart(tmp_path, settings):
    made = Counting("a")

    def start_another(*reported):
        reproduce(made.paper, tmp_path, settings)

    with pytest.raises(TruePathError, match=r"fake\.jsonl is in use by another thread"):
        reproduce(made.paper, tmp_path, settings, on_progress=start_another)


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
    with pytest.raises(TruePathError, match="take more than 60 s"):
        choose_cells(paper, only="slow", quick=True)


@pytest.mark.parametrize("key", PAPERS)
def test_papers_are_well_formed(key):
    paper = PAPERS[key]
    assert paper.name == key
    keys = [cell.key for cell in paper.cells]
    assert len(set(keys)) == len(keys)
    assert all(need.split("/")[0] in ("hmc", "mulan", "reference") for cell in paper.cells for need in cell.needs)
    assert all(cell.seconds > 0 for cell in paper.cells)


def test_an_unknown_paper_is_an_error_that_lists_the_papers():
    with pytest.raises(TruePathError, match=r"no paper is called 'nobody1900'\. Available: bi2012, chelmis2021"):
        PAPERS["nobody1900"]

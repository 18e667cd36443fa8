"""``truepath reproduce`` on a made-up paper, and its list of the real ones."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from truepath import papers as module
from truepath.cli.app import app
from truepath.errors import TruePathError
from truepath.papers import Paper
from truepath.papers.base import Cell, Comparison
from truepath.registry import Registry


def give(key, published=0.5, ours=0.5):
    return lambda settings: [Comparison("Table 1", key, "A", "F1", published, ours, 0.01, reason="A reason.")]


def interrupt(settings):
    raise KeyboardInterrupt


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A function that runs the command on the cells it is given."""

    def call(cells, *arguments):
        paper = Paper("fake", "A paper", tuple(cells), summary="a heading")
        known = Registry("paper", "truepath.papers")
        known.add(paper)
        monkeypatch.setattr(module, "PAPERS", known)
        options = ["--data", str(tmp_path), "-o", str(tmp_path / "out")]
        return CliRunner().invoke(app, ["reproduce", *arguments, *options])

    return call


CELLS = [
    Cell("one", give("one"), seconds=1),
    Cell("two", give("two", 0.5, 0.9), seconds=100),
    Cell("gone", give("gone"), ("hmc/gone",), 1),
]


def test_tables_on_stdout_and_in_a_file(run, tmp_path):
    done = run(CELLS, "fake")
    assert done.exit_code == 0, done.output
    assert "All values: 1 same, 1 better, 1 missing." in done.stdout
    assert "| two | F1 | A | 0.5000 | 0.9000 | +0.4000 | better (1) |" in done.stdout
    assert (tmp_path / "out" / "fake.md").read_text() in done.stdout
    assert "fake.md" in done.stderr


def test_json(run):
    records = json.loads(run(CELLS, "all", "--json").stdout)["fake"]
    assert [record["verdict"] for record in records] == ["same", "better", "missing"]
    assert records[1]["difference"] == pytest.approx(0.4)


def test_quick_and_only(run):
    assert "| two" not in run(CELLS, "fake", "--quick").stdout
    assert "| one" not in run(CELLS, "fake", "--only", "tw").stdout


def test_the_file_holds_what_earlier_runs_finished(run, tmp_path):
    run(CELLS, "fake", "--quick")
    run(CELLS, "fake", "--only", "two")
    text = (tmp_path / "out" / "fake.md").read_text()
    assert "| one" in text
    assert "| two" in text


def test_list(run):
    run(CELLS, "fake", "--quick")
    lines = run(CELLS, "--list").stdout.splitlines()
    assert [line.split()[-1] for line in lines[1:]] == ["finished", "run", "data"]
    states = json.loads(run(CELLS, "--list", "--json").stdout)["fake"]["cells"]
    assert [cell["state"] for cell in states] == ["finished", "to run", "no data"]


def test_the_help_names_the_papers_and_loads_them_no_sooner(run):
    assert "fake: a heading" in run(CELLS, "--help").stdout
    code = "import sys; import truepath.cli; sys.exit('truepath.papers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_interrupted_run_says_how_to_go_on(run, tmp_path):
    done = run([CELLS[0], Cell("stop", interrupt, seconds=5)], "fake")
    assert done.exit_code == 130
    assert "the same command continues" in done.stderr
    assert "| one" in (tmp_path / "out" / "fake.md").read_text()
    assert "Not run yet: stop." in (tmp_path / "out" / "fake.md").read_text()


def test_a_cell_that_fails_is_named_and_the_code_is_not_zero(run):
    def fail(settings):
        raise RuntimeError("no luck")

    done = run([CELLS[0], Cell("broken", fail, seconds=5)], "fake")
    assert done.exit_code == 1
    assert "failed: broken: the cell failed: RuntimeError: no luck" in done.stderr
    assert "| one" in done.stdout


def test_nothing_to_compare_is_a_failure(run, tmp_path):
    done = run([CELLS[2]], "fake")
    assert done.exit_code == 1
    assert str(tmp_path) in done.stderr


@pytest.mark.parametrize("arguments", [(), ("fake", "--only", "nothing")])
def test_bad_arguments(run, arguments):
    assert isinstance(run(CELLS, *arguments).exception, TruePathError)

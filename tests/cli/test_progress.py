"""One way to show progress: a function called with how much of how much is done, and what."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from threading import Event

import numpy as np
import pytest

from commands import run_command
from places import ROOT
from truepath.cli.shared.progress import format_line, progress
from truepath.errors import TruePathError


def test_fitting_moves_the_bar_to_its_end(monkeypatch, tmp_path):
    seen = []

    @contextmanager
    def record(description):
        yield lambda done, total, what: seen.append((done, total, what))

    monkeypatch.setattr("truepath.cli.shared.progress.progress", record)
    run_command("fit", "toy", "--method", "pct", "-o", str(tmp_path / "toy.tp"))
    done = [step[0] for step in seen]
    total = seen[-1][1]
    assert done == sorted(done)
    assert done[0] == 0
    assert done[-1] == total == 1  # toy has a test part of its own; others are fitted twice
    assert all(step[1] == total and step[2] for step in seen)
    said = [step[2] for step in seen]
    assert said[0] == "pct on 8 rows"
    assert "measured on 4 rows" in said


def test_a_bar_says_nothing_where_there_is_no_terminal(capsys):
    with progress("working") as show:
        show(0, None, "starting")
        show(1, 2, "half")
        show(2, 2, "done")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.strip() == ""


def test_a_line_is_written_now_and_then_where_there_is_no_terminal(capsys, monkeypatch):
    monkeypatch.setenv("TRUEPATH_PROGRESS", "0.01")
    written = Event()
    monkeypatch.setattr("typer.echo", lambda text, err: (print(text, file=sys.stderr), written.set()))
    with progress("working") as show:
        show(1, 4, "one part")
        assert written.wait(60)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("truepath: working: ")
    assert format_line("working", 30, 1, 4, "one part") == "truepath: working: 25 %, 30 s, about 90 s left (one part)"


@pytest.mark.parametrize("given", ["soon", "-1", "nan", "inf"])
def test_a_pause_that_is_none_is_refused_by_name(monkeypatch, given):
    monkeypatch.setenv("TRUEPATH_PROGRESS", given)
    with pytest.raises(TruePathError, match="TRUEPATH_PROGRESS must be a number of seconds"), progress("working"):
        pass


def test_a_bar_shows_shares_and_what_is_left(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as in a terminal
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with progress("working") as show:
        show(0.5, 2, "'forest' fitted")
        show(1.0, None, "rows")


def test_no_command_listens_to_the_log():
    for path in (ROOT / "src" / "truepath" / "cli").glob("*.py"):
        assert not re.search(r"logging|getLogger|addHandler", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("total", [None, 3])
def test_any_number_is_taken(total):
    with progress("working") as show:
        show(np.float64(1.5), total, "seconds")

"""One way to show progress: a function called with how much of how much is done, and what."""

from __future__ import annotations

import re
from contextlib import contextmanager

import numpy as np
import pytest

from commands import run_command
from places import ROOT
from truepath.cli.shared.progress import progress


def test_fitting_moves_the_bar_to_its_end(monkeypatch, tmp_path):
    seen = []

    @contextmanager
    def record(description):
        yield lambda done, total, what: seen.append((done, total, what))

    monkeypatch.setattr("truepath.cli.shared.progress.progress", record)
    run_command("fit", "toy", "--method", "pct", "-o", str(tmp_path / "toy.tp"))
    done = [step[0] for step in seen]
    total = seen[-1][1]
    assert done == list(range(total + 1))
    assert all(step[1] == total and step[2] for step in seen)


def test_a_bar_says_nothing_where_there_is_no_terminal(capsys):
    with progress("working") as show:
        show(0, None, "starting")
        show(1, 2, "half")
        show(2, 2, "done")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.strip() == ""


def test_no_command_listens_to_the_log():
    for path in (ROOT / "src" / "truepath" / "cli").glob("*.py"):
        assert not re.search(r"logging|getLogger|addHandler", path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("total", [None, 3])
def test_any_number_is_taken(total):
    with progress("working") as show:
        show(np.float64(1.5), total, "seconds")

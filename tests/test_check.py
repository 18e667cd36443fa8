"""The stages of ``tools/check.py``: which checks and which tests each of them runs."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from places import ROOT


@pytest.fixture
def tool():
    spec = importlib.util.spec_from_file_location("tools_check", ROOT / "tools" / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def called(tool, monkeypatch):
    """Run the tool with nothing behind it; return the names of the checks and the call of pytest."""

    def call(*arguments, failing=()):
        commands = {}
        monkeypatch.setattr(tool, "KERNELS", [sys.executable, "-c", ""])
        monkeypatch.setattr(tool, "passes", lambda name, run: commands.update({name: run}) or name not in failing)
        n_failed = tool.main(list(arguments))
        return n_failed, list(commands), commands["tests"]

    return call


CHECKS = ["style", "format", "types", "imports", "tests"]


@pytest.mark.parametrize(
    ("arguments", "names", "selection"),
    [([], CHECKS, ["-m", "not slow"]), (["--full"], CHECKS, []), (["--rest"], ["tests"], ["-m", "slow"])],
    ids=["quick", "full", "rest"],
)
def test_a_stage_runs_its_checks_and_its_tests(called, arguments, names, selection):
    n_failed, found, command = called(*arguments, "tests/metrics", "-x")
    assert (n_failed, found) == (0, names)
    assert command[6:] == [*selection, "tests/metrics", "-x"]


def test_the_two_stages_of_ci_are_all_tests(tool):
    """What one leaves out by its marker, the other runs."""
    (_, quick), (_, rest) = tool.STAGES["quick"], tool.STAGES["rest"]
    assert quick == f"not {rest}"
    assert tool.STAGES["full"] == []
    assert "tools/check.py --rest" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_what_fails_is_counted(called, capsys):
    assert called(failing={"types", "tests"})[0] == 2
    assert "failed: types, tests" in capsys.readouterr().out


def test_stages_exclude_each_other(tool, capsys):
    with pytest.raises(SystemExit):
        tool.main(["--full", "--rest"])
    assert "not allowed with argument" in capsys.readouterr().err

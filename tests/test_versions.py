"""How the quick tests are run on other Pythons: the order of the environments, and what counts as a failure."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time

import pytest

from places import ROOT


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("tools_test_versions", ROOT / "tools" / "test_versions.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


FOUND = {"3.10": "/a", "3.11": "/b", "3.12": "/c", "3.13": "/d", "3.14": None}


def test_the_ends_of_the_range_come_first_and_all_are_named(tool):
    assert tool.wanted(FOUND, None, also_own=True) == [
        ("lowest", "/a"), ("3.13", "/d"), ("3.10", "/a"), ("3.11", "/b"), ("3.12", "/c"), ("3.14", None)
    ]  # fmt: skip
    assert tool.wanted(FOUND, ["3.12", "lowest"], also_own=False) == [("lowest", "/a"), ("3.12", "/c")]
    own = f"3.{sys.version_info.minor}"
    assert own not in dict(tool.wanted(FOUND, None, also_own=False))


def test_failures_are_seen_before_the_summary(tool):
    assert all(map(tool.FAILURE.match, ("..F.\n", ".sE.x [  4%]\n", "FAILED tests/a.py::b - x\n")))
    assert not any(map(tool.FAILURE.match, ("....\n", ".sx. [ 12%]\n", "bringing up nodes...\n", "Example\n", "\n")))


def test_what_is_not_found_or_not_reached_is_no_failure(tool, capsys):
    results = [
        tool.test_one("3.14", None, None, time.monotonic() + 60, []),
        tool.test_one("3.10", sys.executable, None, time.monotonic() - 1, []),
    ]
    assert [result.outcome for result in results] == ["not found", "not reached"]
    tool.print_table(results, 20)
    printed = capsys.readouterr().out
    assert "not found, not on this machine: 3.14" in printed
    assert "not reached, no time left of 20 minutes: 3.10" in printed


def test_a_run_ends_when_the_time_is_over(tool, tmp_path):
    code = "import signal, time\nsignal.signal(2, signal.default_int_handler)"  # else ignored in a shell's background
    code += "\nprint('..', flush=True)\ntime.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL, start_new_session=True) as process:
        watch = tool._Watch(process, time.monotonic())
    watch.cancel()
    assert watch.is_over

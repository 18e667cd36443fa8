"""Commands killed at random moments: old or new files, whole, no worker left, and nothing beside them afterwards."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from places import ROOT, SOURCES
from tools_by_file import load_tool

kills = load_tool("try_kills")


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no list of processes")
@pytest.mark.slow
def test_kills_leave_whole_files_and_no_workers():
    """In a process of its own, which may fork; ``python tools/try_kills.py`` kills fifty times each."""
    commands = [name for name in kills.COMMANDS if name != "serve"]  # the tests of the server kill it
    command = [sys.executable, ROOT / "tools" / "try_kills.py", "5", *commands]
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    said = done.stdout.splitlines()  # a line after every tenth kill, and the last one
    assert {line.partition(":")[0] for line in said if line.endswith("nothing found")} == set(commands)

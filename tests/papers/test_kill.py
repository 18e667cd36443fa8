"""A reproduction killed while it writes continues from there and gives the same numbers as one left alone (SIGKILL)."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")

# A paper of five cells. With tear=n the process kills itself half-way through writing the n-th line.
SCRIPT = """
import os, signal, sys
from pathlib import Path
from truepath.papers import Paper, Settings, reproduce
from truepath.papers.base import Cell, Comparison

folder, tear = Path(sys.argv[1]), int(sys.argv[2])
real, lines = os.write, [0]

def write(handle, content):
    is_line = content.startswith(b'{"checksum"')
    lines[0] += is_line
    if is_line and lines[0] == tear:
        real(handle, content[: len(content) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    return real(handle, content)

os.write = write

def give(k):
    return lambda settings: [Comparison("Table 1", str(k), "A", "F1", 0.1, k / 7, 0.01)]

paper = Paper("fake", "A paper", tuple(Cell(f"cell {k}", give(k), seconds=k) for k in range(1, 6)))
print(reproduce(paper, folder, Settings(folder)))
print("run:", lines[0])
"""


def run(folder: Path, tear: int = 0) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", SCRIPT, str(folder), str(tear)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_killed_while_it_writes(tmp_path):
    whole = run(tmp_path / "whole").stdout.splitlines()
    assert run(tmp_path / "torn", tear=3).returncode == -signal.SIGKILL
    store = tmp_path / "torn" / "fake.jsonl"
    assert store.read_bytes().count(b"\n") == 2
    assert not store.read_bytes().endswith(b"\n")
    again = run(tmp_path / "torn")
    assert again.stdout.splitlines() == [whole[0], "run: 3"], "two cells were finished"
    assert "1 damaged line(s) of fake.jsonl dropped (3)" in again.stderr
    assert store.read_bytes().count(b"\n") == 5

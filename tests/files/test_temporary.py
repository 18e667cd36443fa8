"""Temporary folders are gone after use, and those of killed processes after the next one's start."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from truepath.files.temporary import temporary_folder

KILLED = """
import os, signal
from truepath.files.temporary import temporary_folder
with temporary_folder("truepath-test-") as folder:
    open(os.path.join(folder, "model"), "w").close()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="folders have no locks")
def test_what_a_killed_process_left_is_removed_and_what_is_in_use_stays(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "truepath-other").mkdir()
    (tmp_path / "truepath-test-link").symlink_to("truepath-other")
    subprocess.run([sys.executable, "-c", KILLED], env={**os.environ, "TMPDIR": str(tmp_path)}, check=False)
    assert len(list(tmp_path.glob("truepath-test-*/model"))) == 1
    with temporary_folder("truepath-test-") as first, temporary_folder("truepath-test-") as second:
        assert {path.name for path in tmp_path.iterdir()} == {
            *map(os.path.basename, (first, second)),
            *("truepath-other", "truepath-test-link"),
        }
    assert {path.name for path in tmp_path.iterdir()} == {"truepath-other", "truepath-test-link"}


def test_a_folder_that_was_taken_for_left_behind_is_made_again(tmp_path, monkeypatch):
    """Another process looked at it before it was locked."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    isdir, seen = os.path.isdir, []

    def is_there(folder):
        if not seen:
            os.rmdir(folder)
        seen.append(folder)
        return isdir(folder)

    monkeypatch.setattr("os.path.isdir", is_there)
    with temporary_folder("truepath-test-") as folder:
        assert isdir(folder)
    assert len(set(seen)) == 2
    assert list(tmp_path.iterdir()) == []

"""Files that appear whole or not at all: by one road, whatever was left there, under any name."""

from __future__ import annotations

import ast
import errno
import os
import subprocess
import sys

import pytest

from places import SOURCES
from truepath.files.writing import open_atomically, write_text

PACKAGE = SOURCES / "truepath"
#: Files that write on their own: the road itself, the journal that grows line by line, downloads that are resumed, and
#: the memory that a server's processes share
OWN = {"files/writing.py", "experiments/store.py", "data/fetch/download.py", "serve/releases.py"}

KILLED = """
import os, signal, sys
from truepath.files.writing import open_atomically
with open_atomically(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def writes(call):
    """Return whether a call writes a file: by a path's method, or through a mode that writes."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name in ("write_text", "write_bytes"):
        return isinstance(call.func, ast.Attribute)
    modes = [
        one.value for one in (*call.args[1:2], *(k.value for k in call.keywords if k.arg == "mode")) if is_text(one)
    ]
    return name == "open" and any(set(mode) & set("wax+") for mode in modes)


def is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_files_are_written_by_one_road():
    found = set()
    for path in PACKAGE.rglob("*.py"):
        calls = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
        if any(map(writes, calls)):
            found.add(path.relative_to(PACKAGE).as_posix())
    assert found <= OWN


@pytest.mark.skipif(os.name == "nt", reason="the system has no SIGKILL")
def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path):
    target = tmp_path / "numbers.txt"
    write_text(target, "old")
    subprocess.run([sys.executable, "-c", KILLED, target], check=False)
    assert len(list(tmp_path.iterdir())) == 2
    assert target.read_text() == "old"
    write_text(tmp_path / "other.txt", "of another target")
    assert len(list(tmp_path.iterdir())) == 3
    write_text(target, "new")
    assert {path.name for path in tmp_path.iterdir()} == {"numbers.txt", "other.txt"}
    assert target.read_text() == "new"


def test_what_a_living_writer_has_written_so_far_is_left_to_it(tmp_path):
    target = tmp_path / "numbers.txt"
    with open_atomically(target) as slow:
        slow.write(b"slow")
        write_text(target, "quick")
        assert target.read_text() == "quick"
    assert target.read_text() == "slow"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_or_folder_of_such_a_name_is_left_alone(tmp_path):
    os.mkfifo(tmp_path / ".numbers.txt.0123456789ab.part")
    (tmp_path / ".numbers.txt.0123456789ac.part").mkdir()
    write_text(tmp_path / "numbers.txt", "new")
    assert len(list(tmp_path.iterdir())) == 3


def test_links_that_lead_back_to_themselves_are_refused(tmp_path):
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    with pytest.raises(OSError, match="loop") as caught:
        write_text(loop, "never")
    assert (caught.value.errno, caught.value.filename) == (errno.ELOOP, str(loop))
    assert list(tmp_path.iterdir()) == [loop]


def test_a_name_may_be_as_long_as_the_system_lets_it(tmp_path):
    for name in ("x" * 255, "𝄞" * 63):  # 4 bytes each
        write_text(tmp_path / name, name)
        assert (tmp_path / name).read_text(encoding="utf-8") == name


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_text(tmp_path / "no" / "x.txt", "")
    assert caught.value.filename == str(tmp_path / "no" / "x.txt")

"""The store of finished work: all comes back bit by bit; what is damaged is dropped, what is foreign is left alone."""

import json
import math
import os
import signal
import subprocess
import sys
import zlib

import pytest

from truepath.errors import DataFormatError, TruePathError
from truepath.experiments.store import Finished, Store


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "work.jsonl")


@pytest.mark.parametrize("value", [0.1 + 0.2, -0.0, 5, "a", None, [1.5, {"x": [True]}], {"nested": {"y": 1e-300}}])
def test_values_come_back_bit_by_bit(store, value):
    store.append(Finished("a", "s", value=value))
    assert repr(store.read().units[0].value) == repr(value)


def test_what_json_has_no_number_for_comes_back_too(store):
    store.append(Finished("a", "s", value=[math.inf, -math.inf, math.nan]))
    assert "NaN" not in store.path.read_text()
    value = store.read().units[0].value
    assert value[:2] == [math.inf, -math.inf]
    assert math.isnan(value[2])


def test_the_latest_that_fits_counts(store):
    for value in (1, 2):
        store.append(Finished(("a", 0), "old", {"x": "1"}, value=value))
    store.append(Finished(("a", 0), "new", error="ValueError: no"))
    found = store.read()
    assert found.serving(("a", 0), "old").value == 2
    assert found.serving(("a", 0), "old", {"x": "1"}).value == 2
    assert found.serving(("a", 0), "old", {"x": "2"}) is None, "a part is made otherwise"
    assert found.serving(("a", 0), "new") is None, "it failed"
    assert found.latest(("a", 0), "new").error == "ValueError: no"
    assert found.serving("b", "old") is None


def test_damaged_lines_are_numbered_and_dropped(store):
    for key in "abcd":
        store.append(Finished(key, "s"))
    lines = store.path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"b"', b'"B"')  # still JSON, no longer what was written
    store.path.write_bytes(b"".join(lines)[:-9])
    found = store.read()
    assert [unit.key for unit in found.units] == ["a", "c"]
    assert found.damaged == (2, 4)
    assert found.remark.startswith("2 damaged line(s) of work.jsonl dropped (2, 4)")
    store.repair()
    store.append(Finished("e", "s"))
    assert [unit.key for unit in store.read().units] == ["a", "c", "e"]
    assert store.read().remark == ""


@pytest.mark.parametrize("line", ['{"key": 1}', "[]", "3", '{"checksum": "0", "run": {}}'])
def test_a_foreign_file_is_left_alone(store, line):
    store.path.write_text(f"{line}\n")
    with pytest.raises(DataFormatError, match=r"work\.jsonl:1: not a line of finished work") as caught:
        store.repair()
    assert "another folder" in caught.value.remedy
    assert store.path.read_text() == f"{line}\n"


def test_brackets_within_brackets_are_damage(store):
    store.append(Finished("a", "s", value=1))
    with open(store.path, "a") as file:
        file.write("[" * 100_000 + "]" * 100_000 + "\n")
    assert (len(store.read().units), store.read().damaged) == (1, (2,))


@pytest.mark.parametrize(
    "field",
    [
        *({"key": [["a"]]}, {"settings": 3}, {"parts": ["x"]}, {"about": "x"}, {"error": None}, {"seconds": "1"}),
        *({"versions": 1}, {"traceback": []}, {"date": 3}, {"more": 1}),
    ],
)
def test_a_line_with_a_checksum_but_of_other_kinds_is_refused(store, field):
    store.append(Finished("a", "s", value=1))
    unit = json.loads(store.path.read_text())["unit"] | field
    text = json.dumps(unit, sort_keys=True)
    store.path.write_text(f'{{"checksum": "{zlib.crc32(text.encode()):08x}", "unit": {text}}}\n')
    with pytest.raises(DataFormatError, match="not a line of finished work"):
        store.read()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize(("kind", "what"), [("link", "a link that leads back to itself"), ("pipe", "not a file")])
def test_a_place_that_keeps_nothing_is_refused_before_any_work(store, kind, what):
    os.mkfifo(store.path) if kind == "pipe" else store.path.symlink_to(store.path.name)
    for use in (store.read, store.repair, lambda: store.hold().__enter__()):
        with pytest.raises(TruePathError, match=rf"work\.jsonl is {what}, and finished work is kept there"):
            use()


def test_a_link_to_a_file_to_come_is_followed(store, tmp_path):
    store.path.symlink_to(tmp_path / "elsewhere.jsonl")
    with store.hold():
        store.append(Finished("a", "s", value=1))
    assert [unit.key for unit in Store(tmp_path / "elsewhere.jsonl").read().units] == ["a"]


def test_one_writer_at_a_time(store):
    with store.hold():
        with pytest.raises(TruePathError, match="in use by another thread") as caught, store.hold():
            pass
        assert caught.value.remedy.startswith("Wait until")
        with Store(store.path.with_name("other.jsonl")).hold():
            pass
    with store.hold():
        pass


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_forked_worker_does_not_keep_the_lock_of_a_killed_parent(store):
    code = (
        "import os, sys; from pathlib import Path; from truepath.experiments.store import Store\n"
        "with Store(Path(sys.argv[1])).hold():\n"
        "    if os.fork() == 0: print(os.getpid(), flush=True)\n"
        "    sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(store.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        try:
            with store.hold():
                pass
        finally:
            os.kill(child, signal.SIGKILL)

"""Output of any encoding, closed, broken off or full: what is possible is printed, and the exit code says the rest."""

from __future__ import annotations

import errno
import io
import os
import signal
import subprocess
import sys

import pytest
from rich.console import Console

from truepath.cli import main
from truepath.cli.app import ENDING, format_error
from truepath.cli.shared.streams import printing_what_is_possible, stream_of_data

ENCODINGS = ["ascii", "latin-1", "cp1252"]


def redirect(monkeypatch, encoding):
    """Print into a stream of an encoding."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="")
    monkeypatch.setattr(sys, "stdout", stream)
    return stream


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_arrows_have_plain_twins(encoding, monkeypatch):
    stdout = redirect(monkeypatch, encoding)
    with printing_what_is_possible():
        Console(highlight=False).print("F1 ↑ a → b ✓ 水")
    said = stdout.buffer.getvalue().decode(stdout.encoding)
    assert said == "F1 ^ a -> b + ?\n"


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_rows_are_not_changed_in_silence(encoding, monkeypatch):
    redirect(monkeypatch, encoding)
    with pytest.raises(UnicodeEncodeError) as caught, printing_what_is_possible():
        stream_of_data().write("x,naïve/水\n")
    said = format_error(caught.value)
    assert "standard output is in" in said
    assert "PYTHONIOENCODING" in said


def test_rows_that_find_no_room_are_said_to_be_of_standard_output(monkeypatch):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(OSError, match="No space left on device: 'standard output'"):
        stream_of_data().write("x,a\n")


@pytest.mark.parametrize("number", ENDING)
def test_signals_that_end_a_program_count_as_ctrl_c(number, monkeypatch, capsys, tmp_path):
    (tmp_path / "t.csv").write_text("x,labels\n1,a\n")
    monkeypatch.setattr("sys.argv", ["truepath", "describe", str(tmp_path / "t.csv")])
    monkeypatch.setattr("truepath.workflow.open_training", lambda *_, **__: os.kill(os.getpid(), number))
    before = signal.signal(number, signal.SIG_DFL), signal.getsignal(signal.SIGINT)  # nohup, say, has one ignored
    try:
        with pytest.raises(SystemExit) as stopped:
            main()
        assert signal.getsignal(number) == signal.SIG_DFL
    finally:
        signal.signal(number, before[0])
        signal.signal(signal.SIGINT, before[1])
    assert (stopped.value.code, capsys.readouterr().err) == (130, "truepath: interrupted\n")


def test_a_signal_that_is_ignored_stays_ignored(monkeypatch, capsys):
    """As under nohup."""

    def go_on(*_, **__):
        os.kill(os.getpid(), ENDING[-1])
        raise ValueError("it went on")

    monkeypatch.setattr("sys.argv", ["truepath", "describe", "t.csv"])
    monkeypatch.setattr("truepath.workflow.open_training", go_on)
    before = signal.signal(ENDING[-1], signal.SIG_IGN)
    try:
        with pytest.raises(SystemExit) as stopped:
            main()
    finally:
        signal.signal(ENDING[-1], before)
    assert (stopped.value.code, capsys.readouterr().err) == (1, "truepath: it went on\n")


# The signal goes to the thread that is tidying up; another one might be told too late. Where the tests run in the
# background of a shell, it would be ignored. Python looks for signals in loops, and not at the end of a call.
AT_THE_END = """
import atexit, signal

def at_end():
    signal.raise_signal(2)
    for _ in range(100):
        pass

signal.signal(2, signal.default_int_handler)
from truepath.cli import main

atexit.register(at_end)
main()
"""


def run(code, *arguments, **options):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, **options)


@pytest.mark.skipif(os.name == "nt", reason="other signals")
def test_ctrl_c_while_python_tidies_up_prints_nothing():
    done = run(AT_THE_END, "--version", stdout=subprocess.DEVNULL)
    assert (done.returncode, done.stderr) == (130, "")


# Ctrl-C before anything was imported: seconds pass until then where a machine is busy
AT_THE_BEGINNING = """
import sys
from truepath.cli import main

class Interrupt:
    def find_spec(self, name, *_):
        if name == "typer":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
main()
"""


def test_ctrl_c_while_the_command_line_is_imported_is_one_line():
    done = run(AT_THE_BEGINNING, "--version", stdout=subprocess.DEVNULL)
    assert (done.returncode, done.stderr) == (130, "truepath: interrupted\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no full device")
@pytest.mark.slow
def test_what_cannot_be_printed_is_said_once():
    code = "from truepath.cli import main; main()"
    with open("/dev/full", "w") as full:
        done = run(code, "methods", stdout=full)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "No space left on device" in done.stderr
    reading, writing = os.pipe()
    os.close(reading)
    done = run(code, "methods", stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")

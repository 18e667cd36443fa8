"""Faults injected: the n-th write, rename, sync, allocation or start of a worker of a command fails.

A command is run in this process as ``truepath`` runs it. :func:`count_calls` says how many calls of a kind it makes,
:func:`run_failing` lets one of them fail, as a full disk, a system without memory or without processes would.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import NamedTuple

import numpy as np

from truepath.cli import main
from truepath.files import writing


class Ended(NamedTuple):
    """How a command ended: its exit code, and the lines that it printed on stderr."""

    code: int
    lines: list[str]


class Counted:
    """Counts calls, and raises at one of them."""

    def __init__(self, at, error):
        self.n_calls, self.at, self.error = 0, at, error

    def __call__(self, function):
        def call(*args, **options):
            self.n_calls += 1
            if self.n_calls == self.at:
                raise self.error()
            return function(*args, **options)

        return call


def full_disk():
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def no_memory():
    return MemoryError("Unable to allocate 8.00 EiB for an array")


def no_processes():
    return OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))


class File:
    """A file whose writes are counted."""

    def __init__(self, file, counted):
        self.file, self.write = file, counted(file.write)

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        return self.file.__exit__(*problem)


def open_counted(counted):
    return lambda *args, **options: File(open(*args, **options), counted)


def allocating(name):
    """Return how a function of NumPy that makes arrays is replaced."""
    own = getattr(np, name)
    return np, name, lambda counted: counted(own)


#: Kind of call -> the error it fails with, and where it is replaced: (owner, name, how the replacement is made)
FAULTS = {
    "write": (full_disk, [(writing, "open", open_counted), (os, "write", lambda counted: counted(os.write))]),
    "rename": (full_disk, [(os, "replace", lambda counted: counted(os.replace))]),
    "sync": (full_disk, [(os, "fsync", lambda counted: counted(os.fsync))]),
    # not asarray: libraries try it on anything, and take an error for the answer that it is not an array
    "allocation": (no_memory, [*map(allocating, ("zeros", "empty", "ones", "full", "concatenate"))]),
    "start of a worker": (
        no_processes,
        [(BaseProcess, "start", lambda counted, own=BaseProcess.start: lambda process: counted(own)(process))],
    ),
}


@contextmanager
def failing(kind, at=0):
    """Let the call number ``at`` of a kind fail in the block; 0 lets none fail, and they are counted."""
    error, places = FAULTS[kind]
    counted = Counted(at, error)
    before = [(owner, name, vars(owner).get(name)) for owner, name, _ in places]
    try:
        for owner, name, make in places:
            setattr(owner, name, make(counted))
        yield counted
    finally:
        for owner, name, was in before:
            delattr(owner, name) if was is None else setattr(owner, name, was)


def run(arguments, monkeypatch, capfd):
    """Run the command line in this process."""
    interrupt = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(sys, "argv", ["truepath", *map(str, arguments)])
    capfd.readouterr()
    try:
        main()
    except SystemExit as ended:
        return Ended(int(ended.code or 0), capfd.readouterr().err.splitlines())
    finally:
        signal.signal(signal.SIGINT, interrupt)


def count_calls(kind, arguments, monkeypatch, capfd):
    """Return how many calls of a kind a command makes that ends well."""
    with failing(kind) as counted:
        ended = run(arguments, monkeypatch, capfd)
    assert ended.code == 0, ended
    return counted.n_calls


def run_failing(kind, at, arguments, monkeypatch, capfd):
    """Run a command whose call number ``at`` of a kind fails."""
    with failing(kind, at):
        return run(arguments, monkeypatch, capfd)

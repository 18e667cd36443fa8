"""Where finished runs are kept: one line each, on disk before the next is taken, whatever happens.

Every line holds the record and a checksum of it. A process killed while it writes leaves a line without an end; a full
disk may leave half a line; both are recognised, dropped, and the run is done again. A lock on the folder keeps a
second process from writing to the same journal; it goes away with the process that holds it.
"""

from __future__ import annotations

import json
import os
import socket
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from truepath._atomic import open_atomically, sync_folder
from truepath.errors import TruePathError
from truepath.experiments.records import RunRecord

__all__ = ["JOURNAL", "Journal", "hold_folder", "replace_file"]

JOURNAL = "runs.jsonl"
LOCK = ".lock"


class Journal:
    """The lines of finished runs in a folder.

    Parameters
    ----------
    folder : Path

    Examples
    --------
    >>> import tempfile
    >>> from truepath.experiments.records import RunKey, RunRecord
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     journal = Journal(Path(folder))
    ...     journal.append(RunRecord(RunKey("toy", "tree", 0, 0), "abc", {"h_loss": 0.25}))
    ...     [record.values for record in journal.read()[0]]
    [{'h_loss': 0.25}]
    """

    def __init__(self, folder: Path):
        self.path = folder / JOURNAL

    def read(self) -> tuple[list[RunRecord], int]:
        """Return the records in the order written, and how many damaged lines there are."""
        if not self.path.exists():
            return [], 0
        lines = self.path.read_bytes().split(b"\n")
        records = [_parse(line) for line in lines[:-1]]
        torn = int(lines[-1] != b"")
        return [record for record in records if record is not None], torn + records.count(None)

    def mend(self) -> int:
        """Drop what is damaged from the file, so that a new line starts on a line of its own; count it."""
        records, damaged = self.read()
        if damaged:
            replace_file(self.path, "".join(map(_line, records)))
        return damaged

    def append(self, record: RunRecord) -> None:
        """Write one line and wait until it is on the disk; take back half a line if the disk is full."""
        new = not self.path.exists()
        handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            length = os.fstat(handle).st_size
            try:
                _write_all(handle, _line(record).encode())
                os.fsync(handle)
            except OSError:
                os.ftruncate(handle, length)
                raise
        finally:
            os.close(handle)
        if new:
            sync_folder(self.path.parent)


def _line(record: RunRecord) -> str:
    text = json.dumps(record.to_dict(), sort_keys=True)
    return f'{{"checksum": "{zlib.crc32(text.encode()):08x}", "run": {text}}}\n'


def _parse(line: bytes) -> RunRecord | None:
    """Return the record of a line, or None if it is not what was written."""
    try:
        given = json.loads(line)
        text = json.dumps(given["run"], sort_keys=True)
        if f"{zlib.crc32(text.encode()):08x}" != given["checksum"]:
            return None
        return RunRecord.from_dict(given["run"])
    except (ValueError, KeyError, TypeError):
        return None


def _write_all(handle: int, content: bytes) -> None:
    while content:
        content = content[os.write(handle, content) :]


def replace_file(path: Path, text: str) -> None:
    """Write a file as a whole or not at all: beside it first, then in its place."""
    with open_atomically(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


# ------------------------------------------------------------------------------------------------- the lock

_held: set[Path] = set()  # locks of files are per process: two threads of one would not see each other


@contextmanager
def hold_folder(folder: Path) -> Iterator[None]:
    """Keep every other experiment out of the folder while the block runs."""
    path = folder.resolve() / LOCK
    if path in _held:  # asked first: opening and closing the file once more would let go of the lock
        raise TruePathError(_in_use(folder, "another thread of this process"))
    file = open(path, "a+", encoding="utf-8")  # noqa: SIM115  (held open as long as the lock)
    try:
        if not _lock(file):
            file.seek(0)
            raise TruePathError(_in_use(folder, file.read().strip() or "another process"))
        _held.add(path)
        try:
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
            file.flush()
            yield
            file.truncate(0)
        finally:
            _held.discard(path)
    finally:
        file.close()


def _in_use(folder: Path, holder: str) -> str:
    return f"{folder} is in use by {holder}. Wait until it has finished, stop it, or choose another folder."


def _lock(file: Any) -> bool:
    """Lock for this process alone: a record lock is not inherited by workers that outlive a killed parent."""
    try:
        if os.name == "nt":
            import msvcrt

            file.seek(1 << 20)  # beyond the text, which others read
            getattr(msvcrt, "locking")(file.fileno(), getattr(msvcrt, "LK_NBLCK"), 1)  # noqa: B009
        else:
            import fcntl

            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True

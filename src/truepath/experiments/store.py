"""Where finished work is kept: one line per unit, always on disk before the next is taken.

A plan's runs and a paper's cells are kept the same way. Every line holds what a unit returned, the fingerprints of its
inputs, and a checksum. A process killed while it writes leaves a line without an end; a full disk may leave half a
line; both are recognised, dropped, and the unit is done again. Lines are never changed: of several lines for one unit
the last that fits counts. A lock keeps a second process from writing to the same file; it goes away with the process
that holds it.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import socket
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from truepath.errors import DataFormatError, TruePathError
from truepath.files.text import open_atomically, sync_folder

__all__ = ["Finished", "Store", "Stored", "digest", "replace_file"]

FLOAT = "float"  # {"float": "nan"} means what JSON has no number for


@dataclass(frozen=True)
class Finished:
    """A unit of work that was run.

    Attributes
    ----------
    key : str or tuple
        What the unit is called.
    settings : str
        Digest of everything that the outcome depends on: method, data, split, seed.
    parts : dict of str to str
        What is in the outcome, each with its own digest, such as the measures of a run.
    about : dict
        Further facts for the reader, such as the number of rows.
    value : Any
        What the unit returned, as JSON holds it; None if it failed.
    error : str
        Empty, or what was raised, in one line.
    traceback : str
    seconds : float
    date : str
    versions : dict of str to str
    """

    key: Any
    settings: str
    parts: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    value: Any = None
    error: str = ""
    traceback: str = ""
    seconds: float = float("nan")
    date: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    def serves(self, settings: str, parts: Mapping[str, str]) -> bool:
        """Return whether this is what is asked for: it did not fail, the settings are the same, every part is there."""
        return not self.error and self.settings == settings and parts.items() <= self.parts.items()


@dataclass(frozen=True)
class Stored:
    """What a store holds: the finished units in the order written, and the numbers of lines that are damaged."""

    units: tuple[Finished, ...] = ()
    damaged: tuple[int, ...] = ()
    name: str = ""

    def of(self, key: Any) -> list[Finished]:
        """Return all records of one unit, the latest last."""
        return self._by_key.get(key, [])

    def serving(self, key: Any, settings: str, parts: Mapping[str, str] | None = None) -> Finished | None:
        """Return the latest record of a unit that is what is asked for."""
        return next((unit for unit in reversed(self.of(key)) if unit.serves(settings, parts or {})), None)

    def latest(self, key: Any, settings: str) -> Finished | None:
        """Return the latest record of a unit with these settings that did not fail, or else the latest that did."""
        same = [unit for unit in self.of(key) if unit.settings == settings]
        return self.serving(key, settings) or (same[-1] if same else None)

    @property
    def keys(self) -> set[Any]:
        """The units that have records."""
        return set(self._by_key)

    @property
    def remark(self) -> str:
        """A remark about damaged lines; empty if there are none."""
        if not self.damaged:
            return ""
        numbers = ", ".join(map(str, self.damaged[:5])) + (", ..." if len(self.damaged) > 5 else "")
        return f"{len(self.damaged)} damaged line(s) of {self.name} dropped ({numbers}); what they held is done again."

    def __post_init__(self) -> None:
        by_key: dict[Any, list[Finished]] = {}
        for unit in self.units:
            by_key.setdefault(unit.key, []).append(unit)
        object.__setattr__(self, "_by_key", by_key)

    _by_key: Mapping[Any, list[Finished]] = field(init=False, repr=False, compare=False)


class Store:
    """A file of finished units.

    Parameters
    ----------
    path : Path

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder) / "sums.jsonl")
    ...     store.append(Finished("one and one", "abc", value=2))
    ...     found = store.read()
    >>> found.serving("one and one", "abc").value, found.serving("one and one", "other settings")
    (2, None)
    """

    def __init__(self, path: Path):
        self.path = path

    def read(self) -> Stored:
        """Return what is there.

        Raises
        ------
        DataFormatError
            If a line was written by something else: then this is not such a file, and nothing is dropped from it.
        """
        if not self.path.exists():
            return Stored()
        lines = self.path.read_bytes().split(b"\n")
        units = [_parse(line, self.path, number) for number, line in enumerate(lines[:-1], start=1)]
        damaged = [number for number, unit in enumerate(units, start=1) if unit is None]
        damaged += [len(lines)] if lines[-1] else []  # half a line
        return Stored(tuple(unit for unit in units if unit is not None), tuple(damaged), self.path.name)

    def repair(self) -> None:
        """Drop what is damaged from the file, so that a new record starts on its own line."""
        found = self.read()
        if found.damaged:
            replace_file(self.path, "".join(map(_line, found.units)))

    def append(self, unit: Finished) -> None:
        """Write one line and wait until it is on the disk; take back half a line if the disk is full."""
        new = not self.path.exists()
        handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            length = os.fstat(handle).st_size
            try:
                _write_all(handle, _line(unit).encode())
                os.fsync(handle)
            except OSError:
                os.ftruncate(handle, length)
                raise
        finally:
            os.close(handle)
        if new:
            sync_folder(self.path.parent)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep all others from writing while the block runs; the folder is made if needed."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with _hold(self.path.resolve().with_name(f".{self.path.stem}.lock"), self.path):
            yield


def digest(settings: Any) -> str:
    """Return a short name for plain settings; equal settings have equal names.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = json.dumps(settings, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def replace_file(path: Path, text: str) -> None:
    """Write a file as a whole or not at all: under another name first, then in its place."""
    with open_atomically(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


# ------------------------------------------------------------------------------------------------ the lines


def _line(unit: Finished) -> str:
    text = json.dumps(_plain(asdict(unit)), sort_keys=True)
    return f'{{"checksum": "{zlib.crc32(text.encode()):08x}", "unit": {text}}}\n'


def _parse(line: bytes, path: Path, number: int) -> Finished | None:
    """Return the unit of a line, or None if the line is not what was written."""
    try:
        given = json.loads(line)
    except ValueError:
        return None
    try:
        text = json.dumps(given["unit"], sort_keys=True)
        if f"{zlib.crc32(text.encode()):08x}" != given["checksum"]:
            return None
        fields = json.loads(text, object_hook=_as_float)
        key = fields.pop("key")
        return Finished(tuple(key) if isinstance(key, list) else key, **fields)
    except (KeyError, TypeError) as problem:
        remedy = "Remove the line, or choose another folder."
        raise DataFormatError(f"not a line of finished work ({problem}).", path, number, remedy) from problem


def _plain(value: Any) -> Any:
    """Return what JSON can hold: NaN and infinity by name."""
    if isinstance(value, Mapping):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return {FLOAT: str(value)} if isinstance(value, float) and not math.isfinite(value) else value


def _as_float(table: dict[str, Any]) -> Any:
    return float(table[FLOAT]) if table.keys() == {FLOAT} else table


def _write_all(handle: int, content: bytes) -> None:
    while content:
        content = content[os.write(handle, content) :]


# ------------------------------------------------------------------------------------------------- the lock

_held: set[Path] = set()  # locks of files are per process: two threads of one would not see each other


@contextmanager
def _hold(lock: Path, path: Path) -> Iterator[None]:
    if lock in _held:  # asked first: opening and closing the file once more would release the lock
        raise _in_use(path, "another thread of this process")
    with open(lock, "a+", encoding="utf-8") as file:
        if not _lock(file):
            file.seek(0)
            raise _in_use(path, file.read().strip() or "another process")
        _held.add(lock)
        try:
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
            file.flush()
            yield
            file.truncate(0)
        finally:
            _held.discard(lock)


def _in_use(path: Path, holder: str) -> TruePathError:
    return TruePathError(
        f"{path} is in use by {holder}.", "Wait until it has finished, stop it, or choose another folder."
    )


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

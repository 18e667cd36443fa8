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
import os
import socket
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from truepath.errors import DataFormatError, TruePathError
from truepath.files.strict_json import dump_json
from truepath.files.writing import sync_folder, write_text

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

    @cached_property
    def _by_key(self) -> dict[Any, list[Finished]]:
        by_key: dict[Any, list[Finished]] = {}
        for unit in self.units:
            by_key.setdefault(unit.key, []).append(unit)
        return by_key


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
        if not self._target().exists():
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
            write_text(self.path, "".join(map(_line, found.units)))

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
        place = self._target().with_name(f".{self.path.stem}.lock")
        holder = place.with_suffix(".holder")  # not in the lock itself, which Windows lets no other process read
        lock = FileLock(place)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise _in_use(self.path, holder) from None
        try:
            with suppress(OSError):  # a full disk: what matters is told when a line is written
                holder.write_text(_this_process(), encoding="utf-8")
            yield
        finally:
            holder.unlink(missing_ok=True)
            lock.release()

    def _target(self) -> Path:
        """Return the file, where links lead; a device or a pipe could neither be read again nor be repaired."""
        target = Path(os.path.realpath(self.path))
        if target.is_symlink() or (target.exists() and not target.is_file()):
            what = "a link that leads back to itself" if target.is_symlink() else "not a file"
            raise TruePathError(f"{self.path} is {what}, and finished work is kept there.", "Choose another folder.")
        return target


def _in_use(path: Path, holder: Path) -> TruePathError:
    try:
        name = holder.read_text(encoding="utf-8")
    except FileNotFoundError:  # it holds the lock since this moment, or is about to release it
        name = "another process"
    name = "another thread of this process" if name == _this_process() else name
    return TruePathError(
        f"{path} is in use by {name}.", "Wait until it has finished, stop it, or choose another folder."
    )


def _this_process() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def digest(settings: Any) -> str:
    """Return a short name for plain settings; equal settings have equal names.

    Examples
    --------
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    True
    """
    text = dump_json(settings, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# ------------------------------------------------------------------------------------------------ the lines


def _line(unit: Finished) -> str:
    text = dump_json(asdict(unit), _tagged, sort_keys=True)
    return f'{{"checksum": "{zlib.crc32(text.encode()):08x}", "unit": {text}}}\n'


def _parse(line: bytes, path: Path, number: int) -> Finished | None:
    """Return the unit of a line, or None if the line is not what was written."""
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):  # the latter of brackets within brackets: we write few
        return None
    try:
        if not (isinstance(given, dict) and given.keys() == {"checksum", "unit"}):
            raise TypeError("it has no checksum and unit")
        text = dump_json(given["unit"], sort_keys=True)
        if f"{zlib.crc32(text.encode()):08x}" != given["checksum"]:
            return None
        return _unit_of(json.loads(text, object_hook=_as_float))
    except (TypeError, ValueError, RecursionError) as problem:  # a text where a number was tagged is a ValueError
        remedy = "Remove the line, or choose another folder."
        raise DataFormatError(f"not a line of finished work: {problem}.", path, number, remedy) from problem


def _unit_of(given: Any) -> Finished:
    """Return a unit from its fields, or refuse fields that are of other kinds than ours, by a TypeError."""
    names = {one.name for one in fields(Finished)}
    if not isinstance(given, dict) or not {"key", "settings"} <= given.keys() <= names:
        raise TypeError("its fields are not those of finished work")
    key = given["key"]
    unit = Finished(**{**given, "key": tuple(key) if isinstance(key, list) else key})
    if not all(isinstance(part, str | int | float | bool | None) for part in (key if isinstance(key, list) else [key])):
        raise TypeError(f"key is {key!r:.60}")
    texts, tables = ("settings", "error", "traceback", "date"), ("parts", "about", "versions")
    kinds = {**dict.fromkeys(texts, str), **dict.fromkeys(tables, dict), "seconds": int | float}
    for name, kind in kinds.items():
        if not isinstance(getattr(unit, name), kind):
            raise TypeError(f"{name} is {getattr(unit, name)!r:.60}")
    return unit


def _tagged(number: float) -> dict[str, str]:
    return {FLOAT: str(number)}


def _as_float(table: dict[str, Any]) -> Any:
    return float(table[FLOAT]) if table.keys() == {FLOAT} else table


def _write_all(handle: int, content: bytes) -> None:
    while content:
        content = content[os.write(handle, content) :]

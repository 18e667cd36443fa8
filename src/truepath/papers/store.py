"""Finished cells on disk: one JSON line a cell, appended at once, so that an interrupted run loses one cell at most.

A line holds all comparisons of a cell and what they were made with. The last line of a run that was killed while
writing may be torn; it is dropped when the file is read, and cut off before the next line is written. Where a cell is
there more than once, the last line counts; lines made with other settings or another version are left alone.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from truepath.errors import DataFormatError
from truepath.papers.base import Comparison, Settings

__all__ = ["Finished", "append_cell", "read_cells", "signature"]


@dataclass(frozen=True)
class Finished:
    """A cell that was run.

    Attributes
    ----------
    key : str
        The cell's.
    settings : dict
        What :func:`signature` gave.
    comparisons : list of Comparison
    seconds : float
        How long it took.
    made : dict
        Date and versions, for the reader.
    """

    key: str
    settings: dict[str, Any]
    comparisons: list[Comparison]
    seconds: float
    made: dict[str, str]


def signature(settings: Settings) -> dict[str, Any]:
    """Return what must be equal for a finished cell to stand: data folder, seed and version, but not ``n_jobs``."""
    from truepath import __version__

    folder = str(Path(settings.data).expanduser().resolve())
    return {"data": folder, "random_state": settings.random_state, "truepath": __version__}


def append_cell(path: Path, finished: Finished) -> None:
    """Add a line and wait until it is on disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps(asdict(finished)) + "\n"
    with path.open("a+b") as file:
        _cut_torn_line(file)
        file.write(line.encode())
        file.flush()
        os.fsync(file.fileno())


def _cut_torn_line(file: Any) -> None:
    """Remove what follows the last line end, if anything does."""
    end = file.seek(0, os.SEEK_END)
    file.seek(0)
    whole = file.read().rfind(b"\n") + 1
    if whole < end:
        file.truncate(whole)
        file.seek(0, os.SEEK_END)


def read_cells(path: Path, wanted: dict[str, Any]) -> dict[str, Finished]:
    """Return the finished cells made with the wanted signature, by key.

    Raises
    ------
    DataFormatError
        If a line other than a torn last one cannot be read.
    """
    if not path.exists():
        return {}
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]  # a torn last line has no end
    found = {}
    for number, line in enumerate(whole.splitlines(), start=1):
        finished = _parse(line, path, number)
        if finished.settings == wanted:
            found[finished.key] = finished
    return found


def _parse(line: bytes, path: Path, number: int) -> Finished:
    """Read one line back."""
    try:
        record = json.loads(line)
        comparisons = [Comparison(**fields) for fields in record.pop("comparisons")]
        return Finished(comparisons=comparisons, **record)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        way_out = "Remove the line, or choose another output folder."
        raise DataFormatError(f"not a finished cell ({error}). {way_out}", path, number) from error

"""Outputs are checked before any work: none may overwrite an input or another output."""

from __future__ import annotations

import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def check_outputs(outputs: Mapping[str, Path | Sequence[Path] | None], inputs: Mapping[str, str | Path | None]) -> None:
    """Refuse, before any work, an output that is an input, by whatever name or link, or that is another output too.

    Both are named as on the command line. An output is a file, or a list of a folder and the files that it will get; an
    input is a file, a folder, or the name of a data set. What was not given is None.
    """
    from truepath.errors import TruePathError

    taken = {_identity(file): (name, file) for name, given in inputs.items() for file in _files_of(given)}
    for option, given in outputs.items():
        if isinstance(given, Path):
            _check_place(option, given)
        files: list[Path] = [] if given is None else [given] if isinstance(given, Path) else list(given)
        for file in files:
            name, known = taken.get(_identity(file), (option, file))
            if name != option and not _is_device(file):
                problem = f"{option}: {file} is the same as {name} ({known}), which would be overwritten."
                raise TruePathError(problem, f"Choose another place for {option}.")
            taken[_identity(file)] = option, file


def _check_place(option: str, file: Path) -> None:
    """Refuse a file that could not be written after the work."""
    from truepath.errors import TruePathError

    if file.is_dir():
        raise TruePathError(f"{option}: {file} is a folder, not a file.", "Add a file name to it.")
    if not file.resolve().parent.is_dir():
        problem = f"{option}: there is no folder {file.parent} for {file.name}."
        raise TruePathError(problem, "Create it, or choose another place.")


def _identity(path: Path) -> Any:
    """Return what the system knows a file by, the same for all its names; of a file to come its full path."""
    try:
        found = path.stat()
    except OSError:
        return str(path.resolve())
    return found.st_dev, found.st_ino


def _is_device(path: Path) -> bool:
    """Return whether nothing is lost if a path is written to twice, as with /dev/null."""
    return path.exists() and not (stat.S_ISREG(mode := path.stat().st_mode) or stat.S_ISDIR(mode))


def _files_of(given: str | Path | None) -> list[Path]:
    """Return a file, or a folder with its files of splits; nothing for the name of a data set."""
    from truepath.data.readers.base import split_files

    if given is None or not Path(given).exists():
        return []
    return [Path(given), *(split_files(Path(given)).values() if Path(given).is_dir() else ())]

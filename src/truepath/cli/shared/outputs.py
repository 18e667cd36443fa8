"""Outputs are checked before any work: none may overwrite an input or another output."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def check_outputs(
    outputs: Mapping[str, Path | Sequence[Path] | None],
    inputs: Mapping[str, str | Path | None],
    *,
    makes_folders: bool = False,
) -> None:
    """Refuse, before any work, an output that is an input, by whatever name or link, or that is another output too.

    Both are named as on the command line. An output is a file, or a list of a folder and the files that it will get; an
    input is a file, a folder, or the name of a data set. What was not given is None. The folder of an output must be
    there, unless the command makes it.
    """
    from truepath.errors import TruePathError

    taken = {_identity(file): (name, file) for name, given in inputs.items() for file in _files_of(given)}
    for option, given in outputs.items():
        if isinstance(given, Path):
            _check_place(option, given, makes_folders)
        files: list[Path] = [] if given is None else [given] if isinstance(given, Path) else list(given)
        for file in files[1:]:
            _refuse_what_is_no_file(option, file)
        for file in files:
            name, known = taken.get(_identity(file), (option, file))
            if name != option and not _is_device(file):
                problem = f"{option}: {file} is the same as {name} ({known}), which would be overwritten."
                raise TruePathError(problem, f"Choose another place for {option}.")
            taken[_identity(file)] = option, file


def _refuse_what_is_no_file(option: str, file: Path) -> None:
    from truepath.errors import TruePathError

    if file.is_dir():
        raise TruePathError(f"{option}: {file} is a folder, not a file.", "Add a file name to it.")
    if Path(os.path.realpath(file)).is_symlink():  # not to be followed to its end
        raise TruePathError(f"{option}: {file} is a link that leads back to itself.", "Remove it.")


def _check_place(option: str, file: Path, makes_folders: bool) -> None:
    """Refuse a file that could not be written after the work."""
    from truepath.errors import TruePathError

    _refuse_what_is_no_file(option, file)
    if makes_folders:
        return check_folder(option, file.parent)
    place = Path(os.path.realpath(file))
    is_there = place.parent.is_dir() and file.parent.is_dir()
    if not is_there or not (_is_device(file) or _may_write(place.parent)):
        problem = f"the folder {file.parent} cannot be written to" if is_there else f"there is no folder {file.parent}"
        raise TruePathError(f"{option}: {problem} for {file.name}.", "Create it, or choose another place.")


def check_file(option: str, file: Path, why: str) -> None:
    """Refuse a device or a pipe where the output must be a file."""
    from truepath.errors import TruePathError

    if _is_device(file):
        raise TruePathError(f"{option}: {file} is not a file, and {why}.", "Name a file.")


def check_folder(option: str, folder: Path) -> None:
    """Refuse a folder that could not be made, or not be written to, after the work."""
    from truepath.errors import TruePathError

    place = folder.absolute()
    try:
        os.lstat(place)  # refuses a name that is too long, which is made of that of the output
    except OSError as failure:
        if failure.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            raise
    there = next(path for path in (place, *place.parents) if os.path.lexists(path))
    if not there.is_dir() or not _may_write(there):
        problem = "is not a folder" if not there.is_dir() else "cannot be written to"
        raise TruePathError(f"{option}: {there} {problem}.", "Choose another place.")


def _may_write(folder: Path) -> bool:
    """Say whether files can be made in a folder, by the rights that this process has now."""
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _identity(path: Path) -> Any:
    """Return what the system knows a file by, the same for all its names; of a file to come its full path."""
    try:
        found = path.stat()
    except OSError:
        return os.path.realpath(path)
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

"""Files written in one step, and what they say of how they were made."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import IO, Any

__all__ = ["now", "replace_file", "versions", "write_atomically"]

TOLD = ("truepath", "numpy", "scipy", "scikit-learn")


def write_atomically(path: str | PathLike[str], text: str) -> Path:
    """Write a text so that the file is either the old one or the whole new one; folders are made."""
    content = text.encode("utf-8", "replace")  # a name may hold half a surrogate pair
    return replace_file(path, lambda file: file.write(content))


def replace_file(path: str | PathLike[str], write: Callable[[IO[bytes]], Any]) -> Path:
    """Let ``write`` fill a temporary file beside ``path`` and put it in its place when it is whole."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        os.chmod(temporary, 0o666 & ~_umask())  # mkstemp makes files that only their owner can read
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def now() -> str:
    """Return the time to the minute, for people."""
    return datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z")


def versions() -> dict[str, str]:
    """Return Python's version and those of the packages behind the numbers."""
    import platform

    from truepath import __version__

    found = {"Python": platform.python_version(), "truepath": __version__}
    for package in TOLD[1:]:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found

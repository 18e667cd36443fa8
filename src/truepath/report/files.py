"""Files written in one step, and what they say of how they were made."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from os import PathLike
from pathlib import Path
from typing import IO, Any

from truepath._atomic import open_atomically

__all__ = ["now", "replace_file", "versions", "write_atomically"]

TOLD = ("truepath", "numpy", "scipy", "scikit-learn")


def write_atomically(path: str | PathLike[str], text: str) -> Path:
    """Write a text so that the file is either the old one or the whole new one; folders are made."""
    content = text.encode("utf-8", "replace")  # a name may hold half a surrogate pair
    return replace_file(path, lambda file: file.write(content))


def replace_file(path: str | PathLike[str], write: Callable[[IO[bytes]], Any]) -> Path:
    """Let ``write`` fill a file beside ``path`` and put it in its place when it is whole."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_atomically(path) as file:
        write(file)
    return path


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

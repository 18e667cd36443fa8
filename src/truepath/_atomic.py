"""Files that appear whole or not at all: written beside the target, flushed to the disk, then put in its place."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from os import PathLike
from typing import Any

__all__ = ["open_atomically", "sync_folder"]


@contextlib.contextmanager
def open_atomically(path: str | PathLike[str], mode: str = "wb", **options: Any) -> Iterator[Any]:
    """Open a file for writing that replaces ``path`` only when the block ends well.

    After an error, a full disk or an interrupt, what was at ``path`` before is untouched and nothing else is left
    behind. A link is followed; the file gets the rights of the one it replaces, else those the umask gives.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> with open_atomically(target, "w") as file:
    ...     _ = file.write("1 2 3")
    >>> target.read_text(), len(list(target.parent.iterdir()))
    ('1 2 3', 1)
    """
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    part = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(6)}.part")
    try:
        with open(part, mode.replace("w", "x"), **options) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(OSError):  # no file there before, or one whose rights cannot be given
            os.chmod(part, os.stat(target).st_mode & 0o7777)
        os.replace(part, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise
    sync_folder(folder)


def sync_folder(folder: str | PathLike[str]) -> None:
    """Make the new name itself last, where the system lets folders be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

"""Files that appear whole or not at all: written beside the target, flushed to the disk, then put in its place."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from os import PathLike
from typing import Any

#: Errors of writing, which the system reports without the name of the file
_OF_WRITING = tuple(getattr(errno, name) for name in ("ENOSPC", "EFBIG", "EDQUOT", "EIO") if hasattr(errno, name))


@contextlib.contextmanager
def open_atomically(path: str | PathLike[str], mode: str = "wb", **options: Any) -> Iterator[Any]:
    """Open a file for writing that replaces ``path`` only when the block ends well.

    After an error, a full disk or an interrupt, what was at ``path`` before is untouched and nothing else is left
    behind. A link is followed; the file gets the permissions of the one it replaces, else those the umask gives.
    Devices and pipes (``/dev/null``, ``/dev/stdout``) are written to, not replaced. Every error names the file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "numbers.txt"
    >>> with open_atomically(target, "w") as file:
    ...     _ = file.write("1 2 3")
    >>> target.read_text(), len(list(target.parent.iterdir()))
    ('1 2 3', 1)
    """
    if _is_device(path):
        with _naming(path, None), open(path, mode, **options) as file:
            yield file
        return
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    part = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(6)}.part")
    try:
        with _naming(path, part):
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


def _is_device(path: str | PathLike[str]) -> bool:
    """Return whether there is something at ``path`` that is neither a file nor a folder."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextlib.contextmanager
def _naming(path: str | PathLike[str], part: str | None) -> Iterator[None]:
    """Give errors of writing the name of the file that was asked for."""
    try:
        yield
    except OSError as error:
        is_of_writing = error.filename is None and error.errno in _OF_WRITING
        if is_of_writing or (part is not None and error.filename == part):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise


def sync_folder(folder: str | PathLike[str]) -> None:
    """Make the new name durable, where the system lets folders be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

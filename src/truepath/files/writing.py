"""Files that appear whole or not at all: written beside the target, flushed to the disk, then put in its place.

What is written beside it is called ``.<name>.<token>.part`` and is locked by its writer. A process that is killed
leaves such a file behind, without its lock: whoever writes to the same target next removes it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator
from os import PathLike
from typing import Any

try:
    import fcntl
except ImportError:  # Windows, where nobody can remove a file that its writer has open
    fcntl = None  # type: ignore[assignment]

#: Errors of writing, which the system reports without the name of the file
_OF_WRITING = tuple(getattr(errno, name) for name in ("ENOSPC", "EFBIG", "EDQUOT", "EIO") if hasattr(errno, name))
#: So many letters of a name go into that of the file beside it: at most 120 bytes of the 255 that a name may have
_N_LETTERS = 30


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
        with naming_target(path), open(path, mode, **options) as file:
            yield file
        return
    target = os.path.realpath(path)
    if os.path.islink(target):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), os.fspath(path))
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f".{name[:_N_LETTERS]}.")
    with naming_target(path, beside), _new_part(beside) as part:
        with open(part, mode, **options) as file:
            yield file
            sync_file(file)
        with contextlib.suppress(OSError):  # no file there before, or one whose rights cannot be given
            os.chmod(part, os.stat(target).st_mode & 0o7777)
        os.replace(part, target)
    sync_folder(folder)


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write a text as a file, whole or not at all: in UTF-8, the ends of its lines as they are."""
    with open_atomically(path) as file:
        file.write(as_bytes(text))


def as_bytes(text: str) -> bytes:
    """Return a text in UTF-8; half a surrogate pair, which a name read elsewhere may hold, becomes a question mark."""
    return text.encode("utf-8", "replace")


@contextlib.contextmanager
def _new_part(beside: str) -> Iterator[str]:
    """Yield the path of a new file, which is locked in the block, and gone after it unless it was renamed."""
    _remove_abandoned(beside)
    part, lock = _create(beside)
    try:
        yield part
    finally:
        with contextlib.suppress(OSError):
            os.unlink(part)
        if lock is not None:
            os.close(lock)


def _create(beside: str) -> tuple[str, int | None]:
    """Create a file; return its path and the handle that holds its lock."""
    while True:
        part = f"{beside}{os.urandom(6).hex()}.part"
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        if fcntl is None:
            os.close(handle)
            return part, None
        with contextlib.suppress(OSError):  # some network disks have no locks: then nothing counts as abandoned
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.path.exists(part):  # nobody took it for abandoned before it was locked
            return part, handle
        os.close(handle)


def _remove_abandoned(beside: str) -> None:
    """Remove what writers of the same target left who were killed."""
    folder, start = os.path.split(beside)
    is_part = re.compile(re.escape(start) + r"[0-9a-f]{12}\.part").fullmatch
    with contextlib.suppress(OSError):  # a folder that can be written may be closed to readers
        for name in filter(is_part, os.listdir(folder)):
            with contextlib.suppress(OSError):  # its writer lives, or was faster
                _remove_unlocked(os.path.join(folder, name))


def _remove_unlocked(part: str) -> None:
    """Remove a file that nobody holds; Windows refuses that by itself."""
    if fcntl is None:
        os.unlink(part)
        return
    handle = os.open(part, os.O_WRONLY | os.O_NONBLOCK)  # a pipe of that name would wait for a reader
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(part)
    finally:
        os.close(handle)


def _is_device(path: str | PathLike[str]) -> bool:
    """Return whether there is something at ``path`` that is neither a file nor a folder."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@contextlib.contextmanager
def naming_target(path: str | PathLike[str], beside: str | None = None) -> Iterator[None]:
    """Give errors of writing the name of the file that was asked for."""
    try:
        yield
    except OSError as error:
        is_of_writing = error.filename is None and error.errno in _OF_WRITING
        if is_of_writing or (beside is not None and str(error.filename).startswith(beside)):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        raise


@contextlib.contextmanager
def hold_folder(folder: str | PathLike[str]) -> Iterator[None]:
    """Let one process at a time into the block; the others wait (on Windows, where folders have no locks, they do not).

    A process that is killed leaves nothing behind that the next one would wait for.
    """
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # some network disks have no locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def sync_file(file: Any) -> None:
    """Have what was written to an open file on the disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: str | PathLike[str]) -> None:
    """Make the new name durable, where the system lets folders be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

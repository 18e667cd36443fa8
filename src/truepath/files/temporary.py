"""Folders of temporary files that do not pile up: what a killed process left is removed by the next that makes one."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where folders have no locks: nothing counts as left behind
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def temporary_folder(prefix: str) -> Iterator[str]:
    """Yield a new folder, which is gone after the block; remove those of this prefix and user that nobody holds.

    Examples
    --------
    >>> with temporary_folder("truepath-example-") as folder:
    ...     os.path.isdir(folder)
    True
    >>> os.path.exists(folder)
    False
    """
    for left in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with contextlib.suppress(OSError), _locked(left):  # whoever made it lives, or was faster
            if left.lstat().st_uid == os.getuid():
                shutil.rmtree(left, ignore_errors=True)
    while True:
        with tempfile.TemporaryDirectory(prefix=prefix) as folder, contextlib.ExitStack() as held:
            with contextlib.suppress(OSError):  # some network disks have no locks, and nobody removes anything there
                held.enter_context(_locked(Path(folder)))
            if os.path.isdir(folder):  # nobody took it for left behind before it was locked
                yield folder
                return


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a folder in the block; an OSError says that somebody else does, or that there are no locks."""
    if fcntl is None:
        raise OSError("no locks")
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)

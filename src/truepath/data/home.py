"""Where benchmark data are kept on this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["data_home"]


def data_home(home: str | os.PathLike[str] | None = None) -> Path:
    r"""Return where benchmark data are: ``home``, or ``$TRUEPATH_DATA``, or the user's cache folder.

    The cache folder is ``$XDG_CACHE_HOME/truepath``, or ``~/.cache/truepath`` (on Windows
    ``%LOCALAPPDATA%\truepath``, on macOS ``~/Library/Caches/truepath``). It need not exist.
    """
    if home is not None:
        return Path(home)
    if os.environ.get("TRUEPATH_DATA"):
        return Path(os.environ["TRUEPATH_DATA"]).expanduser()
    return _cache_folder() / "truepath"


def _cache_folder() -> Path:
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path.home() / ".cache"

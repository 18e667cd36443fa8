"""Bytes of plain, ``.xz``, ``.gz`` and ``.bz2`` files, unpacked piece by piece and no further than the limits say."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from os import fspath
from pathlib import Path
from typing import Any, BinaryIO

from truepath.errors import DataFormatError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import COMPRESSIONS, PathType

_MODULES: dict[str, Any] = dict(zip(COMPRESSIONS, (lzma, gzip, bz2), strict=True))
_PIECE = 1 << 20

#: What reading a damaged compressed file raises
DAMAGE = (lzma.LZMAError, gzip.BadGzipFile, zlib.error, EOFError, OSError, ValueError)


def read_bytes(path: PathType, limits: Limits | None = None) -> bytes:
    """Read the whole file, decompressed if its name says that it is compressed.

    Raises
    ------
    DataFormatError
        If the compressed file is cut short or damaged, or if the file is larger than the limits allow.
    OSError
        If there is no such file or it may not be read: this is not an error of format.
    """
    limits = limits or usual_limits()
    size = _check_size(path, limits)
    module = _MODULES.get(Path(path).suffix.lower())
    if module is None:
        return Path(path).read_bytes()
    if not size:
        raise DataFormatError("the compressed file is empty (0 bytes). Fetch it again.", fspath(path))
    with open(path, "rb") as file:
        return unpack(file, path, limits)


def unpack(file: BinaryIO, path: PathType, limits: Limits) -> bytes:
    """Decompress a file as the ending of ``path`` says, a piece at a time, until it ends or is too large."""
    whole = BytesIO()  # gives its bytes without a copy
    with refusing_damage(path), _MODULES[Path(path).suffix.lower()].open(file, "rb") as unpacked:
        while piece := unpacked.read(_PIECE):
            whole.write(piece)
            limits.check("max_bytes", whole.tell(), "the file unpacks to {:,} bytes or more", fspath(path))
    return whole.getvalue()


def open_binary(path: PathType, limits: Limits | None = None) -> BinaryIO:
    """Open a file for readers of binary formats; a compressed one is decompressed in memory."""
    if Path(path).suffix.lower() in COMPRESSIONS:
        return BytesIO(read_bytes(path, limits))
    _check_size(path, limits or usual_limits())
    return open(path, "rb")


def open_unpacked(path: PathType, mode: str = "rb", **options: Any) -> Any:
    """Open a file to read it a piece at a time, decompressed if its name says that it is compressed."""
    module = _MODULES.get(Path(path).suffix.lower())
    return (open if module is None else module.open)(path, mode, **options)


@contextmanager
def refusing_damage(path: PathType) -> Iterator[None]:
    """Refuse a compressed file that cannot be unpacked; errors of the system and of the text in it stay as they are."""
    try:
        yield
    except (DataFormatError, UnicodeDecodeError):
        raise
    except DAMAGE as problem:
        if Path(path).suffix.lower() not in COMPRESSIONS or getattr(problem, "errno", None) is not None:
            raise
        said = f"the compressed file is damaged or cut short ({problem}). Fetch it again."
        raise DataFormatError(said, fspath(path)) from problem


def _check_size(path: PathType, limits: Limits) -> int:
    size = Path(path).stat().st_size
    limits.check("max_bytes", size, "the file takes {:,} bytes", fspath(path))
    return size

"""Bytes of plain, ``.xz``, ``.gz`` and ``.bz2`` files, unpacked piece by piece and no further than the limits say.

A few kilobytes can unpack to gigabytes: many lines that repeat, or one line without an end. Every reader therefore gets
its bytes through :class:`_Watched`, which follows the lines and the size on their way and stops before a line that is
too long, or a file that is out of proportion to what it was packed in, is in memory.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import SEEK_END, BufferedReader, BytesIO, RawIOBase, TextIOWrapper
from os import fspath
from pathlib import Path
from typing import Any, BinaryIO

from truepath.errors import DataFormatError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import COMPRESSIONS, PathType

_MODULES: dict[str, Any] = dict(zip(COMPRESSIONS, (lzma, gzip, bz2), strict=True))
_PIECE = 1 << 20
_TAIL = 1 << 16  # bytes at the end of a piece, in most of which a line ends

#: What reading a damaged compressed file raises
DAMAGE = (lzma.LZMAError, gzip.BadGzipFile, zlib.error, EOFError, OSError, ValueError)


def read_bytes(path: PathType, limits: Limits | None = None, *, is_text: bool = True) -> bytes:
    """Read the whole file, decompressed if its name says that it is compressed.

    Raises
    ------
    DataFormatError
        If the compressed file is cut short or damaged, or if the file, a line of text in it, or the ratio of its sizes
        is larger than the limits allow.
    OSError
        If there is no such file or it may not be read: this is not an error of format.
    """
    limits = limits or usual_limits()
    size, is_packed = _check_size(path, limits), Path(path).suffix.lower() in COMPRESSIONS
    if not is_packed and (not is_text or size <= limits.max_line):
        return Path(path).read_bytes()
    if not size:
        raise DataFormatError("the compressed file is empty (0 bytes). Fetch it again.", fspath(path))
    with open(path, "rb") as file:
        return unpack(file, path, limits, is_text=is_text)


def unpack(file: BinaryIO, path: PathType, limits: Limits, *, is_text: bool = True) -> bytes:
    """Decompress a file as the ending of ``path`` says, a piece at a time, until it ends or is too large."""
    whole = BytesIO()  # gives its bytes without a copy
    with refusing_damage(path), _Watched(file, path, limits, is_text) as unpacked:
        while piece := unpacked.read(_PIECE):
            whole.write(piece)
            limits.check("max_bytes", whole.tell(), "the file unpacks to {:,} bytes or more", fspath(path))
    return whole.getvalue()


def open_binary(path: PathType, limits: Limits | None = None) -> BinaryIO:
    """Open a file for readers of binary formats; a compressed one is decompressed in memory."""
    if Path(path).suffix.lower() in COMPRESSIONS:
        return BytesIO(read_bytes(path, limits, is_text=False))
    _check_size(path, limits or usual_limits())
    return open(path, "rb")


def open_unpacked(path: PathType, limits: Limits | None = None) -> BufferedReader:
    """Open a text file of any size to read its bytes a piece at a time, decompressed if its name says so."""
    return BufferedReader(_Watched(open(path, "rb"), path, limits or usual_limits(), is_text=True), _PIECE)


def open_decoded(path: PathType, encoding: str, limits: Limits | None = None, errors: str = "strict") -> TextIOWrapper:
    """Do the same to read its letters; line ends come out as line feeds."""
    return TextIOWrapper(open_unpacked(path, limits), encoding=encoding, errors=errors)


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


class _Watched(RawIOBase):
    r"""The bytes of a file, unpacked, up to the first that the limits on lines and on the ratio of sizes forbid.

    Parameters
    ----------
    file : binary file
        Closed with this one.
    path : path
        Its ending says how the file is packed.
    limits : Limits
    is_text : bool
        Whether the bytes have lines, which end with ``\n`` or ``\r``.
    """

    def __init__(self, file: BinaryIO, path: PathType, limits: Limits, is_text: bool):
        module = _MODULES.get(Path(path).suffix.lower())
        self._file = file
        self._unpacked: Any = file if module is None else module.open(file, "rb")
        self._packed = None if module is None else file.seek(0, SEEK_END)
        file.seek(0)
        self._path, self._limits = fspath(path), limits
        self._limit = "max_line" if limits.max_line <= limits.max_bytes else "max_bytes"
        self._longest = getattr(limits, self._limit) if is_text else None
        self._seen = self._line = 0  # bytes given away, and the first of them in the line that has not ended

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes."""
        n_bytes: int = self._unpacked.readinto(buffer)
        self._watch(memoryview(buffer)[:n_bytes])
        return n_bytes

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, which are not copied."""
        piece: bytes = self._unpacked.read(size)
        self._watch(memoryview(piece))
        return piece

    def _watch(self, piece: memoryview) -> None:
        if self._longest is not None:
            self._follow_lines(piece, self._longest)
        self._seen += len(piece)
        if self._packed is not None:
            self._limits.check_ratio(self._seen, self._packed, self._path)

    def close(self) -> None:
        """Close the file too."""
        self._unpacked.close()
        self._file.close()
        super().close()

    def _follow_lines(self, piece: memoryview, longest: int) -> None:
        """Find where the last line of a piece starts; refuse a line that is too long."""
        start = self._line - self._seen  # in the piece, if it is not negative
        if len(piece) - start > longest:
            start = self._pass_lines(bytes(piece), start, longest)
        tail = bytes(piece[-_TAIL:])
        if (end := _last_end(tail, 0, len(tail))) < 0:
            tail = bytes(piece)
            end = _last_end(tail, 0, len(tail))
        self._line = self._seen + (start if end < 0 else len(piece) - len(tail) + end + 1)

    def _pass_lines(self, raw: bytes, start: int, longest: int) -> int:
        """Go from line to line while they are short enough; return where one starts whose end may be yet to come."""
        while len(raw) - start > longest:
            end = _last_end(raw, max(start, 0), start + longest + 1)
            if end < 0:
                number = 1 + self._count_lines(self._seen + start)
                self._limits.check(self._limit, longest + 1, "a line of {:,} bytes or more", self._path, number)
            start = end + 1
        return start

    def _count_lines(self, n_bytes: int) -> int:
        """Count the lines that end in the first bytes, which are unpacked once more: only an error asks."""
        self._unpacked.seek(0)
        n_lines = 0
        while n_bytes and (piece := self._unpacked.read(min(n_bytes, _PIECE))):
            n_lines, n_bytes = n_lines + piece.count(b"\n"), n_bytes - len(piece)
        return n_lines


def _last_end(raw: bytes, start: int, stop: int) -> int:
    """Return where the last line ends between two places, -1 if none does."""
    return max(raw.rfind(b"\n", start, stop), raw.rfind(b"\r", start, stop))

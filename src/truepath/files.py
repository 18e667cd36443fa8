"""Bytes to text: plain, ``.xz``, ``.gz`` or ``.bz2`` files in UTF-8, with errors that name file and line.

A compressed file is unpacked piece by piece, and no further than ``limits.max_bytes``.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO

from truepath.errors import DataFormatError, HierarchyError
from truepath.limits import Limits, usual_limits

__all__ = [
    "COMPRESSIONS",
    "PathType",
    "decode_text",
    "ending_of",
    "head_lines",
    "naming_file",
    "open_binary",
    "plain_name",
    "read_bytes",
    "read_text",
    "split_lines",
    "stream_lines",
    "unpack",
]

PathType = str | PathLike[str]

_MODULES: dict[str, Any] = {".xz": lzma, ".gz": gzip, ".bz2": bz2}
#: The endings of compressed files; every file that is read may have one of them after its own
COMPRESSIONS = tuple(_MODULES)
_PIECE = 1 << 20
_DAMAGE = (lzma.LZMAError, gzip.BadGzipFile, zlib.error, EOFError, OSError, ValueError)


def plain_name(path: PathType) -> str:
    """Name the file without folder and without the ending of its compression.

    >>> plain_name("hmc/enron/train.arff.xz")
    'train.arff'
    """
    name = Path(path).name
    stem, dot, ending = name.rpartition(".")
    return stem if dot and f".{ending.lower()}" in COMPRESSIONS else name


def ending_of(path: PathType) -> str:
    """Return the ending that says what a file holds, in lower case, without that of its compression.

    >>> ending_of("hmc/enron/train.ARFF.xz"), ending_of("toy")
    ('.arff', '')
    """
    return Path(plain_name(path)).suffix.lower()


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
    try:
        with _MODULES[Path(path).suffix.lower()].open(file, "rb") as unpacked:
            while piece := unpacked.read(_PIECE):
                whole.write(piece)
                limits.check("max_bytes", whole.tell(), "the file unpacks to {:,} bytes or more", fspath(path))
    except DataFormatError:
        raise
    except _DAMAGE as problem:
        raise DataFormatError(
            f"the compressed file is damaged or cut short ({problem}). Fetch it again.", fspath(path)
        ) from problem
    return whole.getvalue()


def open_binary(path: PathType, limits: Limits | None = None) -> BinaryIO:
    """Open a file for readers of binary formats; a compressed one is decompressed in memory."""
    if Path(path).suffix.lower() in COMPRESSIONS:
        return BytesIO(read_bytes(path, limits))
    _check_size(path, limits or usual_limits())
    return open(path, "rb")


def _check_size(path: PathType, limits: Limits) -> int:
    size = Path(path).stat().st_size
    limits.check("max_bytes", size, "the file takes {:,} bytes", fspath(path))
    return size


def head_lines(path: PathType, limits: Limits | None = None) -> Iterator[str]:
    """Yield the lines of a text file one by one, for a look at its beginning: the rest is not even decompressed.

    Bytes that are no text are replaced, not refused: that is for the reader to say.
    """
    module, seen, limits = _MODULES.get(Path(path).suffix.lower()), 0, limits or usual_limits()
    opener = open if module is None else module.open
    try:
        with opener(path, "rt", encoding="utf-8-sig", errors="replace") as file:
            while line := file.readline(limits.max_bytes):  # a bomb may be one line without an end
                seen += len(line)
                limits.check("max_bytes", seen, "the first lines take {:,} bytes or more", fspath(path))
                yield line.rstrip("\n")
    except DataFormatError:
        raise
    except _DAMAGE:
        read_bytes(path, limits)  # which says what is wrong
        raise


def read_text(path: PathType, limits: Limits | None = None) -> str:
    """Read a text file as UTF-8 (a byte order mark is skipped); line ends come out as line feeds.

    Raises
    ------
    DataFormatError
        If the file is empty, is not UTF-8, holds NUL bytes (then it is no text file), or is too large.
    """
    return decode_text(read_bytes(path, limits), path)


def decode_text(raw: bytes, path: PathType) -> str:
    """Return the text of a file's bytes; errors name the file and the line."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise _not_utf8(raw[problem.start], path, raw.count(b"\n", 0, problem.start) + 1) from None
    if not text or text.isspace():
        raise DataFormatError("the file is empty.", fspath(path))
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataFormatError("a NUL character: this is a binary file, not text.", fspath(path), line)
    return _with_plain_line_ends(text)


def _not_utf8(byte: int, path: PathType, line: int) -> DataFormatError:
    way_out = (
        "Convert the file to UTF-8 (for instance with iconv), or decompress it if its name lacks .xz, .gz or .bz2."
    )
    return DataFormatError(f"byte 0x{byte:02x} is not UTF-8. {way_out}", fspath(path), line)


def stream_lines(path: PathType, limits: Limits | None = None) -> Iterator[str]:
    """Yield the lines of a text file of any size as :func:`read_text` would give them, each with its line feed.

    Only one line is in memory at a time, and only a line may not be larger than the limits allow.
    """
    module, limits = _MODULES.get(Path(path).suffix.lower()), limits or usual_limits()
    name, number = fspath(path), 0
    if not Path(path).stat().st_size:
        raise DataFormatError("the file is empty.", name)
    try:
        with (open if module is None else module.open)(path, "rt", encoding="utf-8-sig") as file:
            while line := file.readline(limits.max_bytes + 1):
                number += 1
                limits.check("max_bytes", len(line), "a line of {:,} characters or more", name, number)
                if "\0" in line:
                    raise DataFormatError("a NUL character: this is a binary file, not text.", name, number)
                yield line
    except DataFormatError:
        raise
    except UnicodeDecodeError as problem:
        raise _not_utf8(problem.object[problem.start], path, _first_line_not_utf8(path)) from None
    except _DAMAGE as problem:
        if module is None:
            raise
        raise DataFormatError(
            f"the compressed file is damaged or cut short ({problem}). Fetch it again.", fspath(path)
        ) from problem


def _first_line_not_utf8(path: PathType) -> int:
    """Return the line of the first byte that is not UTF-8; decoders read ahead and do not know it."""
    module = _MODULES.get(Path(path).suffix.lower())
    with (open if module is None else module.open)(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return 1


def _with_plain_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


@contextmanager
def naming_file(path: PathType | None) -> Iterator[None]:
    """Put the file's name before what is said about the hierarchy that it holds."""
    try:
        yield
    except HierarchyError as problem:
        problem.problem = problem.problem if path is None else f"{fspath(path)}: {problem.problem}"
        raise


def split_lines(text: str) -> list[str]:
    """Split at line feeds only: ``str.splitlines`` would also split at form feeds and exotic Unicode separators."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines

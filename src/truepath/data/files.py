"""Bytes to text: plain, ``.xz``, ``.gz`` or ``.bz2`` files in UTF-8, with errors that name file and line."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from os import PathLike, fspath
from pathlib import Path

from truepath.errors import DataFormatError

__all__ = ["PathType", "plain_name", "read_bytes", "read_text", "split_lines"]

PathType = str | PathLike[str]

_OPENERS: dict[str, Callable[[bytes], bytes]] = {
    ".xz": lzma.decompress,
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
}
_DAMAGE = (lzma.LZMAError, gzip.BadGzipFile, zlib.error, EOFError, OSError, ValueError)


def plain_name(path: PathType) -> str:
    """Name the file without folder and without the ending of its compression.

    >>> plain_name("hmc/enron/train.arff.xz")
    'train.arff'
    """
    name = Path(path).name
    stem, dot, ending = name.rpartition(".")
    return stem if dot and f".{ending.lower()}" in _OPENERS else name


def read_bytes(path: PathType) -> bytes:
    """Read the whole file, decompressed if its name says that it is compressed.

    Raises
    ------
    DataFormatError
        If the compressed file is cut short or damaged.
    OSError
        If there is no such file or it may not be read: that is not a matter of format.
    """
    raw = Path(path).read_bytes()
    opener = _OPENERS.get(Path(path).suffix.lower())
    if opener is None:
        return raw
    if not raw:
        raise DataFormatError("the compressed file is empty (0 bytes). Fetch it again.", fspath(path))
    try:
        return opener(raw)
    except _DAMAGE as problem:
        raise DataFormatError(
            f"the compressed file is damaged or cut short ({problem}). Fetch it again.", fspath(path)
        ) from problem


def read_text(path: PathType) -> str:
    """Read a text file as UTF-8 (a byte order mark is skipped); line ends come out as line feeds.

    Raises
    ------
    DataFormatError
        If the file is empty, is not UTF-8, or holds NUL bytes (then it is no text file).
    """
    raw = read_bytes(path)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = raw.count(b"\n", 0, problem.start) + 1
        raise DataFormatError(
            f"byte 0x{raw[problem.start]:02x} is not UTF-8. Convert the file to UTF-8 "
            "(for instance with iconv), or decompress it if its name lacks .xz, .gz or .bz2.",
            fspath(path),
            line,
        ) from None
    if not text.strip():
        raise DataFormatError("the file is empty.", fspath(path))
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataFormatError("a NUL character: this is a binary file, not text.", fspath(path), line)
    return _with_plain_line_ends(text)


def _with_plain_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def split_lines(text: str) -> list[str]:
    """Split at line feeds only: ``str.splitlines`` would also split at form feeds and exotic Unicode separators."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines

"""Text files, plain or compressed: whole, line by line, or only their beginning; errors name file and line."""

from __future__ import annotations

from collections.abc import Iterator
from os import fspath
from pathlib import Path

from truepath.errors import DataFormatError
from truepath.files.encodings import HEAD, decode_text, guess_encoding, not_text
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType
from truepath.files.unpacking import DAMAGE, open_decoded, open_unpacked, read_bytes, refusing_damage


def read_text(path: PathType, limits: Limits | None = None, encoding: str = "utf-8-sig") -> str:
    """Read a text file, by default as UTF-8 (a byte order mark is skipped); line ends come out as line feeds.

    Raises
    ------
    DataFormatError
        If the file is empty, is not UTF-8, holds NUL bytes (then it is not a text file), or is too large.
    """
    return decode_text(read_bytes(path, limits), path, encoding)


def stream_lines(path: PathType, limits: Limits | None = None, encoding: str = "utf-8-sig") -> Iterator[str]:
    """Yield the lines of a text file of any size as :func:`read_text` would give them, each with its line feed.

    Only one line is in memory at a time, and only a line may not be larger than the limits allow.
    """
    name = fspath(path)
    if not Path(path).stat().st_size:
        raise DataFormatError("the file is empty.", name)
    try:
        with refusing_damage(path), open_decoded(path, encoding, limits) as file:
            for number, line in enumerate(file, start=1):
                if "\0" in line:
                    raise DataFormatError("a NUL character: this is a binary file, not text.", name, number)
                yield line
    except UnicodeDecodeError as problem:
        raise not_text(problem, encoding, path, _first_line_not_utf8(path, limits)) from None


def _first_line_not_utf8(path: PathType, limits: Limits | None) -> int:
    """Return the line of the first byte that is not UTF-8; decoders read ahead and do not know it."""
    with open_unpacked(path, limits) as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return 1


def head_lines(path: PathType, limits: Limits | None = None, encoding: str | None = None) -> Iterator[str]:
    """Yield the lines of a text file one by one, for a look at its beginning: the rest is not even decompressed.

    By default the text is UTF-8 or UTF-16. Bytes that are not text are replaced; the reader refuses them.
    """
    seen, limits = 0, limits or usual_limits()
    with refusing_damage(path):
        if encoding is None:
            with open_unpacked(path, limits) as head:
                encoding = guess_encoding(head.read(HEAD))
        with open_decoded(path, encoding, limits, errors="replace") as file:
            for line in file:
                seen += len(line)
                limits.check("max_bytes", seen, "the first lines take {:,} bytes or more", fspath(path))
                yield line.rstrip("\n")


def head_text(path: PathType, size: int = HEAD, encoding: str | None = None) -> str:
    """Return the whole lines at the beginning of a text file, or part of one that is longer than ``size`` bytes.

    Nothing is refused here, not even a missing file: the reader does that.
    """
    try:
        with open_unpacked(path) as file:
            raw: bytes = file.read(size)
    except DAMAGE:
        return ""
    text = raw.decode(encoding or guess_encoding(raw), errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return text[: text.rfind("\n")] if len(raw) == size and "\n" in text else text


def split_lines(text: str) -> list[str]:
    """Split at line feeds only: ``str.splitlines`` would also split at form feeds and exotic Unicode separators."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines

"""How a text is encoded: UTF-8, UTF-16, or Windows' Latin-1; and the errors for texts that are in none of them."""

from __future__ import annotations

from codecs import getincrementaldecoder
from os import fspath
from typing import Any

from truepath.errors import DataFormatError
from truepath.files.limits import Limits
from truepath.files.names import PathType
from truepath.files.unpacking import DAMAGE, open_unpacked

#: Bytes that are enough to tell how a text is encoded
HEAD = 1 << 16

_PIECE = 1 << 20
_LATIN = "cp1252"
_CONTROL = bytes(
    [*range(9), *range(14, 32), 0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D]
)  # not characters of cp1252, or for machines


def guess_encoding(raw: bytes) -> str:
    """Return how the text that starts with these bytes is encoded: UTF-8, or UTF-16 by its mark or its many zeros.

    >>> guess_encoding("id".encode("utf-16-le")), guess_encoding("é".encode())
    ('utf-16-le', 'utf-8-sig')
    """
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    n_pairs = len(raw) // 2
    for first, name in ((1, "utf-16-le"), (0, "utf-16-be")):  # every other byte of western text is zero
        if n_pairs and raw[first::2].count(0) > 0.4 * n_pairs and not raw[1 - first :: 2].count(0):
            return name
    return "utf-8-sig"


def encoding_of(path: PathType, limits: Limits | None = None) -> str:
    """Return how a table is encoded: UTF-8, UTF-16, or Windows' Latin-1 if bytes are not UTF-8 but could be letters."""
    decoder, is_utf8, has_control = getincrementaldecoder("utf-8")(), True, False
    try:
        with open_unpacked(path, limits) as file:
            piece = file.read(_PIECE)
            if (wide := guess_encoding(piece[:HEAD])) != "utf-8-sig":
                return wide
            while piece:
                has_control = has_control or _has_control_bytes(piece)
                is_utf8 = is_utf8 and _continues_utf8(decoder, piece)
                piece = file.read(_PIECE)
    except DataFormatError:  # a limit
        raise
    except DAMAGE:
        return "utf-8-sig"  # the reader says what is wrong
    return "utf-8-sig" if is_utf8 or has_control else _LATIN


def _continues_utf8(decoder: Any, piece: bytes) -> bool:
    try:
        decoder.decode(piece)
    except UnicodeDecodeError:
        return False
    return True


def _has_control_bytes(raw: bytes) -> bool:
    """Say whether there are bytes that are not text in any encoding of one byte per letter."""
    return len(raw.translate(None, _CONTROL)) < len(raw)


def decode_text(raw: bytes, path: PathType, encoding: str = "utf-8-sig") -> str:
    """Return the text of a file's bytes; errors name the file and the line."""
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as problem:
        raise not_text(problem, encoding, path, raw.count(b"\n", 0, problem.start) + 1) from None
    if not text or text.isspace():
        raise DataFormatError("the file is empty.", fspath(path))
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise DataFormatError("a NUL character: this is a binary file, not text.", fspath(path), line)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def not_text(problem: UnicodeDecodeError, encoding: str, path: PathType, line: int) -> DataFormatError:
    """Return the error that refuses a text which is not in its encoding; ``line`` is where it is not UTF-8."""
    if encoding != "utf-8-sig":
        remedy = "Give another encoding= (--encoding), or none to have it detected."
        return DataFormatError(f"not text in {encoding} ({problem.reason}).", fspath(path), remedy=remedy)
    remedy = "Convert the file to UTF-8 (for instance with iconv), or decompress it if its name lacks .xz, .gz or .bz2."
    return DataFormatError(f"byte 0x{problem.object[problem.start]:02x} is not UTF-8.", fspath(path), line, remedy)

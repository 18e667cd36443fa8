"""A text file as bytes: UTF-8 with line feeds only, which is what compiled loops read.

Most large tables are such bytes on the disk already. They are then taken as they are, and no string is made of them:
to touch new memory takes longer than to look at the bytes.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from truepath.files.encodings import decode_text
from truepath.files.limits import Limits
from truepath.files.names import PathType
from truepath.files.unpacking import read_bytes

_PIECE = 1 << 18
_UTF8 = "utf-8-sig"
_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Utf8Text:
    """The bytes of a text from ``start`` on, the last of them a line feed; strings are made when asked for."""

    raw: bytes = field(repr=False)
    start: int = 0

    def __len__(self) -> int:
        return len(self.raw) - self.start

    @cached_property
    def text(self) -> str:
        """The whole text as a string."""
        return self.raw[self.start :].decode()

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield each line, its line feed included, with the place of the next one."""
        at = self.start
        while at < len(self.raw):
            end = self.raw.index(b"\n", at) + 1
            yield end, self.raw[at:end].decode()
            at = end


def read_utf8(
    path: PathType,
    limits: Limits | None = None,
    encoding: str | Callable[[PathType, Limits | None], str] = _UTF8,
) -> Utf8Text:
    """Read a text file as :func:`truepath.files.text.read_text` does, as bytes that end with a line feed.

    Parameters
    ----------
    path : path
    limits : Limits, optional
    encoding : str or callable, default="utf-8-sig"
        How the text is encoded; a callable of path and limits is asked only if its bytes are not plain UTF-8.

    Raises
    ------
    DataFormatError
        If the file is empty, is not text, or is too large.
    """
    raw = read_bytes(path, limits)
    if not (_is_plain(raw) and (callable(encoding) or encoding == _UTF8)):
        raw = decode_text(raw, path, encoding(path, limits) if callable(encoding) else encoding).encode()
    return Utf8Text(raw if raw.endswith(b"\n") else raw + b"\n")


def _is_plain(raw: bytes) -> bool:
    """Whether bytes are UTF-8 without a mark, with line feeds only, and not empty."""
    if b"\r" in raw or b"\0" in raw or raw.startswith(_MARK):
        return False
    decoder, is_blank = getincrementaldecoder("utf-8")(), True
    try:
        for at in range(0, len(raw), _PIECE):  # small enough to stay near the processor
            piece = decoder.decode(raw[at : at + _PIECE], final=at + _PIECE >= len(raw))
            is_blank = is_blank and (not piece or piece.isspace())
    except UnicodeDecodeError:
        return False
    return not is_blank

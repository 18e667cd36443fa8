"""Text files of any size, a piece of whole lines at a time."""

from __future__ import annotations

from collections.abc import Iterator
from os import fspath

from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType
from truepath.files.unpacking import open_unpacked, refusing_damage

#: Bytes read at a time
PIECE = 1 << 24

_MARK = b"\xef\xbb\xbf"


def stream_pieces(path: PathType, limits: Limits | None = None, size: int = PIECE) -> Iterator[bytes]:
    """Yield the bytes of a file, decompressed if its name says so, in pieces that end with a line feed.

    The file may be of any size; only a line may not be larger than the limits allow. A byte order mark is skipped.
    """
    limits, name, rest, is_first = limits or usual_limits(), fspath(path), b"", True
    with refusing_damage(path), open_unpacked(path) as file:
        while piece := file.read(size):
            if is_first:
                piece, is_first = piece.removeprefix(_MARK), False
            end = piece.rfind(b"\n") + 1
            if end:
                yield rest + piece[:end]
                rest = piece[end:]
            else:
                rest += piece
            limits.check("max_bytes", len(rest), "a line of {:,} bytes or more", name)
    if rest:
        yield rest + b"\n"

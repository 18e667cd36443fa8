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
    limits, name, is_first = limits or usual_limits(), fspath(path), True
    rest: list[bytes] = []  # of a line whose end is in a later piece
    n_rest = 0
    with refusing_damage(path), open_unpacked(path, limits) as file:
        while piece := file.raw.read(size):
            if is_first:
                piece, is_first = piece.removeprefix(_MARK), False
            if end := piece.rfind(b"\n") + 1:
                yield b"".join([*rest, piece[:end]])
                rest, n_rest = [], 0
            rest.append(piece[end:])
            n_rest += len(piece) - end
            limits.check("max_line", n_rest, "a line of {:,} bytes or more", name)
    if n_rest:
        yield b"".join([*rest, b"\n"])

"""Standard output and error: any encoding, closed, broken off by their reader, or on a full disk."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO, TypeVar

from truepath.files.writing import naming_target

#: What stands for a character that the encoding of the output does not have; for others it is a question mark
PLAIN = {
    **{"→": "->", "←": "<-", "↑": "^", "↓": "v", "…": "...", "·": ".", "×": "x", "–": "-", "—": "-", "−": "-"},
    **{"✓": "+", "○": "o", "✗": "x", "≥": ">=", "≤": "<=", "±": "+-", "‘": "'", "’": "'", "“": '"', "”": '"'},
    **dict.fromkeys("─━═╌", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯╡╞", "+"),
}
HANDLER = "truepath.plain"
#: What errors call it
STANDARD_OUTPUT = "standard output"


def _plainly(problem: Any) -> tuple[str, int]:
    """Return twins of characters that cannot be encoded."""
    missing = problem.object[problem.start : problem.end]
    return "".join(PLAIN.get(character, "?") for character in missing), problem.end


codecs.register_error(HANDLER, _plainly)


@contextmanager
def printing_what_is_possible() -> Iterator[None]:
    """Print what the encoding of the output can hold, and be sure at the end of the block that it was printed.

    A console of Windows that is redirected, or ``PYTHONIOENCODING=ascii``, has no arrows: they are no reason to fail
    after the work.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # closed, or replaced by something simpler
            stream.reconfigure(errors=HANDLER)  # type: ignore[union-attr]
    try:
        yield
    except BaseException:
        with suppress(OSError):
            _flush()
        raise
    _flush()


def _flush() -> None:
    """Print what is still to be printed; if that fails, say so once, not again when Python ends."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError as problem:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(problem, BrokenPipeError):
            raise
        raise OSError(problem.errno, problem.strerror, STANDARD_OUTPUT) from problem


#: What stands for standard input and output on the command line
STREAM = "-"
#: How formats of files begin, and the endings that say so; anything else is a table of text
_BEGINNINGS = {
    **{b"PAR1": ".parquet", b"\x93NUMPY": ".npy", b"\x89HDF": ".h5", b"{": ".jsonl", b"\x1f\x8b": ".csv.gz"},
    **{b"PK": ".npz"},
}
_Name = TypeVar("_Name", str, Path, Path | None)


@contextmanager
def reading_stdin(data: _Name, what: str = "DATA") -> Iterator[_Name]:
    """Yield what was typed, or, for ``-``, the name of a copy of standard input, which is there during the block."""
    if str(data) != STREAM:
        yield data
        return
    import shutil
    import tempfile
    import zipfile

    from truepath.errors import TruePathError

    if sys.stdin is None or sys.stdin.isatty():
        raise TruePathError(f"{what} is -, and nothing is piped into standard input.", "Name a file, or pipe rows in.")
    with tempfile.TemporaryDirectory(prefix="truepath-") as folder:
        copy = Path(folder) / "stdin"
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        with copy.open("rb") as file:
            begin = file.read(8)
        ending = next((ending for mark, ending in _BEGINNINGS.items() if begin.startswith(mark)), ".csv")
        if ending == ".npz" and zipfile.is_zipfile(copy):
            with zipfile.ZipFile(copy) as archive:
                ending = ".xlsx" if any(name.startswith("xl/") for name in archive.namelist()) else ending
        found: Any = copy.rename(copy.with_name(f"stdin{ending}"))
        yield str(found) if isinstance(data, str) else found


def file_or_stdout(output: Path | None) -> Path | None:
    """Return the file to write; None for standard output, which ``-`` names too."""
    return None if output is None or str(output) == STREAM else output


def stream_of_data() -> TextIO:
    """Return standard output for rows that other programs read, in which no character is replaced."""
    from truepath.errors import TruePathError

    stream: Any = sys.stdout
    if stream is None:
        raise TruePathError("standard output is closed.", "Name a file with --output.")
    with suppress(AttributeError):
        stream.reconfigure(errors="strict")
    return _Named(stream)  # type: ignore[return-value]


class _Named:
    """Standard output whose errors of writing say what it is."""

    def __init__(self, stream: TextIO):
        self.stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        with naming_target(STANDARD_OUTPUT):
            return self.stream.write(text)

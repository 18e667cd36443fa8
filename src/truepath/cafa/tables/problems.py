"""What was wrong with lines: each named by file, line and reason; counts that add up to the lines read."""

from __future__ import annotations

from collections import Counter
from os import fspath
from typing import NamedTuple

from truepath.english import counted
from truepath.errors import DataFormatError
from truepath.files.names import PathType

#: At most this many bad lines are kept; the others are only counted
MOST_KEPT = 1000


class BadLine(NamedTuple):
    """A line that was left out, and why."""

    path: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


class Problems:
    """Bad lines as they are found.

    Parameters
    ----------
    bad : {"raise", "skip"}, default="raise"
        What :meth:`finish` does about them.

    Attributes
    ----------
    bad : list of BadLine
        The first 1000.
    n_bad, n_lines, n_skipped : int
        Bad lines, all lines, and lines that are empty or comments.
    left_out : Counter
        Good lines that were not wanted, by reason.
    """

    def __init__(self, bad: str = "raise") -> None:
        if bad not in ("raise", "skip"):
            raise ValueError(f"bad must be 'raise' or 'skip'; got {bad!r}.")
        self.raises = bad == "raise"
        self.bad: list[BadLine] = []
        self.n_bad = self.n_lines = self.n_skipped = 0
        self.left_out: Counter[str] = Counter()

    def add(self, path: PathType, line: int, reason: str) -> None:
        """Record a bad line."""
        self.n_bad += 1
        if len(self.bad) < MOST_KEPT:
            self.bad.append(BadLine(fspath(path), line, reason))

    def copy(self) -> Problems:
        """Return the same counts, to go on from."""
        other = Problems()
        other.bad, other.left_out = list(self.bad), self.left_out.copy()
        other.n_bad, other.n_lines, other.n_skipped = self.n_bad, self.n_lines, self.n_skipped
        return other

    def finish(self) -> None:
        """Raise an error about bad lines, unless they are to be left out."""
        if self.raises:
            self.raise_if_any('Correct the file, or pass bad="skip" (--skip-bad-lines) to leave such lines out.')

    def raise_if_any(self, remedy: str) -> None:
        """Raise an error that names the first bad line and how many there are."""
        if self.n_bad:
            first = self.bad[0]
            more = f" ({counted(self.n_bad, 'bad line')} in all)" if self.n_bad > 1 else ""
            raise DataFormatError(f"{first.reason}{more}.", first.path, first.line, remedy=remedy)

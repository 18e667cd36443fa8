"""Tab-separated files of any size, cut into columns by compiled loops a piece at a time."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath import _kernels
from truepath.cafa.tables.problems import Problems
from truepath.data.tables.cut import Cut, eights_of
from truepath.english import counted
from truepath.files.limits import Limits
from truepath.files.names import PathType
from truepath.files.pieces import stream_pieces
from truepath.files.text import read_text, split_lines


@dataclass(frozen=True)
class TabRows(Cut):
    """Some rows of a file: their cells, how many each line has, and how many lines were empty or comments."""

    widths: NDArray[np.int64]
    n_skipped: int

    def indexed(self, column: int, index: dict[str, int], wanted: Container[str] | None = None) -> NDArray[np.int32]:
        """Return the numbers of a column's texts in an index, which gets new ones as they appear; -1 if not wanted."""
        codes, words = self.numbered(column)
        numbers = [index.setdefault(w, len(index)) if wanted is None or w in wanted else -1 for w in words]
        return np.array(numbers, np.int32)[codes]

    def floats(self, column: int) -> NDArray[np.float64]:
        """Return a column of numbers; NaN for other cells."""
        values = np.empty((self.n_rows, 1))
        self.numbers([column], values, lambda i, k, cell: _number(cell), missing=None)
        return values[:, 0]

    def take(self, kept: NDArray[np.bool_]) -> TabRows:
        """Return some of the rows."""
        if kept.all():
            return self
        by_row = ("starts", "ends", "kinds", "lines", "widths")
        return replace(self, **{name: getattr(self, name)[kept] for name in by_row}, n_skipped=0)


def read_ids(path: PathType) -> list[str]:
    """Read the ids of a text file, one per line; empty lines are passed over."""
    return [line.strip() for line in split_lines(read_text(path)) if line.strip()]


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return np.nan


def read_rows(
    path: PathType,
    n_columns: int,
    problems: Problems,
    *,
    at_least: int | None = None,
    comment: str = "!",
    headers: tuple[str, ...] = (),
    limits: Limits | None = None,
) -> Iterator[TabRows]:
    """Yield the rows of a file, the first ``n_columns`` cells of each.

    Rows with fewer than ``at_least`` cells are left out and named in ``problems``; so are rows that are not UTF-8.
    Short rows that begin with one of the words ``headers`` count as comments.
    """
    needed, line = at_least or n_columns, 1
    for raw in stream_pieces(path, limits):
        rows, line = _cut_piece(raw, line, n_columns, comment)
        problems.n_skipped += rows.n_skipped
        problems.n_lines += rows.n_rows + rows.n_skipped
        is_short = rows.widths < needed
        for i in np.flatnonzero(is_short).tolist():
            if headers and rows.cell(i, 0).startswith(headers):
                problems.n_skipped += 1
                continue
            said = f"{counted(int(rows.widths[i]), 'column')} where {needed} are needed, separated by tabs"
            problems.add(path, int(rows.lines[i]), said)
        is_odd = _not_utf8(raw, rows, path, problems)
        yield rows.take(~is_short & ~is_odd)


def _cut_piece(raw: bytes, line: int, n_columns: int, comment: str) -> tuple[TabRows, int]:
    """Cut whole lines; return their rows and the number of the next line."""
    n_lines = raw.count(b"\n")
    starts, ends = np.empty((n_lines, n_columns), np.int64), np.empty((n_lines, n_columns), np.int64)
    widths, lines = np.empty(n_lines, np.int64), np.empty(n_lines, np.int64)
    cells: tuple[Any, ...] = (starts, ends, widths, lines)
    text, eights = np.frombuffer(raw, np.uint8), eights_of(raw)
    _, line, n_rows, skipped = _kernels.data.tabs.cut_tabs(text, eights, 0, line, 9, ord(comment), *cells)
    kinds = np.zeros((n_rows, n_columns), np.uint8)
    where = starts[:n_rows], ends[:n_rows], kinds, lines[:n_rows]
    return TabRows(raw, *where, lambda cell: cell, widths[:n_rows], int(skipped)), line


def _not_utf8(raw: bytes, rows: TabRows, path: PathType, problems: Problems) -> NDArray[np.bool_]:
    """Say which rows are not UTF-8; looked at one by one only if the piece as a whole is not."""
    is_odd = np.zeros(rows.n_rows, bool)
    try:
        raw.decode()
    except UnicodeDecodeError:
        for i in range(rows.n_rows):
            try:
                raw[rows.starts[i, 0] : raw.index(b"\n", rows.starts[i, 0])].decode()
            except UnicodeDecodeError:
                is_odd[i] = True
                if rows.widths[i]:
                    problems.add(path, int(rows.lines[i]), "not UTF-8")
    return is_odd

"""Columns of a table by name, from a CSV or TSV file, a Parquet file, or a data frame of any library.

The formats of tables, by the endings of their names, are listed here and nowhere else.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.data.tables.parquet import read_parquet
from truepath.errors import DataFormatError
from truepath.files import PathType, ending_of, read_text
from truepath.limits import Limits

__all__ = [
    "FORMATS",
    "TABLES",
    "Columns",
    "delimiter_of",
    "format_of",
    "holds_labels",
    "is_missing",
    "long_cells",
    "read_columns",
    "stack_columns",
]


#: Tables with named columns
TABLES = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet", ".pq": "parquet"}

#: All files that label sets and scores are read from
FORMATS = {**TABLES, ".json": "json", ".npy": "numpy", ".npz": "numpy"}


def format_of(path: PathType) -> str:
    """Return the format of a file by its ending; a name with no known ending is taken as CSV.

    >>> format_of("scores.tsv.gz"), format_of("scores.pq")
    ('tsv', 'parquet')
    """
    return FORMATS.get(ending_of(path), "csv")


def holds_labels(path: PathType) -> bool:
    """Return whether a name ends like a table of label sets or scores.

    >>> holds_labels("truth.csv.gz"), holds_labels("truth.arff")
    (True, False)
    """
    return ending_of(path) in FORMATS


def delimiter_of(path: PathType) -> str:
    """Return what separates the cells of a text file."""
    return "\t" if format_of(path) == "tsv" else ","


_LONGEST_CELL = 2**31 - 1  # whole documents are cells too; Python's own limit is 131072


@dataclass(frozen=True)
class Columns:
    """A table, column by column; ``lines`` are the line numbers of its rows in a text file."""

    data: dict[str, Sequence[Any]]
    path: str | None = None
    lines: Sequence[int] = field(default=(), repr=False)

    @property
    def names(self) -> list[str]:
        """The column names."""
        return list(self.data)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self.data.values())))

    def error(self, problem: str, row: int | None = None) -> DataFormatError:
        """Make the error for a problem in this table; a row without a line is named in the text."""
        if row is None or self.lines:
            return DataFormatError(problem, self.path, None if row is None else self.lines[row])
        return DataFormatError(f"row {row}: {problem}", self.path)

    def check(self, names: Sequence[str]) -> None:
        """Refuse names that are not columns."""
        missing = [name for name in names if name not in self.data]
        if missing:
            known = ", ".join(map(repr, self.names[:12]))
            raise self.error(f"no column {missing[0]!r}; the columns are {known}.", None)

    def column(self, name: str) -> Sequence[Any]:
        """Give a column as it is."""
        return self.data[name]

    def texts(self, name: str) -> NDArray[np.object_]:
        """Give a column as strings, a missing value as the empty string."""
        cells = np.empty(self.n_rows, object)
        cells[:] = ["" if is_missing(cell) else str(cell) for cell in self.data[name]]
        return cells

    def cells(self, names: Sequence[str]) -> NDArray[np.object_]:
        """Give some columns as they are written, side by side, an empty string where a cell is missing."""
        X = np.empty((self.n_rows, len(names)), dtype=object)
        for j, name in enumerate(names):
            X[:, j] = ["" if is_missing(cell) else cell for cell in self.data[name]]
        return X

    def numbers(self, name: str) -> NDArray[np.float64] | None:
        """Give a column as numbers, NaN where empty; None if something else is in it."""
        try:
            return np.array([_number(cell) for cell in self.data[name]], dtype=np.float64)
        except (ValueError, TypeError):
            return None


@dataclass(frozen=True)
class StackedColumns(Columns):
    """Tables below each other; an error names the file and line that its row came from."""

    parts: Sequence[Columns] = field(default=(), repr=False)

    def error(self, problem: str, row: int | None = None) -> DataFormatError:
        """Make the error for a problem in the table that the row belongs to."""
        if row is None:
            return self.parts[0].error(problem)
        starts = np.cumsum([0, *(part.n_rows for part in self.parts)])
        k = int(np.searchsorted(starts, row, side="right")) - 1
        return self.parts[k].error(problem, row - int(starts[k]))


def stack_columns(parts: Sequence[Columns]) -> Columns:
    """Put tables with the same columns below each other."""
    for part in parts:
        part.check(parts[0].names)
        if len(part.names) > len(parts[0].names):
            extra = next(name for name in part.names if name not in parts[0].data)
            raise part.error(f"column {extra!r} is not in {parts[0].path}; the splits must have the same columns.")
    data: dict[str, Sequence[Any]] = {
        name: [cell for part in parts for cell in part.data[name]] for name in parts[0].names
    }
    return StackedColumns(data, parts[0].path, parts=parts)


def is_missing(cell: Any) -> bool:
    """Return whether a cell of a frame is None or NaN."""
    return cell is None or (isinstance(cell, float) and cell != cell)


def _number(cell: Any) -> float:
    if isinstance(cell, str):
        if not cell.strip():
            return float("nan")
        if "_" in cell or not cell.isascii():
            raise ValueError(cell)
    return float("nan") if is_missing(cell) else float(cell)


def read_columns(source: PathType | Any, delimiter: str | None = None, limits: Limits | None = None) -> Columns:
    """Read a table from a file, by its ending, or from a data frame."""
    if not isinstance(source, (str, PathLike)):
        return _from_frame(source, None)
    if format_of(source) == "parquet":
        return _from_frame(read_parquet(source, limits), fspath(source))
    return _read_csv(source, delimiter or delimiter_of(source), limits)


def _read_csv(path: PathType, delimiter: str, limits: Limits | None) -> Columns:
    with long_cells():
        reader = csv.reader(io.StringIO(read_text(path, limits), newline=""), delimiter=delimiter, strict=True)
        rows: list[list[str]] = []
        lines: list[int] = []
        try:
            header = next(reader, [])
            before = reader.line_num
            for row in reader:
                if row:
                    rows.append(row)
                    lines.append(before + 1)
                before = reader.line_num
        except csv.Error as problem:
            raise DataFormatError(f"not a table ({problem}).", fspath(path), reader.line_num) from None
    return Columns(_columns(header, rows, lines, fspath(path)), fspath(path), lines)


def _columns(header: list[str], rows: list[list[str]], lines: list[int], path: str) -> dict[str, Sequence[Any]]:
    if len(set(header)) != len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise DataFormatError(f"two columns are called {twice!r}; the labels are found by name.", path, 1)
    if not rows:
        raise DataFormatError("no rows below the line of column names.", path)
    for row, line in zip(rows, lines):
        if len(row) != len(header):
            raise DataFormatError(f"{len(row)} cells in this row, {len(header)} column names.", path, line)
    return dict(zip(header, zip(*rows)))


@contextmanager
def long_cells() -> Iterator[None]:
    """Let the csv module take cells of any length."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _from_frame(frame: Any, path: str | None) -> Columns:
    import narwhals as nw

    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError as problem:
        raise TypeError(f"path must be a file name or a data frame that narwhals knows ({problem}).") from None
    data = {str(name): table.get_column(name).to_list() for name in table.columns}
    if not data or not len(table):
        raise DataFormatError("the table has no rows or no columns.", path)
    return Columns(data, path)

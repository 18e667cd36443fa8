"""Columns of a table by name, from a CSV or TSV file, a Parquet file, or a data frame of any library.

The formats of tables, by the endings of their names, are listed here and nowhere else.
"""

from __future__ import annotations

import codecs
import csv
import io
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from os import PathLike, fspath
from typing import Any, NamedTuple

from truepath.data.tables import cut
from truepath.data.tables.columns import Columns, CutColumns, guess_delimiter
from truepath.data.tables.parquet import read_parquet
from truepath.errors import DataFormatError, GuessedEncodingWarning, TruePathError
from truepath.files.encodings import encoding_of
from truepath.files.limits import Limits
from truepath.files.names import PathType, ending_of
from truepath.files.text import head_text
from truepath.files.utf8 import Utf8Text, read_utf8

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


_FIRST_LINES = 20
_LONGEST_CELL = 2**31 - 1  # whole documents are cells too; Python's own limit is 131072


#: Names of delimiters that are hard to type
_SIGNS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "pipe": "|", "space": " "}


class TextForm(NamedTuple):
    r"""How the text of a table is written: what is given holds, what is None is detected from the file.

    Examples
    --------
    >>> TextForm.of("tab", "Latin-1")
    TextForm(delimiter='\t', encoding='iso8859-1')
    """

    delimiter: str | None = None
    encoding: str | None = None

    @classmethod
    def of(cls, delimiter: str | None = None, encoding: str | None = None) -> TextForm:
        """Check what was given: a character or its name, and an encoding that Python knows."""
        sign = delimiter if delimiter is None else _SIGNS.get(delimiter.lower(), delimiter)
        if sign is not None and (len(sign) != 1 or sign in '"\n\r'):
            problem = (
                f"delimiter= (--delimiter) must be one character, or tab, comma, semicolon, bar; not {delimiter!r}."
            )
            raise TruePathError(problem, "Leave it out to have it detected.")
        try:
            known = encoding and codecs.lookup(encoding).name
        except LookupError:
            problem = f"encoding= (--encoding): there is no encoding {encoding!r}."
            raise TruePathError(problem, "Common ones are utf-8, utf-16, latin-1, cp1252 and shift_jis.") from None
        return cls(sign, "utf-8-sig" if known == "utf-8" else known or None)

    def delimiter_of(self, path: PathType) -> str:
        """Return what separates the cells of a text file: a tab by its ending, else what its first lines show."""
        if self.delimiter is not None or format_of(path) == "tsv":
            return self.delimiter or "\t"
        return guess_delimiter(head_text(path, encoding=self.encoding).split("\n")[:_FIRST_LINES])

    def encoding_of(self, path: PathType) -> str:
        """Return how a text file is encoded; falling back to Latin-1 gives a warning."""
        found = self.encoding or encoding_of(path)
        if self.encoding is None and not found.startswith("utf"):
            said = f"{fspath(path)} is not UTF-8 and is read as Latin-1 ({found})."
            way = "If letters look wrong, give encoding= (--encoding)."
            warnings.warn(f"{said} {way}", GuessedEncodingWarning, stacklevel=2)
        return found

    def read(self, path: PathType, limits: Limits | None) -> Utf8Text:
        """Read a text file."""
        return read_utf8(path, limits, self.encoding or self.encoding_of)


#: Everything found out
FOUND_OUT = TextForm()


def read_columns(source: PathType | Any, form: TextForm = FOUND_OUT, limits: Limits | None = None) -> Columns:
    """Read a table from a file, by its ending, or from a data frame."""
    if not isinstance(source, (str, PathLike)):
        return from_frame(source)
    if format_of(source) == "parquet":
        return from_frame(read_parquet(source, limits), fspath(source))
    return _read_csv(source, form, limits)


def _read_csv(path: PathType, form: TextForm, limits: Limits | None) -> Columns:
    file, delimiter = form.read(path, limits), form.delimiter_of(path)
    if len(file) >= cut.LARGE:
        with suppress(cut.CannotReadQuickly):
            return _read_quickly(file, delimiter, fspath(path))
    return _read_carefully(file.text, delimiter, fspath(path))


def _read_quickly(file: Utf8Text, delimiter: str, path: str) -> Columns:
    header, blocks = cut_csv(file, delimiter, whole=True)
    rows = next(blocks, None)
    if rows is None or len(set(header)) != len(header):
        raise cut.CannotReadQuickly
    return CutColumns.of(header, rows, path, delimiter)


def cut_csv(file: Utf8Text, delimiter: str, *, whole: bool) -> tuple[list[str], Iterator[cut.Cut]]:
    """Return the cells of the first row, and the rows below it cut into cells; see :func:`cut_rows`."""
    header, at, line = _cut_header(file, delimiter)
    return header, cut.cut_rows(file.raw, at, line, len(header), delimiter, "csv", _undouble, whole=whole)


def _cut_header(file: Utf8Text, delimiter: str) -> tuple[list[str], int, int]:
    """Return the cells of the first row, where the next one starts, and its line."""
    ends = [file.start]

    def lines() -> Iterator[str]:
        for end, line in islice(file.lines(), 1000):  # more than any header takes
            ends.append(end)
            yield line

    try:
        _, header = next(csv_rows(lines(), delimiter, ""), (1, []))
    except DataFormatError:
        raise cut.CannotReadQuickly from None
    return header, ends[-1], len(ends)


def _undouble(cell: str) -> str:
    return cell.replace('""', '"')


def _read_carefully(text: str, delimiter: str, path: str) -> Columns:
    lines, rows = [], []
    for line, row in csv_rows(io.StringIO(text, newline=""), delimiter, path):
        lines.append(line)
        rows.append(row)
    check_names(rows[0], path)
    return columns_of_rows(rows[0], rows[1:], lines[1:], path, delimiter)


def csv_rows(lines: Iterable[str], delimiter: str, path: PathType) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of every row that is not empty, and of the first in any case."""
    reader, before = csv.reader(lines, delimiter=delimiter, strict=True), 0
    while True:
        usual = csv.field_size_limit(_LONGEST_CELL)  # of the whole process: others may set theirs between two rows
        try:
            row = next(reader, None)
        except csv.Error as problem:
            raise DataFormatError(f"not a table ({problem}).", fspath(path), reader.line_num) from None
        finally:
            csv.field_size_limit(usual)
        if row is None:
            return
        if row or not before:
            yield before + 1, row
        before = reader.line_num


def check_names(header: Sequence[str], path: PathType) -> None:
    """Refuse a name that two columns have."""
    if len(set(header)) != len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise DataFormatError(f"two columns are called {twice!r}; columns are found by name.", fspath(path), 1)


def columns_of_rows(
    header: Sequence[str], rows: Sequence[Sequence[str]], lines: Sequence[int], path: PathType, delimiter: str
) -> Columns:
    """Make a table of rows, which must have a cell for each column, and their line numbers."""
    if not rows:
        raise DataFormatError("no rows below the line of column names.", fspath(path))
    for row, line in zip(rows, lines):
        if len(row) != len(header):
            raise DataFormatError(f"{len(row)} cells in this row, {len(header)} column names.", fspath(path), line)
    return Columns(dict(zip(header, zip(*rows))), fspath(path), lines, delimiter)


def from_frame(frame: Any, path: str | None = None) -> Columns:
    """Take the columns of a data frame of any library."""
    import narwhals as nw

    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError as problem:
        raise TypeError(f"path must be a file name or a data frame that narwhals knows ({problem}).") from None
    data = {str(name): table.get_column(name).to_list() for name in table.columns}
    if not data or not len(table):
        raise DataFormatError("the table has no rows or no columns.", path)
    return Columns(data, path)

"""Columns of a table by name, from a CSV or TSV file, a Parquet file, or a data frame of any library.

The formats of tables, by the endings of their names, are listed here and nowhere else.
"""

from __future__ import annotations

import codecs
import csv
import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
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

__all__ = [
    "FORMATS",
    "TABLES",
    "TextForm",
    "cut_csv",
    "format_of",
    "holds_labels",
    "long_cells",
    "read_columns",
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
        return _from_frame(source, None)
    if format_of(source) == "parquet":
        return _from_frame(read_parquet(source, limits), fspath(source))
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
    return header, cut.cut_rows(file.raw, at, line, len(header), delimiter, "cut_csv", _undouble, whole=whole)


def _cut_header(file: Utf8Text, delimiter: str) -> tuple[list[str], int, int]:
    """Return the cells of the first row, where the next one starts, and its line."""
    with long_cells():
        lines = list(islice(file.lines(), 1000))  # more than any header takes
        reader = csv.reader((line for _, line in lines), delimiter=delimiter, strict=True)
        try:
            header = next(reader, [])
        except csv.Error:
            raise cut.CannotReadQuickly from None
    return header, lines[reader.line_num - 1][0] if reader.line_num else file.start, reader.line_num + 1


def _undouble(cell: str) -> str:
    return cell.replace('""', '"')


def _read_carefully(text: str, delimiter: str, path: str) -> Columns:
    with long_cells():
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
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
            raise DataFormatError(f"not a table ({problem}).", path, reader.line_num) from None
    return Columns(_columns(header, rows, lines, path), path, lines, delimiter)


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

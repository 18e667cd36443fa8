"""Columns of a table by name, from a CSV or TSV file, a workbook, a Parquet file, or a data frame of any library.

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
from truepath.data.tables.json_lines import read_json_lines
from truepath.data.tables.parquet import read_parquet
from truepath.data.tables.workbook import read_workbook
from truepath.errors import DataFormatError, GuessedEncodingWarning, TruePathError
from truepath.files.encodings import encoding_of
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType, ending_of
from truepath.files.text import head_text
from truepath.files.utf8 import Utf8Text, read_utf8

#: Tables with named columns
TABLES = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet", ".pq": "parquet", ".jsonl": "jsonl"}
TABLES |= {".ndjson": "jsonl", ".xlsx": "xlsx", ".xlsm": "xlsx"}

#: All files that label sets and scores are read from
FORMATS = {**TABLES, ".json": "json", **dict.fromkeys((".npy", ".npz", ".h5", ".hdf5"), "arrays")}


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
_LONGEST_CELL = 2**31 - 1

#: Names of delimiters that are hard to type
_SIGNS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "pipe": "|", "space": " "}


class TableForm(NamedTuple):
    r"""How a table is written in its file: what is given holds, what is None is detected.

    Examples
    --------
    >>> TableForm.of("tab", "Latin-1")
    TableForm(delimiter='\t', encoding='iso8859-1', sheet=None)
    """

    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None

    @classmethod
    def of(cls, delimiter: str | None = None, encoding: str | None = None, sheet: str | None = None) -> TableForm:
        """Check what was given: a character or its name, an encoding that Python knows, a sheet of a workbook."""
        sign = delimiter if delimiter is None else _SIGNS.get(delimiter.lower(), delimiter)
        if sign is not None and (len(sign) != 1 or sign in '"\n\r'):
            problem = (
                f"delimiter= (--delimiter) must be one character, or tab, comma, semicolon, bar; not {delimiter!r}."
            )
            raise TruePathError(problem, "Leave it out to have it detected.")
        try:
            known = None if encoding is None else codecs.lookup(encoding).name
            "".encode(known or "utf-8")  # some codecs are none of texts
        except (LookupError, ValueError):
            problem = f"encoding= (--encoding): there is no encoding {encoding!r}."
            raise TruePathError(problem, "Common ones are utf-8, utf-16, latin-1, cp1252 and shift_jis.") from None
        return cls(sign, "utf-8-sig" if known == "utf-8" else known, sheet)

    def check_sheet(self, *paths: PathType | None) -> None:
        """Refuse the name of a sheet where no file has sheets."""
        if self.sheet is None or any(path is not None and format_of(path) == "xlsx" for path in paths):
            return
        found = "no file has sheets" if len(paths) > 1 else f"{paths[0]} has no sheets"
        raise TruePathError(f"sheet (--sheet) is for .xlsx; {found}.", "Leave it out.")

    def for_file(self, path: PathType) -> TableForm:
        """Return it for one of several files, which may be of different formats."""
        return self if format_of(path) == "xlsx" else self._replace(sheet=None)

    def delimiter_of(self, path: PathType) -> str:
        """Return what separates the cells of a text file: a tab by its ending, else what its first lines show."""
        if self.delimiter is not None or format_of(path) == "tsv":
            return self.delimiter or "\t"
        return guess_delimiter(head_text(path, encoding=self.encoding).split("\n")[:_FIRST_LINES])

    def encoding_of(self, path: PathType, limits: Limits | None = None) -> str:
        """Return how a text file is encoded; falling back to Latin-1 gives a warning."""
        found = self.encoding or encoding_of(path, limits)
        if self.encoding is None and not found.startswith("utf"):
            said = f"{fspath(path)} is not UTF-8 and is read as Latin-1 ({found})."
            way = "If letters look wrong, give encoding= (--encoding)."
            warnings.warn(f"{said} {way}", GuessedEncodingWarning, stacklevel=2)
        return found

    def read(self, path: PathType, limits: Limits | None) -> Utf8Text:
        """Read a text file."""
        return read_utf8(path, limits, self.encoding or self.encoding_of)


#: Everything found out
FOUND_OUT = TableForm()


def read_columns(source: PathType | Any, form: TableForm = FOUND_OUT, limits: Limits | None = None) -> Columns:
    """Read a table from a file, by its ending, or from a data frame."""
    if not isinstance(source, (str, PathLike)):
        return from_frame(source)
    form.check_sheet(source)
    if format_of(source) == "xlsx":
        return _read_sheet(source, form.sheet, limits)
    if format_of(source) == "parquet":
        return from_frame(read_parquet(source, limits), fspath(source))
    if format_of(source) == "jsonl":
        return read_json_lines(source, limits)
    return _read_csv(source, form, limits)


def _read_sheet(path: PathType, sheet: str | None, limits: Limits | None) -> Columns:
    found = read_workbook(path, sheet, limits)
    where = f"{fspath(path)}, sheet {found.sheet!r}"
    return columns_of_rows(name_columns(found.header, where), found.rows, found.lines, where, ",")


def _read_csv(path: PathType, form: TableForm, limits: Limits | None) -> Columns:
    file, delimiter = form.read(path, limits), form.delimiter_of(path)
    if len(file) >= cut.LARGE:
        with suppress(cut.CannotReadQuickly):
            return _read_quickly(file, delimiter, fspath(path))
    return _read_carefully(file.text, delimiter, fspath(path), limits)


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


def _read_carefully(text: str, delimiter: str, path: str, limits: Limits | None) -> Columns:
    lines, rows = [], []
    for line, row in csv_rows(io.StringIO(text, newline=""), delimiter, path, limits):
        lines.append(line)
        rows.append(row)
    return columns_of_rows(name_columns(rows[0], path), rows[1:], lines[1:], path, delimiter)


def csv_rows(
    lines: Iterable[str], delimiter: str, path: PathType, limits: Limits | None = None
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of every row that is not empty, and of the first in any case."""
    n_letters, before = 0, 0
    limits = limits or usual_limits()

    def counted() -> Iterator[str]:
        nonlocal n_letters
        for number, line in enumerate(lines, start=1):
            n_letters += len(line)
            limits.check_cells(line, delimiter, fspath(path), number)
            yield line

    reader = csv.reader(counted(), delimiter=delimiter, strict=True)
    longest = min(limits.max_line, _LONGEST_CELL)  # whole documents are cells too; Python's own limit is 131072
    while True:
        n_letters = 0
        usual = csv.field_size_limit(longest)  # of the whole process: others may set theirs between two rows
        try:
            row = next(reader, None)
        except csv.Error as problem:
            if n_letters > longest:
                limits.check("max_line", longest + 1, "a cell of {:,} letters or more", fspath(path), before + 1)
            raise DataFormatError(f"not a table ({problem}).", fspath(path), reader.line_num) from None
        finally:
            csv.field_size_limit(usual)
        if row is None:
            return
        if row or not before:
            yield before + 1, row
        before = reader.line_num


def name_columns(header: Sequence[str], path: PathType) -> list[str]:
    """Return the names of columns; several without any, as spreadsheets leave them, are called by their places.

    Examples
    --------
    >>> name_columns(["id", "labels", "", ""], "table.csv")
    ['id', 'labels', 'column 3', 'column 4']
    """
    unnamed = [j for j, name in enumerate(header) if not name]
    names = [f"column {j + 1}" if j in unnamed and len(unnamed) > 1 else name for j, name in enumerate(header)]
    check_names(names, path)
    return names


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

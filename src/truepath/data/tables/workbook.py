"""Workbooks of spreadsheets (``.xlsx``): one sheet as a table, every cell as the text that the sheet saved as CSV has.

A whole number is written without a point, a date as 2026-01-31, and a number that its format fills with zeros with
them, so that codes and ids stay what people see. A cell of a merged range has the value of the range.
"""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from io import SEEK_END
from os import fspath
from typing import Any, BinaryIO, NamedTuple

from truepath.english import counted, did_you_mean
from truepath.errors import DataFormatError, LeftOutWarning, MissingExtraError
from truepath.extras import import_extra
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType
from truepath.files.unpacking import open_binary

_PIECE = 1 << 20
_ZEROS = re.compile(r"0{2,}")
_LARGEST = 1e21  # whole numbers below it are written with all their digits
#: What a sheet says besides its values, as it stands in the file
_MARKS = {
    "merged": rb"<mergeCell ",
    "formulas": rb"<f[ />]",
    "zeros": rb'formatCode="0{2,}"',
    "declared": rb"<!DOCTYPE",
}
_LONGEST_MARK = 64
_ERRORS = frozenset(
    ["#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#SPILL!", "#CALC!", "#GETTING_DATA"]
)


class SheetRows(NamedTuple):
    """The names of the columns of a sheet, its other rows with a cell for each, and their numbers in the sheet."""

    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    sheet: str


class _Held(NamedTuple):
    """What a workbook holds besides plain values."""

    merged: bool
    formulas: bool
    zeros: bool
    declared: bool


def read_workbook(path: PathType, sheet: str | None = None, limits: Limits | None = None) -> SheetRows:
    """Read a sheet whose first row that is not empty names the columns; empty rows and columns are left out.

    Parameters
    ----------
    path : path
    sheet : str, optional
        By default the only visible sheet that is not empty.
    limits : Limits, optional
    """
    with _opened(path, limits or usual_limits()) as (file, held):
        load = import_extra("openpyxl", "Reading .xlsx", "excel").load_workbook
        book = load(file, read_only=not held.merged, data_only=True)
        chosen, rows = _choose_sheet(book, sheet, path, held)
        if held.formulas:
            _check_formulas(load(file, read_only=True)[chosen.title], dict(rows), path)
        return _below_header(rows, chosen.title, path)


def _choose_sheet(book: Any, sheet: str | None, path: PathType, held: _Held) -> tuple[Any, list[Any]]:
    """Return the sheet that is asked for, or the only one with rows, and these by their numbers."""
    if sheet is not None:
        named = {one.title: one for one in book.worksheets}
        if sheet not in named:
            way = did_you_mean(sheet, list(named), f"Its sheets are {', '.join(map(repr, named))}.")
            raise DataFormatError(f"no sheet {sheet!r}.", fspath(path), remedy=way)
        if not (rows := list(_rows_of(named[sheet], held, path))):
            raise DataFormatError(f"sheet {sheet!r} has no rows.", fspath(path))
        return named[sheet], rows
    visible = [one for one in book.worksheets if one.sheet_state == "visible"]
    found = [(one, rows) for one in visible if (rows := list(_rows_of(one, held, path)))]
    if len(found) == 1:
        return found[0]
    if not found:
        raise DataFormatError("no visible sheet has a row.", fspath(path))
    listed = ", ".join(f"{one.title!r} ({counted(len(rows), 'row')})" for one, rows in found)
    raise DataFormatError(
        f"{len(found)} sheets have rows: {listed}.", fspath(path), remedy="Name one by sheet= (--sheet)."
    )


def _rows_of(sheet: Any, held: _Held, path: PathType) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of every row that is not empty, without the empty ones at its end."""
    if not held.merged:
        sheet.reset_dimensions()  # what writers say of the size is often wrong
    merged = _merged_cells(sheet) if held.merged else {}
    n_errors, first = 0, ""
    for number, row in enumerate(sheet.iter_rows(values_only=not (held.zeros or held.merged)), start=1):
        cells = []
        for j, cell in enumerate(row, start=1):
            value = cell
            if held.zeros or held.merged:
                value = merged.get((number, j), cell.value)
                if held.zeros and isinstance(value, (int, float)) and _ZEROS.fullmatch(cell.number_format or ""):
                    value = f"{value:0{len(cell.number_format)}.0f}"
            if isinstance(value, str) and value in _ERRORS:
                n_errors, first, value = n_errors + 1, first or value, None
            cells.append(_text(value))
        while cells and not cells[-1].strip():
            cells.pop()
        if cells:
            yield number, cells
    if n_errors:
        said = f"{fspath(path)}, sheet {sheet.title!r}: {counted(n_errors, 'cell')}, the first {first}, "
        said += f"{'holds an error' if n_errors == 1 else 'hold errors'} of a formula: read as empty."
        warnings.warn(said, LeftOutWarning, stacklevel=5)


def _merged_cells(sheet: Any) -> dict[tuple[int, int], Any]:
    """Return the value of each cell of merged ranges."""
    found = {}
    for area in sheet.merged_cells.ranges:
        value = sheet.cell(area.min_row, area.min_col).value
        found.update({(row, column): value for row, column in area.cells})
    return found


def _text(value: Any) -> str:
    """Return a cell as CSV has it.

    >>> [_text(cell) for cell in (1.0, 0.1, True, None, datetime(2026, 1, 31), datetime(2026, 1, 31, 9, 30))]
    ['1', '0.1', 'TRUE', '', '2026-01-31', '2026-01-31 09:30:00']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST:
        return str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "seconds")
    if isinstance(value, (date, time)):
        return value.isoformat()
    return str(value)


def _check_formulas(sheet: Any, rows: dict[int, list[str]], path: PathType) -> None:
    """Refuse a sheet whose formulas have no values: programs write them so, and only a spreadsheet works them out."""
    sheet.reset_dimensions()
    first = None
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        for j, formula in enumerate(row):
            if isinstance(formula, str) and formula.startswith("="):
                if "".join(rows.get(number, [])[j : j + 1]):
                    return
                first = first or (number, formula[:40])
    if first is not None:
        problem = f"sheet {sheet.title!r}, row {first[0]}: the file has the formula {first[1]!r} without its value."
        way = "Open it in a spreadsheet and save it, or save it as CSV."
        raise DataFormatError(problem, fspath(path), remedy=way)


def _below_header(rows: Sequence[tuple[int, list[str]]], sheet: str, path: PathType) -> SheetRows:
    """Divide rows of any length into the names of the columns and the rest, a cell for each column that is used."""
    (number, first), below = rows[0], rows[1:]
    header = [name.strip() for name in first]
    for line, row in below:
        if len(row) > len(header):
            raise DataFormatError(
                f"sheet {sheet!r}, row {line}: a value in column {len(row)}, but the first row with values, row "
                f"{number}, names {len(header)}.",
                fspath(path),
                remedy="Delete what stands above the row of column names, and notes beside the table.",
            )
    kept = [j for j, name in enumerate(header) if name or any("".join(row[j : j + 1]) for _, row in below)]
    full = [[*row, *[""] * (len(header) - len(row))] for _, row in below]
    return SheetRows([header[j] for j in kept], [[row[j] for j in kept] for row in full], [n for n, _ in below], sheet)


@contextmanager
def _opened(path: PathType, limits: Limits) -> Iterator[tuple[BinaryIO, _Held]]:
    """Open a workbook that is not too large; what is wrong with it is said in one way."""
    with open_binary(path, limits) as file:
        try:
            yield file, _look(file, path, limits)
        except (DataFormatError, MissingExtraError):
            raise
        except Exception as problem:  # zipfile, expat and openpyxl each have their own errors
            said = " ".join(str(problem).split())[:200]
            way = "A file with a password, and one of the old format .xls, must be saved as .xlsx or CSV."
            raise DataFormatError(f"not a readable .xlsx workbook ({said}).", fspath(path), remedy=way) from problem


def _look(file: BinaryIO, path: PathType, limits: Limits) -> _Held:
    """Refuse a workbook that unpacks to too much, before that is done; return what it holds besides plain values."""
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        size = sum(member.file_size for member in members)
        limits.check("max_bytes", size, "the workbook unpacks to {:,} bytes", fspath(path))
        limits.check_ratio(size, file.seek(0, SEEK_END), fspath(path))
        found = dict.fromkeys(_MARKS, False)
        for member in members:
            if member.filename.endswith(".xml"):
                with archive.open(member) as part:
                    _look_through(part, found)
    file.seek(0)
    if found["declared"]:  # entities may stand for any amount of text
        raise DataFormatError("the workbook declares types of its own, as no spreadsheet does.", fspath(path))
    return _Held(**found)


def _look_through(part: Any, found: dict[str, bool]) -> None:
    """Note which marks a part of a workbook has."""
    text = b""
    while piece := part.read(_PIECE):
        text = text[-_LONGEST_MARK:] + piece
        for mark, sign in _MARKS.items():
            found[mark] = found[mark] or re.search(sign, text) is not None

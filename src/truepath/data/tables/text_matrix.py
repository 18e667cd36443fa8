"""Matrices in text files: a line of column names, then rows of numbers, perhaps with a column of row ids.

Large files are read by compiled loops; others, and whatever is unusual, by splitting lines and ``float``. Both give the
same bits, with any frame library installed or none.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from os import fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.data.tables import cut
from truepath.data.tables.columns import no_column, with_point
from truepath.data.tables.frames import TableForm, check_names, csv_rows, cut_csv
from truepath.data.tables.matrix import Matrix
from truepath.data.tables.row_ids import as_texts, is_id_name
from truepath.errors import DataFormatError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType
from truepath.files.text import split_lines
from truepath.files.utf8 import Utf8Text
from truepath.hierarchy import Hierarchy


def read_text_matrix(
    path: PathType, form: TableForm, hierarchy: Hierarchy | None, ids: str | None, limits: Limits
) -> Matrix:
    """Read a matrix below a line of column names."""
    file, delimiter = form.read(path, limits), form.delimiter_of(path)
    if len(file) >= cut.LARGE:
        with suppress(cut.CannotReadQuickly, ValueError):
            return _read_quickly(file, delimiter, hierarchy, ids, fspath(path))
    return _read_carefully(file.text, delimiter, hierarchy, ids, fspath(path), limits)


def _read_quickly(file: Utf8Text, delimiter: str, hierarchy: Hierarchy | None, ids: str | None, path: str) -> Matrix:
    header, blocks = cut_csv(file, delimiter, whole=False)
    check_header(header, hierarchy, path)
    first = next(blocks, None)
    if first is None:
        raise cut.CannotReadQuickly
    id_column = find_ids(header, with_point(first.cell(0, 0), delimiter), hierarchy, ids, path)
    chosen = [j for j in range(len(header)) if j != id_column]
    if not chosen:  # one column, and its first line may be blank
        raise cut.CannotReadQuickly
    values, names, lines, done = np.empty((file.raw.count(b"\n"), len(chosen))), [], [], 0
    for block in chain([first], blocks):
        part = values[done : done + block.n_rows]
        block.numbers(chosen, part, lambda i, k, cell: float(with_point(cell, delimiter)), missing=None)
        names += [] if id_column is None else block.texts(id_column)
        lines += block.lines.tolist()
        done += block.n_rows
    called = None if id_column is None else header[id_column]
    found = None if called is None else as_texts(names)
    return Matrix(values[:done], tuple(header[j] for j in chosen), found, path, lines, called)


def _read_carefully(
    text: str, delimiter: str, hierarchy: Hierarchy | None, ids: str | None, path: str, limits: Limits
) -> Matrix:
    rows = cut_plainly(text, delimiter, path, limits)
    _, header = next(rows)
    first = next(rows, None)
    if first is None:
        raise DataFormatError("no rows below the line of column names.", path)
    check_header(header, hierarchy, path)
    id_column = find_ids(header, with_point(first[1][0], delimiter), hierarchy, ids, path)
    columns = [name for j, name in enumerate(header) if j != id_column]
    values, names, lines = [], [], []
    for line, cells in chain([first], rows):
        if len(cells) != len(header):
            raise DataFormatError(f"{len(cells)} cells in this row, {len(header)} column names.", path, line)
        if id_column is not None:
            names.append(cells.pop(id_column))
        values.append(_numbers(cells, columns, path, line, delimiter))
        lines.append(line)
    called = None if id_column is None else header[id_column]
    return Matrix(np.array(values), tuple(columns), None if called is None else as_texts(names), path, lines, called)


def cut_plainly(text: str, delimiter: str, path: str, limits: Limits | None = None) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells; quotes are rare in tables of numbers, and only then the csv module is needed."""
    if '"' not in text:
        limits = limits or usual_limits()
        for number, line in enumerate(split_lines(text), start=1):
            if line.strip():
                limits.check_cells(line, delimiter, path, number)
                yield number, line.split(delimiter)
        return
    yield from (row for row in csv_rows(io.StringIO(text, newline=""), delimiter, path, limits) if row[1])


def check_header(header: list[str], hierarchy: Hierarchy | None, path: str) -> None:
    """Strip the names of the columns; refuse numbers, and names that occur twice."""
    header[:] = [name.strip() for name in header]
    is_known = hierarchy is not None and any(name in hierarchy for name in header)  # nodes may be called 1, 2, 3
    if not is_known and all(is_number(name) for name in header):
        raise DataFormatError("the first line holds numbers; it must hold the names of the columns.", path, 1)
    check_names(header, path)


def find_ids(
    header: Sequence[str], first: Any, hierarchy: Collection[str] | Hierarchy | None, ids: str | None, path: str
) -> int | None:
    """Return which column holds the row ids, if any; ``first`` is the first cell of the first row."""
    if ids is not None:
        if ids not in header:
            raise DataFormatError(no_column(ids, header), path)
        return list(header).index(ids)
    others = [] if hierarchy is None else [j for j, name in enumerate(header) if name not in hierarchy]
    if hierarchy is not None and len(others) == 1 and len(header) == len(hierarchy) + 1:
        return others[0]
    if hierarchy is not None and header[0] in hierarchy:
        return None
    return 0 if is_id_name(header[0]) or not is_number(first) else None


def is_number(cell: Any) -> bool:
    """Return whether ``float`` takes a cell."""
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def _numbers(cells: list[str], columns: list[str], path: str, line: int, delimiter: str) -> NDArray[np.float64]:
    try:
        return np.array(cells, dtype=np.float64)  # twice as fast as float by float, and reads the same
    except ValueError:
        plain = [with_point(cell, delimiter) for cell in cells]
        wrong = next((j for j, cell in enumerate(plain) if not is_number(cell)), None)
    if wrong is None:
        return np.array(plain, dtype=np.float64)
    shown = f"{cells[wrong].strip()[:40]!r} is not a number" if cells[wrong].strip() else "an empty cell"
    raise DataFormatError(f"{shown} (column {columns[wrong]!r}).", path, line)

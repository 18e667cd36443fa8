"""Matrices with named columns and named rows: CSV, TSV, Parquet, ``.npy`` and ``.npz`` files, checked cell by cell.

Text files are read by splitting lines and ``float``, about 0.2 microseconds per cell, so that a file gives the
same matrix with any frame library installed.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from os import fspath
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from truepath.data.tables.frames import delimiter_of, format_of, long_cells
from truepath.data.tables.parquet import parquet_columns, read_parquet
from truepath.data.tables.row_ids import check_ids, is_id_name
from truepath.errors import DataFormatError, UnknownLabelError
from truepath.files import PathType, head_lines, open_binary, read_text, split_lines
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.names import nearest
from truepath.limits import Limits, usual_limits

__all__ = ["Matrix", "column_names", "read_matrix"]


@dataclass(frozen=True)
class Matrix:
    """Numbers, the names of their columns and rows (or None), and where they come from."""

    values: Any  # ndarray, or csr_array from a sparse file
    names: tuple[str, ...] | None
    ids: NDArray[np.object_] | None
    path: str
    lines: Sequence[int] = field(default=(), repr=False)

    def error(self, problem: str, row: int | None = None) -> DataFormatError:
        """Make the error for a problem, in a row if one is given."""
        if row is None or not self.lines:
            return DataFormatError(problem if row is None else f"row {row}: {problem}", self.path)
        return DataFormatError(problem, self.path, self.lines[row])

    def aligned(self, hierarchy: Hierarchy) -> Matrix:
        """Return the columns in the hierarchy's order; there must be one per node."""
        if self.names is None:
            if self.values.shape[1] != hierarchy.n_nodes:
                raise self.error(
                    f"{self.values.shape[1]} columns without names, but the hierarchy has {hierarchy.n_nodes} nodes. "
                    "A file without names needs one column per node, in the hierarchy's order."
                )
            return replace(self, names=tuple(hierarchy.names.tolist()))
        place = {hierarchy.aliases.get(name, name): j for j, name in enumerate(self.names)}
        names = hierarchy.names.tolist()
        if unknown := [name for name in place if name not in hierarchy]:
            raise self._unknown(unknown, names)
        if missing := [name for name in names if name not in place]:
            shown = ", ".join(map(repr, missing[:5])) + (", …" if len(missing) > 5 else "")
            raise self.error(f"no column for {len(missing)} of the hierarchy's {len(names)} nodes: {shown}.")
        columns = [place[name] for name in names]
        in_order = columns == list(range(len(columns)))
        return replace(self, values=self.values if in_order else self.values[:, columns], names=tuple(names))

    def _unknown(self, unknown: list[str], names: list[str]) -> UnknownLabelError:
        near = nearest(unknown[0], names)
        hint = f" Nearest: {', '.join(map(repr, near))}." if near else ""
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        return UnknownLabelError(
            f"{self.path}: the column {unknown[0]!r}{more} is not in the hierarchy of {len(names)} labels.{hint} "
            "A column of row ids is called 'id', or is named by ids=.",
            unknown,
        )


def read_matrix(
    path: PathType, hierarchy: Hierarchy | None = None, *, ids: str | None = None, limits: Limits | None = None
) -> Matrix:
    """Read a matrix by the ending of the file's name; columns in the hierarchy's order if one is given.

    ``ids`` names the column of row ids. By default that is the first column if it is called ``id`` or similar, or
    holds no numbers.
    """
    kind, limits = format_of(path), limits or usual_limits()
    if kind == "numpy":
        matrix = _read_numpy(path, limits)
    elif kind == "parquet":
        matrix = _read_frame(path, hierarchy, ids, limits)
    else:
        matrix = _read_text(path, delimiter_of(path), hierarchy, ids, limits)
    if ids is not None and matrix.ids is None:
        raise matrix.error(f"ids={ids!r} was given, but the file has no named columns.")
    _check_finite(matrix)
    if matrix.ids is not None:
        check_ids(matrix.ids, matrix.error)
    return matrix if hierarchy is None else matrix.aligned(hierarchy)


def column_names(path: PathType, limits: Limits | None = None) -> list[str]:
    """Return the names of the columns of a table, none for NumPy's files."""
    kind = format_of(path)
    if kind == "numpy":
        return []
    if kind == "parquet":
        return parquet_columns(path, limits)
    first = next((line for line in head_lines(path, limits) if line.strip()), None)
    if first is None:
        raise DataFormatError("the file is empty.", fspath(path))
    _, header = next(_rows(first, delimiter_of(path), fspath(path)))
    return [cell.strip() for cell in header]


def _check_finite(matrix: Matrix) -> None:
    values = matrix.values
    stored = values.data if hasattr(values, "indptr") else values
    if np.isfinite(stored).all():
        return
    at = int(np.flatnonzero(~np.isfinite(stored))[0])
    row, column = divmod(at, values.shape[1])
    if hasattr(values, "indptr"):
        row, column = int(np.searchsorted(values.indptr, at, side="right")) - 1, int(values.indices[at])
    where = f"column {matrix.names[column]!r}" if matrix.names else f"column {column}"
    raise matrix.error(f"{stored.flat[at]} in {where}; only finite numbers can be used.", row)


# ---------------------------------------------------------------------------------------------------- text


def _read_text(path: PathType, delimiter: str, hierarchy: Hierarchy | None, ids: str | None, limits: Limits) -> Matrix:
    rows = _rows(read_text(path, limits), delimiter, fspath(path))
    _, header = next(rows)
    first = next(rows, None)
    if first is None:
        raise DataFormatError("no rows below the line of column names.", fspath(path))
    _check_header(header, hierarchy, fspath(path))
    id_column = _find_ids(header, first[1], hierarchy, ids, fspath(path))
    columns = [name for j, name in enumerate(header) if j != id_column]
    values, names, lines = [], [], []
    for line, cells in _chain(first, rows):
        if len(cells) != len(header):
            raise DataFormatError(f"{len(cells)} cells in this row, {len(header)} column names.", fspath(path), line)
        if id_column is not None:
            names.append(cells.pop(id_column))
        values.append(_numbers(cells, columns, fspath(path), line))
        lines.append(line)
    found = None if id_column is None else _objects(names)
    return Matrix(np.array(values), tuple(columns), found, fspath(path), lines)


def _rows(text: str, delimiter: str, path: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells; quotes are rare in tables of numbers, and only then the csv module is needed."""
    if '"' not in text:
        for number, line in enumerate(split_lines(text), start=1):
            if line.strip():
                yield number, line.split(delimiter)
        return
    with long_cells():
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        before = 0
        try:
            for cells in reader:
                if cells:
                    yield before + 1, cells
                before = reader.line_num
        except csv.Error as problem:
            raise DataFormatError(f"not a table ({problem}).", path, reader.line_num) from None


def _chain(first: tuple[int, list[str]], rows: Iterator[Any]) -> Iterator[tuple[int, list[str]]]:
    yield first
    yield from rows


def _check_header(header: list[str], hierarchy: Hierarchy | None, path: str) -> None:
    header[:] = [name.strip() for name in header]
    is_known = hierarchy is not None and any(name in hierarchy for name in header)  # nodes may be called 1, 2, 3
    if not is_known and all(_is_number(name) for name in header):
        raise DataFormatError("the first line holds numbers; it must hold the names of the columns.", path, 1)
    if len(set(header)) != len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise DataFormatError(f"two columns are called {twice!r}; columns are found by name.", path, 1)


def _find_ids(
    header: Sequence[str],
    first: Sequence[Any],
    hierarchy: Collection[str] | Hierarchy | None,
    ids: str | None,
    path: str,
) -> int | None:
    """Return which column holds the row ids, if any."""
    if ids is not None:
        if ids not in header:
            raise DataFormatError(f"no column {ids!r}; the first columns are {', '.join(map(repr, header[:8]))}.", path)
        return list(header).index(ids)
    if hierarchy is not None and header[0] in hierarchy:
        return None
    return 0 if is_id_name(header[0]) or not _is_number(first[0]) else None


def _is_number(cell: Any) -> bool:
    try:
        float(cell)
    except (TypeError, ValueError):
        return False
    return True


def _numbers(cells: list[str], columns: list[str], path: str, line: int) -> NDArray[np.float64]:
    try:
        return np.array(cells, dtype=np.float64)  # twice as fast as float by float, and reads the same
    except ValueError:
        wrong = next(j for j, cell in enumerate(cells) if not _is_number(cell))
    shown = f"{cells[wrong].strip()[:40]!r} is not a number" if cells[wrong].strip() else "an empty cell"
    raise DataFormatError(f"{shown} (column {columns[wrong]!r}).", path, line)


def _objects(names: Sequence[Any]) -> NDArray[np.object_]:
    made = np.empty(len(names), object)
    made[:] = [str(name).strip() for name in names]
    return made


# -------------------------------------------------------------------------------------------------- binary


def _read_frame(path: PathType, hierarchy: Hierarchy | None, ids: str | None, limits: Limits) -> Matrix:
    import narwhals as nw

    table = nw.from_native(read_parquet(path, limits), eager_only=True)
    header = [str(name) for name in table.columns]
    if not header or not len(table):
        raise DataFormatError("the table has no rows or no columns.", fspath(path))
    first = [table.get_column(table.columns[0])[0]]
    id_column = _find_ids(header, first, hierarchy, ids, fspath(path))
    columns = [j for j in range(len(header)) if j != id_column]
    values = np.empty((len(table), len(columns)), order="F")
    for k, j in enumerate(columns):
        cells = table.get_column(table.columns[j])
        if not (cells.dtype.is_numeric() or cells.dtype == nw.Boolean):
            raise DataFormatError(f"the column {header[j]!r} holds {cells.dtype}, not numbers.", fspath(path))
        values[:, k] = np.asarray(cells.to_numpy(), np.float64)
    found = None if id_column is None else _objects(table.get_column(table.columns[id_column]).to_list())
    return Matrix(np.ascontiguousarray(values), tuple(header[j] for j in columns), found, fspath(path))


def _read_numpy(path: PathType, limits: Limits) -> Matrix:
    """Read an array, a sparse matrix, or an archive with one matrix and perhaps ``names`` and ``ids``."""
    from scipy import sparse

    try:
        with open_binary(path, limits) as file:
            _check_members(file, path, limits)
            found: Any = np.load(file, allow_pickle=False)
            if isinstance(found, np.lib.npyio.NpzFile):
                parts = {key: found[key] for key in found.files}
                if "format" in parts:
                    file.seek(0)
                    values: Any = sparse.csr_array(sparse.load_npz(file))
                    values.check_format(full_check=True)
                    return Matrix(_checked(values, path), None, None, fspath(path))
                return _from_archive(parts, path)
    except OSError as problem:
        if not Path(path).is_file():
            raise
        raise DataFormatError(f"not a readable NumPy file ({problem}).", fspath(path)) from problem
    except DataFormatError:
        raise
    except Exception as problem:  # zipfile, ast and NumPy each have their own errors
        raise DataFormatError(f"not a readable NumPy file ({problem}).", fspath(path)) from problem
    return Matrix(_checked(found, path), None, None, fspath(path))


def _check_members(file: BinaryIO, path: PathType, limits: Limits) -> None:
    """Refuse an archive whose arrays are larger than allowed, before any of them is unpacked."""
    if file.read(2) == b"PK":
        with zipfile.ZipFile(file) as archive:
            size = sum(member.file_size for member in archive.infolist())
        limits.check("max_bytes", size, "the arrays in the archive take {:,} bytes", fspath(path))
    file.seek(0)


def _from_archive(parts: dict[str, NDArray[Any]], path: PathType) -> Matrix:
    matrices = [key for key, array in parts.items() if array.ndim == 2]
    if len(matrices) != 1:
        raise DataFormatError(f"the archive must hold one matrix; it holds {len(matrices)}.", fspath(path))
    values = _checked(parts[matrices[0]], path)
    names, ids = parts.get("names"), parts.get("ids")
    for key, length in (("names", values.shape[1]), ("ids", values.shape[0])):
        if key in parts and parts[key].shape != (length,):
            raise DataFormatError(f"{key} has the shape {parts[key].shape}, not ({length},).", fspath(path))
    columns = None if names is None else tuple(map(str, names.tolist()))
    if columns is not None and len(set(columns)) != len(columns):
        raise DataFormatError("names holds a name twice; columns are found by name.", fspath(path))
    return Matrix(values, columns, None if ids is None else _objects(ids.tolist()), fspath(path))


def _checked(values: Any, path: PathType) -> Any:
    if values.ndim != 2 or values.dtype.kind not in "biuf" or not values.shape[0]:
        raise DataFormatError(
            f"the file must hold a matrix of numbers; this is {values.dtype} of shape {values.shape}.", fspath(path)
        )
    return values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)

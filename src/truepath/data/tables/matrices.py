"""Matrices with named columns and named rows, from tables of all formats and from arrays, checked cell by cell."""

from __future__ import annotations

from contextlib import suppress
from os import fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.data.tables.arrays import ALONE, read_arrays, read_csr
from truepath.data.tables.columns import Columns
from truepath.data.tables.frames import FOUND_OUT, TableForm, format_of, read_columns
from truepath.data.tables.matrix import Matrix
from truepath.data.tables.parquet import parquet_columns, read_parquet
from truepath.data.tables.row_ids import as_texts, check_ids
from truepath.data.tables.text_matrix import cut_plainly, find_ids, read_text_matrix
from truepath.errors import DataFormatError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType
from truepath.files.strict_json import read_json
from truepath.files.text import head_lines
from truepath.hierarchy import Hierarchy


def read_matrix(
    path: PathType,
    hierarchy: Hierarchy | None = None,
    *,
    ids: str | None = None,
    form: TableForm = FOUND_OUT,
    limits: Limits | None = None,
) -> Matrix:
    """Read a matrix by the ending of the file's name; columns in the hierarchy's order if one is given.

    ``ids`` names the column of row ids. By default that is the only column beside those of the hierarchy's nodes, or
    the first column if it is called ``id`` or similar, or holds no numbers.
    """
    kind, limits = format_of(path), limits or usual_limits()
    form.check_sheet(path)
    if kind == "arrays":
        matrix = _read_numpy(path, limits)
    elif kind in ("jsonl", "xlsx"):
        matrix = _from_columns(read_columns(path, form, limits), hierarchy, ids)
    elif kind == "parquet":
        matrix = _read_frame(path, hierarchy, ids, limits)
    else:
        matrix = read_text_matrix(path, form, hierarchy, ids, limits)
    if ids is not None and matrix.ids is None:
        raise matrix.error(f"ids={ids!r} was given, but the file has no named columns.")
    _check_finite(matrix)
    if matrix.ids is not None:
        check_ids(matrix.ids, matrix.error)
    return matrix if hierarchy is None else matrix.aligned(hierarchy)


def column_names(path: PathType, form: TableForm = FOUND_OUT, limits: Limits | None = None) -> list[str]:
    """Return the names of the columns of a table, none for files of arrays."""
    kind = format_of(path)
    if kind == "arrays":
        return []
    if kind == "parquet":
        return parquet_columns(path, limits)
    if kind in ("jsonl", "xlsx"):
        return read_columns(path, form, limits).names
    if kind == "json":
        return _keys(path, limits)
    first = _first_line(path, limits, form.encoding)
    if first is not None and "\ufffd" in first and form.encoding is None:  # bytes that are not UTF-8
        first = _first_line(path, limits, form.encoding_of(path))
    if first is None:
        raise DataFormatError("the file is empty.", fspath(path))
    if "\0" in first or "\ufffd" in first:
        way = "A text in an unusual encoding needs encoding= (--encoding)."
        raise DataFormatError("the first line is not text: this is a binary file.", fspath(path), 1, remedy=way)
    _, header = next(cut_plainly(first, form.delimiter_of(path), fspath(path)))
    return [cell.strip() for cell in header]


def _first_line(path: PathType, limits: Limits | None, encoding: str | None = None) -> str | None:
    return next((line for line in head_lines(path, limits, encoding) if line.strip()), None)


def _keys(path: PathType, limits: Limits | None) -> list[str]:
    """Return the keys of the first of a list of JSON objects; what is wrong with other files is the reader's to say."""
    with suppress(LookupError, TypeError):
        return list(map(str, read_json(path, limits)[0]))
    return []


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


def _read_frame(path: PathType, hierarchy: Hierarchy | None, ids: str | None, limits: Limits) -> Matrix:
    import narwhals as nw

    table = nw.from_native(read_parquet(path, limits), eager_only=True)
    header = [str(name) for name in table.columns]
    if not header or not len(table):
        raise DataFormatError("the table has no rows or no columns.", fspath(path))
    id_column = find_ids(header, table.get_column(table.columns[0])[0], hierarchy, ids, fspath(path))
    columns = [j for j in range(len(header)) if j != id_column]
    values = np.empty((len(table), len(columns)), order="F")
    for k, j in enumerate(columns):
        cells = table.get_column(table.columns[j])
        if not (cells.dtype.is_numeric() or cells.dtype == nw.Boolean):
            raise DataFormatError(f"the column {header[j]!r} holds {cells.dtype}, not numbers.", fspath(path))
        values[:, k] = np.asarray(cells.to_numpy(), np.float64)
    found = None if id_column is None else as_texts(table.get_column(table.columns[id_column]).to_list())
    called = None if id_column is None else header[id_column]
    names = tuple(header[j] for j in columns)
    return Matrix(np.ascontiguousarray(values), names, found, fspath(path), id_name=called)


def _from_columns(table: Columns, hierarchy: Hierarchy | None, ids: str | None) -> Matrix:
    header, path = table.names, str(table.path)
    id_column = find_ids(header, table.data[header[0]][0], hierarchy, ids, path)
    names = [name for j, name in enumerate(header) if j != id_column]
    values, is_number = table.numbers(names)
    if not is_number.all():
        raise table.error(f"the column {names[int(np.argmin(is_number))]!r} holds texts, not numbers.")
    called = None if id_column is None else header[id_column]
    found = None if called is None else as_texts(table.texts(called).tolist())
    return Matrix(values, tuple(names), found, path, list(table.lines), called)


def _read_numpy(path: PathType, limits: Limits) -> Matrix:
    """Read an array, a sparse matrix, or an archive with one matrix and perhaps ``names`` and ``ids``."""
    parts = read_arrays(path, limits)
    if ALONE not in parts and "format" not in parts:
        return _from_archive(parts, path)
    values = parts[ALONE] if ALONE in parts else read_csr(path, limits)
    return Matrix(_checked(values, path), None, None, fspath(path))


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
    return Matrix(values, columns, None if ids is None else as_texts(ids.tolist()), fspath(path))


def _checked(values: Any, path: PathType) -> Any:
    if values.ndim != 2 or values.dtype.kind not in "biuf" or not values.shape[0]:
        raise DataFormatError(
            f"the file must hold a matrix of numbers; this is {values.dtype} of shape {values.shape}.", fspath(path)
        )
    return values if values.dtype in (np.float32, np.float64) else values.astype(np.float64)

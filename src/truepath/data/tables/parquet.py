"""Parquet files, read with the library that is installed, within the limits: their pages can unpack to any size.

Numbers take what their count says. Texts do not: a page may be packed a thousand times smaller than it is, and a text
that many rows share is stored once. With pyarrow such texts are therefore read as the numbers of the distinct ones,
and written out only when what they take is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from io import SEEK_END
from itertools import chain
from os import fspath
from typing import Any, BinaryIO

import numpy as np

from truepath.errors import DataFormatError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType
from truepath.files.unpacking import open_binary

_ROWS = 1 << 16  # that many are unpacked before their size is looked at
_FEW_ROWS = 4
_REPEATED = 1 << 26  # bytes of texts that may repeat one another
_CELL = 8  # bytes of a number


def read_parquet(path: PathType, limits: Limits | None = None) -> Any:
    """Read a Parquet file; return a frame of the library that is installed."""
    limits = limits or usual_limits()
    with _opened(path, limits) as file:
        if find_spec("pyarrow"):
            return _with_pyarrow(file, path, limits)
        if find_spec("polars"):
            return _with_polars(file, path, limits)
    raise _no_library()


def parquet_columns(path: PathType, limits: Limits | None = None) -> list[str]:
    """Return the names of the columns; the rows are not read."""
    with _opened(path, limits) as file:
        if find_spec("pyarrow"):
            from pyarrow import parquet

            return [str(name) for name in parquet.read_schema(file).names]
        if find_spec("polars"):
            import polars

            return list(polars.read_parquet_schema(file))
    raise _no_library()


def parquet_batches(file: BinaryIO, path: PathType, limits: Limits, size: int = _ROWS) -> Iterator[Any]:
    """Yield tables of pyarrow, of ``size`` rows; texts that are out of proportion to the file are not unpacked."""
    import pyarrow
    from pyarrow import parquet

    packed, found = file.seek(0, SEEK_END), parquet.ParquetFile(file)
    groups = [i for i in range(found.num_row_groups) if found.metadata.row_group(i).num_rows > 0]
    n_bytes = sum(found.metadata.row_group(i).total_byte_size for i in groups)
    limits.check_ratio(n_bytes, packed, fspath(path))
    texts = list(_text_chunks(found, groups))
    shared = sorted({chunk.path_in_schema for chunk in texts if chunk.has_dictionary_page})
    found, schema, n_bytes = parquet.ParquetFile(file, read_dictionary=shared), parquet.read_schema(file), 0
    size = min(size, _safe_rows(texts))
    for batch in chain.from_iterable(found.iter_batches(size, row_groups=[i]) for i in groups):  # of own distinct texts
        n_bytes += sum(map(_text_bytes, batch.columns))
        limits.check_ratio(n_bytes, packed, fspath(path))
        table = pyarrow.Table.from_batches([batch]).cast(schema)
        table.validate(full=True)  # damaged pages may decode to offsets that lead outside
        yield table


def _text_chunks(found: Any, groups: list[int]) -> Iterator[Any]:
    """Yield what is said of each column of texts in each of some groups of rows.

    A row of these columns is read first: pyarrow raises an error if that cannot be done, but where a damaged file says
    that a column is encrypted, it ends the whole process once that column is looked at.
    """
    columns = [found.schema.column(j) for j in range(found.metadata.num_columns)]
    is_text = [column.physical_type == "BYTE_ARRAY" and column.logical_type.type != "DECIMAL" for column in columns]
    places = np.flatnonzero(is_text).tolist()
    for i in groups if places else []:
        next(found.iter_batches(1, row_groups=[i], columns=[columns[j].path for j in places]))
        yield from map(found.metadata.row_group(i).column, places)


def _safe_rows(texts: list[Any]) -> int:
    """Return how many rows to unpack at a time: few where a text may repeat the beginning of the one before it."""
    repeating = [chunk.total_uncompressed_size for chunk in texts if "DELTA_BYTE_ARRAY" in chunk.encodings]
    return max(_FEW_ROWS, _REPEATED // max(repeating)) if repeating else _ROWS


def _text_bytes(column: Any) -> int:
    """Return what the texts of a column take once each row has its own."""
    from pyarrow import compute, types

    if types.is_dictionary(column.type):
        lengths = compute.binary_length(column.dictionary) if _is_text(column.dictionary.type) else None
        return 0 if lengths is None else int(compute.sum(lengths.take(column.indices)).as_py() or 0)
    if types.is_nested(column.type):
        parts = column.flatten()
        return sum(map(_text_bytes, parts)) if isinstance(parts, list) else _text_bytes(parts)
    return int(column.nbytes) if _is_text(column.type) else 0


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    tests = (types.is_string, types.is_binary, types.is_large_string, types.is_large_binary)
    return any(test(kind) for test in tests)


def _with_pyarrow(file: BinaryIO, path: PathType, limits: Limits) -> Any:
    import pyarrow
    from pyarrow import parquet

    metadata = parquet.read_metadata(file)
    _check_cells(metadata.num_rows, metadata.num_columns, path, limits)
    tables, size = [], 0
    for table in parquet_batches(file, path, limits):
        size += table.nbytes
        limits.check("max_bytes", size, "the table unpacks to {:,} bytes or more", fspath(path))
        tables.append(table)
    return pyarrow.concat_tables([parquet.read_schema(file).empty_table(), *tables])


def _with_polars(file: BinaryIO, path: PathType, limits: Limits) -> Any:
    import polars

    n_columns = len(polars.read_parquet_schema(file))
    file.seek(0)
    raw = file.read()
    found = polars.scan_parquet(raw)
    _check_cells(found.select(polars.len()).collect().item(), n_columns, path, limits)
    texts = found.select(polars.col(polars.String).str.len_bytes().sum()).collect()  # which rows share until then
    limits.check_ratio(sum(texts.row(0)) if texts.width else 0, len(raw), fspath(path))
    return polars.read_parquet(raw)


def _check_cells(n_rows: int, n_columns: int, path: PathType, limits: Limits) -> None:
    size = _CELL * n_rows * n_columns
    limits.check("max_bytes", size, f"{n_rows:,} rows of {n_columns:,} columns take {{:,}} bytes", fspath(path))


@contextmanager
def _opened(path: PathType, limits: Limits | None) -> Iterator[BinaryIO]:
    with open_binary(path, limits) as file:  # a missing file is an OSError with any library
        try:
            yield file
        except DataFormatError:
            raise
        except Exception as problem:  # each library has its own errors
            said = " ".join(str(problem).split())[:200]
            raise DataFormatError(f"not a readable Parquet file ({said}).", fspath(path)) from problem


def _no_library() -> ImportError:
    return ImportError("reading Parquet needs pyarrow or polars: install one of them (pip install pyarrow).")

"""Parquet files, read with the library that is installed, within the limits: their pages can unpack to any size."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from os import fspath
from typing import Any, BinaryIO

from truepath.errors import DataFormatError
from truepath.files.limits import Limits, usual_limits
from truepath.files.names import PathType
from truepath.files.unpacking import open_binary

_ROWS = 1 << 16  # that many are unpacked before their size is looked at
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


def _with_pyarrow(file: BinaryIO, path: PathType, limits: Limits) -> Any:
    import pyarrow
    from pyarrow import parquet

    found = parquet.ParquetFile(file)
    _check_cells(found.metadata.num_rows, found.metadata.num_columns, path, limits)
    batches, size = [], 0
    for batch in found.iter_batches(_ROWS):
        size += batch.nbytes
        limits.check("max_bytes", size, "the table unpacks to {:,} bytes or more", fspath(path))
        batches.append(batch)
    table = pyarrow.Table.from_batches(batches, schema=found.schema_arrow)
    table.validate(full=True)  # damaged pages may decode to offsets that lead outside
    return table


def _with_polars(file: BinaryIO, path: PathType, limits: Limits) -> Any:
    import polars

    n_columns = len(polars.read_parquet_schema(file))
    file.seek(0)
    raw = file.read()
    n_rows = polars.scan_parquet(raw).select(polars.len()).collect().item()
    _check_cells(n_rows, n_columns, path, limits)
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

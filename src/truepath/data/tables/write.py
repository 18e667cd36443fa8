"""Columns to a file: CSV, TSV or Parquet, by the ending of its name; written whole or not at all."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any, TextIO

from truepath._atomic import open_atomically
from truepath.data.files import PathType
from truepath.data.tables.frames import FORMATS

__all__ = ["as_ids", "find_format", "write_columns", "write_csv"]

#: The formats that are written, by ending
_WRITTEN = {ending: kind for ending, kind in FORMATS.items() if kind != "numpy"}


def find_format(path: PathType | TextIO, wanted: str | None = None) -> str:
    """Return the format wanted, or the one the file's ending names.

    >>> find_format("out/labels.parquet"), find_format("labels.txt", "csv")
    ('parquet', 'csv')
    """
    if wanted is not None:
        if wanted not in set(_WRITTEN.values()):
            raise ValueError(f"format must be one of 'csv', 'tsv', 'parquet', 'json'; got {wanted!r}.")
        return wanted
    ending = Path(path).suffix.lower() if isinstance(path, (str, PathLike)) else ".csv"
    if ending not in _WRITTEN:
        raise ValueError(f"{path}: no format known for this ending; use {', '.join(_WRITTEN)}, or name a format.")
    return _WRITTEN[ending]


def as_ids(ids: Iterable[Any] | None, n_rows: int) -> list[str]:
    """Return the row ids: those given, each once, or the row numbers."""
    if ids is None:
        return [str(i) for i in range(n_rows)]
    names = [str(name) for name in ids]
    if len(names) != n_rows or len(set(names)) != n_rows:
        raise ValueError(
            f"ids must hold {n_rows} different names, one per row; got {len(names)}, {len(set(names))} different."
        )
    return names


def write_columns(path: PathType | TextIO, columns: Mapping[str, Sequence[Any]], wanted: str | None = None) -> None:
    """Write a table."""
    kind = find_format(path, wanted)
    if kind == "parquet":
        _write_parquet(path, columns)
    elif kind == "json":
        raise ValueError("a matrix is not written as JSON; use .csv, .tsv or .parquet.")
    elif hasattr(path, "write"):
        write_csv(path, columns, kind)
    else:
        with open_atomically(path, "w", encoding="utf-8", newline="") as file:
            write_csv(file, columns, kind)


def write_csv(file: Any, columns: Mapping[str, Sequence[Any]], kind: str = "csv") -> None:
    """Write the lines; numbers so that they are read back as the same."""
    writer = csv.writer(file, delimiter="\t" if kind == "tsv" else ",", lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values()))


def _write_parquet(path: Any, columns: Mapping[str, Sequence[Any]]) -> None:
    if hasattr(path, "write"):
        raise ValueError("Parquet is written to a file, not to a text stream; name one.")
    if find_spec("pyarrow"):
        import pyarrow
        from pyarrow import parquet

        with open_atomically(path) as file:
            parquet.write_table(pyarrow.table(dict(columns)), file)
    elif find_spec("polars"):
        import polars

        with open_atomically(path) as file:
            polars.DataFrame(dict(columns)).write_parquet(file)
    else:
        raise ImportError("writing Parquet needs pyarrow or polars: install one of them (pip install pyarrow).")

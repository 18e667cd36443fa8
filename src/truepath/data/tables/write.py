"""What every table that is written has: a format, by the ending of its name, ids, and cells that are safe."""

from __future__ import annotations

import re
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any, TextIO

from truepath.data.tables.frames import FORMATS
from truepath.files.names import PathType

#: The formats that are written, by ending
_WRITTEN = {ending: kind for ending, kind in FORMATS.items() if kind not in ("arrays", "xlsx")}

#: Where a spreadsheet may see a formula: at the start of a cell, or behind what it takes for the end of one
_FORMULA = re.compile(r"""(^|[,;\t\r\n])(?=["\s]*[-=+@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])""")
_NUMBER = re.compile(r"[-+]?((\d+\.?\d*|\.\d+)(e[-+]?\d+)?|inf|nan)", re.IGNORECASE)


def safe_cell(value: Any) -> Any:
    """Return a cell that no spreadsheet runs as a formula; numbers, also those written as text, stay as they are.

    Text that starts with ``=``, ``+``, ``-``, ``@``, a tab or a line end gets an apostrophe in front, also behind a
    comma, a semicolon or a tab, where a spreadsheet with other settings would start a new cell.

    >>> [safe_cell(cell) for cell in ("=1+1", "a;@b", "-1.5e-3", "a-b", -2)]
    ["'=1+1", "a;'@b", '-1.5e-3', 'a-b', -2]
    """
    if not isinstance(value, str) or _NUMBER.fullmatch(value):
        return value
    return _FORMULA.sub(r"\1'", value)


def find_format(path: PathType | TextIO, wanted: str | None = None) -> str:
    """Return the format wanted, or the one the file's ending names.

    >>> find_format("out/labels.parquet"), find_format("labels.txt", "csv")
    ('parquet', 'csv')
    """
    if wanted is not None:
        if wanted not in set(_WRITTEN.values()):
            raise ValueError(f"format must be one of 'csv', 'tsv', 'parquet', 'json', 'jsonl'; got {wanted!r}.")
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

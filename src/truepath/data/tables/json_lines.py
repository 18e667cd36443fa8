"""Lines of JSON, an object for each row: what logs, web services and data sets of texts are written as."""

from __future__ import annotations

import json
from os import fspath
from typing import Any

from truepath.data.tables.columns import Columns
from truepath.errors import DataFormatError
from truepath.files.limits import Limits
from truepath.files.names import PathType
from truepath.files.text import stream_lines


def read_json_lines(path: PathType, limits: Limits | None = None) -> Columns:
    r"""Return the fields of all objects as columns; a field that an object lacks is a missing value.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "rows.jsonl"
    >>> _ = file.write_text('{"x": 1, "labels": ["a", "b"]}\n{"x": 2.5}\n')
    >>> dict(read_json_lines(file).data)
    {'x': [1, 2.5], 'labels': [['a', 'b'], None]}
    """
    rows: list[dict[str, Any]] = []
    lines = []
    for number, line in enumerate(stream_lines(path, limits), start=1):
        if line.strip():
            rows.append(_object(line, path, number))
            lines.append(number)
    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        raise DataFormatError("no line holds an object with fields.", fspath(path))
    return Columns({name: [row.get(name) for row in rows] for name in names}, fspath(path), lines)


def _object(line: str, path: PathType, number: int) -> dict[str, Any]:
    """Return the object of a line."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as problem:
        said = getattr(problem, "msg", "nested too deeply")
        raise DataFormatError(f"not a line of JSON ({said}).", fspath(path), number) from None
    if not isinstance(found, dict):
        raise DataFormatError('a line holds an object, such as {"x": 1, "labels": "a/1"}.', fspath(path), number)
    for name, value in found.items():
        if isinstance(value, dict):
            raise DataFormatError(
                f"field {name!r} holds an object; a cell is a text or a number.", fspath(path), number
            )
    return found

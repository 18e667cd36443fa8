"""Which rows of two tables are the same: found by ids, or, where there are none or it is asked for, by their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.data.tables.columns import Columns, no_column
from truepath.data.tables.frames import FOUND_OUT, TableForm
from truepath.data.tables.matrices import column_names
from truepath.data.tables.row_ids import as_texts, check_ids, is_id_name, match_rows
from truepath.english import counted
from truepath.errors import TruePathError, explain
from truepath.files.names import PathType

_FIRST_LOOK = 200  # a column that repeats itself among this many rows is not read further
_WAY_OUT = "Name the column of ids with --ids, or add --by-order to compare row by row."


@dataclass(frozen=True)
class RowKeys:
    """What the rows of a table may be found by: columns of different values, by name.

    Attributes
    ----------
    path : str
    n_rows : int
    keys : mapping of str to ndarray of str, shape (n_rows,)
    """

    path: str
    n_rows: int
    keys: Mapping[str, NDArray[np.object_]] = field(default_factory=dict)


class Joined(NamedTuple):
    """Where each row of one table is in the other, and how that was found, in words."""

    rows: NDArray[np.int64]
    how: str


class _Pair(NamedTuple):
    """A column of each table, and how many of their values are the same; the larger the better."""

    n_same: int
    is_same_name: bool
    wanted: str
    given: str


def join_rows(wanted: RowKeys, given: RowKeys, *, by_order: bool = False) -> Joined:
    """Find the rows of one table in another: by the columns whose values match, whatever they are called.

    Order counts only if it is asked for, or if one table has no ids (row numbers that match nothing are none).

    Parameters
    ----------
    wanted, given : RowKeys
    by_order : bool, default=False

    Returns
    -------
    joined : Joined

    Raises
    ------
    TruePathError
        If only some rows match, or the tables have ids that do not match, or have different lengths.

    Examples
    --------
    >>> truth = RowKeys("truth.csv", 2, {"gene": np.array(["x", "y"], object)})
    >>> join_rows(truth, RowKeys("found.csv", 2, {"id": np.array(["y", "x"], object)})).rows.tolist()
    [1, 0]
    >>> join_rows(truth, RowKeys("found.npy", 2)).how
    'row by row, in the order of both: found.npy has no column of ids'
    """
    if by_order:
        return _in_order(wanted, given, "as asked")
    best = _best_pair(wanted, given)
    if best is None:
        return _in_order(wanted, given, f"{_without_ids(wanted, given)} has no column of ids")
    try:
        rows = match_rows(wanted.keys[best.wanted], given.keys[best.given], what=given.path)
    except TruePathError as error:
        problem, _ = explain(error)
        joined = f"{_columns(best)}: {counted(best.n_same, 'row')} {'is' if best.n_same == 1 else 'are'} in both."
        raise TruePathError(f"{problem} Joined by {joined}", _WAY_OUT) from None
    return Joined(rows, f"{counted(len(rows), 'row')} matched by {_columns(best)}")


def _columns(pair: _Pair) -> str:
    return repr(pair.wanted) if pair.is_same_name else f"{pair.wanted!r} and {pair.given!r}"


def _best_pair(wanted: RowKeys, given: RowKeys) -> _Pair | None:
    """Return the columns with the most values in common, of the same name rather than not; None if there are none."""
    values = {id(side): {name: set(column.tolist()) for name, column in side.keys.items()} for side in (wanted, given)}
    pairs = [
        _Pair(len(values[id(wanted)][a] & values[id(given)][b]), a == b, a, b)
        for a, b in product(wanted.keys, given.keys)
        if _may_match(wanted.keys, a, b) and _may_match(given.keys, b, a)
    ]
    return max(pairs, key=lambda pair: (pair.n_same, pair.is_same_name), default=None)


def _may_match(keys: Mapping[str, NDArray[np.object_]], name: str, other: str) -> bool:
    """Row numbers are what tables get that had no ids: they are compared with ids by name only."""
    return name == other or is_id_name(other) or not _are_row_numbers(keys[name])


def _are_row_numbers(column: NDArray[np.object_]) -> bool:
    return bool((column == np.arange(len(column)).astype(str).astype(object)).all())


def _without_ids(wanted: RowKeys, given: RowKeys) -> str:
    for side in (given, wanted):
        if all(_are_row_numbers(column) for column in side.keys.values()):
            return side.path
    return given.path


def _in_order(wanted: RowKeys, given: RowKeys, why: str) -> Joined:
    if wanted.n_rows != given.n_rows:
        raise TruePathError(
            f"{given.path} has {counted(given.n_rows, 'row')}, {wanted.path} has {wanted.n_rows:,}: they must be the "
            "same rows.",
            "Give both a column of ids to find the rows by." if why == "as asked" else _WAY_OUT.split(",")[0] + ".",
        )
    return Joined(np.arange(wanted.n_rows), f"row by row, in the order of both: {why}")


def find_column(
    name: str | None, paths: Iterable[PathType | None], form: TableForm = FOUND_OUT
) -> dict[PathType, str | None]:
    """Return which of some files have a column of this name: the name for those, None for the others.

    Raises
    ------
    TruePathError
        If a name is given and no file has such a column.
    """
    files = [path for path in paths if path is not None]
    if name is None:
        return dict.fromkeys(files)
    columns = {path: column_names(path, form.for_file(path)) for path in files}
    if not any(name in known for known in columns.values()):
        everywhere = list(dict.fromkeys(column for known in columns.values() for column in known))
        raise TruePathError(f"{', '.join(map(str, files))}: {no_column(name, everywhere)}")
    return {path: name if name in known else None for path, known in columns.items()}


def find_keys(table: Columns, labels: str, ids: str | None) -> dict[str, NDArray[np.object_]]:
    """Return the columns beside the labels that rows may be found by: the one named, or all of different values.

    Columns called ``id`` or similar come first. One of these that holds a value twice is an error if no other column
    will do.
    """
    if ids is not None:
        return _checked(table, ids)
    names = sorted((name for name in table.names if name != labels), key=lambda name: not is_id_name(name))
    found = {name: _texts(table, name) for name in names if _look_unique(table.data[name])}
    keys = {name: cells for name, cells in found.items() if len({*cells.tolist(), ""}) == len(cells) + 1}
    return _checked(table, names[0]) if not keys and names and is_id_name(names[0]) else keys


def _checked(table: Columns, name: str) -> dict[str, NDArray[np.object_]]:
    cells = _texts(table, name)
    check_ids(cells, table.error)
    return {name: cells}


def _texts(table: Columns, name: str) -> NDArray[np.object_]:
    return as_texts(table.texts(name).tolist())


def _look_unique(column: Any) -> bool:
    """Take a first look: whether a column may be ids, neither fractions nor lists, no value twice."""
    first = list(column[:_FIRST_LOOK])
    if any(isinstance(cell, (list, tuple, dict, np.ndarray)) for cell in first):
        return False
    texts = [str(cell) for cell in first]
    return len(set(texts)) == len(texts) and not any(_is_fraction(text) for text in texts)


def _is_fraction(text: str) -> bool:
    try:
        return not float(text.replace(",", ".")).is_integer()
    except (ValueError, OverflowError):
        return False

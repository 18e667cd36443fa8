"""Row ids: which column holds them, that each occurs once, and finding the same rows in another table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.english import counted, did_you_mean
from truepath.errors import TruePathError

_ID_NAMES = frozenset(
    [
        "",
        "id",
        "ids",
        "index",
        "key",
        "name",
        "row",
        "sample",
        "instance",
        "item",
        "document",
        "unnamed: 0",
        "__index_level_0__",
    ]
)


def is_id_name(name: str) -> bool:
    """Return whether a column of this name holds row ids.

    >>> is_id_name("ID"), is_id_name("a/1")
    (True, False)
    """
    return name.strip().lower() in _ID_NAMES


def as_texts(names: Iterable[Any]) -> NDArray[np.object_]:
    """Return row names as strings without spaces around them."""
    return np.array([str(name).strip() for name in names], dtype=object)


def check_ids(ids: NDArray[np.object_], error: Callable[[str, int], Exception]) -> None:
    """Refuse an id that occurs twice; ``error(problem, row)`` makes the exception."""
    seen: dict[str, int] = {}
    for row, name in enumerate(ids.tolist()):
        if seen.setdefault(name, row) != row:
            raise error(f"the id {name[:60]!r} occurs twice (first in row {seen[name]}); rows are found by id.", row)


def match_rows(wanted: Iterable[Any], given: Iterable[Any], *, what: str = "the other table") -> NDArray[np.int64]:
    """Return where each row of ``wanted`` is in ``given``; both must hold the same ids.

    Parameters
    ----------
    wanted, given : iterable
        Row ids, each once.
    what : str, default="the other table"
        The name of the table of the ``given`` ids in errors.

    Returns
    -------
    rows : ndarray of int, shape (len(wanted),)

    Raises
    ------
    TruePathError
        If a row of one table is not in the other.

    Examples
    --------
    >>> from truepath.data import match_rows
    >>> match_rows(["x", "y"], ["y", "x"]).tolist()
    [1, 0]
    """
    place = {str(name): row for row, name in enumerate(given)}
    names = [str(name) for name in wanted]
    if missing := [name for name in names if name not in place]:
        raise TruePathError(
            f"{what} lacks {len(missing):,} of {counted(len(names), 'row')}, first the id {missing[0]!r}.",
            did_you_mean(missing[0], place),
        )
    if len(place) > len(names):
        extra = next(name for name in place if name not in set(names))
        raise TruePathError(
            f"{what} has {counted(len(place) - len(names), 'row')} too many, first the id {extra!r}. "
            "Both tables must hold the same rows."
        )
    return np.array([place[name] for name in names], np.int64)

"""Warnings about labels that look different from how they were read: paths as flat names, several labels as one."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from truepath.errors import FlatLabelsWarning, JoinedLabelsWarning

#: What people write between the levels of a path
SEPARATORS = (" > ", "::", "|", "/", "->", "\\")
#: What people write between the labels of a row
BETWEEN = (";", "|", ",", "&", "\n")
#: From this many on, labels that look like several count as several: a single one may be a name
FEWEST_LISTS = 2


def warn_about_lists(names: Iterable[str], sep: str) -> str | None:
    """Warn if labels are others with something between them; return what that is.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     found = warn_about_lists(["a/1", "a/2", "b", "a/1|b", "b | a/2"], "/")
    >>> print(said[0].message)
    2 of the 5 labels, such as 'a/1|b', look like several with '|' between them, and were read as one each. If they ...
    >>> warn_about_lists(["a", "a|1", "a|2"], "/")  # levels of a path: nothing is called 1 or 2
    """
    listed = list(names)
    for other in BETWEEN:
        if other == sep.strip():
            continue
        joined = [name for name in listed if other in name]
        plain = [name for name in listed if other not in name]
        known = {sep.join(parts[:k]) for parts in (name.split(sep) for name in plain) for k in range(1, len(parts) + 1)}
        lists = [name for name in joined if all(part.strip() in known for part in name.split(other))]
        if len(lists) >= FEWEST_LISTS and 2 * len(lists) >= len(joined):
            warnings.warn(
                f"{len(lists)} of the {len(listed)} labels, such as {lists[0][:60]!r}, look like several with "
                f"{other!r} between them, and were read as one each. If they are several, pass between={other!r} "
                "(--between).",
                JoinedLabelsWarning,
                stacklevel=3,
            )
            return other
    return None


def warn_about_separators(names: Iterable[str], sep: str, between: str | None = None) -> None:
    """Warn if names of a hierarchy without edges contain what usually separates the levels of a path.

    ``between`` is known to separate labels.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     warn_about_separators(["Food > Fruit", "Tools"], "/")
    >>> print(said[0].message)
    the 2 labels are flat: no name has the separator '/', but 'Food > Fruit' has ' > '. If that separates the ...
    """
    listed = list(names)
    for other in SEPARATORS:
        found = next((name for name in listed if other not in (sep, between) and other in name), None)
        if found is not None:
            warnings.warn(
                f"the {len(listed)} labels are flat: no name has the separator {sep!r}, but {found[:60]!r} has "
                f"{other!r}. If that separates the levels of a path, pass sep={other!r} (--sep); if it separates "
                f"labels, between={other!r} (--between).",
                FlatLabelsWarning,
                stacklevel=3,
            )
            return


def warn_about_levels(rows: Sequence[Any]) -> None:
    """Warn if the rows of a flat result look like the levels of one path each: equal length, columns that nest."""
    if len(rows) < 2 or not all(isinstance(row, (list, tuple)) for row in rows):
        return
    if len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        return
    if not all(isinstance(name, str) for row in rows for name in row) or not _nest(list(zip(*rows))):
        return
    warnings.warn(
        f"the labels are flat: each row, such as {list(rows[0])!r}, was read as {len(rows[0])} labels side by side, "
        "but the columns nest like the levels of a path. If they are levels, pass np.array(y), or a tuple for each "
        "path: [[tuple(row)] for row in y].",
        FlatLabelsWarning,
        stacklevel=3,
    )


def _nest(columns: Sequence[tuple[str, ...]]) -> bool:
    """Say whether each name stands in one column, below one name of the column before, and columns grow wider."""
    widths = [len(set(column)) for column in columns]
    if sum(widths) != len(set().union(*columns)) or widths[0] == widths[-1]:
        return False
    return all(len(set(zip(upper, lower))) == len(set(lower)) for upper, lower in pairwise(columns))

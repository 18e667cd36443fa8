"""Labels that became flat though they look like paths: a separator in names, or lists of levels; said, not changed."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from truepath.errors import FlatLabelsWarning

__all__ = ["SEPARATORS", "warn_of_levels", "warn_of_separators"]

#: What people write between the levels of a path
SEPARATORS = (" > ", "::", "|", "/", "->", "\\")


def warn_of_separators(names: Iterable[str], sep: str) -> None:
    """Warn if names of a hierarchy without edges contain what usually separates the levels of a path.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     warn_of_separators(["Food > Fruit", "Tools"], "/")
    >>> print(said[0].message)
    the 2 labels are flat: no name has the separator '/', but 'Food > Fruit' has ' > '. If that separates the ...
    """
    listed = list(names)
    for other in SEPARATORS:
        found = next((name for name in listed if other != sep and other in name), None)
        if found is not None:
            warnings.warn(
                f"the {len(listed)} labels are flat: no name has the separator {sep!r}, but {found[:60]!r} has "
                f"{other!r}. If that separates the levels of a path, pass sep={other!r} (--sep); if it separates "
                f"labels, between={other!r} (--between).",
                FlatLabelsWarning,
                stacklevel=3,
            )
            return


def warn_of_levels(rows: Sequence[Any]) -> None:
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

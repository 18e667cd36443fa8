"""Finding a node by name, what to say when it is not there, and names without those of parents in front."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

from truepath.errors import UnknownLabelError

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

__all__ = ["WAYS", "look_up", "nearest", "short_name", "unknown_label"]

#: How labels are written, for errors about what is no label
WAYS = "Write a name such as 'a', a path such as 'a/b' or ('a', 'b'), or a list of them; [] for a row without labels."

# What may stand between a parent's name and the rest
_BETWEEN = " :/.|>@-_\\,;"
# difflib compares with every name: past this many, only names that share a beginning are compared
MANY_NAMES = 20_000


def look_up(hierarchy: Hierarchy, name: str) -> int:
    """Return the number of the node called ``name``, or of the one it is an alias of."""
    index = hierarchy._index
    v = index.get(name)
    if v is None:
        v = index.get(hierarchy.aliases.get(name, name))
    if v is None:
        raise unknown_label(hierarchy, name)
    return v


def unknown_label(hierarchy: Hierarchy, name: object, where: str = "") -> UnknownLabelError:
    """Make the error for a label that the hierarchy does not have, with the nearest names."""
    near = nearest(str(name), hierarchy._index)
    hint = f" Nearest: {', '.join(map(repr, near))}." if near else ""
    return UnknownLabelError(
        f"the label {name!r}{where} is not in the hierarchy of {hierarchy.n_nodes} labels.{hint}", [str(name)]
    )


def nearest(name: str, names: Iterable[str], n: int = 3) -> list[str]:
    """Return the few names most like ``name``."""
    pool = list(names)
    if len(pool) > MANY_NAMES:
        pool = [other for other in pool if other[:3] == name[:3]][:MANY_NAMES]
    return get_close_matches(name, pool, n=n)


def short_name(name: str, parents: Iterable[object]) -> str:
    """Return what a name adds to that of a parent that it begins with, or else the whole name.

    Examples
    --------
    >>> short_name("animal :: cat", ["animal"]), short_name("category", ["cat"])
    ('cat', 'category')
    """
    for parent in map(str, parents):
        rest = name[len(parent) :] if name.startswith(parent) else ""
        tail = rest.lstrip(_BETWEEN)
        if tail and tail != rest:
            return tail
    return name

"""Finding a node by name, what to say when it is not there, and names without those of parents in front."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from truepath.english import did_you_mean
from truepath.errors import UnknownLabelError

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

#: How labels are written, for errors about what is not a label
WAYS = "Write a name such as 'a', a path such as 'a/b' or ('a', 'b'), or a list of them; [] for a row without labels."

# What may stand between a parent's name and the rest
_BETWEEN = " :/.|>@-_\\,;"


def look_up(hierarchy: Hierarchy, name: str) -> int:
    """Return the number of the node called ``name``, or of the one it is an alias of."""
    index = hierarchy.numbers
    v = index.get(name)
    if v is None:
        v = index.get(hierarchy.aliases.get(name, name))
    if v is None:
        raise unknown_label(hierarchy, name)
    return v


def node_number(hierarchy: Hierarchy, v: int | str) -> int:
    """Return the number of a node that is given by number or by name."""
    if isinstance(v, str):
        return look_up(hierarchy, v)
    if not 0 <= v < hierarchy.n_nodes:
        raise IndexError(f"node {v} is out of range: the hierarchy has the nodes 0 to {hierarchy.n_nodes - 1}.")
    return int(v)


def unknown_label(hierarchy: Hierarchy, name: object, where: str = "") -> UnknownLabelError:
    """Make the error for a label that the hierarchy does not have, with the nearest names."""
    problem = f"the label {name!r}{where} is not in the hierarchy of {hierarchy.n_nodes} labels."
    return UnknownLabelError(problem, [str(name)], did_you_mean(name, hierarchy.numbers))


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

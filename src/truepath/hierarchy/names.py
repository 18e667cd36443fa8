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
    shown = str(name) if isinstance(name, str) else name  # not as NumPy's text
    problem = f"the label {shown!r}{where} is not in the hierarchy of {hierarchy.n_nodes} labels."
    return UnknownLabelError(problem, [str(name)], did_you_mean(name, hierarchy.numbers))


def short_name(hierarchy: Hierarchy, v: int, above: Iterable[int] | None = None) -> str:
    """Return what a node's name adds to that of a parent, where names are paths; or else the whole name.

    Only what joins the names of this hierarchy counts: below ``E08``, ``E08.7`` is a code of its own.

    Parameters
    ----------
    hierarchy : Hierarchy
    v : int
    above : iterable of int, optional
        The parents to look at; all by default.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> short_name(Hierarchy.from_paths(["animal/cat"]), 1), short_name(Hierarchy.from_edges([("E08", "E08.7")]), 1)
    ('cat', 'E08.7')
    """
    name, sep = str(hierarchy.names[v]), hierarchy.sep
    for parent in (
        () if sep is None else map(str, hierarchy.names[list(hierarchy.parents(v) if above is None else above)])
    ):
        if name.startswith(parent + str(sep)) and len(name) > len(parent) + len(str(sep)):
            return name[len(parent) + len(str(sep)) :]
    return name

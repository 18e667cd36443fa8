"""Whether the first line of a file of edges names its columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from os import fspath

from truepath.errors import DataFormatError
from truepath.files.names import PathType

Edge = tuple[str | None, str]

#: Words of which the names of the two columns are made, as in parent_id, SuperClass or "from node"
_ABOVE = {"parent", "parents", "source", "from", "super", "superclass", "broader", "ancestor", "head", "start", "upper"}
#: Words that mean nothing but what is above
_PARENT = {"parent", "parents", "broader", "superclass", "super"}
_BELOW = {"child", "children", "target", "to", "sub", "subclass", "narrower", "descendant", "tail", "end", "lower"}


def drop_header(edges: list[Edge], header: bool | None, path: PathType, names: Collection[str] = ()) -> list[Edge]:
    """Return the edges of a file without the names of the columns.

    Parameters
    ----------
    edges : list of (parent, child)
        As read; None for the top.
    header : bool, optional
        Whether the first of them is a header. None detects it: two names that occur nowhere else and mean parent and
        child are a header. Other names that occur nowhere else, while all other lines are connected, could be one:
        that is an error that asks for ``header``.
    path : path
        For the error.
    names : collection of str, optional
        Names that are known to be nodes.
    """
    if header is not None or len(edges) < 2:
        return edges[1:] if header else edges
    above, below = edges[0]
    count = Counter(name for edge in edges for name in edge if name is not None)
    is_alone = above is not None and count[above] == count[below] == 1 and not {above, below} & set(names)
    if not is_alone:
        return edges
    assert above is not None
    if _words(above) & _ABOVE and _words(below) & _BELOW:
        return edges[1:]
    if _words(below) & _PARENT and not _words(above) & _ABOVE:  # child and parent, in this order
        return [(parent or None, str(child)) for child, parent in edges[1:]]
    if all(_hangs_on(edge, count) for edge in edges[1:]):
        raise DataFormatError(
            f"is the first line, {above!r} and {below!r}, an edge or the names of the columns? Both names occur "
            "nowhere else, while all other edges are connected.",
            fspath(path),
            remedy="Say so: header=True or header=False (--header or --no-header).",
        )
    return edges


def _hangs_on(edge: Edge, count: Counter[str]) -> bool:
    """Say whether an edge starts at the top, or shares a name with another."""
    return edge[0] is None or count[edge[0]] > 1 or count[edge[1]] > 1


def _words(name: str) -> set[str]:
    """Return the words that a column's name is made of, small."""
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return set(re.split(r"[^a-z]+", parted.lower()))

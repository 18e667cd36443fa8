"""Hierarchies from other shapes and to them: named edges, paths, parent lists, JSON, networkx; parents come first."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from numbers import Integral, Number
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truepath.errors import CycleError, HierarchyError
from truepath.extras import import_extra
from truepath.files.strict_json import dump_json

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

IntArray = NDArray[np.int32]


def check_name(name: Any) -> str:
    """Return ``name`` if it can name a node."""
    if not isinstance(name, str):
        raise TypeError(
            f"a node name must be a string; got {name!r} of type {type(name).__name__}. "
            "Convert names first, e.g. with str(name)."
        )
    if not name or "\0" in name:
        raise HierarchyError(f"{name!r} cannot name a node: a name is not empty and has no NUL character.")
    if not name.isascii():
        try:
            name.encode()
        except UnicodeEncodeError:
            raise HierarchyError(
                f"{name!r} cannot name a node: it holds half a character, which no file takes."
            ) from None
    return name


#: Values of pandas that stand for none, by their types; pandas may not be installed
_NOTHING = ("NAType", "NaTType")


def is_missing(cell: Any) -> bool:
    """Return whether a cell of a table or frame holds no value: None, NaN, NaT, or NA of pandas.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing(""), is_missing([])
    (True, True, False, False)
    """
    if cell is None or isinstance(cell, str):
        return cell is None
    if isinstance(cell, Number | np.datetime64 | np.timedelta64):
        return bool(cell != cell)
    return type(cell).__name__ in _NOTHING


def number_edges(
    edges: Iterable[Sequence[str | None]], nodes: Iterable[str] | None, root: Hashable
) -> tuple[list[str], NDArray[np.int64]]:
    """Number the names by first appearance; return them and the (parent, child) pairs below the root."""
    number: dict[str, int] = {}
    if nodes is not None:
        for name in nodes:
            if number.setdefault(check_name(name), len(number)) != len(number) - 1:
                raise HierarchyError(f"the name {name!r} appears twice in nodes; list each node once.")
    known_only = nodes is not None
    pairs: list[int] = []
    for edge in edges:
        parent, child = _two_ends(edge)
        numbered = [
            -1 if end is None or end == root else _number(end, number, known_only, parent, child)
            for end in (parent, child)
        ]
        if numbered[1] == -1:
            raise HierarchyError(f"the edge ({parent!r}, {child!r}) leads into the root; the root has no parent.")
        if numbered[0] == numbered[1]:
            raise HierarchyError(f"the edge ({parent!r}, {child!r}) is a self-loop; a node is not its own parent.")
        if numbered[0] >= 0:
            pairs += numbered
    if not number:
        raise HierarchyError("the hierarchy is empty; give at least one node.")
    return list(number), np.array(pairs, np.int64).reshape(-1, 2)


def _two_ends(edge: Sequence[str | None]) -> tuple[str | None, str | None]:
    """Unpack an edge, or say what came instead of one."""
    if isinstance(edge, str) or len(edge) != 2:
        raise HierarchyError(f"an edge is a pair (parent, child) with parent None at the top; got {edge!r}.")
    return edge[0], edge[1]


def _number(end: Any, number: dict[str, int], known_only: bool, parent: Any, child: Any) -> int:
    """Look an end of an edge up, numbering it if new names are allowed."""
    known = number.get(end) if isinstance(end, str) else None
    if known is not None:
        return known
    check_name(end)
    if known_only:
        what = "parent" if end == parent else "child"
        raise HierarchyError(f"unknown {what} {end!r} in the edge ({parent!r}, {child!r}): it is not listed in nodes.")
    number[end] = len(number)
    return number[end]


def order_nodes(names: Sequence[str], pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return an order with parents before children that keeps the given one wherever it can.

    Among the nodes whose parents are all placed, the one given first comes next, so an order
    that already is topological is returned unchanged. O((nodes + edges) log nodes).
    """
    n_nodes = len(names)
    if (pairs[:, 0] < pairs[:, 1]).all():
        return np.arange(n_nodes)
    ptr, children = group_by(pairs[:, 0], pairs[:, 1], n_nodes)
    waiting = np.bincount(children, minlength=n_nodes).tolist()  # of distinct pairs: an edge may be given twice
    starts, flat = ptr.tolist(), children.tolist()
    ready = [v for v in range(n_nodes) if waiting[v] == 0]
    heapify(ready)
    order = []
    while ready:
        u = heappop(ready)
        order.append(u)
        for v in flat[starts[u] : starts[u + 1]]:
            waiting[v] -= 1
            if waiting[v] == 0:
                heappush(ready, v)
    if len(order) < n_nodes:
        raise CycleError(_find_cycle(names, pairs, waiting))
    return np.array(order)


def _find_cycle(names: Sequence[str], pairs: NDArray[np.int64], waiting: list[int]) -> list[str]:
    """Walk from child to parent among the nodes that never got ready until one repeats."""
    parent_of = {int(child): int(parent) for parent, child in pairs if waiting[parent] > 0 and waiting[child] > 0}
    v = next(iter(parent_of))
    position: dict[int, int] = {}
    while v not in position:
        position[v] = len(position)
        v = parent_of[v]
    cycle = [v, *reversed(list(position)[position[v] :])]
    return [names[node] for node in cycle]


def group_by(keys: NDArray[Any], values: NDArray[Any], n_groups: int) -> tuple[IntArray, IntArray]:
    """Return CSR arrays ``ptr, idx``: ``idx[ptr[g]:ptr[g+1]]`` are the distinct values with key ``g``, ascending."""
    order = np.lexsort((values, keys))
    keys, values = keys[order], values[order]
    if keys.size:
        fresh = np.ones(keys.size, bool)
        fresh[1:] = (keys[1:] != keys[:-1]) | (values[1:] != values[:-1])
        keys, values = keys[fresh], values[fresh]
    ptr = np.zeros(n_groups + 1, np.int32)
    np.cumsum(np.bincount(keys, minlength=n_groups), out=ptr[1:])
    return ptr, values.astype(np.int32)


FORMAT = "truepath-hierarchy-1"

Numbered = tuple[list[str], NDArray[np.int64]]


def number_paths(paths: Iterable[str | Sequence[str]], sep: str) -> Numbered:
    """Number the nodes on the paths by first appearance, ancestors before their descendants."""
    if isinstance(paths, str):
        raise TypeError(f"paths must be a collection of paths; got the one string {paths!r}. Put it in a list.")
    if not sep:
        raise ValueError("sep must not be empty; it separates the parts of a path.")
    above: dict[str, str | None] = {}
    edges: list[tuple[str | None, str]] = []
    for path in paths:
        parts = tuple(path.split(sep)) if isinstance(path, str) else tuple(path)
        if not parts or not all(isinstance(part, str) and part for part in parts):
            raise HierarchyError(f"the path {path!r} has an empty or non-string part; every step needs a name.")
        parent = None
        for k, part in enumerate(parts):
            name = part if parent is None else f"{parent}{sep}{part}"
            if name not in above:
                above[name] = parent
                edges.append((parent, name))
            elif above[name] != parent:
                raise HierarchyError(
                    f"the paths {_parts_of(name, above, sep)!r} and {parts[: k + 1]!r} both read {name!r}; "
                    "choose a sep that no part contains."
                )
            parent = name
    return number_edges(edges, None, None)


def _parts_of(name: str, above: Mapping[str, str | None], sep: str) -> tuple[str, ...]:
    """Return the parts that a name was made of."""
    parts = []
    while (parent := above[name]) is not None:
        parts.append(name[len(parent) + len(sep) :])
        name = parent
    return (name, *reversed(parts))


def number_parents(
    parents: Mapping[str, Any] | Sequence[int | Sequence[int]], names: Sequence[str] | None = None
) -> Numbered:
    """Turn a mapping or a sequence of parents into names and pairs."""
    if isinstance(parents, Mapping):
        return number_edges(_edges_of_mapping(parents), parents, None)
    if names is None:
        names = [str(v) for v in range(len(parents))]
    if len(names) != len(parents):
        raise HierarchyError(f"names has {len(names)} entries but parents has {len(parents)}; give one name per node.")
    return number_edges(_edges_of_sequence(parents, names), names, None)


def _edges_of_mapping(parents: Mapping[str, Any]) -> Iterator[tuple[str | None, str]]:
    for child, above in parents.items():
        for parent in [above] if above is None or isinstance(above, str) else above:
            if parent is not None and parent not in parents:
                raise HierarchyError(
                    f"unknown parent {parent!r} of {child!r}: it has no entry of its own. Add {parent!r}: None."
                )
            yield parent, child


def _edges_of_sequence(
    parents: Sequence[int | Sequence[int]], names: Sequence[str]
) -> Iterator[tuple[str | None, str]]:
    for child, above in enumerate(parents):
        listed: Any = [above] if isinstance(above, Integral) else above
        for parent in listed:
            if not -1 <= parent < len(names):
                raise HierarchyError(
                    f"unknown parent {parent} of node {child}: parents are numbers from 0 to {len(names) - 1}, "
                    "or -1 at the top."
                )
            yield (None if parent == -1 else names[parent]), names[child]


def to_paths(hierarchy: Hierarchy) -> list[tuple[str, ...]]:
    """Return each node's names from the top down; trees only."""
    if not hierarchy.is_tree:
        raise HierarchyError("a node of a DAG can have many paths; to_paths needs a tree. Use edges or to_networkx.")
    paths: list[tuple[str, ...]] = []
    for v, name in enumerate(hierarchy.names.tolist()):
        above = hierarchy.parents(v)
        paths.append((*paths[above[0]], name) if above.size else (name,))
    return paths


def to_json(hierarchy: Hierarchy) -> str:
    """Write names, edges and aliases."""
    content = {"names": hierarchy.names.tolist(), "edges": hierarchy.edges.tolist(), "aliases": dict(hierarchy.aliases)}
    titles = {"titles": dict(hierarchy.titles)} if hierarchy.titles else {}
    return dump_json({"format": FORMAT, "sep": hierarchy.sep, **content, **titles}, ensure_ascii=False)


Parsed = tuple[list[str], NDArray[np.int64], dict[str, str], str | None, dict[str, str]]


def parse_json(text: str, sep: str = "/", root: str | None = None) -> Parsed:
    """Read what :func:`to_json` wrote, checking every part of it, or JSON of another known shape."""
    try:
        content = json.loads(text, object_pairs_hook=_once_each)
    except HierarchyError:
        raise
    except RecursionError:
        raise HierarchyError("this is not the JSON of a hierarchy: it is nested too deeply.") from None
    except ValueError as error:
        raise HierarchyError(f"this is not the JSON of a hierarchy: {error}") from error
    return parse_dict(content, sep, root)


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; of a key given twice Python would keep the last value alone."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise HierarchyError(f"an object of this JSON has the key {twice!r} twice.", "Put what is below it in one.")
    return found


def parse_dict(content: Any, sep: str, root: str | None) -> Parsed:
    """Do the same for JSON that is parsed."""
    from truepath.hierarchy.outline import number_dict

    is_ours = isinstance(content, Mapping) and isinstance(content.get("format"), str) and len(content) > 1
    return _check_saved(content) if is_ours else (*number_dict(content, sep, root), {})


def _check_saved(content: Mapping[str, Any]) -> Parsed:
    """Check what :func:`to_json` wrote."""
    try:
        if content["format"] != FORMAT:
            raise HierarchyError(f"this JSON has the format {content['format']!r}, not {FORMAT!r}.")
        names = [check_name(name) for name in content["names"]]
        edges = [(names[_place(u, names)], names[_place(v, names)]) for u, v in content["edges"]]
        known = set(names)
        aliases = {str(alias): _known(name, known) for alias, name in content["aliases"].items()}
        titles = {name: str(title) for name, title in content.get("titles", {}).items() if name in known}
        sep = content["sep"]
    except HierarchyError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise HierarchyError(f"this is not the JSON of a hierarchy: {error}") from error
    return (*number_edges(edges, names, None), aliases, None if sep is None else str(sep), titles)


def _known(name: str, names: set[str]) -> str:
    """Check that an alias stands for a node."""
    if name not in names:
        raise HierarchyError(f"an alias stands for {name!r}, which is not a node.")
    return name


def _place(v: Any, names: list[str]) -> int:
    """Check a node number read from a file."""
    if not isinstance(v, int) or not 0 <= v < len(names):
        raise HierarchyError(f"an edge names node {v!r}, but there are only the nodes 0 to {len(names) - 1}.")
    return v


def to_networkx(hierarchy: Hierarchy) -> Any:
    """Build a DiGraph of the names."""
    nx = import_extra("networkx", "A graph of networkx")

    graph = nx.DiGraph()
    graph.add_nodes_from(hierarchy.names.tolist())
    graph.add_edges_from(hierarchy.names[hierarchy.edges].tolist())
    return graph

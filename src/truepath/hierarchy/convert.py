"""Hierarchies from and to other shapes: paths, parent lists, JSON, networkx."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truepath.errors import HierarchyError
from truepath.hierarchy.order import check_name, number_edges

if TYPE_CHECKING:
    from truepath.hierarchy.hierarchy import Hierarchy

__all__ = ["number_parents", "number_paths", "parse_json", "to_json", "to_networkx", "to_paths"]

FORMAT = "truepath-hierarchy-1"
Numbered = tuple[list[str], NDArray[np.int64]]


def number_paths(paths: Iterable[str | Sequence[str]], sep: str) -> Numbered:
    """Number the nodes on the paths by first appearance, ancestors before their descendants."""
    if isinstance(paths, str):
        raise TypeError(f"paths must be a collection of paths; got the one string {paths!r}. Put it in a list.")
    if not sep:
        raise ValueError("sep must not be empty; it separates the parts of a path.")
    parts_of: dict[str, tuple[str, ...]] = {}
    edges: list[tuple[str | None, str]] = []
    for path in paths:
        parts = tuple(path.split(sep)) if isinstance(path, str) else tuple(path)
        if not parts or not all(isinstance(part, str) and part for part in parts):
            raise HierarchyError(f"the path {path!r} has an empty or non-string part; every step needs a name.")
        for k in range(1, len(parts) + 1):
            name = sep.join(parts[:k])
            if name not in parts_of:
                parts_of[name] = parts[:k]
                edges.append((sep.join(parts[: k - 1]) or None, name))
            elif parts_of[name] != parts[:k]:
                raise HierarchyError(
                    f"the paths {parts_of[name]!r} and {parts[:k]!r} both read {name!r}; "
                    "choose a sep that no part contains."
                )
    return number_edges(edges, None, None)


def number_parents(
    parents: Mapping[str, Any] | Sequence[int | Sequence[int]], names: Sequence[str] | None = None
) -> Numbered:
    """Turn a mapping or a sequence of parents into names and pairs."""
    if isinstance(parents, Mapping):
        return number_edges(_edges_of_mapping(parents), parents, None)
    if names is None:
        names = [str(v) for v in range(len(parents))]
    if len(names) != len(parents):
        raise HierarchyError(f"names has {len(names)} entries but parents has {len(parents)}; give one each per node.")
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
    return json.dumps({"format": FORMAT, "sep": hierarchy.sep, **content}, ensure_ascii=False)


def parse_json(text: str) -> tuple[list[str], NDArray[np.int64], dict[str, str], str | None]:
    """Read what :func:`to_json` wrote, checking every part of it."""
    try:
        content = json.loads(text)
        if content["format"] != FORMAT:
            raise HierarchyError(f"this JSON has the format {content['format']!r}, not {FORMAT!r}.")
        names = [check_name(name) for name in content["names"]]
        edges = [(names[_place(u, names)], names[_place(v, names)]) for u, v in content["edges"]]
        aliases = {str(alias): _known(name, set(names)) for alias, name in content["aliases"].items()}
        sep = content["sep"]
    except HierarchyError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise HierarchyError(f"this is not the JSON of a hierarchy: {error}") from error
    return (*number_edges(edges, names, None), aliases, None if sep is None else str(sep))


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
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(hierarchy.names.tolist())
    graph.add_edges_from(hierarchy.names[hierarchy.edges].tolist())
    return graph

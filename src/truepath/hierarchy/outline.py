"""Hierarchies as people keep them in dictionaries and JSON: outlines, lists of children, maps to parents, graphs.

:func:`number_dict` recognizes the shape; each shape is read into (parent, child) pairs. An outline, whose entries stand
inside their parents', may use a name in several places: names are then written as paths from the top.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.errors import HierarchyError
from truepath.hierarchy.build import number_edges, number_paths

SHAPES = (
    'Shapes that are read: nested objects {"a": {"b": {}}}; {"name": "a", "children": [...]}; child to parent(s) '
    '{"a": null, "b": "a", "c": ["a", "b"]}; node-link {"nodes": [{"id": "a"}, ...], "links": [{"source": "a", '
    '"target": "b"}, ...]}; records [{"id": "b", "parent": "a"}, ...]; and what Hierarchy.to_json wrote.'
)

_NAMES = ("name", "id", "label", "title", "text", "key")
_CHILDREN = ("children", "nodes", "items")
_PARENTS = ("parent", "parents", "parent_id", "parentId")
_LINKS = ("links", "edges")

Pairs = list[tuple[str | None, str]]
Numbered = tuple[list[str], NDArray[np.int64], dict[str, str], str | None]
_Path = tuple[str, ...]


def number_dict(content: Any, sep: str, root: str | None) -> Numbered:
    """Return names, pairs, aliases and separator of a hierarchy in any of the ``SHAPES`` but our own."""
    if isinstance(content, Mapping) and any(isinstance(content.get(key), list) for key in _LINKS):
        return _of_edges(_link_edges(content), root)
    if isinstance(content, Mapping) and _first(content, _CHILDREN, list) is not None:
        return _of_outline(_walk([content]), sep, root)
    if isinstance(content, list) and content and all(isinstance(entry, Mapping) for entry in content):
        if any(key in entry for entry in content for key in _PARENTS):
            return _of_edges([pair for entry in content for pair in _record_edges(entry)], root)
        return _of_outline(_walk(content), sep, root)
    if isinstance(content, Mapping) and content:
        return _of_mapping(content, sep, root)
    raise HierarchyError(f"this is not the JSON of a hierarchy: {_shown(content)}.", SHAPES)


def _of_mapping(content: Mapping[Any, Any], sep: str, root: str | None) -> Numbered:
    """Read names to parents, to children, or to objects with what is below them."""
    values = list(content.values())
    if any(isinstance(value, Mapping) for value in values):
        return _of_outline(_walk([content], is_nested=True), sep, root)
    if not all(value is None or isinstance(value, str) or _is_names(value) for value in values):
        raise HierarchyError(f"this is not the JSON of a hierarchy: {_shown(content)}.", SHAPES)
    listed: list[tuple[str, list[str]]] = [(_name(key), _listed(value)) for key, value in content.items()]
    upwards = any(isinstance(value, str) or value is None for value in values) or _leads_up(listed)
    edges: Pairs = [(None, name) for name, _ in listed] if upwards else []
    for name, others in listed:
        edges += [(other, name) if upwards else (name, other) for other in others]
    return _of_edges(edges, root)


def _leads_up(listed: Sequence[tuple[str, list[str]]]) -> bool:
    """Say whether lists hold parents or children: a hierarchy has fewer names at the top than at the bottom."""
    n_ends = sum(not others for _, others in listed)
    keys = {name for name, _ in listed}
    named = {other for _, others in listed for other in others}
    starts, ends = len(keys - named), n_ends + len(named - keys)
    if starts == ends:
        raise HierarchyError(
            "lists of names could be parents or children: as many names have nothing above them as have nothing below.",
            'Write each parent as a text, {"child": "parent"}, or children as objects, {"parent": {"child": {}}}.',
        )
    return ends < starts


def _walk(entries: Sequence[Any], is_nested: bool = False) -> Iterator[_Path]:
    """Yield the path of every entry of an outline, parents before what is below them."""
    read = _nested_entries if is_nested else _named_entries
    waiting: list[tuple[_Path, Any]] = [((), entry) for entry in reversed(entries)]
    while waiting:
        above, entry = waiting.pop()
        found = [((*above, name), below) for name, below in read(entry)]
        yield from (path for path, _ in found)
        waiting += [(path, child) for path, below in reversed(found) for child in reversed(below)]


def _nested_entries(entry: Any) -> list[tuple[str, list[Any]]]:
    """Read an object, whose keys are names, or a name at the end of an outline."""
    if isinstance(entry, str):
        return [(entry, [])]
    if not isinstance(entry, Mapping):
        raise HierarchyError(f"{_shown(entry)} is not an entry of an outline.", SHAPES)
    return [(_name(key), _below(value)) for key, value in entry.items()]


def _below(value: Any) -> list[Any]:
    """Return what stands below a name: an object, a list of names or objects, one name, or nothing."""
    if value is None or (isinstance(value, (str, Mapping, list)) and not value):
        return []
    return list(value) if isinstance(value, list) else [value]


def _named_entries(entry: Any) -> list[tuple[str, list[Any]]]:
    """Read an object with a name and a list of children."""
    if isinstance(entry, str):
        return [(entry, [])]
    name = _first(entry, _NAMES, (str, int)) if isinstance(entry, Mapping) else None
    if name is None:
        raise HierarchyError(f"the entry {_shown(entry)} has no name ({', '.join(_NAMES)}).", SHAPES)
    return [(_name(name), list(_first(entry, _CHILDREN, list) or []))]


def _of_outline(paths: Iterator[_Path], sep: str, root: str | None) -> Numbered:
    """Name nodes as the outline does, or by their paths where a name stands in several places."""
    listed = list(dict.fromkeys(path[1:] if path[0] == root else path for path in paths))
    listed = [path for path in listed if path]
    if not listed:
        raise HierarchyError("the hierarchy is empty; give at least one name.", SHAPES)
    if max(Counter(path[-1] for path in listed).values()) > 1:
        return (*number_paths(listed, sep), {}, sep)
    pairs: Pairs = [(path[-2] if len(path) > 1 else None, path[-1]) for path in listed]
    return _of_edges(pairs, root)


def _of_edges(edges: Pairs, root: str | None) -> Numbered:
    edges = [(parent, child) for parent, child in edges if not (parent is None and child == root)]
    return (*number_edges(edges, None, root), {}, None)


def _link_edges(content: Mapping[str, Any]) -> Pairs:
    """Read a graph as networkx writes it: nodes, and links from source to target."""
    nodes = content.get("nodes", [])
    if not isinstance(nodes, list):
        raise HierarchyError(f"the nodes {_shown(nodes)} are not a list.", SHAPES)
    names = [_name(_first(node, _NAMES[1:] + _NAMES[:1], (str, int)) if _is_map(node) else node) for node in nodes]
    edges: Pairs = [(None, name) for name in names]
    for link in next(content[key] for key in _LINKS if isinstance(content.get(key), list)):
        ends = [link.get(end) for end in ("source", "target")] if _is_map(link) else link
        if not isinstance(ends, (list, tuple)) or len(ends) != 2 or None in ends:
            raise HierarchyError(f"the link {_shown(link)} has no source and target.", SHAPES)
        edges.append((_name(ends[0]), _name(ends[1])))
    return edges


def _record_edges(record: Mapping[str, Any]) -> Pairs:
    """Read an object that names itself and its parent or parents."""
    name = _first(record, ("id", "child", *_NAMES), (str, int))
    if name is None:
        raise HierarchyError(f"the record {_shown(record)} has no id or name.", SHAPES)
    above = _listed(next((record[key] for key in _PARENTS if key in record), None))
    return [(None, _name(name)), *((parent, _name(name)) for parent in above)]


def _first(entry: Any, keys: Sequence[str], kind: Any) -> Any:
    """Return the first of some fields that has a value of that kind."""
    return next((entry[key] for key in keys if isinstance(entry.get(key), kind)), None)


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_names(value: Any) -> bool:
    return isinstance(value, (list, tuple, set)) and all(isinstance(name, (str, int)) for name in value)


def _listed(value: Any) -> list[str]:
    """Return one name, several or none as a list."""
    if value is None or value == "":
        return []
    return [_name(name) for name in value] if isinstance(value, (list, tuple, set)) else [_name(value)]


def _name(value: Any) -> str:
    """Return a name; numbers, which JSON files use as ids, become texts."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise HierarchyError(f"{_shown(value)} is not a name: names are texts or whole numbers.", SHAPES)
    return str(value)


def _shown(value: Any) -> str:
    return repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}..."

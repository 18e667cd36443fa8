"""From named edges to arrays: check the names, find an order with parents first, show a cycle if there is one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.errors import CycleError, HierarchyError

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
    return name


def number_edges(
    edges: Iterable[Sequence[str | None]], nodes: Iterable[str] | None, root: Hashable
) -> tuple[list[str], NDArray[np.int64]]:
    """Number the names by first appearance; return them and the (parent, child) pairs below the root."""
    number: dict[str, int] = {}
    if nodes is not None:
        for name in nodes:
            if number.setdefault(check_name(name), len(number)) != len(number) - 1:
                raise HierarchyError(f"the name {name!r} stands twice in nodes; each node is listed once.")
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
    waiting = np.bincount(pairs[:, 1], minlength=n_nodes).tolist()
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
    walk: list[int] = []
    while v not in position:
        position[v] = len(walk)
        walk.append(v)
        v = parent_of[v]
    cycle = [v, *reversed(walk[position[v] :])]
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

"""Where the nodes of a DAG go: in layers, with few crossings, children below the middle of their parents.

The steps are those of Sugiyama, Tagawa & Toda (1981): a node's layer is its longest path from the top; an edge that
skips layers gets a point in each; layers are sorted by the mean place of the neighbours in the layer before (the
barycentre), down and up in turn, and the order with the fewest crossings stays; then each layer moves as near to the
means of its neighbours as its order and the sizes of its nodes allow, which is an isotonic regression.

References
----------
Sugiyama, K., Tagawa, S. & Toda, M. (1981). Methods for visual understanding of hierarchical system structures. IEEE
Transactions on Systems, Man, and Cybernetics, 11(2), 109-125.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import isotonic_regression
from scipy.sparse.csgraph import connected_components

Floats = NDArray[np.float64]
Edges = Sequence[tuple[int, int]]
Neighbors = list[list[int]]

SWEEPS = 12
#: Room that an edge takes where it passes a layer, as a share of the room between nodes
PASSAGE = 0.8
#: How much more straightness counts for edges that skip layers than for others
STRAIGHT = 4.0


class LayeredPlaces(NamedTuple):
    """Places of nodes: ``across`` within the layer, ``along`` from layer to layer; ``routes`` of edges, end to end.

    A route holds the places ``(across, along)`` where an edge passes the layers between its ends.
    """

    across: Floats
    along: Floats
    routes: list[list[tuple[float, float]]]
    layers: list[list[int]]


def lay_in_layers(
    sizes: Floats, edges: Edges, gap: tuple[float, float] = (18.0, 42.0), is_flush: bool = False
) -> LayeredPlaces:
    """Return a layout.

    Parameters
    ----------
    sizes : array of shape (n_nodes, 2)
        How much room each node takes, across and along.
    edges : sequence of (parent, child)
        Nodes are numbered parents first.
    gap : pair of float
        The least room between nodes, across and along.
    is_flush : bool, default=False
        Let the nodes of a layer begin at the same place along, instead of having their middles there.

    Examples
    --------
    >>> found = lay_in_layers(np.ones((3, 2)), [(0, 1), (0, 2)], gap=(1.0, 1.0))
    >>> found.across.tolist(), found.along.tolist()
    ([1.5, 0.5, 2.5], [0.5, 2.5, 2.5])
    """
    n = len(sizes)
    layer = _longest_paths(n, edges)
    chains, layer = _split_edges(n, edges, layer)
    above, below = _neighbors(len(layer), [pair for chain in chains for pair in pairwise(chain)])
    width = np.append(sizes[:, 0], np.full(len(layer) - n, PASSAGE * gap[0]))
    layers: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    across, right = np.zeros(len(layer)), 0.0
    for part in _parts(below):  # side by side
        own = _order(part, layer, above, below)
        across[part] = _place(own, above, below, width, n, gap[0])[part] + right
        right = float((across[part] + width[part] / 2).max()) + gap[0]
        layers = [nodes + (own[k] if k < len(own) else []) for k, nodes in enumerate(layers)]
    heights = [max((sizes[v, 1] for v in nodes if v < n), default=0.0) for nodes in layers]
    tops = np.concatenate([[0.0], np.cumsum(np.asarray(heights) + gap[1])])[: len(layers)]
    along = (tops + np.asarray(heights) / 2)[layer] if len(layers) else np.zeros(0)
    if is_flush:
        along[:n] = tops[layer[:n]] + sizes[:, 1] / 2
    routes = [[(float(across[p]), float(along[p])) for p in chain[1:-1]] for chain in chains]
    return LayeredPlaces(across[:n], along[:n], routes, [[v for v in nodes if v < n] for nodes in layers])


def _longest_paths(n: int, edges: Edges) -> list[int]:
    """Return each node's layer: 0 at the top, else one below its lowest parent."""
    layer = [0] * n
    for parent, child in sorted(edges, key=lambda edge: edge[1]):
        layer[child] = max(layer[child], layer[parent] + 1)
    return layer


def _split_edges(n: int, edges: Edges, layer: list[int]) -> tuple[list[list[int]], list[int]]:
    """Return each edge as a chain from layer to layer, with points of its own between the ends; and all layers."""
    chains, layer = [], list(layer)
    for parent, child in edges:
        between = range(layer[parent] + 1, layer[child])
        points = list(range(len(layer), len(layer) + len(between)))
        layer += between
        chains.append([parent, *points, child])
    return chains, layer


def _parts(below: Neighbors) -> list[list[int]]:
    """Return the nodes that hang together, each part in its order."""
    ends = [(v, u) for v, others in enumerate(below) for u in others]
    pairs = np.array(ends, np.int64).reshape(-1, 2).T
    graph = sparse.coo_array((np.ones(len(ends)), tuple(pairs)), shape=(len(below), len(below)))
    n_parts, part_of = connected_components(graph, directed=False)
    return [np.flatnonzero(part_of == part).tolist() for part in range(n_parts)]


def _order(part: list[int], layer: list[int], above: Neighbors, below: Neighbors) -> list[list[int]]:
    """Return the layers of a part, each sorted so that few edges cross."""
    layers: list[list[int]] = [[] for _ in range(max(layer[v] for v in part) + 1)]
    for v in _visit(part, layer, below):
        layers[layer[v]].append(v)
    best, fewest = [list(nodes) for nodes in layers], count_crossings(layers, below)
    for sweep in range(SWEEPS):
        if fewest == 0:
            break
        down = sweep % 2 == 0
        for k in range(1, len(layers)) if down else range(len(layers) - 2, -1, -1):
            fixed = layers[k - 1] if down else layers[k + 1]
            layers[k] = _sort_by_mean(layers[k], fixed, above if down else below)
        if (n := count_crossings(layers, below)) < fewest:
            best, fewest = [list(nodes) for nodes in layers], n
    return best


def _neighbors(n: int, short: Edges) -> tuple[Neighbors, Neighbors]:
    above: Neighbors = [[] for _ in range(n)]
    below: Neighbors = [[] for _ in range(n)]
    for u, v in short:
        below[u].append(v)
        above[v].append(u)
    return above, below


def _visit(part: list[int], layer: list[int], below: Neighbors) -> list[int]:
    """Return the nodes in the order of a walk from the top: of a tree no edges then cross."""
    seen: dict[int, None] = {}
    waiting = [v for v in reversed(part) if layer[v] == 0]
    while waiting:
        v = waiting.pop()
        if v not in seen:
            seen[v] = None
            waiting += reversed(below[v])
    return list(seen)


def _sort_by_mean(nodes: list[int], fixed: list[int], neighbors: Neighbors) -> list[int]:
    """Sort a layer by the mean place of the neighbours; a node without any stays where it is."""
    place = {v: k for k, v in enumerate(fixed)}
    scale = max(len(fixed) - 1, 1) / max(len(nodes) - 1, 1)
    means = {}
    for k, v in enumerate(nodes):
        found = [place[u] for u in neighbors[v]]
        means[v] = sum(found) / len(found) if found else k * scale
    return sorted(nodes, key=means.__getitem__)


def count_crossings(layers: list[list[int]], below: Neighbors) -> int:
    """Return how many edges between neighbouring layers cross.

    Examples
    --------
    >>> count_crossings([[0, 1], [2, 3]], [[3], [2], [], []])
    1
    """
    total = 0
    for upper, lower in pairwise(layers):
        place = {v: k for k, v in enumerate(lower)}
        ends = np.array([(k, place[v]) for k, u in enumerate(upper) for v in below[u]]).reshape(-1, 2)
        left = ends[:, None, 0] < ends[None, :, 0]
        total += int((left & (ends[:, None, 1] > ends[None, :, 1])).sum())
    return total


def _place(layers: list[list[int]], above: Neighbors, below: Neighbors, width: Floats, n: int, gap: float) -> Floats:
    """Return places across: each layer as near to the means of its neighbours as order and sizes allow."""
    across = np.zeros(width.size)
    offsets = []
    for nodes in layers:  # side by side, to begin with
        sizes = width[nodes]
        starts = np.concatenate([[0.0], np.cumsum(sizes + gap)])[: len(nodes)]
        across[nodes] = starts + sizes / 2
        offsets.append(across[nodes] - across[nodes[0]])
        across[nodes] -= across[nodes].mean()
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for k in range(len(layers)) if down else reversed(range(len(layers))):
            nodes = layers[k]
            sides = [above[v] + below[v] if sweep >= SWEEPS - 2 else (above if down else below)[v] for v in nodes]
            wanted = np.array([across[side].mean() if side else across[v] for v, side in zip(nodes, sides)])
            weights = np.array([(STRAIGHT if v >= n else 1.0) * (len(side) or 0.1) for v, side in zip(nodes, sides)])
            across[nodes] = isotonic_regression(wanted - offsets[k], weights=weights).x + offsets[k]
    left = min(across[v] - width[v] / 2 for nodes in layers for v in nodes)
    return across - left

"""Walks over the hierarchy inside a graph, one step per level: raise to descendants, cap by parents, multiply."""

from __future__ import annotations

from typing import Any

import numpy as np

from truepath.graph.graph import Graph


def levels(parent_ptr: np.ndarray, parent_idx: np.ndarray) -> np.ndarray:
    """Return the length of the longest way from the top to each column; parents come before children.

    Examples
    --------
    >>> levels(np.array([0, 0, 1, 3]), np.array([0, 0, 1])).tolist()
    [0, 1, 2]
    """
    depth = np.zeros(parent_ptr.size - 1, np.int64)
    for v in range(depth.size):
        above = parent_idx[parent_ptr[v] : parent_ptr[v + 1]]
        depth[v] = depth[above].max() + 1 if above.size else 0
    return depth


def _edges_by_level(arcs: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the parents and children of the edges of each level, those near the top first."""
    parent_ptr, parent_idx = arcs.parent_ptr, arcs.parent_idx
    child = np.repeat(np.arange(parent_ptr.size - 1), np.diff(parent_ptr))
    depth = levels(parent_ptr, parent_idx)[child]
    found = []
    for level in range(1, int(depth.max(initial=0)) + 1):
        edges = np.flatnonzero(depth == level)
        found.append((parent_idx[edges], child[edges]))
    return found


def raise_columns(graph: Graph, scores: str, arcs: Any) -> str:
    """Raise every column to the greatest of its descendants; ``arcs`` has ``parent_ptr`` and ``parent_idx``."""
    for parents, children in reversed(_edges_by_level(arcs)):  # the deepest children first
        scores = graph.scatter(scores, parents, graph.columns(scores, children), "max")
    return scores


def close_columns(graph: Graph, labels: str, arcs: Any) -> str:
    """Set all labels above those that are set."""
    return graph.cast(raise_columns(graph, graph.double(labels), arcs), "BOOL")


def cap_columns(graph: Graph, scores: str, arcs: Any) -> str:
    """Lower every column to the least of its ancestors."""
    for parents, children in _edges_by_level(arcs):
        scores = graph.scatter(scores, children, graph.columns(scores, parents), "min")
    return scores


def multiply_columns(graph: Graph, own: str, arcs: Any) -> str:
    """Multiply every column by the least product of its parents."""
    scores = own
    ones = graph.add("Add", graph.add("Mul", own, graph.number(0.0, own)), graph.number(1.0, own))
    for parents, children in _edges_by_level(arcs):
        above = graph.columns(scores, parents)
        scores = graph.add("Mul", scores, graph.scatter(ones, children, above, "min"))
    return scores

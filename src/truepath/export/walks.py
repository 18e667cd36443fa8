"""Walks over the hierarchy inside a graph, one step per level: raise to descendants, take the least of the parents."""

from __future__ import annotations

import numpy as np

from truepath.export.graph import Graph

__all__ = ["levels", "raise_columns", "under_parents"]


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


def raise_columns(graph: Graph, scores: str, parent_ptr: np.ndarray, parent_idx: np.ndarray) -> str:
    """Raise every column to the greatest of its descendants."""
    child = np.repeat(np.arange(parent_ptr.size - 1), np.diff(parent_ptr))
    depth = levels(parent_ptr, parent_idx)[child]
    for level in range(int(depth.max(initial=0)), 0, -1):  # the deepest children first
        edges = np.flatnonzero(depth == level)
        scores = graph.scatter(scores, parent_idx[edges], graph.columns(scores, child[edges]), "max")
    return scores


def under_parents(graph: Graph, own: str, parent_ptr: np.ndarray, parent_idx: np.ndarray, multiplies: bool) -> str:
    """Multiply every column by the least of its parents, or cap it there."""
    child = np.repeat(np.arange(parent_ptr.size - 1), np.diff(parent_ptr))
    depth = levels(parent_ptr, parent_idx)[child]
    scores = own
    for level in range(1, int(depth.max(initial=0)) + 1):
        edges = np.flatnonzero(depth == level)
        above = graph.columns(scores, parent_idx[edges])
        if multiplies:
            ones = graph.add("Add", graph.add("Mul", own, graph.constant(0.0)), graph.constant(1.0))
            scores = graph.add("Mul", scores, graph.scatter(ones, child[edges], above, "min"))
        else:
            scores = graph.scatter(scores, child[edges], above, "min")
    return scores

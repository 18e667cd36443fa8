"""Places of numbers among knots, and straight lines between knots: one tree per column finds the place.

ONNX has no search in a sorted list; its trees are one, in as many steps as the list's length has digits.
"""

from __future__ import annotations

import numpy as np

from truepath.graph.graph import Graph


def places(graph: Graph, values: str, knots: np.ndarray, *, side: str) -> str:
    """Return how many of its column's knots lie below each value (``"left"``), or at it as well (``"right"``).

    Parameters
    ----------
    graph : Graph
    values : str
        Float64, rows x columns; NaN counts as any place.
    knots : ndarray, shape (n_knots, n_columns)
        Ascending in every column.
    side : {"left", "right"}
    """
    n_knots, n_columns = knots.shape
    feature, left, right, cut, count = _balanced(n_knots)
    n_nodes = feature.size
    is_leaf = np.tile(feature < 0, n_columns)
    tree_of = np.repeat(np.arange(n_columns), n_nodes)
    node_of = np.tile(np.arange(n_nodes), n_columns)
    threshold = np.where(is_leaf, 0.0, knots[np.tile(cut, n_columns), tree_of])
    make = graph.onnx.numpy_helper.from_array
    found = graph.add(
        "TreeEnsembleRegressor",
        graph.double(values),
        domain="ai.onnx.ml",
        n_targets=n_columns,
        nodes_treeids=tree_of.tolist(),
        nodes_nodeids=node_of.tolist(),
        nodes_modes=np.where(is_leaf, "LEAF", "BRANCH_LT" if side == "right" else "BRANCH_LEQ").tolist(),
        nodes_featureids=np.where(is_leaf, 0, tree_of).tolist(),
        nodes_truenodeids=np.tile(left, n_columns).tolist(),
        nodes_falsenodeids=np.tile(right, n_columns).tolist(),
        nodes_values_as_tensor=make(threshold),
        target_treeids=tree_of[is_leaf].tolist(),
        target_nodeids=node_of[is_leaf].tolist(),
        target_ids=tree_of[is_leaf].tolist(),
        target_weights_as_tensor=make(np.tile(count, n_columns)[is_leaf].astype(np.float64)),
    )
    return graph.cast(found, "INT64")


def _balanced(n_knots: int) -> tuple[np.ndarray, ...]:
    """Return a tree over knots: feature (-1 at leaves), left, right, the knot asked about, and the leaf's count."""
    rows: list[list[int]] = []

    def build(low: int, high: int) -> int:
        """Add the tree that tells how many knots, from low to high, lie before a value."""
        at = len(rows)
        rows.append([-1, 0, 0, 0, low])
        if low < high:
            middle = (low + high) // 2
            rows[at] = [0, build(low, middle), build(middle + 1, high), middle, 0]
        return at

    build(0, n_knots)
    return tuple(np.array(rows).T)


def interpolate(graph: Graph, values: str, knots: np.ndarray, heights: np.ndarray, *, side: str = "right") -> str:
    """Return the straight lines between knots, flat beyond the first and the last, as ``numpy.interp``.

    ``side="left"`` takes, of equal knots, the height of the first.

    Parameters
    ----------
    graph : Graph
    values : str
        Float64, rows x columns.
    knots, heights : ndarray, shape (n_knots, n_columns)
    side : {"left", "right"}
    """
    found = places(graph, values, knots, side=side)
    rise, run = np.diff(heights, axis=0), np.diff(knots, axis=0)
    flat = np.zeros((1, knots.shape[1]))
    slope = np.vstack([flat, np.divide(rise, run, out=np.zeros_like(rise), where=run > 0), flat])
    # Between knots j - 1 and j a right line starts at the lower knot, a left one ends at the upper
    start = np.vstack([knots[:1], knots]) if side == "right" else np.vstack([knots, knots[-1:]])
    base = np.vstack([heights[:1], heights]) if side == "right" else np.vstack([heights, heights[-1:]])
    own_slope, own_start, own_base = (_take(graph, table, found) for table in (slope, start, base))
    along = graph.add("Sub", graph.double(values), own_start)
    return graph.add("Add", graph.add("Mul", along, own_slope), own_base)


def _take(graph: Graph, table: np.ndarray, at: str) -> str:
    """Return each column's entry at a place."""
    return graph.add("GatherElements", graph.constant(table, np.float64), at, axis=0)

"""Trees and forests: one operator finds the leaf of every tree, then the leaves' label vectors are added up.

The operator that sums label vectors itself does so in single precision. Here it only returns numbers of leaves, which
are whole, and the sums are made tree by tree as our own are, to the same bits. It does not know surrogates, columns
that are asked where a value is missing: trees with those are walked down step by step, all trees and rows together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from truepath import _kernels
from truepath.errors import CapabilityError
from truepath.graph import Graph
from truepath.learners.trees.vectors import leaf_vectors

__all__ = ["forest_scores"]

#: Up to here, single precision has all whole numbers
MOST_LEAVES = 1 << 24


def forest_scores(graph: Graph, trees: Sequence[Any], n_nodes: int, rows: str) -> str:
    """Return the mean label vectors of the leaves that rows reach."""
    fields = _kernels.trees.tree
    for tree in trees:
        _check(tree)
    find = _walk_down if any((tree.link[:, fields.SURROGATE] >= 0).any() for tree in trees) else _leaf_numbers
    leaves = graph.cast(find(graph, trees, graph.double(rows)), "INT64")
    total = None
    for k, tree in enumerate(trees):
        is_leaf = tree.link[:, fields.FEATURE] < 0
        vectors = leaf_vectors(tree, n_nodes)[np.flatnonzero(is_leaf)].astype(np.float32)
        reached = graph.add("Gather", leaves, graph.constant(k, np.int64), axis=1)
        own = graph.double(graph.add("Gather", graph.matrix(vectors), reached, axis=0))
        total = own if total is None else graph.add("Add", total, own)
    assert total is not None
    mean = graph.add("Div", total, graph.constant(float(len(trees))))
    return graph.like(graph.add("Min", mean, graph.constant(1.0)), rows)


def _check(tree: Any) -> None:
    """Refuse what the operator does not know."""
    fields = _kernels.trees.tree
    inner = tree.link[:, fields.FEATURE] >= 0
    if (tree.link[inner, fields.CATEGORY_START] >= 0).any():
        raise _refusal(
            "trees that split on sets of categories cannot be exported to ONNX.",
            "Fit the forest without categorical_features, on 0/1 columns (scikit-learn's OneHotEncoder).",
        )
    if not np.isin(tree.number[inner, fields.SHARE], (0.0, 1.0)).all():
        raise _refusal(
            "trees that send rows with a missing value both ways cannot be exported to ONNX.",
            "Fit the forest with missing='surrogate' or 'learned'.",
        )
    if len(tree.link) > MOST_LEAVES:
        raise _refusal(f"a tree of {len(tree.link):,} nodes is too large for ONNX.", "Limit max_depth.")


def _refusal(problem: str, remedy: str) -> CapabilityError:
    return CapabilityError(problem, "export", (), remedy)


def _leaf_numbers(graph: Graph, trees: Sequence[Any], rows: str) -> str:
    """Return which leaf of each tree a row reaches, counted from 0 among the leaves of the tree."""
    fields = _kernels.trees.tree
    link = np.concatenate([tree.link for tree in trees])
    number = np.concatenate([tree.number for tree in trees])
    sizes = [len(tree.link) for tree in trees]
    tree_of = np.repeat(np.arange(len(trees)), sizes)
    node_of = np.concatenate([np.arange(size) for size in sizes])
    is_leaf = link[:, fields.FEATURE] < 0
    within = np.concatenate([np.cumsum(tree.link[:, fields.FEATURE] < 0) - 1 for tree in trees])
    make = graph.onnx.numpy_helper.from_array
    return graph.add(
        "TreeEnsembleRegressor",
        rows,
        domain="ai.onnx.ml",
        n_targets=len(trees),
        nodes_treeids=tree_of.tolist(),
        nodes_nodeids=node_of.tolist(),
        nodes_modes=np.where(is_leaf, "LEAF", "BRANCH_LEQ").tolist(),
        nodes_featureids=np.where(is_leaf, 0, link[:, fields.FEATURE]).tolist(),
        nodes_truenodeids=np.where(is_leaf, 0, link[:, fields.LEFT]).tolist(),
        nodes_falsenodeids=np.where(is_leaf, 0, link[:, fields.RIGHT]).tolist(),
        nodes_missing_value_tracks_true=(~is_leaf & (number[:, fields.SHARE] >= 0.5)).astype(int).tolist(),
        nodes_values_as_tensor=make(np.where(is_leaf, 0.0, number[:, fields.THRESHOLD])),
        target_treeids=tree_of[is_leaf].tolist(),
        target_nodeids=node_of[is_leaf].tolist(),
        target_ids=tree_of[is_leaf].tolist(),
        target_weights_as_tensor=make(within[is_leaf].astype(np.float64)),
    )


def _walk_down(graph: Graph, trees: Sequence[Any], rows: str) -> str:
    """Return which leaf of each tree a row reaches, as :func:`_leaf_numbers`, asking surrogates as well."""
    fields = _kernels.trees.tree
    link = np.concatenate([tree.link for tree in trees]).astype(np.int64)
    number = np.concatenate([tree.number for tree in trees])
    sizes = np.array([len(tree.link) for tree in trees])
    first = np.cumsum(sizes) - sizes
    is_leaf = link[:, fields.FEATURE] < 0
    here, offset = np.arange(len(link)), np.repeat(first, sizes)
    feature = np.where(is_leaf, 0, link[:, fields.FEATURE])
    table = {
        "feature": feature,
        "surrogate": np.where(link[:, fields.SURROGATE] >= 0, link[:, fields.SURROGATE], feature),
        "left": np.where(is_leaf, here, offset + link[:, fields.LEFT]),
        "right": np.where(is_leaf, here, offset + link[:, fields.RIGHT]),
        "threshold": np.where(is_leaf, 0.0, number[:, fields.THRESHOLD]),
        "cut": number[:, fields.SURROGATE_CUT],
        "is_straight": link[:, fields.IS_STRAIGHT] == 1,
        "otherwise": number[:, fields.SHARE] >= 0.5,
    }
    names = {what: graph.constant(np.ascontiguousarray(values)) for what, values in table.items()}

    def step(body: Graph, at: str, _: list[str]) -> str:
        own = {what: body.add("Gather", name, at) for what, name in names.items()}
        value = body.add("GatherElements", rows, own["feature"], axis=1)
        other = body.add("GatherElements", rows, own["surrogate"], axis=1)
        as_other = body.add("Equal", body.add("LessOrEqual", other, own["cut"]), own["is_straight"])
        if_missing = body.either(body.add("IsNaN", other), own["otherwise"], as_other)
        is_below = body.add("LessOrEqual", value, own["threshold"])
        goes_left = body.either(body.add("IsNaN", value), if_missing, is_below)
        return body.add("Where", goes_left, own["left"], own["right"])

    tops = graph.constant(first[None, :], np.int64)
    zeros = graph.cast(graph.add("IsNaN", graph.columns(rows, [0])), "INT64")
    start = graph.add("Add", graph.add("Mul", zeros, graph.constant(0, np.int64)), tops)
    n_steps = max(_depth(tree) for tree in trees)
    reached = graph.scan(start, [graph.constant(np.zeros(n_steps, np.int64))], step)
    within = np.concatenate([np.cumsum(tree.link[:, fields.FEATURE] < 0) - 1 for tree in trees])
    return graph.add("Gather", graph.constant(within, np.int64), reached)


def _depth(tree: Any) -> int:
    """Return the number of questions on the longest way down, 1 at least; children come after their parents."""
    fields = _kernels.trees.tree
    depth = np.zeros(len(tree.link), np.int64)
    for t in np.flatnonzero(tree.link[:, fields.FEATURE] >= 0):
        depth[tree.link[t, [fields.LEFT, fields.RIGHT]]] = depth[t] + 1
    return max(1, int(depth.max()))

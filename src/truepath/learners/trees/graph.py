"""Trees and forests: one operator finds the leaf of every tree, then the leaves' label vectors are added up.

The operator that sums label vectors itself does so in single precision. Here it only returns numbers of leaves, which
are whole, and the sums are made tree by tree as our own are, to the same bits. It does not know surrogates, columns
that are asked where a value is missing: trees with those are walked down step by step, all trees and rows together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from truepath._kernels.trees.arrays import (
    CATEGORY_START,
    FEATURE,
    IS_STRAIGHT,
    LEFT,
    RIGHT,
    SHARE,
    SURROGATE,
    SURROGATE_CUT,
    THRESHOLD,
)
from truepath.errors import CapabilityError
from truepath.graph import Graph
from truepath.learners.trees.vectors import depth_of, leaf_vectors

#: Up to here, single precision has all whole numbers
MOST_LEAVES = 1 << 24


def forest_scores(graph: Graph, trees: Sequence[Any], n_nodes: int, rows: str) -> str:
    """Return the mean label vectors of the leaves that rows reach."""
    mean = graph.add("Div", forest_sums(graph, trees, n_nodes, rows), graph.constant(float(len(trees))))
    return graph.like(graph.add("Min", mean, graph.constant(1.0)), rows)


def forest_sums(graph: Graph, trees: Sequence[Any], n_nodes: int, rows: str, base: np.ndarray | None = None) -> str:
    """Return the sums of the vectors of the leaves that rows reach, in double precision, after ``base``."""
    forest = _Forest.of(trees)
    forest.check()
    find = _walk_down if (forest.link[:, SURROGATE] >= 0).any() else _leaf_numbers
    leaves = graph.cast(find(graph, forest, graph.double(rows)), "INT64")
    total = None if base is None else graph.constant(base[None, :])
    for k, tree in enumerate(trees):
        vectors = leaf_vectors(tree, n_nodes)[np.flatnonzero(tree.link[:, FEATURE] < 0)].astype(np.float32)
        reached = graph.add("Gather", leaves, graph.constant(k, np.int64), axis=1)
        own = graph.double(graph.add("Gather", graph.matrix(vectors), reached, axis=0))
        total = own if total is None else graph.add("Add", total, own)
    assert total is not None
    return total


class _Forest(NamedTuple):
    """The nodes of all trees, one tree after the other."""

    link: np.ndarray
    number: np.ndarray
    sizes: np.ndarray  # nodes of each tree
    is_leaf: np.ndarray
    leaf: np.ndarray  # of each leaf, its number among the leaves of its tree
    depth: int  # questions on the longest way down, 1 at least

    @classmethod
    def of(cls, trees: Sequence[Any]) -> _Forest:
        link = np.concatenate([tree.link for tree in trees]).astype(np.int64)
        return cls(
            link,
            np.concatenate([tree.number for tree in trees]),
            np.array([len(tree.link) for tree in trees]),
            link[:, FEATURE] < 0,
            np.concatenate([np.cumsum(tree.link[:, FEATURE] < 0) - 1 for tree in trees]),
            max(1, *map(depth_of, trees)),
        )

    def check(self) -> None:
        """Refuse what the operator does not know."""
        if (self.link[~self.is_leaf, CATEGORY_START] >= 0).any():
            raise _refusal(
                "trees that split on sets of categories cannot be exported to ONNX.",
                "Fit the forest without categorical_features, on 0/1 columns (scikit-learn's OneHotEncoder).",
            )
        if not np.isin(self.number[~self.is_leaf, SHARE], (0.0, 1.0)).all():
            raise _refusal(
                "trees that send rows with a missing value both ways cannot be exported to ONNX.",
                "Fit the forest with missing='surrogate' or 'learned'.",
            )
        if self.sizes.max() > MOST_LEAVES:
            raise _refusal(f"a tree of {self.sizes.max():,} nodes is too large for ONNX.", "Limit max_depth.")


def _refusal(problem: str, remedy: str) -> CapabilityError:
    return CapabilityError(problem, "export", (), remedy)


def _leaf_numbers(graph: Graph, forest: _Forest, rows: str) -> str:
    """Return which leaf of each tree a row reaches, counted from 0 among the leaves of the tree."""
    link, number, sizes, is_leaf, leaf, _ = forest
    tree_of = np.repeat(np.arange(sizes.size), sizes)
    node_of = np.concatenate([np.arange(size) for size in sizes])
    make = graph.onnx.numpy_helper.from_array
    return graph.add(
        "TreeEnsembleRegressor",
        rows,
        domain="ai.onnx.ml",
        n_targets=sizes.size,
        nodes_treeids=tree_of.tolist(),
        nodes_nodeids=node_of.tolist(),
        nodes_modes=np.where(is_leaf, "LEAF", "BRANCH_LEQ").tolist(),
        nodes_featureids=np.where(is_leaf, 0, link[:, FEATURE]).tolist(),
        nodes_truenodeids=np.where(is_leaf, 0, link[:, LEFT]).tolist(),
        nodes_falsenodeids=np.where(is_leaf, 0, link[:, RIGHT]).tolist(),
        nodes_missing_value_tracks_true=(~is_leaf & (number[:, SHARE] >= 0.5)).astype(int).tolist(),
        nodes_values_as_tensor=make(np.where(is_leaf, 0.0, number[:, THRESHOLD])),
        target_treeids=tree_of[is_leaf].tolist(),
        target_nodeids=node_of[is_leaf].tolist(),
        target_ids=tree_of[is_leaf].tolist(),
        target_weights_as_tensor=make(leaf[is_leaf].astype(np.float64)),
    )


def _walk_down(graph: Graph, forest: _Forest, rows: str) -> str:
    """Return which leaf of each tree a row reaches, as :func:`_leaf_numbers`, asking surrogates as well."""
    link, number, sizes, is_leaf, leaf, depth = forest
    first = np.cumsum(sizes) - sizes
    here, offset = np.arange(len(link)), np.repeat(first, sizes)
    feature = np.where(is_leaf, 0, link[:, FEATURE])
    table = {
        "feature": feature,
        "surrogate": np.where(link[:, SURROGATE] >= 0, link[:, SURROGATE], feature),
        "left": np.where(is_leaf, here, offset + link[:, LEFT]),
        "right": np.where(is_leaf, here, offset + link[:, RIGHT]),
        "threshold": np.where(is_leaf, 0.0, number[:, THRESHOLD]),
        "cut": number[:, SURROGATE_CUT],
        "is_straight": link[:, IS_STRAIGHT] == 1,
        "otherwise": number[:, SHARE] >= 0.5,
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
    reached = graph.scan(start, [graph.constant(np.zeros(depth, np.int64))], step)
    return graph.add("Gather", graph.constant(leaf, np.int64), reached)

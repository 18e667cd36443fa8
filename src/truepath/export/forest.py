"""Trees and forests: one operator finds the leaf of every tree, then the leaves' label vectors are added up.

The operator that sums label vectors itself does so in single precision. Here it only returns numbers of leaves, which
are whole, and the sums are made tree by tree as our own are, to the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truepath._kernels.trees import tree as fields
from truepath.errors import TruePathError
from truepath.export.graph import Graph
from truepath.learners.trees.vectors import leaf_vectors

__all__ = ["forest_scores"]

#: Up to here, single precision has all whole numbers
MOST_LEAVES = 1 << 24


def forest_scores(graph: Graph, learner: Any, features: str) -> str:
    """Return the scores of a :class:`~truepath.learners.PCTForest` or a :class:`~truepath.learners.PCTree`."""
    trees, n_nodes = learner._trees(), learner.hierarchy_.n_nodes
    for tree in trees:
        _check(tree)
    leaves = graph.cast(_leaf_numbers(graph, trees, features), "INT64")
    total = None
    for k, tree in enumerate(trees):
        is_leaf = tree.link[:, fields.FEATURE] < 0
        vectors = graph.constant(leaf_vectors(tree, n_nodes)[np.flatnonzero(is_leaf)].toarray().astype(np.float32))
        reached = graph.add("Gather", vectors, graph.add("Gather", leaves, graph.constant(k, np.int64), axis=1), axis=0)
        own = graph.cast(reached, "DOUBLE")
        total = own if total is None else graph.add("Add", total, own)
    assert total is not None
    return graph.add("Min", graph.add("Div", total, graph.constant(float(len(trees)))), graph.constant(1.0))


def _check(tree: Any) -> None:
    """Refuse what the operator does not know."""
    inner = tree.link[:, fields.FEATURE] >= 0
    if (tree.link[inner, fields.CATEGORY_START] >= 0).any():
        raise TruePathError(
            "trees that ask for sets of categories cannot be exported to ONNX.",
            "Fit the forest without categorical_features, on 0/1 columns (scikit-learn's OneHotEncoder).",
        )
    share = tree.number[inner, fields.SHARE]
    if (tree.link[inner, fields.SURROGATE] >= 0).any() or not np.isin(share, (0.0, 1.0)).all():
        raise TruePathError(
            "trees that ask another column where a value is missing, or send such rows both ways, cannot be exported "
            "to ONNX.",
            "Fit the forest with missing='learned'.",
        )
    if len(tree.link) > MOST_LEAVES:
        raise TruePathError(f"a tree of {len(tree.link):,} nodes is too large for ONNX.", "Limit max_depth.")


def _leaf_numbers(graph: Graph, trees: list[Any], features: str) -> str:
    """Return which leaf of each tree a row reaches, counted from 0 among the leaves of the tree."""
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
        features,
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

"""Which features a tree used, overall, for each level of the hierarchy, or for each class.

A split of a node of weight N into parts of weights n_l, n_r lowers the variance of class v by
n_l p_l^2 + n_r p_r^2 - N p^2 (p: the shares of v); the tree's criterion is the sum over v, weighted by w_v.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from truepath._kernels.trees.arrays import FEATURE, GAIN, LEFT, RIGHT, WEIGHT
from truepath.hierarchy import Hierarchy
from truepath.learners.trees.vectors import node_vectors


def feature_importances(
    trees: Sequence[Any], n_features: int, hierarchy: Hierarchy, class_weight: np.ndarray, *, by: str | None = None
) -> np.ndarray:
    """Return the mean importances over the trees; every column sums to 1 or 0.

    ``by`` is None (overall: one column, returned flat), "level" (one column per depth) or "class".
    """
    if by not in (None, "level", "class"):
        raise ValueError(f"by must be None, 'level' or 'class'; got {by!r}.")
    if by is None:
        found = [_by_feature(tree, n_features) @ tree.number[:, GAIN] for tree in trees]
    else:
        groups, n_nodes = _groups(hierarchy, class_weight, by), hierarchy.n_nodes
        found = [(_by_feature(tree, n_features) @ _gains(tree, n_nodes) @ groups).toarray() for tree in trees]
    return _normalize(np.sum([_normalize(table) for table in found], axis=0))


def _groups(hierarchy: Hierarchy, class_weight: np.ndarray, by: str) -> sparse.csr_array:
    """Return the matrix that sums classes to columns: levels by class weight, or classes as they are."""
    n_nodes = hierarchy.n_nodes
    column = np.arange(n_nodes) if by == "class" else hierarchy.depth - 1
    shape = (n_nodes, n_nodes if by == "class" else hierarchy.height)
    return sparse.csr_array((class_weight, (np.arange(n_nodes), column)), shape=shape)


def _by_feature(tree: Any, n_features: int) -> sparse.csr_array:
    """Return the (n_features, nodes) matrix with a 1 where a node is split on a feature."""
    feature = tree.link[:, FEATURE]
    inner = np.flatnonzero(feature >= 0)
    return sparse.csr_array((np.ones(inner.size), (feature[inner], inner)), shape=(n_features, len(feature)))


def _gains(tree: Any, n_nodes: int) -> sparse.csr_array:
    """Return the decrease of the variance of every class at every inner node."""
    P, weight = node_vectors(tree, n_nodes), tree.number[:, WEIGHT]
    energy = sparse.csr_array(P.multiply(P).multiply(weight[:, None]))
    inner = np.flatnonzero(tree.link[:, FEATURE] >= 0)
    after = energy[tree.link[inner, LEFT]] + energy[tree.link[inner, RIGHT]]
    place = sparse.csr_array((np.ones(inner.size), (inner, np.arange(inner.size))), shape=(len(weight), inner.size))
    return place @ sparse.csr_array(after - energy[inner])


def _normalize(table: np.ndarray) -> np.ndarray:
    """Scale the columns to sum to 1; those without any gain stay 0."""
    table = np.maximum(table, 0.0)  # rounding of the shares can leave a gain of -0
    total = table.sum(axis=0)
    return table / np.where(total > 0, total, 1.0)

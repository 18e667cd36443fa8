"""The label vectors of all nodes of a tree, inner ones too, from those of the leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from truepath import _kernels

__all__ = ["leaf_vectors", "node_vectors", "parents_of", "passed_nodes"]


def leaf_vectors(tree: Any, n_nodes: int) -> sparse.csr_array:
    """Return the mean label vectors, one row per node of the tree; rows of inner nodes are empty."""
    fields = _kernels.trees.tree
    start, stop = tree.link[:, fields.LEAF_START], tree.link[:, fields.LEAF_STOP]
    sizes = np.where(tree.link[:, fields.FEATURE] < 0, stop - start, 0)
    entry = np.arange(sizes.sum()) + np.repeat(start - (np.cumsum(sizes) - sizes), sizes)
    indptr = np.append(0, np.cumsum(sizes))
    values = tree.leaf_value[entry].astype(np.float64)
    return sparse.csr_array((values, tree.leaf_label[entry], indptr), shape=(len(sizes), n_nodes))


def parents_of(tree: Any) -> np.ndarray:
    """Return the parent of each node, -1 for the root."""
    fields = _kernels.trees.tree
    parent = np.full(len(tree.link), -1)
    inner = np.flatnonzero(tree.link[:, fields.FEATURE] >= 0)
    parent[tree.link[inner, fields.LEFT]] = inner
    parent[tree.link[inner, fields.RIGHT]] = inner
    return parent


def passed_nodes(tree: Any) -> sparse.csr_array:
    """Return the matrix with a 1 where the row's node is the column's, or above it."""
    parent = parents_of(tree)
    here, at = np.arange(len(parent)), np.arange(len(parent))
    above, below = [at], [here]
    while at.size:  # one round per level
        at = parent[at]
        here, at = here[at >= 0], at[at >= 0]
        above.append(at)
        below.append(here)
    rows, columns = np.concatenate(above), np.concatenate(below)
    return sparse.csr_array((np.ones(rows.size), (rows, columns)), shape=(len(parent), len(parent)))


def node_vectors(tree: Any, n_nodes: int) -> sparse.csr_array:
    """Return the mean label vectors of all nodes: an inner node's is the weighted mean of the leaves below it."""
    weight = tree.number[:, _kernels.trees.tree.WEIGHT]
    sums = passed_nodes(tree) @ (sparse.diags_array(weight) @ leaf_vectors(tree, n_nodes))
    return sparse.csr_array(sparse.diags_array(1.0 / weight) @ sums)

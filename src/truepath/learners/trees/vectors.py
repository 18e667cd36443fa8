"""The label vectors of all nodes of a tree, inner ones too, from those of the leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from truepath._kernels.trees.arrays import FEATURE, LEAF_START, LEAF_STOP, LEFT, RIGHT, WEIGHT


def leaf_vectors(tree: Any, n_nodes: int) -> sparse.csr_array:
    """Return the mean label vectors, one row per node of the tree; rows of inner nodes are empty."""
    start, stop = tree.link[:, LEAF_START], tree.link[:, LEAF_STOP]
    sizes = np.where(tree.link[:, FEATURE] < 0, stop - start, 0)
    entry = np.arange(sizes.sum()) + np.repeat(start - (np.cumsum(sizes) - sizes), sizes)
    indptr = np.append(0, np.cumsum(sizes))
    values = tree.leaf_value[entry].astype(np.float64)
    return sparse.csr_array((values, tree.leaf_label[entry], indptr), shape=(len(sizes), n_nodes))


def parents_of(tree: Any) -> np.ndarray:
    """Return the parent of each node, -1 for the root."""
    parent = np.full(len(tree.link), -1)
    inner = np.flatnonzero(tree.link[:, FEATURE] >= 0)
    parent[tree.link[inner, LEFT]] = inner
    parent[tree.link[inner, RIGHT]] = inner
    return parent


def depth_of(tree: Any) -> int:
    """Return the most questions on the way to a leaf."""
    parent, depth = parents_of(tree), 0
    at = np.arange(len(parent))
    while (at := parent[at[at >= 0]]).size and (at >= 0).any():
        depth += 1
    return depth


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
    weight = tree.number[:, WEIGHT]
    sums = passed_nodes(tree) @ (sparse.diags_array(weight) @ leaf_vectors(tree, n_nodes))
    return sparse.csr_array(sparse.diags_array(1.0 / weight) @ sums)

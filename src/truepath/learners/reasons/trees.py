"""Contributions in trees and forests: Shapley values (TreeSHAP), or the changes along the way of the row (Saabas).

References
----------
Lundberg, S. M. et al. (2020). From local explanations to global understanding with explainable AI for trees. Nature
Machine Intelligence 2, 56-67.
Saabas, A. (2014). Interpreting random forests.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath import _kernels
from truepath.hierarchy.matrices import as_dense
from truepath.learners.trees.columns import code_categories
from truepath.learners.trees.vectors import node_vectors, parents_of

__all__ = ["explain_by_path", "explain_by_shapley"]

Floats = NDArray[np.float64]


def explain_by_shapley(learner: Any, x: Any, nodes: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the Shapley values of one row, (n_features, n_wanted), and the scores without any feature known."""
    trees, coded = learner._trees(), _coded(learner, x)
    column = np.full(learner.hierarchy_.n_nodes, -1, np.int64)
    column[nodes] = np.arange(nodes.size)
    phi, base = np.zeros((learner.n_features_in_, nodes.size)), np.zeros(nodes.size)
    for tree in trees:
        depth = _depth(tree)
        points, weights = np.polynomial.legendre.leggauss(depth // 2 + 1)  # exact for polynomials of degree depth + 1
        _kernels.trees.shapley.add_shapley(tree, depth, coded, column, (points + 1) / 2, weights / 2, phi, base)
    return phi / len(trees), base / len(trees)


def explain_by_path(learner: Any, x: Any, nodes: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the changes along the row's way, (n_features, n_wanted), and the mean scores at the root."""
    trees, coded = learner._trees(), _coded(learner, x)
    phi, base = np.zeros((learner.n_features_in_, nodes.size)), np.zeros(nodes.size)
    for tree in trees:
        values = node_vectors(tree, learner.hierarchy_.n_nodes)[:, nodes].toarray()
        _kernels.trees.shapley.add_path(tree, values, coded, phi)
        base += values[0]
    return phi / len(trees), base / len(trees)


def _coded(learner: Any, x: Any) -> Floats:
    """Return one row as the trees take it."""
    return code_categories(as_dense(x), learner.categories_)[0]


def _depth(tree: Any) -> int:
    """Return the most questions on the way to a leaf."""
    parent, depth = parents_of(tree), 0
    at = np.arange(len(parent))
    while (at := parent[at[at >= 0]]).size and (at >= 0).any():
        depth += 1
    return depth

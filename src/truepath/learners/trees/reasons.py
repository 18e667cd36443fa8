"""Contributions in trees and forests: Shapley values (TreeSHAP), or the changes along the way of the row (Saabas).

References
----------
Lundberg, S. M. et al. (2020). From local explanations to global understanding with explainable AI for trees. Nature
Machine Intelligence 2, 56-67.
Saabas, A. (2014). Interpreting random forests.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath import _kernels
from truepath.learners.trees.vectors import depth_of, node_vectors

Floats = NDArray[np.float64]


def explain_by_shapley(
    trees: Sequence[Any], x: Floats, nodes: NDArray[np.int64], n_nodes: int
) -> tuple[Floats, Floats]:
    """Return the Shapley values of one row, (n_features, n_wanted), and the scores without any feature known."""
    column = np.full(n_nodes, -1, np.int64)
    column[nodes] = np.arange(nodes.size)
    phi, base = np.zeros((x.size, nodes.size)), np.zeros(nodes.size)
    for tree in trees:
        depth = depth_of(tree)
        _kernels.trees.shapley.add_shapley(tree, depth, x, column, *_points(depth), phi, base)
    return phi / len(trees), base / len(trees)


def explain_by_path(trees: Sequence[Any], x: Floats, nodes: NDArray[np.int64], n_nodes: int) -> tuple[Floats, Floats]:
    """Return the changes along the row's way, (n_features, n_wanted), and the mean scores at the root."""
    phi, base = np.zeros((x.size, nodes.size)), np.zeros(nodes.size)
    for tree in trees:
        values = node_vectors(tree, n_nodes)[:, nodes].toarray()
        _kernels.trees.shapley.add_path(tree, values, x, phi)
        base += values[0]
    return phi / len(trees), base / len(trees)


@cache
def _points(depth: int) -> tuple[Floats, Floats]:
    """Return points from 0 to 1 and their weights, m + 1 in row m: exact for polynomials of degree 2 m + 1."""
    points, weights = np.zeros((2, depth // 2 + 1, depth // 2 + 1))
    for m in range(depth // 2 + 1):
        at, weight = np.polynomial.legendre.leggauss(m + 1)
        points[m, : m + 1], weights[m, : m + 1] = (at + 1) / 2, weight / 2
    return points, weights

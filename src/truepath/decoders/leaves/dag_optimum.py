"""The best label set on a DAG, all paths ending in leaves: the integer programme (10), solved by HiGHS.

One variable psi_v in [0, 1] per node; psi_child <= psi_parent on every edge, psi_i <= the sum over its children for
every inner node, and the psi of the leaves sum to k (at least 1 if k is unknown). When the leaves' psi are whole
numbers all others are, from the bottom up; they are all declared whole, so that the solver may branch on any and has no
continuous part to solve again, which it would announce on the standard output.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.decoders.leaves.greedy import GreedySearch
from truepath.decoders.leaves.weights import NodeWeights
from truepath.hierarchy import Hierarchy

# A solution this near its upper bound, relative to the larger of 1 and its value, counts as the optimum.
GAP_TOLERANCE = 1e-6


class DagOptimum:
    """Exact search on one DAG; after ``time_limit`` seconds per row, the better of the best found and the greedy."""

    def __init__(self, hierarchy: Hierarchy, time_limit: float):
        self.hierarchy = hierarchy
        self.time_limit = time_limit
        self._greedy = GreedySearch(hierarchy)
        self._rules = _rules(hierarchy)

    def solve(self, weights: NodeWeights, k: NDArray[np.int64] | None) -> tuple[NDArray, NDArray, NDArray]:
        """Return the label sets, their values, and how far above them the optimum may still lie."""
        Y = self._greedy.decode(weights, k)
        value = weights.root + np.where(Y, weights.nodes, 0.0).sum(axis=1)
        gap = np.empty(value.size)
        for i in range(value.size):
            y, bound = self._solve_row(weights.nodes[i], None if k is None else int(k[i]))
            found = -np.inf if y is None else weights.root[i] + weights.nodes[i, y].sum()
            if found > value[i]:
                Y[i], value[i] = y, found
            gap[i] = weights.root[i] + bound - value[i]
        gap[gap <= GAP_TOLERANCE * np.maximum(1.0, np.abs(value))] = 0.0
        return Y, value, gap

    def solve_all(self, weights: NodeWeights, k_max: int) -> tuple[NDArray, NDArray, NDArray]:
        """Return the same for every k up to ``k_max``, of shapes (n_samples, k_max, n_nodes) and (n_samples, k_max)."""
        n_samples = weights.root.size
        parts = [self.solve(weights, np.full(n_samples, k)) for k in range(1, k_max + 1)]
        Y, value, gap = (np.stack(matrices, axis=1) for matrices in zip(*parts))
        return Y, value, gap

    def _solve_row(self, w: NDArray[np.float64], k: int | None) -> tuple[NDArray[np.bool_] | None, float]:
        """Return the best set the solver found (or None) and its upper bound on the value, w_0 left out."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        h = self.hierarchy
        least, most = (1, h.leaves.size) if k is None else (k, k)
        count = LinearConstraint(sparse.csr_array(h.is_leaf[None].astype(np.float64)), least, most)
        result = milp(
            -w,
            integrality=np.ones(h.n_nodes, np.int8),
            bounds=Bounds(0, 1),
            constraints=[LinearConstraint(self._rules, -np.inf, 0), count],
            options={"time_limit": self.time_limit, "mip_rel_gap": 0.0},
        )
        bound = np.inf if result.mip_dual_bound is None else -result.mip_dual_bound
        if result.x is None:
            return None, bound
        return h.close((result.x > 0.5)[None] & h.is_leaf)[0], bound


def _rules(hierarchy: Hierarchy) -> sparse.csr_array:
    """Return the rows A of A psi <= 0: a child only with its parents, an inner node only with a child."""
    h, edges = hierarchy, hierarchy.edges
    number = np.arange(h.n_edges)
    minus = np.full(h.n_edges, -1.0)
    shape = (h.n_edges, h.n_nodes)
    child = sparse.csr_array((-minus, (number, edges[:, 1])), shape)
    parent = sparse.csr_array((minus, (number, edges[:, 0])), shape)
    children = sparse.csr_array((minus, (edges[:, 0], edges[:, 1])), (h.n_nodes, h.n_nodes))
    inner = (sparse.eye_array(h.n_nodes, format="csr") + children)[np.flatnonzero(~h.is_leaf)]
    return sparse.csr_array(sparse.vstack([child + parent, inner], format="csr"))

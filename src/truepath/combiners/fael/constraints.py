r"""The binary constraint set of HierarchicalFAEL: pairs of ancestor and descendant, and the Gram matrix of M they make.

Row i of M stands for the pair (p, q), p above q: 1 at p and -m_pq at q, so that ||M W||^2 sums (w_pk - m_pq w_qk)^2
over pairs and k, eq. (9). Eq. (7) sets m_pq = mu for parent and child and mu (e_pq + 1) for ancestor and descendant
with e_pq nodes between: mu times the distance, in both cases. On a DAG the shortest path counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from truepath import _kernels
from truepath.hierarchy import Hierarchy


class AncestorPairs(NamedTuple):
    """All pairs (p above q) and the number of edges between them."""

    p: np.ndarray
    q: np.ndarray
    distance: np.ndarray


def constraint_pairs(hierarchy: Hierarchy) -> AncestorPairs:
    """Return every ancestor-descendant pair, parent and child included, with its distance.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> pairs = constraint_pairs(Hierarchy.from_edges([("a", "b"), ("b", "c"), ("a", "c")]))
    >>> list(zip(pairs.p.tolist(), pairs.q.tolist(), pairs.distance.tolist()))
    [(0, 1, 1), (0, 2, 1), (1, 2, 1)]
    """
    above = hierarchy.ancestor_matrix()
    up = hierarchy.parent_ptr, hierarchy.parent_idx
    distance = _kernels.hierarchy.distances.ancestor_distances(above.indptr, above.indices, *up)
    q = np.repeat(np.arange(hierarchy.n_nodes, dtype=np.int32), np.diff(above.indptr))
    is_above = distance > 0
    return AncestorPairs(above.indices[is_above], q[is_above], distance[is_above])


def constraint_gram(pairs: AncestorPairs, mu: float, n_nodes: int) -> sparse.csr_array:
    """Return M'M without building M: one entry per pair off the diagonal, and sums on it."""
    m = mu * pairs.distance  # eq. (7)
    diagonal = np.bincount(pairs.p, minlength=n_nodes) + np.bincount(pairs.q, weights=m * m, minlength=n_nodes)
    nodes = np.arange(n_nodes)
    values = np.r_[diagonal, -m, -m]
    where = (np.r_[nodes, pairs.p, pairs.q], np.r_[nodes, pairs.q, pairs.p])
    return sparse.coo_array((values, where), shape=(n_nodes, n_nodes)).tocsr()

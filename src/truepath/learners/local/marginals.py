"""From what local models estimate to coherent marginals, on trees and DAGs; vectorised over instances.

* conditionals p(v | parents): S[v] = q_v * min over parents u of S[u] (the product along the path on trees);
* conditionals per arc p(v | u): every q_vu * S[u] estimates p(v), for v implies u; the smallest is kept, the only one
  sure not to exceed any parent;
* marginals p(v): capped by the parents', S[v] = min(q_v, S[parents]);
* p(v is most specific): v is at least as likely as any label below it, S[v] = max(q_v, S[children]).
"""

from __future__ import annotations

import numpy as np

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.arcs import arc_pointers

__all__ = ["cap_by_parents", "chain_arcs", "chain_nodes", "raise_by_children"]


def chain_nodes(Q: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
    """Return marginals from one conditional a node: q_v times the smallest of the parents' marginals."""
    S = _by_node(Q)
    for v in range(hierarchy.n_nodes):
        parents = hierarchy.parents(v)
        if parents.size:
            S[v] *= S[parents].min(axis=0)
    return _by_row(S)


def chain_arcs(P: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
    """Return marginals from one conditional an arc: the smallest of q_vu * S[u] over the parents u."""
    P, S = _by_node(P), np.empty((hierarchy.n_nodes, P.shape[0]))
    arc_ptr, _ = arc_pointers(hierarchy)
    for v in range(hierarchy.n_nodes):
        own = P[arc_ptr[v] : arc_ptr[v + 1]]
        parents = hierarchy.parents(v)
        S[v] = (own * S[parents]).min(axis=0) if parents.size else own[0]
    return _by_row(S)


def cap_by_parents(Q: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
    """Return marginals none of which exceeds a parent's: the smallest estimate among v and its ancestors."""
    S = _by_node(Q)
    for parent, child in hierarchy.edges:
        np.minimum(S[child], S[parent], out=S[child])
    return _by_row(S)


def raise_by_children(Q: np.ndarray, hierarchy: Hierarchy) -> np.ndarray:
    """Return marginals none of which lies below a child's: the largest estimate among v and its descendants."""
    S = _by_node(Q)
    for parent, child in hierarchy.edges[::-1]:
        np.maximum(S[child], S[parent], out=S[parent])
    return _by_row(S)


def _by_node(Q: np.ndarray) -> np.ndarray:
    """Copy to one contiguous float64 row a node."""
    return np.array(Q.T, np.float64, order="C")


def _by_row(S: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(S.T)

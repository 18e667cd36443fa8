"""Ratios along arcs: a node's score given each of its parents'."""

from __future__ import annotations

from truepath._kernels.jit import kernel


@kernel
def divide_by_parents(S, arc_ptr, arc_parent, zero_division, tolerance, P):
    """Fill P[i, a] <- S[i, v] / S[i, u] for the arc a from u to v, at most 1; say whether no v exceeds its u.

    The root's score is 1. O(n_samples * n_arcs).
    """
    is_coherent = True
    for i in range(S.shape[0]):
        for v in range(S.shape[1]):
            for a in range(arc_ptr[v], arc_ptr[v + 1]):
                u = arc_parent[a]
                above = S[i, u] if u >= 0 else 1.0
                is_coherent &= S[i, v] <= above + tolerance
                P[i, a] = min(S[i, v] / above, 1.0) if above > 0.0 else zero_division
    return is_coherent

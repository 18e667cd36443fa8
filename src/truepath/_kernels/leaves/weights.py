"""Node weights whose sum over a label set is its log posterior."""

from __future__ import annotations

from truepath._kernels.jit import kernel


@kernel
def gather_weights(log_on, log_off, arc_ptr, arc_parent, W, root):
    """Fill W[i, v] <- w_v and root[i] <- w_0 of eq. (6) and Proposition 4. O(n_samples * n_arcs).

    log_on[i, a] and log_off[i, a] are log p and log(1 - p) of the arc a.
    """
    for i in range(W.shape[0]):
        root[i] = 0.0
        for v in range(W.shape[1]):  # a parent's weight is begun before its children add to it
            W[i, v] = 0.0
            for a in range(arc_ptr[v], arc_ptr[v + 1]):
                W[i, v] += log_on[i, a] - log_off[i, a]
                if arc_parent[a] >= 0:
                    W[i, arc_parent[a]] += log_off[i, a]
                else:
                    root[i] += log_off[i, a]

"""The best leaves of sparse scores, row by row, without a dense row."""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner, kernel


@kernel
def best_leaves(indptr, indices, data, leaves, is_leaf, ends, out):
    """Write row i's best leaves to `out[ends[i]:ends[i + 1]]`: by score, what is not stored being 0, then by number.

    O(stored * wanted) per row, and the leaves passed over where fewer than wanted score above 0.
    """
    value = np.zeros(is_leaf.size, data.dtype)
    stored = np.empty(is_leaf.size, np.int32)
    for i in range(indptr.size - 1):
        n = 0
        for j in range(indptr[i], indptr[i + 1]):
            v = indices[j]
            if is_leaf[v] and data[j] != 0:
                stored[n] = v
                value[v] = data[j]
                n += 1
        size, taken, m = ends[i], 0, 0
        while size < ends[i + 1]:
            if taken < n:
                _bring_best(stored[taken:n], value)
            if taken < n and (m == leaves.size or value[stored[taken]] > 0):
                out[size] = stored[taken]
                taken += 1
                size += 1
            elif value[leaves[m]] != 0:
                m += 1
            else:
                out[size] = leaves[m]
                m += 1
                size += 1
        for j in range(n):
            value[stored[j]] = 0


@inner
def _bring_best(nodes, value):
    """Swap the node of greatest value, the smallest of equals, to the front."""
    best = 0
    for j in range(1, nodes.size):
        more = value[nodes[j]] - value[nodes[best]]
        if more > 0 or (more == 0 and nodes[j] < nodes[best]):
            best = j
    nodes[0], nodes[best] = nodes[best], nodes[0]

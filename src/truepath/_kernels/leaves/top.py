"""The most specific of the best labels of each row."""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import kernel


@kernel
def most_specific(S, order, parent_ptr, parent_idx, out):
    """Write the most specific of each row's best labels to `out`, the best first, as many as it has columns.

    Labels are taken in the given order, best first, for as long as no more than the wanted number of them has no label
    taken below it. O(labels taken * parents) per row.
    """
    k, n_nodes = out.shape[1], S.shape[1]
    below, inside = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.bool_)
    for i in range(S.shape[0]):
        below[:], inside[:] = 0, False
        n_ends = taken = 0
        for v in order[i]:
            if S[i, v] <= 0:
                break
            more = int(below[v] == 0)
            for u in parent_idx[parent_ptr[v] : parent_ptr[v + 1]]:
                more -= inside[u] and below[u] == 0
            if n_ends + more > k:
                break
            n_ends += more
            taken += 1
            inside[v] = True
            for u in parent_idx[parent_ptr[v] : parent_ptr[v + 1]]:
                below[u] += 1
        place = 0
        for v in order[i, :taken]:
            if below[v] == 0:
                out[i, place] = v
                place += 1
        out[i, place:] = -1

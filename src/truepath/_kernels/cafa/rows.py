"""Long tables to rows, and the propagation that fills in what is not given."""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import kernel


@kernel
def gather_rows(rows, nodes, scores, n_rows, group, most):
    """Return CSR arrays of a long table: of a repeated cell the greatest score counts, of scores 0 or less none.

    Within a row cells stand in the order of the table; lines count until a group of nodes has ``most`` cells.
    O(cells + n_rows * groups).
    """
    placed = np.zeros(n_rows + 1, np.int64)
    for c in range(rows.size):
        placed[rows[c] + 1] += 1
    for i in range(n_rows):
        placed[i + 1] += placed[i]
    order = np.empty(rows.size, np.int64)
    at = placed[:-1].copy()
    for c in range(rows.size):
        order[at[rows[c]]] = c
        at[rows[c]] += 1
    indptr, size = np.zeros(n_rows + 1, np.int64), 0
    indices, data = np.empty(rows.size, np.int32), np.empty(rows.size, scores.dtype)
    slot = np.full(group.size, -1, np.int64)
    n_groups = group.max() + 1 if group.size else 0
    taken = np.zeros(n_groups, np.int64)
    for i in range(n_rows):
        taken[:] = 0
        for k in range(placed[i], placed[i + 1]):
            v, s = nodes[order[k]], scores[order[k]]
            if not s > 0 or taken[group[v]] >= most:
                continue
            if slot[v] >= 0:
                data[slot[v]] = max(data[slot[v]], s)
            else:
                taken[group[v]] += 1
                slot[v] = size
                indices[size], data[size] = v, s
                size += 1
        for k in range(indptr[i], size):
            slot[indices[k]] = -1
        indptr[i + 1] = size
    return indptr, indices[:size].copy(), data[:size].copy()


@kernel
def fill_rows(indptr, indices, data, parent_ptr, parent_idx, own):
    """In place, on closed rows: a cell without a score of its own gets the greatest that its children end with.

    Rows are sorted, parents before children; ``own`` says which cells have a score of their own, the others hold 0.
    """
    n_nodes = parent_ptr.size - 1
    slot = np.zeros(n_nodes, np.int64)
    for i in range(indptr.size - 1):
        for c in range(indptr[i], indptr[i + 1]):
            slot[indices[c]] = c
        for c in range(indptr[i + 1] - 1, indptr[i] - 1, -1):
            v = indices[c]
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                above = slot[parent_idx[k]]
                if not own[above] and data[above] < data[c]:
                    data[above] = data[c]

"""How far apart ancestors and descendants are: edges on the shortest path."""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import kernel


@kernel
def ancestor_distances(indptr, indices, parent_ptr, parent_idx):
    """Return the distances of each node's ancestors, the entries of the ancestor matrix; a node's own is 0.

    The rows of the matrix are sorted. O(edges above it) per node.
    """
    n_nodes = parent_ptr.size - 1
    distance = np.empty(indices.size, np.int32)
    nearest = np.full(n_nodes, n_nodes, np.int32)  # what is known of the ancestors of v
    for v in range(n_nodes):
        nearest[v] = 0
        for k in range(indptr[v + 1] - 1, indptr[v] - 1, -1):  # children before parents
            u = indices[k]
            distance[k] = nearest[u]
            for p in range(parent_ptr[u], parent_ptr[u + 1]):
                w = parent_idx[p]
                nearest[w] = min(nearest[w], nearest[u] + 1)
            nearest[u] = n_nodes
    return distance

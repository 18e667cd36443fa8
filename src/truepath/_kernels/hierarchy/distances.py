"""How far apart ancestors and descendants are: edges on the shortest path, by breadth-first walks up."""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import kernel


@kernel
def count_ancestors(parent_ptr, parent_idx):
    """Return the number of ancestors of each node. O(edges above it) per node."""
    n_nodes = parent_ptr.size - 1
    seen, queue = np.full(n_nodes, -1, np.int32), np.empty(n_nodes, np.int32)
    distance = np.zeros(n_nodes, np.int32)
    counts = np.empty(n_nodes, np.int64)
    for v in range(n_nodes):
        counts[v] = _walk_up(v, parent_ptr, parent_idx, seen, distance, queue)
    return counts


@kernel
def ancestor_distances(ptr, parent_ptr, parent_idx):
    """Return each node's ancestors, nearest first, and their distances, laid out by ``ptr``."""
    n_nodes = parent_ptr.size - 1
    seen, queue = np.full(n_nodes, -1, np.int32), np.empty(n_nodes, np.int32)
    distance = np.zeros(n_nodes, np.int32)
    ancestors, distances = np.empty(ptr[n_nodes], np.int32), np.empty(ptr[n_nodes], np.int32)
    for v in range(n_nodes):
        size = _walk_up(v, parent_ptr, parent_idx, seen, distance, queue)
        for k in range(size):
            ancestors[ptr[v] + k] = queue[k]
            distances[ptr[v] + k] = distance[queue[k]]
    return ancestors, distances


@kernel
def _walk_up(v, parent_ptr, parent_idx, seen, distance, queue):
    """Queue the ancestors of v by distance and return their number."""
    head, tail, u = 0, 0, v
    distance[v] = 0
    while True:
        for k in range(parent_ptr[u], parent_ptr[u + 1]):
            w = parent_idx[k]
            if seen[w] != v:
                seen[w] = v
                distance[w] = distance[u] + 1
                queue[tail] = w
                tail += 1
        if head == tail:
            return tail
        u = queue[head]
        head += 1

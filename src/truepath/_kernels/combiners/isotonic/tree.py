"""The Euclidean projection on coherent scores over a tree: pool adjacent violators, children first.

A block is a connected set of nodes that share one value, their mean; it is known by its topmost node. The blocks
hanging below a block wait in a skew heap, the greatest value on top. A node starts as a block of its own above the
finished blocks of its children, and swallows the greatest as long as that one exceeds it (Pardalos & Xue, 1999).
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import kernel

NONE = -1


@kernel
def project_tree(S, parent):
    """In place: the nearest coherent rows; ``parent[v]`` is -1 at the top. O(n_nodes log n_nodes) a row, amortised."""
    n_nodes = parent.size
    total, size, mean = np.empty(n_nodes), np.empty(n_nodes, np.int64), np.empty(n_nodes)
    left, right = np.empty(n_nodes, np.int32), np.empty(n_nodes, np.int32)
    below, into = np.empty(n_nodes, np.int32), np.empty(n_nodes, np.int32)  # the heap under a block; who swallowed it
    spine = np.empty(n_nodes, np.int32)
    for i in range(S.shape[0]):
        left[:], right[:], below[:], into[:] = NONE, NONE, NONE, NONE
        for v in range(n_nodes - 1, -1, -1):  # children before parents
            total[v], size[v], mean[v] = S[i, v], 1, S[i, v]
            while below[v] != NONE and mean[below[v]] > mean[v]:
                b = below[v]
                into[b] = v
                total[v] += total[b]
                size[v] += size[b]
                mean[v] = total[v] / size[v]
                rest = _merge(left[b], right[b], mean, left, right, spine)
                below[v] = _merge(rest, below[b], mean, left, right, spine)
            if parent[v] != NONE:
                left[v], right[v] = NONE, NONE
                below[parent[v]] = _merge(below[parent[v]], np.int32(v), mean, left, right, spine)
        for v in range(n_nodes):  # a block's top comes before the rest of it
            if into[v] != NONE:
                mean[v] = mean[into[v]]
            S[i, v] = mean[v]


@kernel
def _merge(a, b, mean, left, right, spine):
    """Merge two skew heaps along their right spines; equal values keep the smaller node on top."""
    depth = 0
    while a != NONE and b != NONE:
        if mean[b] > mean[a] or (mean[b] == mean[a] and b < a):
            a, b = b, a
        spine[depth] = a
        depth += 1
        a = right[a]
    root = a if a != NONE else b
    while depth > 0:
        depth -= 1
        top = spine[depth]
        right[top] = left[top]
        left[top] = root
        root = top
    return root

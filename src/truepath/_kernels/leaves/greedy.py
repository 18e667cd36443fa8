"""Greedy choice of leaf paths (MAS) on trees, all k in one sweep.

Every node knows its best path down to a leaf. Taking a path exposes the subtrees that hang from it, each worth its
own best path, to a heap: O(|L| log |L|) for the whole nested sequence. Ties go to the leaf with the smaller number.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import kernel


@kernel
def find_best_paths(w, up, is_leaf, best, leaf):
    """Fill best[v] <- the largest sum of weights on a path from v down to a leaf, leaf[v] <- that leaf."""
    best[:] = -np.inf
    for v in range(w.size - 1, -1, -1):  # children before parents
        if is_leaf[v]:
            best[v], leaf[v] = w[v], v
        else:
            best[v] += w[v]
        u = up[v]
        if u >= 0 and (best[v] > best[u] or (best[v] == best[u] and leaf[v] < leaf[u])):
            best[u], leaf[u] = best[v], leaf[v]


@kernel
def _push(values, leaves, nodes, size, value, leaf, node):
    """Add an entry to the heap and return its new size."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if values[above] > value or (values[above] == value and leaves[above] < leaf):
            break
        values[at], leaves[at], nodes[at] = values[above], leaves[above], nodes[above]
        at = above
    values[at], leaves[at], nodes[at] = value, leaf, node
    return size + 1


@kernel
def _drop_top(values, leaves, nodes, size):
    """Remove the best entry and return the heap's new size."""
    size -= 1
    value, leaf, node = values[size], leaves[size], nodes[size]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        right = below + 1
        if right < size and (
            values[right] > values[below] or (values[right] == values[below] and leaves[right] < leaves[below])
        ):
            below = right
        if value > values[below] or (value == values[below] and leaf < leaves[below]):
            break
        values[at], leaves[at], nodes[at] = values[below], leaves[below], nodes[below]
        at = below
    values[at], leaves[at], nodes[at] = value, leaf, node
    return size


@kernel
def greedy_tree(W, root, k, roots, up, child_ptr, child_idx, is_leaf, order, totals):
    """Fill order[i, j], totals[i, j] <- the leaf taken j-th and the value of the set so far, for j < k[i]."""
    n_nodes, n_leaves = W.shape[1], is_leaf.sum()
    best, leaf = np.empty(n_nodes), np.empty(n_nodes, np.int32)
    values, leaves, nodes = np.empty(n_leaves), np.empty(n_leaves, np.int32), np.empty(n_leaves, np.int32)
    for i in range(W.shape[0]):
        find_best_paths(W[i], up, is_leaf, best, leaf)
        size, total = np.int64(0), root[i]
        for v in roots:
            size = _push(values, leaves, nodes, size, best[v], leaf[v], np.int64(v))
        for j in range(k[i]):
            total += values[0]
            v, top = leaves[0], nodes[0]
            order[i, j], totals[i, j] = v, total
            size = _drop_top(values, leaves, nodes, size)
            while v != top:  # up the path taken; the siblings beside it are exposed
                u = up[v]
                for c in child_idx[child_ptr[u] : child_ptr[u + 1]]:
                    if c != v:
                        size = _push(values, leaves, nodes, size, best[c], leaf[c], np.int64(c))
                v = u


@kernel
def mark_leaves(order, k, Y):
    """Set Y[i] for the first k[i] leaves of order[i]; Y starts all False."""
    for i in range(Y.shape[0]):
        for j in range(k[i]):
            Y[i, order[i, j]] = True

"""Greedy choice of leaves with their ancestors (MAS) on DAGs, all k in one sweep.

A leaf's gain is the sum over its ancestors not selected yet. It changes only when one of them is selected, so only
the leaves below newly selected nodes are summed again: always afresh and in Algorithm 3's order (the leaf first,
then its ancestors by descending number), so that no rounding piles up and equal sums stay equal. A tournament over
the leaves holds the best; ties go to the leaf with the smaller number.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import kernel


@kernel
def _better(a, b, gain):
    """Return which of two leaf positions wins; -1 is nobody, and a < b unless one is nobody."""
    if b < 0:
        return a
    if a < 0 or gain[b] > gain[a]:
        return b
    return a


@kernel
def _play_all(winner, gain, width):
    """Fill the inner nodes of the tournament from its leaves, winner[width:]."""
    for t in range(width - 1, 0, -1):
        winner[t] = _better(winner[2 * t], winner[2 * t + 1], gain)


@kernel
def _replay(winner, gain, width, position):
    """Play the matches above one position again."""
    t = (width + position) >> 1
    while t > 0:
        winner[t] = _better(winner[2 * t], winner[2 * t + 1], gain)
        t >>= 1


@kernel
def _sum_open(open_weight, above):
    """Return the weight of a leaf's supernode outside the selection (Algorithm 3); selected nodes weigh 0."""
    gain = 0.0
    for v in above:
        gain += open_weight[v]
    return gain


@kernel
def _select(above, is_selected, open_weight, new):
    """Select the nodes above a leaf; list those that are new and return their number."""
    n_new = 0
    for v in above:
        if not is_selected[v]:
            is_selected[v] = True
            open_weight[v] = 0.0
            new[n_new] = v
            n_new += 1
    return n_new


@kernel
def _list_touched(new, below_ptr, below_idx, in_play, seen, stamp, touched):
    """List the leaves still in play below the new nodes, each once, and return their number."""
    n_touched = 0
    for v in new:
        for q in below_idx[below_ptr[v] : below_ptr[v + 1]]:
            if seen[q] != stamp and in_play[q] >= 0:
                seen[q] = stamp
                touched[n_touched] = q
                n_touched += 1
    return n_touched


@kernel
def greedy_dag(W, root, k, leaf_nodes, above_ptr, above_idx, below_ptr, below_idx, order, totals):
    """Fill order[i, j], totals[i, j] <- the leaf taken j-th and the value of the set so far, for j < k[i].

    The nodes above leaf position q (itself first, then descending) are above_idx[above_ptr[q]:above_ptr[q + 1]],
    the leaf positions below node v below_idx[below_ptr[v]:below_ptr[v + 1]].
    """
    n_nodes, n_leaves = W.shape[1], leaf_nodes.size
    width, rounds = 1, 1
    while width < n_leaves:
        width, rounds = 2 * width, rounds + 1
    winner, in_play = np.empty(2 * width, np.int32), np.arange(n_leaves).astype(np.int32)
    gain, seen, touched = np.empty(n_leaves), np.empty(n_leaves, np.int32), np.empty(n_leaves, np.int32)
    open_weight, is_selected, new = np.empty(n_nodes), np.empty(n_nodes, np.bool_), np.empty(n_nodes, np.int32)
    for i in range(W.shape[0]):
        open_weight[:], is_selected[:], seen[:], total = W[i], False, -1, root[i]
        winner[width : width + n_leaves], winner[width + n_leaves :] = in_play, -1
        for q in range(n_leaves):
            gain[q] = _sum_open(open_weight, above_idx[above_ptr[q] : above_ptr[q + 1]])
        _play_all(winner, gain, width)
        for j in range(k[i]):
            taken = winner[1]
            total += gain[taken]
            order[i, j], totals[i, j] = leaf_nodes[taken], total
            winner[width + taken] = -1
            n_new = _select(above_idx[above_ptr[taken] : above_ptr[taken + 1]], is_selected, open_weight, new)
            n_touched = _list_touched(new[:n_new], below_ptr, below_idx, winner[width:], seen, j, touched)
            for q in touched[:n_touched]:
                gain[q] = _sum_open(open_weight, above_idx[above_ptr[q] : above_ptr[q + 1]])
            if n_touched * rounds > width:
                _play_all(winner, gain, width)
                continue
            _replay(winner, gain, width, taken)
            for q in touched[:n_touched]:
                _replay(winner, gain, width, q)

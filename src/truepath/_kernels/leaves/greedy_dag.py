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
def _play(winner, gain, t):
    """Decide one match of the tournament: the left, smaller leaf wins ties."""
    left, right = winner[2 * t], winner[2 * t + 1]
    winner[t] = right if gain[right] > gain[left] else left


@kernel
def _replay(winner, gain, width, position):
    """Play the matches above one position again."""
    t = (width + position) >> 1
    while t > 0:
        _play(winner, gain, t)
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
def _list_touched(new, below_ptr, below_idx, gain, seen, stamp, touched):
    """List the leaves not taken yet below the new nodes, each once, and return their number."""
    n_touched = 0
    for v in new:
        for q in below_idx[below_ptr[v] : below_ptr[v + 1]]:
            if seen[q] != stamp and gain[q] > -np.inf:
                seen[q] = stamp
                touched[n_touched] = q
                n_touched += 1
    return n_touched


@kernel
def greedy_dag(W, root, k, leaf_nodes, above_ptr, above_idx, below_ptr, below_idx, order, totals):
    """Fill order[i, j], totals[i, j] <- the leaf taken j-th and the value of the set so far, for j < k[i].

    The nodes above leaf position q (itself first, then descending) are above_idx[above_ptr[q]:above_ptr[q + 1]],
    the leaf positions below node v below_idx[below_ptr[v]:below_ptr[v + 1]]. A leaf taken has the gain -inf.
    """
    n_nodes, n_leaves = W.shape[1], leaf_nodes.size
    width, rounds = 1, 1
    while width < n_leaves:
        width, rounds = 2 * width, rounds + 1
    winner, gain = np.empty(2 * width, np.int32), np.full(width, -np.inf)
    winner[width:] = np.arange(width)
    seen, touched = np.empty(n_leaves, np.int32), np.empty(n_leaves, np.int32)
    open_weight, is_selected, new = np.empty(n_nodes), np.empty(n_nodes, np.bool_), np.empty(n_nodes, np.int32)
    for i in range(W.shape[0]):
        open_weight[:], is_selected[:], seen[:], total = W[i], False, -1, root[i]
        for q in range(n_leaves):
            gain[q] = _sum_open(open_weight, above_idx[above_ptr[q] : above_ptr[q + 1]])
        for t in range(width - 1, 0, -1):
            _play(winner, gain, t)
        for j in range(k[i]):
            taken = winner[1]
            total += gain[taken]
            order[i, j], totals[i, j] = leaf_nodes[taken], total
            if j + 1 == k[i]:
                break
            gain[taken] = -np.inf
            n_new = _select(above_idx[above_ptr[taken] : above_ptr[taken + 1]], is_selected, open_weight, new)
            n_touched = _list_touched(new[:n_new], below_ptr, below_idx, gain, seen, j, touched)
            for q in touched[:n_touched]:
                gain[q] = _sum_open(open_weight, above_idx[above_ptr[q] : above_ptr[q + 1]])
            if n_touched * rounds > width:  # many: computing all again costs less
                for t in range(width - 1, 0, -1):
                    _play(winner, gain, t)
                continue
            _replay(winner, gain, width, taken)
            for q in touched[:n_touched]:
                _replay(winner, gain, width, q)

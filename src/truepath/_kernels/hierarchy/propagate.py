"""Walks over the rows of a score matrix: downwards and upwards, each written once and handed a rule.

Some rows are walked side by side, in a block where a node's scores lie next to each other.

A rule is a compiled function of plain numbers. The walks are inlined into the kernels below, which bind them to their
rules: a walk called with a function as argument could not be kept on disk between runs, the kernels can.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from truepath._kernels.jit import kernel

walk = njit(nogil=True, inline="always")
rule = njit(nogil=True)


# Rows walked side by side: what the walk learns of a node's edges, and a line of memory, serve all of them
SIDE = 8

# Cells copied in turn between rows and the blocks where rows are side by side
TILE = 64


@walk
def _downwards(S, parent_ptr, parent_idx, combine, option):
    """In place: S[i, v] <- combine(S[i, v], least new score of the parents, option); top-level nodes stay."""
    block = np.empty((S.shape[1], SIDE), S.dtype)
    above = np.empty(SIDE, S.dtype)
    for start in range(0, S.shape[0], SIDE):  # rows are independent
        rows = S[start : start + SIDE]
        n_side = rows.shape[0]
        set_side_by_side(rows, block)
        for v in range(S.shape[1]):  # parents come before children
            first, last = parent_ptr[v], parent_ptr[v + 1]
            if first == last:
                continue
            own, parent = block[v], block[parent_idx[first]]
            for j in range(n_side):
                above[j] = parent[j]
            for k in range(first + 1, last):
                parent = block[parent_idx[k]]
                for j in range(n_side):
                    above[j] = min(above[j], parent[j])
            for j in range(n_side):
                own[j] = combine(own[j], above[j], option)
        _set_below_each_other(block, rows)


@walk
def _upwards(S, child_ptr, child_idx, gather, finish, option):
    """In place: S[i, u] <- finish(S[i, u], what gather made of the children's new scores); leaves stay."""
    block = np.empty((S.shape[1], SIDE), S.dtype)
    total, count = np.empty(SIDE), np.empty(SIDE, np.int64)
    for start in range(0, S.shape[0], SIDE):
        rows = S[start : start + SIDE]
        n_side = rows.shape[0]
        set_side_by_side(rows, block)
        for u in range(S.shape[1] - 1, -1, -1):  # children before parents
            first, last = child_ptr[u], child_ptr[u + 1]
            if first == last:
                continue
            own = block[u]
            for j in range(n_side):
                total[j], count[j] = 0.0, 0
            for k in range(first, last):
                c = child_idx[k]
                child = block[c]
                for j in range(n_side):
                    total[j], count[j] = gather(own[j], child[j], c, total[j], count[j], option)
            for j in range(n_side):
                own[j] = finish(own[j], total[j], count[j], option)
        _set_below_each_other(block, rows)


@kernel
def set_side_by_side(rows, block):
    """Copy the rows to columns of a block."""
    for start in range(0, block.shape[0], TILE):
        stop = min(start + TILE, block.shape[0])
        for i in range(rows.shape[0]):
            for v in range(start, stop):
                block[v, i] = rows[i, v]


@kernel
def _set_below_each_other(block, rows):
    """Copy the columns of a block back to the rows."""
    for start in range(0, block.shape[0], TILE):
        stop = min(start + TILE, block.shape[0])
        for i in range(rows.shape[0]):
            for v in range(start, stop):
                rows[i, v] = block[v, i]


# ------------------------------------------------------------------------------------------------ downward rules


@rule
def _cap(own, above, option):
    return min(own, above)


@rule
def _cap_or_block(own, above, threshold):
    """Below a parent that is not above the threshold nothing is left (nor more than the parent has)."""
    return min(own, above) if above > threshold else min(min(own, above), 0.0)


@rule
def _times(own, above, option):
    return own * above


@rule
def _cap_if_low(own, above, threshold):
    return min(own, above) if above <= threshold else own


@kernel
def cap_dense(S, parent_ptr, parent_idx):
    """In place: S[i, v] <- least score of v and its ancestors. O(n_samples * n_edges)."""
    _downwards(S, parent_ptr, parent_idx, _cap, 0.0)


@kernel
def cap_below(S, parent_ptr, parent_idx, threshold):
    """In place: cap by the parents that are not above the threshold."""
    _downwards(S, parent_ptr, parent_idx, _cap_if_low, threshold)


@kernel
def top_down(S, parent_ptr, parent_idx, threshold):
    """In place: cap by the parents, and stop below a parent that does not exceed the threshold."""
    _downwards(S, parent_ptr, parent_idx, _cap_or_block, threshold)


@kernel
def multiply_down(S, parent_ptr, parent_idx):
    """In place: S[i, v] <- S[i, v] times the least product of a parent."""
    _downwards(S, parent_ptr, parent_idx, _times, 0.0)


@kernel
def add_paths(S, parent_ptr, parent_idx, share):
    """In place: S[i, v] <- its mean sum along a path from the top; ``share`` of the paths to v come by each edge."""
    for i in range(S.shape[0]):
        for v in range(S.shape[1]):
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                S[i, v] += share[k] * S[i, parent_idx[k]]


# -------------------------------------------------------------------------------------------------- upward rules


@rule
def _greatest(own, below, c, total, count, option):
    return (below, 1) if count == 0 else (max(total, below), 1)


@rule
def _raise(own, total, count, option):
    return max(own, total)


@rule
def _sum_above_threshold(own, below, c, total, count, option):
    return (total + below, count + 1) if below > option[0] else (total, count)


@rule
def _sum_above_own(own, below, c, total, count, option):
    return (total + below, count + 1) if below > own else (total, count)


@rule
def _mean_with_own(own, total, count, option):
    return (own + total) / (1 + count)


@rule
def _weighted_mean(own, total, count, option):
    return own if count == 0 else option[1] * own + (1.0 - option[1]) * total / count


@rule
def _add_softplus(own, below, c, total, count, option):
    """Add log((1 - q) + q e^below) = log(1 - q) + softplus(logit q + below), q the child's conditional prior."""
    log_odds = option[0][c] + below
    return total + max(log_odds, 0.0) + np.log1p(np.exp(-abs(log_odds))) + option[1][c], count


@rule
def _add(own, total, count, option):
    return own + total


@kernel
def raise_dense(S, child_ptr, child_idx):
    """In place: S[i, u] <- greatest score of u and its descendants. O(n_samples * n_edges)."""
    _upwards(S, child_ptr, child_idx, _greatest, _raise, 0.0)


@kernel
def average_positive(S, child_ptr, child_idx, threshold):
    """In place: each node's score averaged with those of its children above the threshold (TPR)."""
    _upwards(S, child_ptr, child_idx, _sum_above_threshold, _mean_with_own, (threshold, 0.0))


@kernel
def average_greater(S, child_ptr, child_idx):
    """In place: each node's score averaged with those of its children that exceed it (TPR, threshold-free)."""
    _upwards(S, child_ptr, child_idx, _sum_above_own, _mean_with_own, (0.0, 0.0))


@kernel
def weigh_positive(S, child_ptr, child_idx, threshold, weight):
    """In place: weight * own + (1 - weight) * mean of the children above the threshold (TPR-w)."""
    _upwards(S, child_ptr, child_idx, _sum_above_threshold, _weighted_mean, (threshold, weight))


@kernel
def weigh_greater(S, child_ptr, child_idx, weight):
    """In place: weight * own + (1 - weight) * mean of the children that exceed it."""
    _upwards(S, child_ptr, child_idx, _sum_above_own, _weighted_mean, (0.0, weight))


@kernel
def gather_evidence(L, child_ptr, child_idx, logit_prior, log_absent):
    """In place: log-likelihood ratios of nodes <- those of their whole subtrees (upward belief propagation)."""
    _upwards(L, child_ptr, child_idx, _add_softplus, _add, (logit_prior, log_absent))


# ---------------------------------------------------------------------------------------------------- sparse rows


@kernel
def raise_rows(indptr, indices, data, closed_indptr, closed_indices, parent_ptr, parent_idx):
    """Return the greatest scores of the labels of closed rows and their descendants; none is negative, absent is 0.

    ``closed_indptr`` and ``closed_indices`` are the rows with their ancestors. O(edges above the labels) per row.
    """
    value = np.zeros(parent_ptr.size - 1, data.dtype)
    raised = np.empty(closed_indices.size, data.dtype)
    for i in range(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):
            value[indices[k]] = data[k]
        for k in range(closed_indptr[i + 1] - 1, closed_indptr[i] - 1, -1):  # ascending nodes: children first
            v = closed_indices[k]
            raised[k] = value[v]
            for p in range(parent_ptr[v], parent_ptr[v + 1]):
                value[parent_idx[p]] = max(value[parent_idx[p]], value[v])
            value[v] = 0
    return raised


@kernel
def cap_rows(indptr, indices, data, parent_ptr, parent_idx):
    """In place: the least scores of stored labels and their ancestors; none is negative, absent is 0, rows are sorted.

    O(edges above the labels) per row.
    """
    value = np.zeros(parent_ptr.size - 1, data.dtype)
    for i in range(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):  # ascending nodes: parents first
            v = indices[k]
            for p in range(parent_ptr[v], parent_ptr[v + 1]):
                data[k] = min(data[k], value[parent_idx[p]])
            value[v] = data[k]
        for k in range(indptr[i], indptr[i + 1]):
            value[indices[k]] = 0

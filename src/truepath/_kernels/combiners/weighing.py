"""Probabilities of labels where label sets weigh more or less than in training, or cannot be, row by row."""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import kernel, part


@kernel
def condition_many(S, which, node_ptr, node_idx, top_ptr, top_idx, parent_ptr, parent_idx, out):
    """Fill out[i, v] <- p(y_v = 1) given that nothing forbidden is true, each label given one parent, as below.

    The possible labels of row i are those listed for ``which[i]``, ascending; the second list has the forbidden labels
    whose parents all are possible. out is 0 at all others and stays so. O(what is listed for the rows).
    """
    n_nodes = S.shape[1]
    below, change = np.empty(n_nodes), np.empty(n_nodes)
    for i in range(S.shape[0]):
        first, last = node_ptr[which[i]], node_ptr[which[i] + 1]
        for j in range(first, last):
            below[node_idx[j]] = 1.0  # the probability of nothing forbidden below a label, given that it is true
        for j in range(top_ptr[which[i]], top_ptr[which[i] + 1]):
            v = top_idx[j]
            u, above = _least_parent(S[i], v, parent_ptr, parent_idx)
            if u >= 0 and above > 0:
                below[u] *= 1 - min(1.0, S[i, v] / above)
        for j in range(last - 1, first - 1, -1):  # children before parents
            v = node_idx[j]
            change[v] = 1.0
            if below[v] == 1:
                continue
            u, above = _least_parent(S[i], v, parent_ptr, parent_idx)
            c = min(1.0, S[i, v] / above) if above > 0 else 0.0
            whole = 1 - c + c * below[v]
            if whole > 0:
                change[v] = below[v] / whole
            if u >= 0:
                below[u] *= whole
        for j in range(first, last):
            v = node_idx[j]
            u, above = _least_parent(S[i], v, parent_ptr, parent_idx)
            if u >= 0:
                change[v] *= change[u]
            found = min(1.0, S[i, v] * change[v])
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                found = min(found, out[i, parent_idx[k]])
            out[i, v] = found


@part
def _least_parent(s, v, parent_ptr, parent_idx):
    """Return the parent that scores least, the first of equals, and its score; -1 and 1 at the top."""
    u, above = -1, 1.0
    for k in range(parent_ptr[v], parent_ptr[v + 1]):
        if u < 0 or s[parent_idx[k]] < above:
            u, above = parent_idx[k], s[parent_idx[k]]
    return u, above


@kernel
def weigh_many(S, on, off, which, parent_ptr, parent_idx, out):
    """Fill out[i, v] <- p(y_v = 1) where sets are weighed, each label given one parent. O(n_samples * n_edges).

    A set weighs, for each label below what is true, ``on[which[i], v]`` where that is true and ``off[which[i], v]``
    where it is not. On a DAG the one parent is that which scores least, the first of equals.
    """
    n_nodes = S.shape[1]
    main, below, change = np.empty(n_nodes, np.int64), np.empty(n_nodes), np.empty(n_nodes)
    for i in range(S.shape[0]):
        if_on, if_off = on[which[i]], off[which[i]]
        below[:] = 1.0  # what the labels below one weigh, given that it is true
        for v in range(n_nodes - 1, -1, -1):  # children before parents
            u, above = _least_parent(S[i], v, parent_ptr, parent_idx)
            c = min(1.0, S[i, v] / above) if above > 0 else 0.0
            weight = if_on[v] * below[v]
            whole = (1 - c) * if_off[v] + c * weight
            main[v], change[v] = u, weight / whole if whole > 0 else 1.0
            if u >= 0:
                below[u] *= whole
        for v in range(n_nodes):
            if main[v] >= 0:
                change[v] *= change[main[v]]
            out[i, v] = min(1.0, S[i, v] * change[v])
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                out[i, v] = min(out[i, v], out[i, parent_idx[k]])


@kernel
def weigh_one(S, on, none_weighs, which, is_tree, below_ptr, below_idx, parent_ptr, parent_idx, out):
    """Fill out[i, v] <- p(v is on the one path) where ends are weighed. O(n_samples * n_below).

    What is below a label are its children on a tree, else all its descendants. What its score has beyond theirs is the
    probability that the path ends there; the rest up to 1, that there is no path. An end at v weighs
    ``on[which[i], v]``, no path ``none_weighs[which[i]]``.
    """
    n_nodes = S.shape[1]
    end, kept_end, share = np.empty(n_nodes), np.empty(n_nodes), np.empty(n_nodes)
    for i in range(S.shape[0]):
        weight = on[which[i]]
        total = kept = 0.0
        for v in range(n_nodes - 1, -1, -1):
            all_below = kept_below = 0.0
            for k in range(below_ptr[v], below_ptr[v + 1]):
                all_below += end[below_idx[k]]
                kept_below += kept_end[below_idx[k]]
            own = max(0.0, S[i, v] - all_below)
            total += own
            kept += weight[v] * own
            all_below += own
            kept_below += weight[v] * own
            share[v] = kept_below / all_below if all_below > 0 else 1.0
            end[v], kept_end[v] = (all_below, kept_below) if is_tree else (own, weight[v] * own)
        none = max(0.0, 1 - total)
        whole = (kept + none_weighs[which[i]] * none) / (total + none)
        if whole <= 0:  # all that is probable cannot be
            share[:] = 1.0
            whole = 1.0
        for v in range(n_nodes):
            out[i, v] = min(1.0, S[i, v] * (share[v] / whole))
            if weight[v] == 0 and kept <= 0:
                out[i, v] = 0.0
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                out[i, v] = min(out[i, v], out[i, parent_idx[k]])

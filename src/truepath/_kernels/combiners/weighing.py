"""Probabilities of labels where label sets weigh more or less than in training, or cannot be, row by row."""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import kernel


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
            u, above = -1, 1.0
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                if u < 0 or S[i, parent_idx[k]] < above:
                    u, above = parent_idx[k], S[i, parent_idx[k]]
            main[v] = u
            weight = if_on[v] * below[v]
            change[v] = weight
            if (weight == 1 and if_off[v] == 1) or (u >= 0 and if_on[u] == 0):
                continue
            c = min(1.0, S[i, v] / above) if above > 0 else 0.0
            whole = (1 - c) * if_off[v] + c * weight
            if whole > 0:
                change[v] = weight / whole
            else:
                change[v] = 1.0 if if_on[v] > 0 else 0.0
            if u >= 0:
                below[u] *= whole
        for v in range(n_nodes):
            if main[v] >= 0:
                change[v] *= change[main[v]]
            out[i, v] = min(1.0, S[i, v] * change[v])
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                out[i, v] = min(out[i, v], out[i, parent_idx[k]])


@kernel
def weigh_one(S, on, none_weighs, which, below_ptr, below_idx, parent_ptr, parent_idx, out):
    """Fill out[i, v] <- p(v is on the one path) where ends are weighed. O(n_samples * descendant pairs).

    What scores a label has beyond those below it is the probability that the path ends there; the rest up to 1, that
    there is no path. An end at v weighs ``on[which[i], v]``, no path ``none_weighs[which[i]]``.
    """
    n_nodes = S.shape[1]
    end, share = np.empty(n_nodes), np.empty(n_nodes)
    for i in range(S.shape[0]):
        weight = on[which[i]]
        total = kept = 0.0
        for v in range(n_nodes - 1, -1, -1):
            all_below = kept_below = 0.0
            for k in range(below_ptr[v], below_ptr[v + 1]):
                all_below += end[below_idx[k]]
                kept_below += weight[below_idx[k]] * end[below_idx[k]]
            end[v] = max(0.0, S[i, v] - all_below)
            total += end[v]
            kept += weight[v] * end[v]
            all_below += end[v]
            kept_below += weight[v] * end[v]
            share[v] = kept_below / all_below if all_below > 0 else 1.0
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

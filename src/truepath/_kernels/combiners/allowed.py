"""Probabilities of labels given that no forbidden label is true, row by row."""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import kernel


@kernel
def condition_many(S, masks, which, parent_ptr, parent_idx, out):
    """Fill out[i, v] <- p(y_v = 1 | no forbidden label is true): each label given one parent. O(n_samples * n_edges).

    On a DAG the parent is that which scores least, the first of equals. ``masks[which[i]]`` are what row i may have.
    """
    n_nodes = S.shape[1]
    main, kept, change = np.empty(n_nodes, np.int64), np.empty(n_nodes), np.empty(n_nodes)
    for i in range(S.shape[0]):
        is_possible = masks[which[i]]
        kept[:] = 1.0
        for v in range(n_nodes - 1, -1, -1):  # children before parents
            u, above = -1, 1.0
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                if u < 0 or S[i, parent_idx[k]] < above:
                    u, above = parent_idx[k], S[i, parent_idx[k]]
            main[v] = u
            change[v] = 1.0 if is_possible[v] else 0.0
            if is_possible[v] and kept[v] == 1:  # nothing below it is forbidden
                continue
            if not is_possible[v] and (u < 0 or not is_possible[u]):
                continue
            c = min(1.0, S[i, v] / above) if above > 0 else 0.0
            whole = 1 - c
            if is_possible[v]:
                whole += c * kept[v]
                change[v] = kept[v] / whole if whole > 0 else 1.0
            if u >= 0:
                kept[u] *= whole
        for v in range(n_nodes):
            if main[v] >= 0:
                change[v] *= change[main[v]]
            out[i, v] = S[i, v] * change[v]
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                out[i, v] = min(out[i, v], out[i, parent_idx[k]])


@kernel
def condition_one(S, masks, which, below_ptr, below_idx, parent_ptr, parent_idx, out):
    """Fill out[i, v] <- p(v is on the path | the path ends at a possible label). O(n_samples * descendant pairs).

    What scores a label has beyond those below it is the probability that the path ends there; the rest up to 1, that
    there is no path.
    """
    n_nodes = S.shape[1]
    end, share = np.empty(n_nodes), np.empty(n_nodes)
    for i in range(S.shape[0]):
        is_possible = masks[which[i]]
        total = kept = 0.0
        for v in range(n_nodes - 1, -1, -1):
            all_below = kept_below = 0.0
            for k in range(below_ptr[v], below_ptr[v + 1]):
                all_below += end[below_idx[k]]
                if is_possible[below_idx[k]]:
                    kept_below += end[below_idx[k]]
            end[v] = max(0.0, S[i, v] - all_below)
            total += end[v]
            if is_possible[v]:
                kept += end[v]
                kept_below += end[v]
            all_below += end[v]
            share[v] = kept_below / all_below if all_below > 0 else 1.0
        none = max(0.0, 1 - total)
        whole = (kept + none) / (total + none)
        if whole <= 0:  # all that is probable is forbidden
            share[:] = 1.0
            whole = 1.0
        for v in range(n_nodes):
            out[i, v] = min(1.0, S[i, v] * (share[v] / whole)) if is_possible[v] else 0.0
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                out[i, v] = min(out[i, v], out[i, parent_idx[k]])

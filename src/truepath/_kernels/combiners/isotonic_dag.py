"""The Euclidean projection on coherent scores over a DAG, exact, by divide and conquer with maximum flows.

For any t, the nodes whose projected score is at least t form the upper set (closed under parents) of greatest
sum of s_v - t. Taking the mean of a set for t, either no upper set has a positive sum, and the whole set is one block
at its mean, or the best one splits it in two that are solved apart (Maxwell & Muckstadt 1985; Spouge, Wan & Wilbur
2003). The upper set is a minimum cut: surplus (s_v > t) flows from children to parents that lack (s_u < t), and what
cannot be placed marks the set. Most nodes need no flow: one whose ancestors here are all >= t is in, one whose
descendants are all < t is out.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import kernel

# A surplus below this share of a set's total deviation from its mean is rounding, not a reason to split
SPLIT_TOLERANCE = 1e-13

OUT, IN, OPEN = 0, 1, 2


@kernel
def project_dag(S, parent_ptr, parent_idx, child_ptr, child_idx, child_edge):
    """In place: the nearest coherent rows. ``child_edge`` numbers the edges of ``child_idx`` as in ``parent_idx``."""
    n_nodes = parent_ptr.size - 1
    nodes, scratch = np.empty(n_nodes, np.int32), np.empty(n_nodes, np.int32)
    owner = np.empty(n_nodes, np.int32)  # which set a node is in, by the set's first position
    stack = np.empty((n_nodes + 1, 2), np.int32)
    state, mark = np.empty(n_nodes, np.int8), np.empty(n_nodes, np.int32)
    surplus, lack, flow = np.zeros(n_nodes), np.zeros(n_nodes), np.zeros(parent_idx.size)
    arc, path = np.empty(n_nodes, np.int32), np.empty(n_nodes + 1, np.int32)
    for i in range(S.shape[0]):
        row = S[i]
        n_open = _gather_unsettled(row, parent_ptr, parent_idx, child_ptr, child_idx, surplus, lack, nodes, owner)
        depth = 0
        if n_open:
            stack[0, 0], stack[0, 1], depth = 0, n_open, 1
        while depth:
            depth -= 1
            a, b = stack[depth, 0], stack[depth, 1]
            if b - a == 1:  # a node alone keeps its score
                owner[nodes[a]] = -1
                continue
            t = _mean(row, nodes, a, b)
            deviation = _classify(
                row, t, nodes, a, b, owner, state, parent_ptr, parent_idx, child_ptr, child_idx, surplus, lack
            )
            _flow(
                nodes, a, b, owner, state, mark, arc, path, surplus, lack, flow,
                parent_ptr, parent_idx, child_ptr, child_idx, child_edge,
            )  # fmt: skip
            gain = _gain(row, t, nodes, a, b, state, mark, surplus, flow, parent_ptr)
            cut = _partition(nodes, a, b, state, mark, scratch) if gain > SPLIT_TOLERANCE * deviation else a
            if cut in (a, b):
                for k in range(a, b):
                    row[nodes[k]] = t
                    owner[nodes[k]] = -1
                continue
            for k in range(cut, b):  # the upper part keeps the old number
                owner[nodes[k]] = cut
            stack[depth, 0], stack[depth, 1] = a, cut
            stack[depth + 1, 0], stack[depth + 1, 1] = cut, b
            depth += 2


@kernel
def _mean(row, nodes, a, b):
    """Return the mean score of a set."""
    total = 0.0
    for k in range(a, b):
        total += row[nodes[k]]
    return total / (b - a)


@kernel
def _gain(row, t, nodes, a, b, state, mark, surplus, flow, parent_ptr):
    """Return the sum of s_v - t over the best upper set, and clear the flow for the next set."""
    gain = 0.0
    for k in range(a, b):
        v = nodes[k]
        if state[v] == IN:
            gain += row[v] - t
        elif state[v] == OPEN and mark[v] >= 0:
            gain += surplus[v]  # what could not be placed: the rest of the set has cancelled out
        for e in range(parent_ptr[v], parent_ptr[v + 1]):
            flow[e] = 0.0
    return gain


@kernel
def _gather_unsettled(row, parent_ptr, parent_idx, child_ptr, child_idx, least, greatest, nodes, owner):
    """List the nodes with a smaller ancestor or a greater descendant; the others are where they belong."""
    n_nodes = row.size
    for v in range(n_nodes):
        least[v] = row[v]
        for k in range(parent_ptr[v], parent_ptr[v + 1]):
            least[v] = min(least[v], least[parent_idx[k]])
    for v in range(n_nodes - 1, -1, -1):
        greatest[v] = row[v]
        for k in range(child_ptr[v], child_ptr[v + 1]):
            greatest[v] = max(greatest[v], greatest[child_idx[k]])
    size = 0
    for v in range(n_nodes):
        owner[v] = -1
        if least[v] < row[v] or greatest[v] > row[v]:
            nodes[size] = v
            owner[v] = 0
            size += 1
    return size


@kernel
def _classify(row, t, nodes, a, b, owner, state, parent_ptr, parent_idx, child_ptr, child_idx, surplus, lack):
    """Settle what needs no flow, set surplus and lack of the rest, and return the total deviation from t."""
    deviation = 0.0
    for k in range(a, b):  # ascending: parents first
        v = nodes[k]
        deviation += abs(row[v] - t)
        state[v] = IN if row[v] >= t else OPEN
        for p in range(parent_ptr[v], parent_ptr[v + 1]):
            u = parent_idx[p]
            if owner[u] == a and state[u] != IN:
                state[v] = OPEN
                break
    for k in range(b - 1, a - 1, -1):
        v = nodes[k]
        if state[v] == OPEN and row[v] < t:
            state[v] = OUT
            for c in range(child_ptr[v], child_ptr[v + 1]):
                w = child_idx[c]
                if owner[w] == a and state[w] != OUT:
                    state[v] = OPEN
                    break
        surplus[v] = max(row[v] - t, 0.0) if state[v] == OPEN else 0.0
        lack[v] = max(t - row[v], 0.0) if state[v] == OPEN else 0.0
    return deviation


@kernel
def _flow(
    nodes, a, b, owner, state, mark, arc, path, surplus, lack, flow,
    parent_ptr, parent_idx, child_ptr, child_idx, child_edge,
):  # fmt: skip
    """Send all the surplus that can be placed; afterwards mark >= 0 is what the rest still reaches.

    In phases: a walk from each surplus in turn, past nodes not yet found to lead nowhere. A phase in which nothing was
    sent has marked all that can be reached.
    """
    has_sent = True
    while has_sent:
        has_sent = False
        for k in range(a, b):
            mark[nodes[k]] = -1
            arc[nodes[k]] = 0
        for k in range(a, b):
            v = nodes[k]
            while state[v] == OPEN and surplus[v] > 0.0 and mark[v] < 0:
                has_sent |= _augment(
                    v, a, owner, state, mark, arc, path, surplus, lack, flow,
                    parent_ptr, parent_idx, child_ptr, child_idx, child_edge,
                )  # fmt: skip


@kernel
def _augment(
    source, a, owner, state, mark, arc, path, surplus, lack, flow,
    parent_ptr, parent_idx, child_ptr, child_idx, child_edge,
):  # fmt: skip
    """Walk from `source` to a lacking node and send what fits; return whether anything was."""
    length = 0
    path[0] = source
    mark[source] = 0
    while length >= 0:
        v = path[length]
        if lack[v] > 0.0:
            _send(path, length, arc, surplus, lack, flow, parent_ptr, child_ptr, child_edge)
            for j in range(length + 1):
                mark[path[j]] = -1
            return True
        n_up = parent_ptr[v + 1] - parent_ptr[v]
        n_arcs = n_up + child_ptr[v + 1] - child_ptr[v]
        moved = False
        while arc[v] < n_arcs and not moved:
            if arc[v] < n_up:
                w = parent_idx[parent_ptr[v] + arc[v]]
                is_passable = True
            else:
                c = child_ptr[v] + arc[v] - n_up
                w = child_idx[c]
                is_passable = flow[child_edge[c]] > 0.0
            if is_passable and owner[w] == a and state[w] == OPEN and mark[w] < 0:
                length += 1
                path[length] = w
                mark[w] = 0
                moved = True
            else:
                arc[v] += 1
        if not moved:
            length -= 1
            if length >= 0:
                arc[path[length]] += 1
    return False


@kernel
def _send(path, length, arc, surplus, lack, flow, parent_ptr, child_ptr, child_edge):
    """Move along the path what its source has, its end lacks and its backward arcs carry."""
    amount = min(surplus[path[0]], lack[path[length]])
    for j in range(length):
        v = path[j]
        n_up = parent_ptr[v + 1] - parent_ptr[v]
        if arc[v] >= n_up:
            amount = min(amount, flow[child_edge[child_ptr[v] + arc[v] - n_up]])
    for j in range(length):
        v = path[j]
        n_up = parent_ptr[v + 1] - parent_ptr[v]
        if arc[v] < n_up:
            flow[parent_ptr[v] + arc[v]] += amount
        else:
            flow[child_edge[child_ptr[v] + arc[v] - n_up]] -= amount
    surplus[path[0]] -= amount
    lack[path[length]] -= amount


@kernel
def _partition(nodes, a, b, state, mark, scratch):
    """Put the upper set first, both parts in ascending order, and return where the second begins."""
    cut, rest = a, 0
    for k in range(a, b):
        v = nodes[k]
        if state[v] == IN or (state[v] == OPEN and mark[v] >= 0):
            nodes[cut] = v
            cut += 1
        else:
            scratch[rest] = v
            rest += 1
    nodes[cut:b] = scratch[:rest]
    return cut

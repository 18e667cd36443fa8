"""Which nodes are projected together: sets that a guess at the flow joins, and joins of sets that turn out to conflict.

Nodes that agree with all ancestors and descendants stay where they are. Among the others some rounds of pairwise
averaging (Hildreth 1957: coordinate ascent in the dual) give a flow that is nearly right, and the edges that carry
it join nodes to sets. Solved apart, the sets give the projection if no edge between two of their blocks is violated;
blocks with one between them are joined and solved again. Each round raises the dual objective, so none comes back.
"""

from __future__ import annotations

from truepath._kernels.jit import inner

SETTLED = -1

# Rounds of averaging: more make the sets smaller, fewer cost less
N_ROUNDS = 15


@inner
def gather_unsettled(row, graph, least, greatest, unsettled, first):
    """List the nodes with a smaller ancestor or a greater descendant, ascending; return their number.

    Each is the first of a set of its own; the others are SETTLED.
    """
    n_nodes = row.size
    for v in range(n_nodes):
        least[v] = row[v]
        for e in range(graph.parent_ptr[v], graph.parent_ptr[v + 1]):
            least[v] = min(least[v], least[graph.parent_idx[e]])
    for v in range(n_nodes - 1, -1, -1):
        greatest[v] = row[v]
        for c in range(graph.child_ptr[v], graph.child_ptr[v + 1]):
            greatest[v] = max(greatest[v], greatest[graph.child_idx[c]])
    size = 0
    for v in range(n_nodes):
        first[v] = SETTLED
        if least[v] < row[v] or greatest[v] > row[v]:
            first[v] = v
            unsettled[size] = v
            size += 1
    return size


@inner
def guess_flow(unsettled, x, flow, graph, first):
    """Average the ends of violated edges in turn, down and up, and take back what was too much."""
    for k in range(N_ROUNDS * unsettled.size):
        turn, place = k // unsettled.size, k % unsettled.size
        v = unsettled[place if turn % 2 == 0 else unsettled.size - 1 - place]
        for e in range(graph.parent_ptr[v], graph.parent_ptr[v + 1]):
            u = graph.parent_idx[e]
            change = max(0.5 * (x[v] - x[u]), -flow[e])
            flow[e] += change
            x[v] -= change
            x[u] += change
    for k in range(unsettled.size):
        v = unsettled[k]
        for e in range(graph.parent_ptr[v], graph.parent_ptr[v + 1]):
            u = graph.parent_idx[e]
            # On its way to 0, since the ends drift apart; or a mean that exceeds its largest part, by rounding
            if flow[e] < x[u] - x[v] or first[u] == SETTLED:
                flow[e] = 0.0


@inner
def find_set(first, v):
    """Return the first node of v's set."""
    while first[v] != v:
        first[v] = first[first[v]]
        v = first[v]
    return v


@inner
def join(first, u, v):
    """Join the sets of u and v; return the first node of the joined set, or -1 if they were one."""
    a, b = find_set(first, u), find_set(first, v)
    if a == b:
        return -1
    first[max(a, b)] = min(a, b)
    return min(a, b)


@inner
def join_by_flow(unsettled, flow, graph, first, is_new):
    """Make a set of all nodes that edges with flow connect."""
    for v in unsettled:
        is_new[v] = True
        for e in range(graph.parent_ptr[v], graph.parent_ptr[v + 1]):
            if flow[e] > 0.0:
                join(first, v, graph.parent_idx[e])


@inner
def join_violated(unsettled, x, graph, first, is_new):
    """Join sets with a violated edge between them and mark them; return whether there were any."""
    for v in unsettled:
        is_new[v] = False
    has_joined = False
    for v in unsettled:
        for e in range(graph.parent_ptr[v], graph.parent_ptr[v + 1]):
            u = graph.parent_idx[e]
            if x[v] > x[u] and first[u] != SETTLED:
                joined = join(first, v, u)
                if joined >= 0:
                    is_new[joined] = True
                    has_joined = True
    return has_joined


@inner
def list_new(unsettled, first, is_new, start, size, nodes):
    """List the nodes of new sets, set by set and ascending, and return how many; ``size`` is by first nodes."""
    for v in unsettled:
        size[v] = 0
    n_listed = 0
    for v in unsettled:
        size[find_set(first, v)] += 1
    for v in unsettled:
        if first[v] == v and is_new[v]:
            start[v] = n_listed
            n_listed += size[v]
            size[v] = 0
    for v in unsettled:
        a = find_set(first, v)
        if is_new[a]:
            nodes[start[a] + size[a]] = v
            size[a] += 1
    return n_listed

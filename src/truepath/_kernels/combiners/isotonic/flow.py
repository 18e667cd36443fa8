"""Split a set of nodes at its mean by a minimum cut; the flow that finds it is also the proof that no split is left.

With a flow ``f >= 0`` from children to parents, every node has ``x_v = s_v + inflow - outflow``. Send all that lies
above t to where something is lacking. The upper set of greatest sum of s_v - t is then the set of nodes from which no
lacking node can be reached, forwards along any edge or backwards along one that carries flow. The flow is found by
pushing and relabelling (Goldberg & Tarjan 1988) with heights from a breadth-first search. It may start from any
flow, and is kept from one split to the next: one flow, the solution of the dual problem, is right for all t.
"""

from __future__ import annotations

from collections import namedtuple

from truepath._kernels.jit import inner

# Edges as parents of each node and as children of each node; ``child_edge`` numbers the latter as the former
Graph = namedtuple("Graph", "parent_ptr parent_idx child_ptr child_idx child_edge")
# What a set is split in: excess over t, heights, next arc to try, nodes to look at, whether they are waiting, a spare
Scratch = namedtuple("Scratch", "excess height arc queue is_waiting spare")

# An excess below this share of a set's total deviation from its mean is rounding. Projections do not magnify the
# largest error, so no score is off by more
TOLERANCE = 1e-15

# Heights: 1 where something is lacking, else steps to the nearest such node
OUTSIDE, UNREACHED = 1 << 30, 1 << 29

# Heights are computed afresh when the pushes since have looked at this many arcs per node
RELABEL_AT = 6


@inner
def split(row, t, nodes, a, b, flow, graph, scratch):
    """Put the upper set of nodes[a:b] first, both parts ascending; return where the second begins, or a if none does.

    Edges that carry flow have both ends in the set; afterwards, in one of the two parts.
    """
    height = scratch.height
    tolerance = TOLERANCE * _find_excess(row, t, nodes, a, b, flow, graph, scratch.excess)
    n_waiting = 1
    while n_waiting:
        _find_heights(nodes, a, b, tolerance, flow, graph, scratch)
        n_waiting = _list_active(nodes, a, b, tolerance, scratch)
        _push_all(n_waiting, b - a, tolerance, flow, graph, scratch)
    cut, n_rest, has_excess = a, 0, False
    for k in range(a, b):
        v = nodes[k]
        if height[v] == UNREACHED:
            nodes[cut] = v
            cut += 1
            has_excess |= scratch.excess[v] > tolerance
        else:
            scratch.spare[n_rest] = v
            n_rest += 1
        height[v] = OUTSIDE
    for k in range(n_rest):
        nodes[cut + k] = scratch.spare[k]
    return cut if has_excess and cut < b else a


@inner
def balance_tree(row, t, nodes, a, b, flow, graph, scratch):
    """Find the flow that makes nodes[a:b] equal, if edges that carry flow form a tree; return whether there is one.

    From the ends of the tree inwards, each edge has to carry what its outer part has too much or too little.
    """
    excess, degree, edge, other = scratch.excess, scratch.arc, scratch.queue, scratch.spare
    for k in range(a, b):
        v = nodes[k]
        excess[v] = row[v] - t
        degree[v] = edge[v] = other[v] = 0
    n_edges = 0
    for k in range(a, b):
        v = nodes[k]
        for e in range(graph.parent_ptr[v], graph.parent_ptr[v + 1]):
            if flow[e] > 0.0:
                u = graph.parent_idx[e]
                degree[v] += 1
                degree[u] += 1
                edge[v] ^= e
                edge[u] ^= e
                other[v] ^= u
                other[u] ^= v
                n_edges += 1
    if n_edges != b - a - 1:
        return False
    for k in range(a, b):
        v = nodes[k]
        while degree[v] == 1:
            e, w = edge[v], other[v]
            amount = excess[v] if w < v else -excess[v]
            if amount < 0.0:
                return False
            flow[e] = amount
            excess[w] += excess[v]
            degree[v] = 0
            degree[w] -= 1
            edge[w] ^= e
            other[w] ^= v
            n_edges -= 1
            v = w
    return n_edges == 0  # else there is a cycle, and a part that hangs nowhere


@inner
def _find_excess(row, t, nodes, a, b, flow, graph, excess):
    """Set the excess of each node over t under the flow, and return the total deviation of the scores from t."""
    deviation = 0.0
    for k in range(a, b):
        v = nodes[k]
        above = row[v] - t
        deviation += abs(above)
        for e in range(graph.parent_ptr[v], graph.parent_ptr[v + 1]):
            above -= flow[e]
        for c in range(graph.child_ptr[v], graph.child_ptr[v + 1]):
            above += flow[graph.child_edge[c]]
        excess[v] = above
    return deviation


@inner
def _find_heights(nodes, a, b, tolerance, flow, graph, scratch):
    """Set the heights of the set by a search backwards from the lacking nodes."""
    height, queue = scratch.height, scratch.queue
    last = 0
    for k in range(a, b):
        v = nodes[k]
        height[v] = UNREACHED
        scratch.arc[v] = 0
        if scratch.excess[v] < -tolerance:
            height[v] = 1
            queue[last] = v
            last += 1
    first = 0
    while first < last:
        u = queue[first]
        first += 1
        for c in range(graph.child_ptr[u], graph.child_ptr[u + 1]):
            v = graph.child_idx[c]
            if height[v] == UNREACHED:
                height[v] = height[u] + 1
                queue[last] = v
                last += 1
        for e in range(graph.parent_ptr[u], graph.parent_ptr[u + 1]):
            v = graph.parent_idx[e]
            if flow[e] > 0.0 and height[v] == UNREACHED:
                height[v] = height[u] + 1
                queue[last] = v
                last += 1


@inner
def _list_active(nodes, a, b, tolerance, scratch):
    """Queue the nodes with an excess that can still go somewhere, and return their number."""
    last = 0
    for k in range(a, b):
        v = nodes[k]
        is_active = scratch.excess[v] > tolerance and scratch.height[v] != UNREACHED
        scratch.is_waiting[v] = is_active
        if is_active:
            scratch.queue[last] = v
            last += 1
    return last


@inner
def _push_all(last, size, tolerance, flow, graph, scratch):
    """Discharge the queued nodes, first come first served, until none is left or heights should be computed afresh."""
    first, work = 0, 0
    while first < last and work < RELABEL_AT * size:
        v = scratch.queue[first % size]
        first += 1
        scratch.is_waiting[v] = False
        while scratch.excess[v] > tolerance and scratch.height[v] < UNREACHED:
            n_arcs = graph.parent_ptr[v + 1] - graph.parent_ptr[v] + graph.child_ptr[v + 1] - graph.child_ptr[v]
            if scratch.arc[v] == n_arcs:
                _raise(v, size, flow, graph, scratch)
                work += n_arcs
            else:
                last = _push(v, last, size, tolerance, flow, graph, scratch)
                work += 1


@inner
def _push(v, last, size, tolerance, flow, graph, scratch):
    """Try the next arc of v, send what fits if it leads one step down; return the end of the queue."""
    excess, height = scratch.excess, scratch.height
    n_up = graph.parent_ptr[v + 1] - graph.parent_ptr[v]
    if scratch.arc[v] < n_up:
        e = graph.parent_ptr[v] + scratch.arc[v]
        w, amount = graph.parent_idx[e], excess[v]
        change = amount
    else:
        c = graph.child_ptr[v] + scratch.arc[v] - n_up
        e, w = graph.child_edge[c], graph.child_idx[c]
        amount = min(excess[v], flow[e])
        change = -amount
    if height[w] != height[v] - 1 or amount <= 0.0:
        scratch.arc[v] += 1
        return last
    flow[e] += change
    excess[v] -= amount
    excess[w] += amount
    if excess[w] > tolerance and not scratch.is_waiting[w]:
        scratch.is_waiting[w] = True
        scratch.queue[last % size] = w
        last += 1
    return last


@inner
def _raise(v, size, flow, graph, scratch):
    """Lift v just above the lowest node that it can send to."""
    lowest = UNREACHED
    for e in range(graph.parent_ptr[v], graph.parent_ptr[v + 1]):
        lowest = min(lowest, scratch.height[graph.parent_idx[e]])
    for c in range(graph.child_ptr[v], graph.child_ptr[v + 1]):
        if flow[graph.child_edge[c]] > 0.0:
            lowest = min(lowest, scratch.height[graph.child_idx[c]])
    scratch.arc[v] = 0
    scratch.height[v] = lowest + 1 if lowest < size + 1 else UNREACHED

"""The Euclidean projection on coherent scores over a DAG, exact, by divide and conquer with maximum flows.

For any t, the nodes whose projected score is at least t form the upper set (closed under parents) of greatest
sum of s_v - t. Taking the mean of a set for t, either no upper set has a positive sum, and the whole set is one block
at its mean, or the best one splits it in two that are solved apart (Maxwell & Muckstadt 1985; Spouge, Wan & Wilbur
2003). Which sets to begin with is guessed (``sets.py``), and checked by the result; splits are minimum cuts
(``flow.py``). A block's value is the mean of its scores, summed in the order of the nodes: it does not
depend on the way to it.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.arrays import copy_first
from truepath._kernels.combiners.isotonic.flow import OUTSIDE, Graph, Scratch, balance_tree, split
from truepath._kernels.combiners.isotonic.sets import (
    gather_unsettled,
    guess_flow,
    join_by_flow,
    join_violated,
    list_new,
)
from truepath._kernels.jit import inner, kernel

# After this many rounds sets are no longer taken apart into their blocks: they only grow, which must end
MOST_ROUNDS = 50


@kernel
def project_dag(S, parent_ptr, parent_idx, child_ptr, child_idx, child_edge):
    """In place: the nearest coherent rows. ``child_edge`` numbers the edges of ``child_idx`` as in ``parent_idx``."""
    n_nodes = parent_ptr.size - 1
    graph = Graph(parent_ptr, parent_idx, child_ptr, child_idx, child_edge)
    scratch = Scratch(
        np.empty(n_nodes), np.full(n_nodes, OUTSIDE, np.int32), np.empty(n_nodes, np.int32),
        np.empty(n_nodes, np.int32), np.empty(n_nodes, np.bool_), np.empty(n_nodes, np.int32),
    )  # fmt: skip
    x, greatest, flow = np.empty(n_nodes), np.empty(n_nodes), np.zeros(parent_idx.size)
    members, nodes, stack = (
        np.empty(n_nodes, np.int32),
        np.empty(n_nodes, np.int32),
        np.empty((n_nodes + 1, 2), np.int32),
    )
    first, start, size = np.empty(n_nodes, np.int32), np.empty(n_nodes, np.int32), np.empty(n_nodes, np.int32)
    is_new = np.empty(n_nodes, np.bool_)
    for i in range(S.shape[0]):
        row = S[i]
        unsettled = members[: gather_unsettled(row, graph, x, greatest, members, first)]
        if unsettled.size == 0:
            continue
        copy_first(row, n_nodes, x)
        guess_flow(unsettled, x, flow, graph, first)
        copy_first(row, n_nodes, x)
        join_by_flow(unsettled, flow, graph, first, is_new)
        has_joined, n_rounds = True, 0
        while has_joined:
            n_listed = list_new(unsettled, first, is_new, start, size, nodes)
            _solve_sets(row, x, nodes, n_listed, first, size, n_rounds < MOST_ROUNDS, stack, flow, graph, scratch)
            has_joined = join_violated(unsettled, x, graph, first, is_new)
            n_rounds += 1
        for v in unsettled:
            row[v] = x[v]
            flow[parent_ptr[v] : parent_ptr[v + 1]] = 0.0


@inner
def _solve_sets(row, x, nodes, n_listed, first, size, is_apart, stack, flow, graph, scratch):
    """Write the projection of each set listed to x, and make its blocks the sets from now on if ``is_apart``."""
    a = 0
    while a < n_listed:
        b = a + size[first[nodes[a]]]
        _solve(row, x, nodes, a, b, stack, flow, graph, scratch)
        if is_apart:
            _take_apart(x, nodes, a, b, first)
        a = b


@inner
def _solve(row, x, nodes, a, b, stack, flow, graph, scratch):
    """Write the projection of nodes[a:b] to x: split until no part can be; the parts are left in the order of x."""
    stack[0, 0], stack[0, 1] = a, b
    depth = 1
    while depth:
        depth -= 1
        a, b = stack[depth, 0], stack[depth, 1]
        t = _mean(row, nodes, a, b)
        is_block = b - a == 1 or balance_tree(row, t, nodes, a, b, flow, graph, scratch)
        cut = a if is_block else split(row, t, nodes, a, b, flow, graph, scratch)
        if cut == a:
            for k in range(a, b):
                x[nodes[k]] = t
            continue
        stack[depth, 0], stack[depth, 1] = a, cut
        stack[depth + 1, 0], stack[depth + 1, 1] = cut, b
        depth += 2


@inner
def _take_apart(x, nodes, a, b, first):
    """Make a set of each stretch of nodes[a:b] with one value."""
    for k in range(a, b):
        is_start = k == a or x[nodes[k]] != x[nodes[k - 1]] or nodes[k] < nodes[k - 1]
        first[nodes[k]] = nodes[k] if is_start else first[nodes[k - 1]]


@inner
def _mean(row, nodes, a, b):
    """Return the mean score of a set."""
    total = 0.0
    for k in range(a, b):
        total += row[nodes[k]]
    return total / (b - a)

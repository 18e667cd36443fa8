"""Best monotone thresholds on any DAG, exactly: a minimum cut, found without building its graph.

Raising a threshold past negatives of class u saves false alarms, a *supply*; past positives it costs misses, a
*demand*. Raising t_u to a raises every descendant's threshold to a at least, so a supply at (u, a) pays for demands at
(d, b) with d = u or below u and b <= a: the arcs of the cut's network, from *every* ancestor. They need not be
stored: what a set of supplies can reach is one level per class, pushed down the hierarchy.

Supplies are served one by one, children's before parents', along shortest augmenting paths. One that cannot be spent
has found a set of cells worth passing, and what it reached stays so: those levels are the thresholds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath._kernels.jit import kernel

Array = NDArray[Any]
NOTHING_LEFT, ALL_SPENT = -1, -2  # how a search can end without a demand found


@kernel
def best_cut_thresholds(
    ptr: Array, value: Array, pos: Array, neg: Array, miss: Array, alarm: Array,
    child_ptr: Array, child_idx: Array, t: Array,
) -> None:  # fmt: skip
    """Fill ``t`` with the smallest threshold vector among the best ones; -inf is below every score.

    A supply is known by its cut point; demands are listed apart (``need_*``, what is ``left`` of each), so that what
    a level reaches in a class is a range of them, up to ``top``. ``feed_*`` are linked lists of who pays for a demand.
    """
    n_nodes = ptr.size - 1
    need_ptr, need_at, left = _list_demands(ptr, value, pos, neg, miss, alarm)
    head, top = np.full(need_at.size, -1, np.int64), need_ptr[:-1].copy()
    feeds = np.empty((1024, 3), np.int32)  # next entry, supply, the supply's class
    flow = np.empty(1024, np.int64)
    n_feeds = np.array([0, -1])  # entries in the lists, and the first of those no longer used
    via = np.empty(value.size, np.int32)  # the demand through which a supply was reached
    payer = np.empty(need_at.size, np.int64)  # the supply through which a demand was reached
    queue, stack = np.empty(need_at.size, np.int64), np.empty(child_idx.size + 1, np.int64)
    trail, is_marked = np.empty(n_nodes, np.int64), np.zeros(n_nodes, np.bool_)
    old_t, old_top = np.empty(n_nodes), np.empty(n_nodes, np.int64)
    t[:] = -np.inf
    for u in range(n_nodes - 1, -1, -1):  # children before parents
        for s in range(ptr[u], ptr[u + 1]):
            rest = np.int64(neg[s]) * alarm[u] - np.int64(pos[s]) * miss[u]
            while rest > 0 and value[s] > t[u]:
                found, rest, feeds, flow, n_trail = _search(
                    s, u, rest, value, child_ptr, child_idx, need_ptr, need_at, left, head,
                    n_feeds, feeds, flow, t, top,
                    via, payer, queue, stack, trail, is_marked, old_t, old_top,
                )  # fmt: skip
                for k in range(n_trail):
                    is_marked[trail[k]] = False
                if found == NOTHING_LEFT:  # what was reached stays passed for good
                    break
                for k in range(n_trail):
                    t[trail[k]], top[trail[k]] = old_t[k], old_top[k]
                if found >= 0:
                    rest, feeds, flow = _pay(s, rest, found, ptr, left, head, n_feeds, feeds, flow, via, payer)


@kernel
def _search(
    s: int, u: int, rest: int, value: Array, child_ptr: Array, child_idx: Array,
    need_ptr: Array, need_at: Array, left: Array, head: Array, n_feeds: Array, feeds: Array, flow: Array,
    t: Array, top: Array,
    via: Array, payer: Array, queue: Array, stack: Array, trail: Array, is_marked: Array, old_t: Array, old_top: Array,
) -> tuple[int, int, Array, Array, int]:  # fmt: skip
    """Look, breadth first, for a demand that is not yet paid for; return it and what has changed.

    Demands that ``s`` reaches itself are paid on the way: that takes nothing back from what was reached. Raises ``t``
    and ``top`` to what was reached; ``trail``, ``old_t`` and ``old_top`` tell how to undo that.
    """
    n_queue, done, n_trail = 0, 0, 0
    q, f = s, np.int64(-1)
    stack[0] = u
    while True:
        level, n_stack = value[q], 1
        while n_stack > 0:  # everything at or below the supply's class, up to its level
            n_stack -= 1
            d = stack[n_stack]
            if t[d] >= level:
                continue
            if not is_marked[d]:
                is_marked[d] = True
                trail[n_trail], old_t[n_trail], old_top[n_trail] = d, t[d], top[d]
                n_trail += 1
            t[d] = level
            j = top[d]
            while j < need_ptr[d + 1] and need_at[j] <= level:
                payer[j] = q
                if left[j] > 0:
                    if q != s:
                        return j, rest, feeds, flow, n_trail
                    amount = min(rest, left[j])
                    feeds, flow = _add_flow(j, s, amount, u, head, n_feeds, feeds, flow)
                    left[j] -= amount
                    rest -= amount
                    if rest == 0:
                        return ALL_SPENT, rest, feeds, flow, n_trail
                queue[n_queue] = j
                n_queue += 1
                j += 1
            top[d] = j
            for c in range(child_ptr[d], child_ptr[d + 1]):
                stack[n_stack] = child_idx[c]
                n_stack += 1
        while True:  # the next supply that pays for a demand reached and was not reached itself
            while f < 0 and done < n_queue:
                f = head[queue[done]]
                done += 1
            if f < 0:
                return NOTHING_LEFT, rest, feeds, flow, n_trail
            q, stack[0] = feeds[f, 1], feeds[f, 2]
            f = feeds[f, 0]
            if value[q] > t[stack[0]]:
                via[q] = queue[done - 1]
                break


@kernel
def _pay(
    s: int, rest: int, found: int, ptr: Array, left: Array, head: Array, n_feeds: Array, feeds: Array, flow: Array,
    via: Array, payer: Array,
) -> tuple[int, Array, Array]:  # fmt: skip
    """Let ``s`` pay along the path that ends at ``found``: as much as is in supply, left, and can be handed over."""
    amount, j = min(rest, left[found]), found
    while payer[j] != s:
        p = payer[j]
        j = via[p]
        f = head[j]
        while feeds[f, 1] != p:
            f = feeds[f, 0]
        amount = min(amount, flow[f])
    left[found] -= amount
    j = found
    while True:
        p = payer[j]
        own = np.searchsorted(ptr, p, side="right") - 1  # the class that has the supply
        feeds, flow = _add_flow(j, p, amount, own, head, n_feeds, feeds, flow)
        if p == s:
            return rest - amount, feeds, flow
        j = via[p]
        _take_flow(j, p, amount, head, n_feeds, feeds, flow)


@kernel
def _add_flow(
    j: int, p: int, amount: int, u: int, head: Array, n_feeds: Array, feeds: Array, flow: Array
) -> tuple[Array, Array]:
    """Add to what supply ``p`` of class ``u`` pays for demand ``j``; return the lists, grown if they were full."""
    f = head[j]
    while f >= 0 and feeds[f, 1] != p:
        f = feeds[f, 0]
    if f >= 0:
        flow[f] += amount
        return feeds, flow
    f = n_feeds[1]
    if f >= 0:
        n_feeds[1] = feeds[f, 0]
    else:
        f = n_feeds[0]
        n_feeds[0] += 1
        if f == flow.size:
            feeds = np.concatenate((feeds, feeds[: f // 2]))
            flow = np.concatenate((flow, flow[: f // 2]))
    feeds[f, 0], feeds[f, 1], feeds[f, 2], flow[f] = head[j], p, u, amount
    head[j] = f
    return feeds, flow


@kernel
def _take_flow(j: int, p: int, amount: int, head: Array, n_feeds: Array, feeds: Array, flow: Array) -> None:
    """Reduce what supply ``p`` pays for demand ``j``; an entry that pays nothing is unlinked and used again."""
    f, before = np.int64(head[j]), np.int64(-1)
    while feeds[f, 1] != p:
        before, f = f, np.int64(feeds[f, 0])
    flow[f] -= amount
    if flow[f] == 0:
        if before < 0:
            head[j] = feeds[f, 0]
        else:
            feeds[before, 0] = feeds[f, 0]
        feeds[f, 0] = n_feeds[1]
        n_feeds[1] = f


@kernel
def _list_demands(
    ptr: Array, value: Array, pos: Array, neg: Array, miss: Array, alarm: Array
) -> tuple[Array, Array, Array]:
    """Return the cut points whose passing costs something: their ranges by class, values and costs."""
    n_nodes = ptr.size - 1
    need_ptr = np.zeros(n_nodes + 1, np.int64)
    for v in range(n_nodes):
        size = 0
        for k in range(ptr[v], ptr[v + 1]):
            size += np.int64(pos[k]) * miss[v] > np.int64(neg[k]) * alarm[v]
        need_ptr[v + 1] = need_ptr[v] + size
    at, cost = np.empty(need_ptr[n_nodes]), np.empty(need_ptr[n_nodes], np.int64)
    size = 0
    for v in range(n_nodes):
        for k in range(ptr[v], ptr[v + 1]):
            change = np.int64(pos[k]) * miss[v] - np.int64(neg[k]) * alarm[v]
            if change > 0:
                at[size], cost[size] = value[k], change
                size += 1
    return need_ptr, at, cost

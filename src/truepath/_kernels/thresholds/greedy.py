"""The greedy threshold searches of Triguero & Vens (Algorithms 3, 4 and 5), as sweeps over cut points.

``ptr, value, pos, neg`` are the cut points of each class (see ``decoders/cut_points.py``). Losses are whole numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath._kernels.jit import kernel
from truepath._kernels.thresholds.lists import find_at_least, grow

Array = NDArray[Any]
CHUNK = 1 << 16  # ranks looked at in one go: their sums stay in the cache


@kernel
def _floor(v: int, t: Array, parent_ptr: Array, parent_idx: Array, lowest: float) -> float:
    """Return the largest of the parents' thresholds."""
    floor = lowest
    for k in range(parent_ptr[v], parent_ptr[v + 1]):
        floor = max(floor, t[parent_idx[k]])
    return floor


@kernel
def raise_h_loss(
    S: Array, Y: Array, weight: Array, first: int, ptr: Array, value: Array,
    parent_ptr: Array, parent_idx: Array, t: Array, mistakes: Array, row_ptr: Array, rows: Array, inherits: bool,
) -> Array:  # fmt: skip
    """Algorithm 3 for the classes from ``first`` on, one per column of S and Y.

    Only rows where all parents are rightly predicted can add to a class's H-loss: where a parent is wrong nothing
    below counts, and where all are rightly left out so is the class. ``rows[row_ptr[u]:row_ptr[u + 1]]`` are
    the rows where u is rightly predicted. Fills ``t`` and the (weighted) ``mistakes``; returns ``rows``, grown.
    As printed a class must take one of its own scores, if one is large enough; with ``inherits`` it may keep its
    parents' threshold.
    """
    n_samples = S.shape[0]
    hits, change = np.zeros(n_samples, np.int32), np.zeros(n_samples, np.int64)
    relevant = np.empty(n_samples, np.int32)
    for v in range(first, first + S.shape[1]):
        column = v - first
        n_relevant = _find_relevant(v, parent_ptr, parent_idx, row_ptr, rows, hits, relevant)
        floor = _floor(v, t, parent_ptr, parent_idx, -np.inf)
        begin, end = find_at_least(value, ptr[v], ptr[v + 1], floor), ptr[v + 1]
        loss = np.int64(0)  # of the parents' threshold
        for r in range(n_relevant):
            i = relevant[r]
            k = find_at_least(value, begin, end, S[i, column])
            if k == begin and (k == end or S[i, column] < value[k]):
                loss += weight[i] * Y[i, column]
            elif Y[i, column]:
                change[k - begin] += weight[i]
            else:
                loss += weight[i]
                change[k - begin] -= weight[i]
        best, t[v] = loss, floor
        for k in range(begin, end):
            loss += change[k - begin]
            change[k - begin] = 0
            must = k == begin and (not inherits or value[k] == floor)  # scores at the parents' threshold are not above
            if must or loss < best:
                best, t[v] = loss, value[k]
        mistakes[v] = best
        if rows.size < row_ptr[v] + n_relevant:
            rows = grow(rows, row_ptr[v], 2 * (row_ptr[v] + n_relevant))
        used = row_ptr[v]
        for r in range(n_relevant):
            if Y[relevant[r], column] and S[relevant[r], column] > t[v]:
                rows[used] = relevant[r]
                used += 1
        row_ptr[v + 1] = used
    return rows


@kernel
def _find_relevant(
    v: int, parent_ptr: Array, parent_idx: Array, row_ptr: Array, rows: Array, hits: Array, relevant: Array
) -> int:
    """List the rows where every parent of v is rightly predicted; return their number. ``hits`` stays zero."""
    n_parents, size = parent_ptr[v + 1] - parent_ptr[v], 0
    if n_parents == 0:
        for i in range(relevant.size):
            relevant[i] = i
        return relevant.size
    for k in range(parent_ptr[v], parent_ptr[v + 1]):
        u = parent_idx[k]
        for r in range(row_ptr[u], row_ptr[u + 1]):
            hits[rows[r]] += 1
            if hits[rows[r]] == n_parents:
                relevant[size] = rows[r]
                size += 1
    for k in range(parent_ptr[v], parent_ptr[v + 1]):
        u = parent_idx[k]
        for r in range(row_ptr[u], row_ptr[u + 1]):
            hits[rows[r]] = 0
    return size


@kernel
def raise_hmc_loss(
    ptr: Array, rank: Array, pos: Array, neg: Array, miss: Array, alarm: Array, n_ranks: int,
    parent_ptr: Array, parent_idx: Array, child_ptr: Array, child_idx: Array, t: Array,
) -> None:  # fmt: skip
    """Algorithm 4: fill ``t`` with ranks of thresholds, -1 where there is no cut point at all.

    ``rank`` are the cut points as ranks among all distinct scores. The loss of one threshold for a whole subtree
    is summed up by rank, a chunk of ranks at a time; ``is_set`` tells which ranks occur.
    """
    n_nodes = ptr.size - 1
    change, is_set = np.zeros(CHUNK, np.int64), np.zeros(CHUNK // 64, np.uint64)
    seen, below, cursor = np.full(n_nodes, -1, np.int64), np.empty(n_nodes, np.int32), np.empty(n_nodes, np.int64)
    for v in range(n_nodes):
        floor = np.int64(_floor(v, t, parent_ptr, parent_idx, -1))
        n_below = _list_below(v, v, ptr, ptr, child_ptr, child_idx, seen, below)
        for k in range(n_below):
            cursor[below[k]] = find_at_least(rank, ptr[below[k]], ptr[below[k] + 1], floor)
        loss, best, t[v] = np.int64(0), np.iinfo(np.int64).max, floor
        if n_below == 1:
            for k in range(cursor[v], ptr[v + 1]):
                loss += np.int64(pos[k]) * miss[v] - np.int64(neg[k]) * alarm[v]
                if loss < best:
                    best, t[v] = loss, rank[k]
            continue
        for start in range(max(floor, 0), n_ranks, CHUNK):
            for b in range(n_below):
                d = below[b]
                k = cursor[d]
                while k < ptr[d + 1] and rank[k] < start + CHUNK:
                    r = rank[k] - start
                    change[r] += np.int64(pos[k]) * miss[d] - np.int64(neg[k]) * alarm[d]
                    is_set[r >> 6] |= np.uint64(1) << np.uint64(r & 63)
                    k += 1
                cursor[d] = k
            loss, best, t[v] = _scan_chunk(change, is_set, start, loss, best, t[v])


@kernel
def _scan_chunk(change: Array, is_set: Array, start: int, loss: int, best: int, threshold: int) -> tuple[int, int, int]:
    """Add up the changes in order of rank, clear them, and keep the first rank of smallest loss."""
    for word in range(is_set.size):
        if is_set[word] == 0:
            continue
        for r in range(64 * word, 64 * word + 64):
            if (is_set[word] >> np.uint64(r & 63)) & np.uint64(1):
                loss += change[r]
                change[r] = 0
                if loss < best:
                    best, threshold = loss, start + r
        is_set[word] = 0
    return loss, best, threshold


@kernel
def raise_micro_f1(
    ptr: Array, value: Array, pos: Array, neg: Array, child_ptr: Array, child_idx: Array, sequence: Array, t: Array
) -> None:
    """Algorithm 5 from the start thresholds ``t`` on, classes in ``sequence``.

    ``low[v]`` is the least threshold that v may take: the start, or what its ancestors were raised to since.
    ``live[v]`` is the first cut point of v above its threshold. A class without one has none below either, as
    scores are coherent, so searches stop there.
    """
    n_nodes = ptr.size - 1
    low, live = t.copy(), np.empty(n_nodes, np.int64)
    hits, alarms, positives, longest = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for v in range(n_nodes):
        live[v] = ptr[v] + np.searchsorted(value[ptr[v] : ptr[v + 1]], t[v], side="right")
        longest = max(longest, ptr[v + 1] - ptr[v])
        for k in range(ptr[v], ptr[v + 1]):
            positives += pos[k]
            if k >= live[v]:
                hits += pos[k]
                alarms += neg[k]
    seen, below = np.full(n_nodes, -1, np.int64), np.empty(n_nodes, np.int32)
    lost_pos, lost_neg = np.zeros(longest + 1, np.int64), np.zeros(longest + 1, np.int64)
    visit, is_updated = 0, True
    while is_updated:
        is_updated = False
        for v in sequence:
            begin, end = find_at_least(value, ptr[v], ptr[v + 1], low[v]), ptr[v + 1]
            if begin == end:
                continue
            visit += 1
            n_below = _list_below(v, visit, ptr, live, child_ptr, child_idx, seen, below)
            for b in range(1, n_below):
                _drop_by_own(below[b], begin, end, ptr, value, pos, neg, live, lost_pos, lost_neg)
            best, hits, alarms = _best_cut(begin, end, live[v], pos, neg, lost_pos, lost_neg, hits, alarms, positives)
            if best >= 0:
                is_updated = True
                visit += 1
                t[v] = value[best]
                live[v] = best + 1
                _lift(v, visit, t[v], ptr, value, live, child_ptr, child_idx, seen, below, low, t)


@kernel
def _list_below(
    v: int, visit: int, ptr: Array, live: Array, child_ptr: Array, child_idx: Array, seen: Array, below: Array
) -> int:
    """List v and its descendants that have cut points from ``live`` on; return their number."""
    below[0], seen[v], size, done = v, visit, 1, 0
    while done < size:
        d = below[done]
        done += 1
        for c in range(child_ptr[d], child_ptr[d + 1]):
            w = child_idx[c]
            if seen[w] != visit and live[w] < ptr[w + 1]:
                seen[w] = visit
                below[size] = w
                size += 1
    return size


@kernel
def _drop_by_own(
    d: int, begin: int, end: int, ptr: Array, value: Array, pos: Array, neg: Array, live: Array,
    lost_pos: Array, lost_neg: Array,
) -> None:  # fmt: skip
    """Count what d loses at each of the cut points ``begin`` to ``end`` of the class that is raised."""
    k, sparse_cuts = begin, (ptr[d + 1] - live[d]) * 8 < end - begin
    for j in range(live[d], ptr[d + 1]):
        if sparse_cuts:
            k = find_at_least(value, k, end, value[j])
        else:
            while k < end and value[k] < value[j]:
                k += 1
        lost_pos[k - begin] += pos[j]
        lost_neg[k - begin] += neg[j]


@kernel
def _best_cut(
    begin: int, end: int, live: int, pos: Array, neg: Array, lost_pos: Array, lost_neg: Array,
    hits: int, alarms: int, positives: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Return the first cut point of largest F1 = 2 hits / (hits + alarms + positives) and its counts, or -1.

    ``begin`` to ``end`` are cut points of the class that is moved, ``live`` its first above the threshold now.
    What its descendants lose at each is in ``lost_pos`` and ``lost_neg``, which are cleared.
    """
    best, best_hits, best_alarms = -1, hits, alarms
    for k in range(begin, live):  # as if the class had the lowest threshold
        hits += pos[k]
        alarms += neg[k]
    for k in range(begin, end):
        hits -= lost_pos[k - begin] + np.int64(pos[k])
        alarms -= lost_neg[k - begin] + np.int64(neg[k])
        lost_pos[k - begin], lost_neg[k - begin] = 0, 0
        # a / b > c / d as a d > c b: exact while the products stay below 2 ** 53
        if float(hits) * float(best_hits + best_alarms + positives) > float(best_hits) * float(
            hits + alarms + positives
        ):
            best, best_hits, best_alarms = k, hits, alarms
    lost_pos[end - begin], lost_neg[end - begin] = 0, 0
    return best, best_hits, best_alarms


@kernel
def _lift(
    v: int, visit: int, threshold: float, ptr: Array, value: Array, live: Array, child_ptr: Array, child_idx: Array,
    seen: Array, below: Array, low: Array, t: Array,
) -> None:  # fmt: skip
    """Raise every descendant of v, and the least it may take, to ``threshold`` where they lie lower."""
    below[0], seen[v], size, done = v, visit, 1, 0
    while done < size:
        d = below[done]
        done += 1
        if d != v:
            low[d] = threshold
            if t[d] < threshold:
                t[d] = threshold
                live[d] += np.searchsorted(value[live[d] : ptr[d + 1]], threshold, side="right")
        for c in range(child_ptr[d], child_ptr[d + 1]):
            w = child_idx[c]
            if seen[w] != visit and low[w] < threshold:
                seen[w] = visit
                below[size] = w
                size += 1


@kernel
def split_like_truth(
    ptr: Array, value: Array, pos: Array, neg: Array, parent_ptr: Array, parent_idx: Array, top: float, t: Array
) -> None:
    """Fill ``t`` so that as many instances lie above it as are positive: halfway between two scores, then monotone.

    A class without positives gets ``top``, one without negatives -inf.
    """
    for v in range(ptr.size - 1):
        wanted = np.int64(0)
        for k in range(ptr[v], ptr[v + 1]):
            wanted += pos[k]
        k, above, threshold = ptr[v + 1] - 1, np.int64(0), top
        while wanted > 0 and k >= ptr[v] and above < wanted:
            above += np.int64(pos[k]) + np.int64(neg[k])
            k -= 1
        if wanted > 0 and above > wanted:  # the split falls among equal scores
            threshold = np.float64(value[k + 1])
        elif wanted > 0:
            threshold = (np.float64(value[k]) + np.float64(value[k + 1])) / 2 if k >= ptr[v] else -np.inf
        t[v] = max(threshold, _floor(v, t, parent_ptr, parent_idx, -np.inf))

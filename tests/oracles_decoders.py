"""Slow, obvious twins of the threshold searches: the paper's pseudo-code read aloud, and brute force."""

from __future__ import annotations

from itertools import product

import numpy as np

from oracles import ancestors


def family(hierarchy):
    """Return the lists of all ancestors and of all descendants of every node."""
    above = [sorted(ancestors(hierarchy, v)) for v in range(hierarchy.n_nodes)]
    below = [[] for _ in above]
    for v, nodes in enumerate(above):
        for u in nodes:
            below[u].append(v)
    return above, below


def is_monotone(t, hierarchy):
    return all(t[u] <= t[v] for u, v in hierarchy.edges)


def micro_f1(Y, P):
    below = Y.sum() + P.sum()
    return 2 * (Y & P).sum() / below if below else 0.0


def h_loss(Y, P, hierarchy, costs):
    """Eq. (1), cell by cell; integer costs give an integer."""
    wrong, total = Y != P, 0
    for v, above in enumerate(family(hierarchy)[0]):
        total += costs[v] * int((wrong[:, v] & ~wrong[:, above].any(axis=1)).sum())
    return total


def priced(Y, P, miss, alarm, nodes):
    """Sum over classes of price times mistakes, in whole numbers."""
    nodes = list(nodes)
    Y, P = Y[:, nodes], P[:, nodes]
    return int(miss[nodes] @ (Y & ~P).sum(axis=0) + alarm[nodes] @ (~Y & P).sum(axis=0))


def best_single(S, performance, better):
    """Algorithm 1: the first best cut point, and the performance at each."""
    cuts = np.unique(S)
    values = [performance(S > t) for t in cuts]
    best = 0
    for k in range(1, len(cuts)):
        if better(values[k], values[best]):
            best = k
    return cuts[best], values


def algorithm_3(S, Y, hierarchy, inherits=False):
    """As printed; with `inherits` a class may keep its parents' threshold."""
    t = np.full(hierarchy.n_nodes, -np.inf)
    above, _ = family(hierarchy)
    for v in range(hierarchy.n_nodes):
        floor = max((t[u] for u in hierarchy.parents(v)), default=-np.inf)
        path, best = above[v], None
        t[v] = floor
        for cut in [*([floor] if inherits else []), *np.unique(S[:, v])]:
            if cut < floor:
                continue
            right = np.ones(len(S), bool)
            for u in path:
                right &= (S[:, u] > t[u]) == Y[:, u]
            loss = int((right & ((S[:, v] > cut) != Y[:, v])).sum())
            if best is None or loss < best:
                best, t[v] = loss, cut
    return t


def algorithm_4(S, Y, hierarchy, miss, alarm):
    t = np.full(hierarchy.n_nodes, -np.inf)
    _, all_below = family(hierarchy)
    for v in range(hierarchy.n_nodes):
        floor = max((t[u] for u in hierarchy.parents(v)), default=-np.inf)
        subtree, best = [v, *all_below[v]], None
        t[v] = floor
        for cut in np.unique(S[:, subtree]):
            if cut < floor:
                continue
            loss = priced(Y[:, subtree], S[:, subtree] > cut, miss[subtree], alarm[subtree], range(len(subtree)))
            if best is None or loss < best:
                best, t[v] = loss, cut
    return t


def algorithm_5(S, Y, hierarchy, order):
    """The repaired reading: see decoders/thresholds/searches.py."""
    n_nodes = hierarchy.n_nodes
    t = np.full(n_nodes, min(0.0, S.min()))
    low, (_, all_below) = t.copy(), family(hierarchy)
    best = micro_f1(Y, S > t)
    sequence = range(n_nodes) if order == "top_down" else range(n_nodes - 1, -1, -1)
    while True:
        before = best
        for v in sequence:
            below, found = all_below[v], None
            for cut in np.unique(S[:, v]):
                if cut < low[v]:
                    continue
                trial = t.copy()
                trial[v] = cut
                trial[below] = np.maximum(trial[below], cut)
                f1 = micro_f1(Y, S > trial)
                if f1 > best:
                    best, found, cut_found = f1, trial, cut
            if found is not None:
                t = found
                low[below] = np.maximum(low[below], cut_found)
        if best == before:
            return t


def class_distribution(S, Y, hierarchy):
    n_samples, n_nodes = S.shape
    t = np.empty(n_nodes)
    for v in range(n_nodes):
        wanted, column = int(Y[:, v].sum()), np.sort(S[:, v].astype(float))[::-1]
        if wanted == 0:
            t[v] = max(1.0, S.max())
        elif wanted == n_samples:
            t[v] = -np.inf
        else:
            t[v] = (column[wanted - 1] + column[wanted]) / 2
        t[v] = max([t[v], *(t[u] for u in hierarchy.parents(v))])
    return t


def monotone_vectors(S, hierarchy):
    """Every monotone vector of cut points that could matter: any score of the matrix, or -inf."""
    for t in product([-np.inf, *np.unique(S)], repeat=hierarchy.n_nodes):
        if is_monotone(t, hierarchy):
            yield np.array(t, float)

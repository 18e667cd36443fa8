"""Conformal decoders by definition: all closed sets, all levels, one row after the other."""

from __future__ import annotations

from itertools import product

import numpy as np


def closed_sets(hierarchy):
    """Return every closed label set as a boolean vector."""
    found = []
    for bits in product([False, True], repeat=hierarchy.n_nodes):
        y = np.array(bits)
        if all(y[u] or not y[v] for u, v in hierarchy.edges):
            found.append(y)
    return found


def loss_of_misses(truth, chosen, hierarchy, kind):
    """Return what one row loses by the labels that are missed."""
    missed = truth & ~chosen
    if kind == "any":
        return float(missed.any())
    if not truth.any():
        return 0.0
    if kind == "miss-rate":
        return missed.sum() / truth.sum()
    costs = hierarchy.costs
    if kind == "miss-cost":
        return costs[missed].sum() / costs[truth].sum()
    return sum(cost_below_chosen(v, chosen, hierarchy) for v in np.flatnonzero(missed))


def cost_below_chosen(v, chosen, hierarchy):
    """Return the cost of a label as far as it comes from parents that are chosen; on a tree all of it, or nothing."""
    parents = hierarchy.parents(v)
    if not parents.size:
        return hierarchy.costs[v]
    return sum(hierarchy.costs[u] / hierarchy.children(u).size for u in parents if chosen[u])


def levels_of(S, totals):
    """Return the level of each score, a number with the order of the pairs (score, total of the label)."""
    pairs = [[(s, t) for s, t in zip(row, totals)] for row in S.tolist()]
    order = {pair: k for k, pair in enumerate(sorted({pair for row in pairs for pair in row}))}
    return np.array([[order[pair] for pair in row] for row in pairs]), sorted(order)


def conformal_sets(S, Y, new, hierarchy, kind, target, weight=None):
    """Return the sets of new rows, each on its own: the held-out rows choose the level without it."""
    totals = counted(S if weight is None else S[weight > 0]).sum(axis=0)
    ranks, pairs = levels_of(S, totals)
    level = highest_level(ranks, Y, hierarchy, kind, target, weight)
    if np.isinf(level):
        return np.full(new.shape, level < 0)
    return np.array([[(s, t) >= pairs[level] for s, t in zip(*both)] for both in zip(new, totals + counted(new))])


def counted(S):
    """Return what scores add to totals."""
    return np.array([[round(min(max(s, 0), 1) * 2**20) / 2**20 for s in row] for row in S.tolist()])


def highest_level(S, Y, hierarchy, kind, target, weight=None):
    """Return the highest level at which (sum of losses + 1) / (n + 1) is at most the target, by trying all."""
    best, weight = -np.inf, np.ones(len(S)) if weight is None else weight
    for level in [*np.unique(S).tolist(), np.inf]:
        loss = sum(w * loss_of_misses(y, s >= level, hierarchy, kind) for s, y, w in zip(S, Y, weight))
        if (loss + 1) / (weight.sum() + 1) <= target + 1e-12:
            best = level
    return best


def best_closed_set(f, price, hierarchy):
    """Return the greatest value of a closed set whose labels each cost the price."""
    return max((f - price)[y].sum() for y in closed_sets(hierarchy))

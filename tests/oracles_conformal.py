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
    return sum(costs[v] for v in np.flatnonzero(missed) if chosen[hierarchy.parents(v)].all())


def highest_level(S, Y, hierarchy, kind, target):
    """Return the highest level at which (sum of losses + 1) / (n + 1) is at most the target, by trying all.

    The loss of a row is the largest at this level or a lower one.
    """
    levels = [-np.inf, *np.unique(S).tolist(), np.inf]
    worst, best = np.zeros(len(S)), None
    for level in levels:
        now = [loss_of_misses(y, s >= level, hierarchy, kind) for s, y in zip(S, Y)]
        worst = np.maximum(worst, now)
        if level == -np.inf or (worst.sum() + 1) / (len(S) + 1) <= target + 1e-12:
            best = level
    return best


def best_closed_set(f, price, hierarchy):
    """Return the greatest value of a closed set whose labels each cost the price."""
    return max((f - price)[y].sum() for y in closed_sets(hierarchy))

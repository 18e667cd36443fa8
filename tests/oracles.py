"""Slow, obvious twins of what the hierarchy module computes, straight from the definitions."""

from __future__ import annotations

from itertools import product

import numpy as np


def ancestors(hierarchy, v):
    """All nodes above v, by recursion over parents."""
    above = set()
    for u in hierarchy.parents(v).tolist():
        above |= {u} | ancestors(hierarchy, u)
    return above


def below_parents(Y, hierarchy):
    """Which rows have all parents of each label, cell by cell."""
    return np.array([[all(y[u] for u in hierarchy.parents(v)) for v in range(hierarchy.n_nodes)] for y in Y], bool)


def close_upwards(Y, hierarchy):
    """Mark every ancestor of each positive label, cell by cell."""
    closed = np.array(Y, bool)
    for i, v in zip(*np.nonzero(Y)):
        for u in ancestors(hierarchy, v):
            closed[i, u] = True
    return closed


def closed_sets(hierarchy):
    """Every closed label set of a small hierarchy, as boolean rows."""
    for bits in product([False, True], repeat=hierarchy.n_nodes):
        row = np.array(bits)
        if all(row[u] for v in np.flatnonzero(row) for u in hierarchy.parents(v)):
            yield row


def longest_path(hierarchy, v):
    """Depth by recursion: 1 at the top."""
    return 1 + max((longest_path(hierarchy, u) for u in hierarchy.parents(v)), default=0)


def cost(hierarchy, v):
    """c_v by recursion from c_root = 1."""
    above = hierarchy.parents(v)
    if not above.size:
        return 1 / sum(not hierarchy.parents(u).size for u in range(hierarchy.n_nodes))
    return sum(cost(hierarchy, u) / hierarchy.children(u).size for u in above)

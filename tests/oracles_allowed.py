"""Probabilities given that no forbidden label is true, by enumeration of all label sets."""

from __future__ import annotations

from itertools import product

import numpy as np


def closed_sets(hierarchy):
    """Return every closed label set, the empty one included."""
    bits = np.array(list(product([False, True], repeat=hierarchy.n_nodes)), bool).reshape(-1, hierarchy.n_nodes)
    return bits[[all(y[u] for v in np.flatnonzero(y) for u in hierarchy.parents(v)) for y in bits]]


def probabilities_of_sets(Y, given, hierarchy):
    """Return p(Y) where a label is true with probability ``given`` if all its parents are, else never."""
    p = np.ones(len(Y))
    for i, y in enumerate(Y):
        for v in range(hierarchy.n_nodes):
            if y[hierarchy.parents(v)].all():
                p[i] *= given[v] if y[v] else 1 - given[v]
    return p


def condition(Y, p, possible):
    """Return the marginals given that no other label is true, or None if that has no probability."""
    kept = p * ~Y[:, ~possible].any(axis=1)
    return kept @ Y / kept.sum() if kept.sum() > 1e-12 else None


def paths(hierarchy):
    """Return every path, a label with all above it, and the empty one last."""
    found = [np.zeros(hierarchy.n_nodes, bool) for _ in range(hierarchy.n_nodes + 1)]
    for v in range(hierarchy.n_nodes):
        found[v][[v, *hierarchy.ancestors(v).tolist()]] = True
    return np.array(found)


def random_hierarchy(rng, n_nodes, most_parents):
    """Return a random graph; a label has at most so many parents."""
    from truepath import Hierarchy

    edges = []
    for v in range(n_nodes):
        above = rng.choice(v, min(v, rng.integers(0, most_parents + 1)), replace=False) if v else []
        edges += [(f"n{u}", f"n{v}") for u in above] or [(None, f"n{v}")]
    return Hierarchy.from_edges(edges)

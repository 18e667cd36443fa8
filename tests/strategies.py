"""Hypothesis strategies: random trees and DAGs, and the matrices that live on them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from truepath import Hierarchy


@st.composite
def hierarchies(draw, max_nodes=8, max_parents=3, min_nodes=1):
    """Draw a hierarchy whose nodes arrive in a shuffled order, so that ordering is exercised too."""
    n_nodes = draw(st.integers(min_nodes, max_nodes))
    parents = [
        draw(st.lists(st.integers(0, v - 1), max_size=max_parents, unique=True)) if v else [] for v in range(n_nodes)
    ]
    listed = draw(st.permutations(range(n_nodes)))
    edges = [(f"n{u}", f"n{v}") for v in range(n_nodes) for u in parents[v]]
    return Hierarchy.from_edges(edges, nodes=[f"n{v}" for v in listed])


def trees(max_nodes=8, min_nodes=1):
    return hierarchies(max_nodes=max_nodes, max_parents=1, min_nodes=min_nodes)


def dags(max_nodes=8, min_nodes=1):
    return hierarchies(max_nodes=max_nodes, max_parents=3, min_nodes=min_nodes)


@st.composite
def label_matrices(draw, hierarchy, n_rows=4, min_rows=1):
    """Draw a closed boolean matrix with up to `n_rows` rows."""
    rows = draw(st.integers(min_rows, n_rows))
    bits = st.lists(st.booleans(), min_size=hierarchy.n_nodes, max_size=hierarchy.n_nodes)
    Y = np.array([draw(bits) for _ in range(rows)], bool).reshape(rows, hierarchy.n_nodes)
    for v in reversed(range(hierarchy.n_nodes)):
        for u in hierarchy.parents(v):
            Y[:, u] |= Y[:, v]
    return Y


@st.composite
def score_matrices(draw, hierarchy, n_rows=4, min_rows=1, coherent=True, distinct=None, dtype=np.float64):
    """Draw scores in [0, 1] on a coarse grid (ties are wanted); coherent ones are capped by their parents'."""
    rows = draw(st.integers(min_rows, n_rows))
    steps = distinct or 8
    grid = st.integers(0, steps).map(lambda k: k / steps)
    S = np.array(
        [draw(st.lists(grid, min_size=hierarchy.n_nodes, max_size=hierarchy.n_nodes)) for _ in range(rows)]
    ).reshape(rows, hierarchy.n_nodes)
    if coherent:
        for v in range(hierarchy.n_nodes):
            for u in hierarchy.parents(v):
                S[:, v] = np.minimum(S[:, v], S[:, u])
    return S.astype(dtype)

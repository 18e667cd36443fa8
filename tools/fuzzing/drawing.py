"""Random hierarchies, labels, scores and rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from truepath import Hierarchy

__all__ = [
    "draw_coherent_scores",
    "draw_features",
    "draw_hierarchy",
    "draw_labels",
    "draw_scores",
    "renumber",
    "sparsely",
]

ALPHABET = list("abcxyz019 ._-éß漢\U0001f600")


def draw_hierarchy(rng: np.random.Generator, max_nodes: int = 12, *, tree: bool | None = None) -> Hierarchy:
    """Draw a tree or a DAG whose nodes are listed in any order; names are odd now and then."""
    n_nodes = int(rng.integers(1, max_nodes + 1))
    max_parents = 1 if (rng.random() < 0.5 if tree is None else tree) else 3
    names = [_name(rng, v) for v in range(n_nodes)]
    edges = [
        (names[u], names[v])
        for v in range(1, n_nodes)
        for u in rng.choice(v, size=min(v, int(rng.integers(0, max_parents + 1))), replace=False)
    ]
    return Hierarchy.from_edges(edges, nodes=[names[v] for v in rng.permutation(n_nodes)])


def _name(rng: np.random.Generator, v: int) -> str:
    extra = "".join(rng.choice(ALPHABET, size=int(rng.integers(0, 4)))).strip() if rng.random() < 0.3 else ""
    return f"n{v}_{extra}"


def draw_labels(rng: np.random.Generator, h: Hierarchy, n_rows: int | None = None) -> np.ndarray:
    """Draw closed labels; now and then a label without a positive, or one that all rows have."""
    n_rows = int(rng.integers(1, 9)) if n_rows is None else n_rows
    Y = rng.random((n_rows, h.n_nodes)) < rng.choice([0.05, 0.3, 0.7])
    if rng.random() < 0.2:
        Y[:, rng.integers(h.n_nodes)] = rng.random() < 0.5
    return np.asarray(h.close(Y))


def draw_scores(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """Draw scores from 0 to 1: with ties, without, at the ends, tiny ones; float32 or float64."""
    kind = rng.integers(4)
    if kind == 0:
        S = rng.integers(0, 5, shape) / 4
    elif kind == 1:
        S = rng.random(shape)
    elif kind == 2:
        S = (rng.random(shape) < 0.5).astype(float)
    else:
        S = rng.random(shape) * 10.0 ** -rng.integers(0, 12)
    return S.astype(np.float32 if rng.random() < 0.3 else np.float64)


def draw_coherent_scores(rng: np.random.Generator, h: Hierarchy, n_rows: int) -> np.ndarray:
    """Draw scores that no label has above its ancestors'."""
    S = draw_scores(rng, (n_rows, h.n_nodes))
    for v in range(h.n_nodes):  # parents have smaller numbers
        for u in h.parents(v):
            S[:, v] = np.minimum(S[:, v], S[:, u])
    return S


def draw_features(rng: np.random.Generator, n_rows: int, *, discrete: bool = False) -> np.ndarray:
    """Draw rows of a few columns; a constant column, equal rows or large numbers now and then."""
    n_features = int(rng.integers(1, 6))
    X = rng.integers(0, 3, (n_rows, n_features)).astype(float) if discrete else rng.normal(size=(n_rows, n_features))
    if rng.random() < 0.2:
        X[:, 0] = 1.0
    if rng.random() < 0.2:
        X[-1] = X[0]
    if not discrete and rng.random() < 0.2:
        X *= 10.0 ** rng.integers(-6, 7)
    return X


def renumber(rng: np.random.Generator, h: Hierarchy) -> tuple[Hierarchy, np.ndarray]:
    """Return the hierarchy with its nodes in another order, and the old number of each new node."""
    edges = [(h.names[u], h.names[v]) for v in range(h.n_nodes) for u in h.parents(v)]
    order = rng.permutation(len(edges)) if edges else []
    names = [h.names[v] for v in rng.permutation(h.n_nodes)]
    other = Hierarchy.from_edges([edges[k] for k in order], nodes=names)
    return other, np.asarray(h.indices(list(other.names)))


def sparsely(rng: np.random.Generator, M: Any) -> Any:
    """Return a matrix in some sparse form."""
    return rng.choice(np.array([sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix]))(M)

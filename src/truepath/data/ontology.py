"""Made-up ontologies: hierarchies as large and as uneven as the Gene Ontology, the same bits for the same seed.

The Gene Ontology (is_a and part_of) has about 45,000 terms under three roots, up to 16 levels deep, most of them in the
middle levels; a term has about 1.9 parents; half of the terms are leaves, while a few have hundreds of children. Two
parents of a term are usually near each other, so that it has tens of ancestors, not hundreds.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator, RandomState
from numpy.typing import NDArray

from truepath.hierarchy import Hierarchy
from truepath.resampling import as_generator

# Of the Gene Ontology, and what the shapes of smaller and larger ones are derived from
GO_NODES, GO_HEIGHT = 45_000, 16
N_TOPS = 3

MIDDLE, SPREAD = 0.45, 0.15  # where on the way down most nodes are, and how widely they are spread, in heights
SKEW = 2.2  # how uneven the numbers of children are: the standard deviation of their logarithms
NEAR = 3  # further parents are about this many places from the first
FROM_HIGHER = 0.2  # the share of further parents that are two levels up


def make_ontology_like(
    n_nodes: int = GO_NODES,
    *,
    parents_per_node: float = 1.9,
    random_state: int | RandomState | Generator | None = None,
) -> Hierarchy:
    """Make a random hierarchy in the shape of the Gene Ontology.

    Parameters
    ----------
    n_nodes : int, default=45000
    parents_per_node : float, default=1.9
        The mean number of parents below the top; 1 gives trees.
    random_state : int, RandomState, Generator or None
        The same int gives the same bits.

    Returns
    -------
    hierarchy : Hierarchy
        With three top nodes (fewer if there are not that many), up to 16 levels at 45,000 nodes and fewer below, named
        ``T:0000001`` and so on from the top.

    See Also
    --------
    make_hierarchy : trees and DAGs of a given depth and branching.

    Notes
    -----
    O(n_nodes * parents_per_node) time and memory, but for sorting.

    Examples
    --------
    >>> from truepath.data import make_ontology_like
    >>> make_ontology_like(2_000, random_state=0)
    Hierarchy(2000 nodes, 3833 edges, DAG, 894 leaves, height 11)
    """
    if n_nodes < 1:
        raise ValueError(f"n_nodes must be at least 1, not {n_nodes}.")
    if not 1 <= parents_per_node < 10:
        raise ValueError(f"parents_per_node must be at least 1 and below 10, not {parents_per_node}.")
    rng = as_generator(random_state)
    sizes = _level_sizes(n_nodes)
    first = _first_parents(sizes, rng)
    edges = np.unique(np.vstack([_edges(first), _further_edges(sizes, first, parents_per_node, rng)]), axis=0)
    names = np.array([f"T:{v + 1:07d}" for v in range(n_nodes)])
    return Hierarchy.from_edges(names[edges].tolist(), nodes=names.tolist())


def _level_sizes(n_nodes: int) -> NDArray[np.int64]:
    """Return how many nodes each level has: few at the top, most in the middle, few at the bottom."""
    tops = min(N_TOPS, n_nodes)
    height = max(2, round(GO_HEIGHT * np.log(n_nodes) / np.log(GO_NODES))) if n_nodes > tops else 1
    place = np.arange(1, height) / height
    share = np.exp(-(((place - MIDDLE) / SPREAD) ** 2) / 2)
    rest = n_nodes - tops - (height - 1)  # every level has one at least
    if rest < 0:
        return np.r_[tops, np.ones(n_nodes - tops, int)]
    ends = np.round(np.cumsum(share) / share.sum() * rest).astype(int)
    return np.r_[tops, np.diff(ends, prepend=0) + 1]


def _first_parents(sizes: NDArray[np.int64], rng: Generator) -> NDArray[np.int64]:
    """Draw a parent from the level above for each node, some often; children of neighbours are neighbours."""
    start = np.r_[0, np.cumsum(sizes)]
    first = np.full(start[-1], -1)
    for level in range(1, sizes.size):
        weight = np.cumsum(np.exp(SKEW * rng.standard_normal(sizes[level - 1])))
        drawn = np.searchsorted(weight, weight[-1] * np.sort(rng.random(sizes[level])))
        first[start[level] : start[level + 1]] = start[level - 1] + drawn
    return first


def _further_edges(
    sizes: NDArray[np.int64], first: NDArray[np.int64], parents_per_node: float, rng: Generator
) -> NDArray[np.int64]:
    """Draw further parents near the first, or near its own parent."""
    start, level = np.r_[0, np.cumsum(sizes)], np.repeat(np.arange(sizes.size), sizes)
    below = np.flatnonzero(first >= 0)
    # Geometric numbers of further parents; some draws fall together, hence a few more
    success = 1 / (1 + (parents_per_node - 1) * 1.07)
    child = np.repeat(below, rng.geometric(success, below.size) - 1)
    near = first[child]
    is_higher = (rng.random(child.size) < FROM_HIGHER) & (first[near] >= 0)
    near = np.where(is_higher, first[near], near)
    offset = rng.geometric(1 / NEAR, child.size) * rng.choice([-1, 1], child.size)
    lowest, highest = start[level[near]], start[level[near] + 1] - 1
    parent = np.clip(near + offset, lowest, highest)
    return np.column_stack([parent, child])


def _edges(first: NDArray[np.int64]) -> NDArray[np.int64]:
    below = np.flatnonzero(first >= 0)
    return np.column_stack([first[below], below])

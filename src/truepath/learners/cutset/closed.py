"""The most probable *closed* label set: exact, by constraints inside the leaf trees and branch and bound beyond them.

A label set is closed when no label goes without its parents. Where a hierarchy edge joins two labels that are
neighbours in a leaf tree, the forbidden pair of states gets probability zero in that edge's table and max-product
stays exact: the dynamic programme. The other edges are left out at first: the answer is then an upper bound, and final
where it happens to be closed. Where it breaks an edge, the search branches on the missing parent u: u and its
ancestors on, or u and its descendants off. The node with the best bound is opened first, all rows of the batch at
once, so the first closed answer of a row is its optimum. On closed training data few rows branch; the worst case is
exponential.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from truepath.errors import ConstraintError
from truepath.hierarchy import Hierarchy, raise_up
from truepath.learners.cutset.structure import LeafTree

#: Solves a batch: evidence (n_rows, n_variables) -> (log-probabilities, states)
Solver = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def forbid_open_pairs(tree: LeafTree, hierarchy: Hierarchy) -> LeafTree:
    """Return the tree with "label without its parent" made impossible on every edge that is a hierarchy edge."""
    edges = set(map(tuple, hierarchy.edges.tolist()))
    factors = tree.factors.copy()
    for child in np.flatnonzero(tree.parent >= 0).tolist():
        u, v = int(tree.variables[tree.parent[child]]), int(tree.variables[child])
        if (u, v) in edges:
            factors[child, 0, 1] = -np.inf
        elif (v, u) in edges:
            factors[child, 1, 0] = -np.inf
    return replace(tree, factors=factors)


def search_closed(evidence: np.ndarray, solve: Solver, hierarchy: Hierarchy) -> tuple[np.ndarray, np.ndarray]:
    """Return the best closed completion of every row and its log-probability (-inf where there is none)."""
    parents, children = hierarchy.edges[:, 0], hierarchy.edges[:, 1]
    best, states = solve(evidence)
    queues: dict[int, list] = {}  # row -> heap of (-bound, serial, evidence, states)
    for row in np.flatnonzero(_is_open(states, parents, children) & (best > -np.inf)).tolist():
        queues[row] = [(-best[row], 0, evidence[row], states[row])]
    serial = 0
    while queues:
        asked, owners = [], []
        for row in list(queues):
            if not queues[row]:
                best[row] = -np.inf
                del queues[row]
                continue
            bound, _, fixed, found = heapq.heappop(queues[row])
            broken = np.flatnonzero((found[children] == 1) & (found[parents] == 0))
            if broken.size == 0:
                best[row], states[row] = -bound, found
                del queues[row]
                continue
            for branch in _branches(fixed, int(parents[broken[0]]), hierarchy):
                asked.append(branch)
                owners.append(row)
        if asked:
            batch = np.array(asked, np.int16)
            for row, fixed, bound, found in zip(owners, batch, *solve(batch)):
                if bound > -np.inf:
                    serial += 1
                    heapq.heappush(queues[row], (-bound, serial, fixed, found))
    return best, states


def _is_open(states: np.ndarray, parents: np.ndarray, children: np.ndarray) -> np.ndarray:
    """Say for each row whether some label goes without a parent."""
    return ((states[:, children] == 1) & (states[:, parents] == 0)).any(axis=1)


def _branches(fixed: np.ndarray, u: int, hierarchy: Hierarchy) -> Iterator[np.ndarray]:
    """Yield the evidence with u and its ancestors on, and with u and its descendants off, where still possible."""
    for value, nodes in ((1, np.append(hierarchy.ancestors(u), u)), (0, np.append(hierarchy.descendants(u), u))):
        if (fixed[nodes] != 1 - value).all():
            branch = fixed.copy()
            branch[nodes] = value
            yield branch


def check_known_labels(known: np.ndarray, hierarchy: Hierarchy) -> None:
    """Raise where labels given as known cannot be part of a closed set."""
    broken = np.argwhere(raise_up(known == 1, hierarchy) & (known == 0))
    if broken.size:
        row, label = broken[0].tolist()
        raise ConstraintError(
            f"known has {np.unique(broken[:, 0]).size} rows where a label is known to be off but a descendant is on "
            f"(first: row {row}, {str(hierarchy.names[label])!r}). Leave one of them unknown (NaN)."
        )

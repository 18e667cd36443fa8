"""What a cutset network is once learned: a tree of OR nodes and a tree-shaped Bayesian network in each leaf.

Variables are numbered labels first, ``0 .. n_labels - 1``, then features. ``LeafTree.variables`` are the variables that
the path has not fixed; within a leaf they are addressed by position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from truepath.held import a_number, an_object, each, holds, integer, integers, numbers
from truepath.records import Record

#: The logarithm of a probability is larger: floats have nothing between this one's exponential and 0
LEAST_LOG = -746.0
#: By how much the probabilities of a table may miss 1
ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
@holds(
    variables=integers("v", least=0),
    parent=integers("v", least=-1, below="v"),
    order=integers("v", least=0, below="v"),
    n_states=integers("v", least=1),
    factors=numbers("v", "s", "s", least=-np.inf),
    n_samples=integer(0),
    log_likelihood=a_number(),
)
class LeafTree(Record, home="truepath.learners"):
    """A directed tree over discrete variables with its conditional tables in logarithms."""

    variables: np.ndarray  # numbers of the variables, ascending
    parent: np.ndarray  # position of each variable's parent, -1 for the root
    order: np.ndarray  # positions, parents first
    n_states: np.ndarray
    factors: np.ndarray  # [v, s, t] = log P(v = t | parent = s), -inf beyond the states
    n_samples: int
    log_likelihood: float

    def check_loaded(self) -> None:
        """Refuse a tree from a file that leads outside its tables: the kernels follow it unchecked."""
        check_spanning(self.parent, self.order, self.n_states, self.factors)
        if self.variables.shape != self.parent.shape or (np.diff(self.variables) <= 0).any():
            raise ValueError("a leaf tree has variables that do not fit its tables")

    def edges(self) -> np.ndarray:
        """Return the (parent, child) pairs of variable numbers."""
        child = np.flatnonzero(self.parent >= 0)
        return np.column_stack([self.variables[self.parent[child]], self.variables[child]])


@dataclass(frozen=True, eq=False)
@holds(
    variable=integer(0),
    log_weights=numbers("k", least=LEAST_LOG, most=0),
    children=each(an_object(of=("OrNode", "LeafTree"), knows=()), "k", of=tuple),
    n_samples=integer(0),
)
class OrNode(Record, home="truepath.learners"):
    """A variable that the network conditions on: one weighted child for each of its states."""

    variable: int
    log_weights: np.ndarray
    children: tuple[OrNode | LeafTree, ...]
    n_samples: int
    log_likelihood: float  # of the whole subtree on its slice of the training rows


@dataclass(frozen=True, eq=False)
class Leaf:
    """A leaf tree with the states its path fixes, and the logarithm of the path's weight."""

    tree: LeafTree
    path: tuple[tuple[int, int], ...]  # (variable, state) from the root down
    log_weight: float


def check_spanning(parent: np.ndarray, order: np.ndarray, n_states: np.ndarray, factors: np.ndarray) -> None:
    """Raise ValueError unless parents, order, numbers of states and tables [..., v, s, t] fit together."""
    n, widest = n_states.size, factors.shape[-1]
    for positions, least in ((parent, -1), (order, 0)):
        integers(n, least=least, below=n)(positions, {})
    integers(n, least=1, below=widest + 1)(n_states, {})
    rank = np.full(n, -1)
    rank[order] = np.arange(n)
    child = np.flatnonzero(parent >= 0)
    if (rank < 0).any() or (rank[parent[child]] >= rank[child]).any() or factors.shape[-3:] != (n, widest, widest):
        raise ValueError("a tree of variables does not fit its tables")
    given, state = np.where(parent >= 0, n_states[parent], 1)[:, None], np.arange(widest)
    is_used = (state < given)[:, :, None] & (state < n_states[:, None])[:, None, :]
    used = np.where(is_used, factors, 0.0)
    if not ((used >= LEAST_LOG) & (used <= ROUNDING)).all():
        raise ValueError("a tree of variables has tables that are no logarithms of probabilities")
    sums = np.where(is_used, np.exp(used), 0.0).sum(axis=-1)
    if not (np.abs(sums - is_used.any(axis=-1)) <= ROUNDING).all():
        raise ValueError("a tree of variables has tables that do not add up to 1")


def check_network(node: OrNode | LeafTree, n_states: np.ndarray, fixed: tuple[int, ...] = ()) -> None:
    """Raise ValueError unless every way down meets every variable once, with all its states."""
    if isinstance(node, LeafTree):
        free = np.delete(np.arange(n_states.size), fixed)
        if not np.array_equal(node.variables, free) or not np.array_equal(node.n_states, n_states[free]):
            raise ValueError("a leaf has tables for other variables than its path leaves open")
        return
    is_known = node.variable in fixed or node.variable >= n_states.size
    if is_known or len(node.children) != n_states[node.variable]:
        raise ValueError("an OR node splits on a variable that is not open there, or has not its states")
    for child in node.children:
        check_network(child, n_states, (*fixed, int(node.variable)))


def list_leaves(
    node: OrNode | LeafTree, path: tuple[tuple[int, int], ...] = (), log_weight: float = 0.0
) -> Iterator[Leaf]:
    """Yield the leaves from left to right (state 0 first)."""
    if isinstance(node, LeafTree):
        yield Leaf(node, tuple(path), log_weight)
        return
    for state, child in enumerate(node.children):
        yield from list_leaves(child, (*path, (node.variable, state)), log_weight + float(node.log_weights[state]))

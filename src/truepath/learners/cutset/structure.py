"""What a cutset network is once learned: a tree of OR nodes and a tree-shaped Bayesian network in each leaf.

Variables are numbered labels first, ``0 .. n_labels - 1``, then features. ``LeafTree.variables`` are the variables that
the path has not fixed; within a leaf they are addressed by position.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from truepath.records import Record


@dataclass(frozen=True, eq=False)
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
    n = parent.size
    rank = np.full(n, -1)
    kinds_fit = all(array.shape == (n,) and array.dtype.kind == "i" for array in (parent, order, n_states))
    if kinds_fit and ((order >= 0) & (order < n)).all():
        rank[order] = np.arange(n)
    child = np.flatnonzero(parent >= 0)
    if not (
        kinds_fit
        and (rank >= 0).all()
        and (parent < n).all()
        and (rank[parent[child]] < rank[child]).all()
        and factors.shape[-3] == n
        and ((n_states >= 0) & (n_states <= min(factors.shape[-2:]))).all()
    ):
        raise ValueError("a tree of variables does not fit its tables")


def list_leaves(
    node: OrNode | LeafTree, path: tuple[tuple[int, int], ...] = (), log_weight: float = 0.0
) -> Iterator[Leaf]:
    """Yield the leaves from left to right (state 0 first)."""
    if isinstance(node, LeafTree):
        yield Leaf(node, tuple(path), log_weight)
        return
    for state, child in enumerate(node.children):
        yield from list_leaves(child, (*path, (node.variable, state)), log_weight + float(node.log_weights[state]))

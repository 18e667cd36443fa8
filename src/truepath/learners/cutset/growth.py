"""Growing a cutset network from the top: dCSN with bit-set counts.

A slice of the rows first gets a Chow-Liu tree. Then every variable that may be split on is tried: one tree per state,
the log-likelihoods added with M_j log w_j (the decomposition of section 2.2). The best replaces the tree if it gains
more than the BIC charge of one OR node, log(N) / 2.

The Dirichlet prior of a slice is the whole training set: alpha_{x, pa} = alpha * P(x, pa), so a slice's pair counts are
shrunk towards the shares of all rows, the tables of a tree are consistent whichever variable is its root, and nothing
is impossible. The shares themselves are counted with ``FLOOR`` added to each cell of a pair of binary variables. The
prior's weight is the same in every slice, or the slice's share of it: see :class:`Strength`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from truepath import _kernels
from truepath.errors import TruePathError
from truepath.learners.cutset.structure import LeafTree, OrNode

#: Rows added to every cell of a 2 x 2 table when the prior's shares are counted; larger tables share 4 * FLOOR
FLOOR = 0.25

# Pairs are counted whole: this many take 4 GB
MOST_PAIRS = 100_000_000


class Strength(NamedTuple):
    """What the prior weighs, in rows: ``fixed`` in every slice, and ``per_row`` for each row of the slice."""

    fixed: float = 0.0
    per_row: float = 0.0

    def of(self, n_rows: int) -> float:
        """Return the weight of the prior in a slice of ``n_rows`` rows."""
        return self.fixed + self.per_row * n_rows


def scaled_prior(prior_weight: float | None, n_rows: int) -> Strength:
    """Return the prior of this weight, of which a slice gets its share; by default one row for every hundred."""
    return Strength(per_row=(max(n_rows // 100, 1) if prior_weight is None else prior_weight) / n_rows)


def fixed_prior(prior_weight: float | None, n_rows: int) -> Strength:
    """Return the prior of ``prior_weight`` rows in every slice; by default half a row."""
    return Strength(fixed=0.5 if prior_weight is None else prior_weight)


#: What the prior weighs in a slice, by name: (prior_weight, number of training rows) -> Strength
PRIORS = {"scaled": scaled_prior, "fixed": fixed_prior}


@dataclass(frozen=True)
class Growth:
    """When a slice is split, and on what."""

    n_labels: int
    n_states: np.ndarray  # of every variable, labels first
    is_restricted: bool  # pairs of features are not counted, features hang from labels
    is_splittable: np.ndarray  # bool: the variables an OR node may condition on
    min_samples: float  # slices of this size or smaller stay leaves
    min_features: int
    max_depth: float
    penalty: float  # what one OR node has to gain: log(N) / 2 under BIC
    strength: Strength

    def may_split(self, slice_: Slice, depth: int) -> bool:
        """Say whether a slice is large enough to look for a split."""
        n_features = int((slice_.variables >= self.n_labels).sum())
        return slice_.n_rows > self.min_samples and n_features > self.min_features and depth < self.max_depth


def _check_pairs(n_first: int, n_columns: int) -> None:
    """Refuse more pairs than can be counted."""
    if n_first * n_columns > MOST_PAIRS:
        raise TruePathError(
            f"trees of labels need counts of all pairs of labels and feature values: {n_first:,} x {n_columns:,} here, "
            f"{MOST_PAIRS:,} at most (40 bytes each).",
            "Keep fewer labels (Hierarchy.subgraph), or use a learner without pairs, such as PCTForest.",
        )


@dataclass(frozen=True)
class Slice:
    """Some rows and the variables not yet fixed, as bit-sets with their counts."""

    variables: np.ndarray
    offset: np.ndarray  # columns of the i-th variable: offset[i] : offset[i + 1]
    n_first: int  # variables whose pairs are counted
    bits: np.ndarray
    pairs: np.ndarray
    columns: np.ndarray
    n_rows: int

    @classmethod
    def count(cls, states: np.ndarray, variables: np.ndarray, growth: Growth) -> Slice:
        """Pack the rows ``states`` (n_rows, n_variables) and count the pairs that the trees need."""
        kernels = _kernels.cutset.pair_counts
        offset = np.concatenate([[0], np.cumsum(growth.n_states[variables] - 1)])
        bits = kernels.pack_columns(indicate(states[:, variables], growth.n_states[variables]))
        n_first = int((variables < growth.n_labels).sum()) if growth.is_restricted else variables.size
        _check_pairs(int(offset[n_first]), int(offset[-1]))
        everything = kernels.pack_columns(np.ones((states.shape[0], 1), np.uint8))[0]
        pairs = np.zeros((offset[n_first], offset[-1]), np.int32)
        kernels.count_pairs(bits, everything, offset[n_first], pairs)
        columns = kernels.count_columns(bits, everything)
        return cls(variables, offset, n_first, bits, pairs, columns, states.shape[0])


@dataclass(frozen=True)
class Prior:
    """What a slice's counts are shrunk towards: the shares over the whole training set."""

    pairs: np.ndarray
    columns: np.ndarray
    offset: np.ndarray

    @classmethod
    def learn(cls, whole: Slice, n_states: np.ndarray) -> Prior:
        """Count the shares, 4 * FLOOR rows spread evenly over the cells of every pair of variables."""
        total = whole.n_rows + 4 * FLOOR
        width = np.repeat(n_states[whole.variables], n_states[whole.variables] - 1)
        columns = (whole.columns + 4 * FLOOR / width) / total
        first = whole.pairs.shape[0]
        pairs = (whole.pairs + 4 * FLOOR / np.outer(width[:first], width)) / total
        for v in range(whole.n_first):  # a variable's own table is diagonal
            own = slice(whole.offset[v], whole.offset[v + 1])
            pairs[own, own] = np.diag(columns[own])
        return cls(pairs, columns, whole.offset)

    def of(self, slice_: Slice) -> tuple[np.ndarray, np.ndarray]:
        """Return the shares of the columns of a slice."""
        kept = np.concatenate([np.arange(self.offset[v], self.offset[v + 1]) for v in slice_.variables])
        first = kept[: slice_.pairs.shape[0]]
        return np.ascontiguousarray(self.pairs[np.ix_(first, kept)]), self.columns[kept]


def indicate(states: np.ndarray, n_states: np.ndarray) -> np.ndarray:
    """Return the 0/1 columns of the states 1, 2, ... of every variable."""
    if (n_states == 2).all():
        return np.ascontiguousarray(states, np.uint8)
    columns = [states[:, v] == state for v in range(states.shape[1]) for state in range(1, n_states[v])]
    return np.ascontiguousarray(np.array(columns, np.uint8).reshape(len(columns), states.shape[0]).T)


def grow(states: np.ndarray, growth: Growth) -> OrNode | LeafTree:
    """Return the cutset network of complete rows ``states`` (n_rows, n_variables), labels first."""
    variables = np.arange(growth.n_states.size)
    whole = Slice.count(states, variables, growth)
    return _grow(states, whole, Prior.learn(whole, growth.n_states), growth, depth=0)


def _grow(states: np.ndarray, slice_: Slice, prior: Prior, growth: Growth, depth: int) -> OrNode | LeafTree:
    shares = prior.of(slice_)
    tree = _learn_tree(slice_, shares, growth)
    if not growth.may_split(slice_, depth):
        return tree
    variable, likelihood = _find_split(slice_, shares, growth)
    if likelihood - growth.penalty <= tree.log_likelihood:  # score_BIC, Dim = number of OR nodes
        return tree
    rest = slice_.variables[slice_.variables != variable]
    children, sizes = [], []
    for state in range(growth.n_states[variable]):
        rows = states[states[:, variable] == state]
        sizes.append(len(rows))
        children.append(_grow(rows, Slice.count(rows, rest, growth), prior, growth, depth + 1))
    weights = np.log(np.array(sizes) / slice_.n_rows)
    total = sum(child.log_likelihood for child in children) + float(np.dot(sizes, weights))
    return OrNode(int(variable), weights, tuple(children), slice_.n_rows, total)


def _learn_tree(slice_: Slice, shares: tuple[np.ndarray, np.ndarray], growth: Growth) -> LeafTree:
    """Return the (restricted) Chow-Liu tree of a slice: Algorithm 1 with its tables."""
    n_variables, strength = slice_.variables.size, growth.strength.of(slice_.n_rows)
    parent, order = np.empty(n_variables, np.int32), np.empty(n_variables, np.int32)
    kernels, counted = _kernels.cutset.chow_liu, (slice_.pairs, slice_.columns, slice_.n_rows)
    into = parent, order, kernels.make_tables(slice_.offset)
    _, likelihood = kernels.learn_tree(*counted, *shares, strength, slice_.offset, slice_.n_first, -1, *into)
    n_states = growth.n_states[slice_.variables]
    factors = np.full((n_variables, n_states.max(), n_states.max()), -np.inf)
    kernels.fill_factors(parent, *counted, *shares, strength, slice_.offset, factors)
    return LeafTree(slice_.variables, parent, order, n_states, factors, slice_.n_rows, likelihood)


def _find_split(slice_: Slice, shares: tuple[np.ndarray, np.ndarray], growth: Growth) -> tuple[int, float]:
    """Return the variable whose split is most likely and the log-likelihood; ties go to the smaller number."""
    may = growth.is_splittable[slice_.variables] & (growth.n_states[slice_.variables] > 1)
    candidates = np.flatnonzero(may)
    if candidates.size == 0:
        return -1, -np.inf
    scores = _kernels.cutset.chow_liu.score_splits(
        slice_.bits,
        slice_.offset,
        slice_.n_first,
        slice_.n_rows,
        slice_.pairs,
        slice_.columns,
        *shares,
        *growth.strength,
        candidates,
        _kernels.cutset.chow_liu.make_tables(slice_.offset),
    )
    best = int(np.argmax(scores))
    return int(slice_.variables[candidates[best]]), float(scores[best])

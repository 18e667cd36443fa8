"""Exact queries on a cutset network, vectorised over rows: every leaf answers for the rows its path agrees with.

``evidence`` is (n_rows, n_variables), the state of each variable or ``MISSING``, labels first. A row whose OR variables
are all observed reaches one leaf. One with a missing OR variable reaches several, each with its path's weight: the best
answer wins (max-product) or the answers add up (sum-product). Time is linear in the rows, the variables and the leaves
reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from truepath import _kernels
from truepath.learners.cutset.codes import MISSING
from truepath.learners.cutset.structure import Leaf, LeafTree


def _reached(evidence: np.ndarray, leaves: Sequence[Leaf]) -> Iterator[tuple[Leaf, np.ndarray]]:
    """Yield each leaf with the rows that do not contradict its path."""
    for leaf in leaves:
        agrees = np.ones(evidence.shape[0], bool)
        for variable, state in leaf.path:
            agrees &= (evidence[:, variable] == state) | (evidence[:, variable] == MISSING)
        rows = np.flatnonzero(agrees)
        if rows.size:
            yield leaf, rows


def _arguments(evidence: np.ndarray, rows: np.ndarray, tree: LeafTree) -> tuple[np.ndarray, ...]:
    """Return what both inference kernels take."""
    observed = np.ascontiguousarray(evidence[np.ix_(rows, tree.variables)])
    return observed, tree.parent, tree.order, tree.n_states, tree.factors


def best_completion(evidence: np.ndarray, leaves: Sequence[Leaf]) -> tuple[np.ndarray, np.ndarray]:
    """Return for each row the log-probability of its most probable completion (MPE), and the completion."""
    best = np.full(evidence.shape[0], -np.inf)
    states = np.where(evidence == MISSING, 0, evidence).astype(np.int16)
    for leaf, rows in _reached(evidence, leaves):
        value, found = _kernels.cutset.tree_inference.max_product(*_arguments(evidence, rows, leaf.tree))
        value += leaf.log_weight
        wins = value > best[rows]
        best[rows[wins]] = value[wins]
        states[np.ix_(rows[wins], leaf.tree.variables)] = found[wins]
        for variable, state in leaf.path:
            states[rows[wins], variable] = state
    return best, states


def label_log_joint(evidence: np.ndarray, leaves: Sequence[Leaf], n_labels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return log P(evidence) of each row, and log P(label on, evidence) of each row and label (none for 0 labels)."""
    total = np.full(evidence.shape[0], -np.inf)
    joint = np.full((evidence.shape[0], n_labels), -np.inf)
    for leaf, rows in _reached(evidence, leaves):
        inside = int((leaf.tree.variables < n_labels).sum())
        value, found = _kernels.cutset.tree_inference.sum_product(*_arguments(evidence, rows, leaf.tree), inside)
        total[rows] = np.logaddexp(total[rows], value + leaf.log_weight)
        if n_labels == 0:
            continue
        here = np.full((rows.size, n_labels), -np.inf)
        if inside:  # else the leaf's features may all have one state, and there is no state 1 to ask for
            here[:, leaf.tree.variables[:inside]] = found[:, :, 1]
        for variable, state in leaf.path:
            if variable < n_labels and state == 1:
                here[:, variable] = value
        joint[rows] = np.logaddexp(joint[rows], here + leaf.log_weight)
    return total, joint


def sample_states(n_samples: int, leaves: Sequence[Leaf], n_variables: int, rng: np.random.RandomState) -> np.ndarray:
    """Draw rows: a leaf by its weight, then its variables, parents first."""
    states = np.zeros((n_samples, n_variables), np.int16)
    weights = np.exp([leaf.log_weight for leaf in leaves])
    chosen = rng.choice(len(leaves), size=n_samples, p=weights / weights.sum())
    uniform = rng.random_sample((n_samples, n_variables))
    for number, leaf in enumerate(leaves):
        rows = np.flatnonzero(chosen == number)
        tree = leaf.tree
        for v in tree.order:
            given = states[rows, tree.variables[tree.parent[v]]] if tree.parent[v] >= 0 else np.zeros(rows.size, int)
            cumulative = np.cumsum(np.exp(tree.factors[v, given, : tree.n_states[v]]), axis=1)
            drawn = (uniform[rows, tree.variables[v]][:, None] > cumulative).sum(axis=1)
            states[rows, tree.variables[v]] = np.minimum(drawn, tree.n_states[v] - 1)
        for variable, state in leaf.path:
            states[rows, variable] = state
    return states

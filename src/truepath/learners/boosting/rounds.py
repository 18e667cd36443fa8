"""The rounds of AdaBoost.MH and H-Ada.MH: Algorithm 1 of Chelmis & Qi, line by line.

``w[i, v]`` is w_t(i, j), ``y`` holds +1 and -1, ``votes`` is h_t(x(i), j), ``edge`` r_t of eq. (9), ``alpha`` the
coefficient of eq. (8), ``Z`` the normaliser of eq. (11). Real votes carry their confidence themselves: alpha = 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from truepath import _kernels
from truepath.hierarchy import Hierarchy, cap_down

#: |r_t| is kept this far below 1: a perfect round gets a coefficient of about 11.9 and is the last
PERFECT = 1e-10
#: Below this |r_t| the weights no longer change, and every later round would be the same
STALLED = 1e-12


class History(NamedTuple):
    """The result of the rounds: hypotheses, and one number per round for each of the others."""

    hypotheses: list[Any]
    alphas: np.ndarray
    edges: np.ndarray  # r_t
    normalizers: np.ndarray  # Z_t
    training_loss: np.ndarray  # hierarchy-aware Hamming loss of the votes so far
    validation_loss: np.ndarray  # empty without held-out rows


def start_weights(n_samples: int, costs: np.ndarray, sample_weight: np.ndarray | None) -> np.ndarray:
    """Return w_0(i, j) = c_j / (n sum of c), eq. (5); a row's share is its sample weight."""
    share = np.full(n_samples, 1 / n_samples) if sample_weight is None else sample_weight / sample_weight.sum()
    return np.outer(share, costs / costs.sum())


def coefficient(edge: float, learning_rate: float, real: bool) -> float:
    """Return alpha_t, eq. (8), shrunk by the learning rate; real votes have their coefficients inside."""
    if real:
        return learning_rate
    edge = min(max(edge, PERFECT - 1), 1 - PERFECT)
    return learning_rate * 0.5 * float(np.log((1 + edge) / (1 - edge)))


class Monitor:
    """Watches the hierarchy-aware Hamming loss of held-out rows, and says when it has not fallen for long enough."""

    def __init__(self, X: Any, y: np.ndarray, patience: int, tol: float):
        self.X, self.y, self.patience, self.tol = X, y, patience, tol
        self.margins = np.zeros(y.shape)
        self.losses: list[float] = []
        self.best, self.best_round = np.inf, 0

    def watch(self, alpha: float, votes: np.ndarray, hierarchy: Hierarchy, enforce: bool) -> bool:
        """Take in a round; return whether to stop."""
        _kernels.boosting.stump_votes.add_votes(self.margins, alpha, votes)
        self.losses.append(hierarchical_loss(self.margins, self.y, hierarchy, enforce))
        if self.losses[-1] < self.best - self.tol:
            self.best, self.best_round = self.losses[-1], len(self.losses)
        return len(self.losses) - self.best_round >= self.patience


def hierarchical_loss(margins: np.ndarray, y: np.ndarray, hierarchy: Hierarchy, enforce: bool) -> float:
    """Return the hierarchy-aware Hamming loss, eq. (2)-(3), as a share of all cells."""
    up = (hierarchy.parent_ptr, hierarchy.parent_idx)
    return _kernels.boosting.stump_votes.hierarchical_mistakes(margins, y, *up, enforce) / max(1, y.size)


def boost(
    weak: Any,
    y: np.ndarray,
    w: np.ndarray,
    hierarchy: Hierarchy,
    *,
    n_rounds: int,
    learning_rate: float,
    real: bool,
    clip: bool,
    enforce: bool,
    monitor: Monitor | None = None,
) -> History:
    """Run the rounds.

    Parameters
    ----------
    weak : object with ``train(w) -> (hypothesis, votes)``
    y : ndarray of int8, shape (n_samples, n_nodes)
        +1 and -1.
    w : ndarray of float64, shape (n_samples, n_nodes)
        The first weights; changed in place.
    hierarchy : Hierarchy
    n_rounds : int
    learning_rate : float
    real : bool
        Whether votes are real numbers, alpha_t then being 1.
    clip : bool
        Whether rule (7) is applied to every round's votes.
    enforce : bool
        Whether the losses reported are of predictions made consistent.
    monitor : Monitor, optional
    """
    kernels = _kernels.boosting.stump_votes
    margins = np.zeros(w.shape)
    hypotheses: list[Any] = []
    rounds: list[tuple[float, ...]] = []
    for _ in range(n_rounds):
        hypothesis, votes = weak.train(w)  # lines 3-4
        if clip:
            cap_down(votes, hierarchy, threshold=0.0, out=votes)  # eq. (7), lines 5-9
        edge = kernels.measure_edge(w, y, votes)  # eq. (9)
        if hypotheses and abs(edge) < STALLED:
            break
        alpha = coefficient(edge, learning_rate, real)  # eq. (8)
        Z = kernels.reweigh(w, y, votes, alpha, margins)  # eq. (10)-(11)
        hypotheses.append(hypothesis)
        rounds.append((alpha, edge, Z, hierarchical_loss(margins, y, hierarchy, enforce)))
        if monitor is not None:
            held_out = hypothesis.votes(monitor.X)
            if clip:
                cap_down(held_out, hierarchy, threshold=0.0, out=held_out)
            if monitor.watch(alpha, held_out, hierarchy, enforce):
                break
        if not real and 1 - edge < PERFECT:
            break
    kept = len(hypotheses) if monitor is None else monitor.best_round
    alphas, edges, normalizers, losses = np.array(rounds[:kept], np.float64).reshape(-1, 4).T
    held_out_losses = np.array([] if monitor is None else monitor.losses)
    return History(hypotheses[:kept], alphas, edges, normalizers, losses, held_out_losses)

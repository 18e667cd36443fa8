"""Three families of maps from scores to probabilities, fitted to counts in bins and drawn towards a prior map.

``fit(bins, prior, pooling)`` gives one map per row of the counts, ``prior`` the maps they are drawn towards (of the
group a label belongs to), with the weight of ``pooling`` rows; ``apply(maps, S)`` the probabilities, one map for
each column. A map of the first two families is the sigmoid of a linear function of features of the score:

* *sigmoid*: logit s (Platt scaling of probabilities);
* *beta*: log s and -log(1 - s), whose weights need not be equal.

A map of the third, *isotonic*, is any increasing function, by its value in each bin.

References
----------
Platt, J. (1999). Probabilistic outputs for support vector machines.
Zadrozny, B. & Elkan, C. (2002). Transforming classifier scores into accurate multiclass probability estimates. KDD.
Kull, M., Silva Filho, T. & Flach, P. (2017). Beta calibration. AISTATS.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.isotonic import isotonic_regression

from truepath.combiners.calibration.bins import ScoreBins
from truepath.graph import Graph, interpolate

Floats = NDArray[np.float64]

#: Scores are taken this far from 0 and 1 before logarithms
LEAST = 1e-6
#: Newton steps at most, how often one is halved, and the change at which they end
N_STEPS = 100
N_HALVINGS = 40
TOLERANCE = 1e-9
#: Share of the score itself in an isotonic map: scores that differ stay different
OWN_SHARE = 1e-3


class SigmoidMaps:
    """Maps ``sigmoid(a logit s + b)`` with a >= 0, one row of parameters each."""

    name = "sigmoid"
    identity = np.array([[1.0, 0.0]])

    def features(self, s: Any) -> Floats:
        """Return the features of scores, the constant last."""
        s = np.clip(s, LEAST, 1 - LEAST)
        return np.stack([np.log(s) - np.log1p(-s), np.ones_like(s)], axis=-1)

    def fit(self, bins: ScoreBins, prior: Floats, pooling: float) -> Floats:
        """Return the parameters that make log-loss plus ``pooling / 2`` times the squared distance least."""
        F = self.features(bins.x)
        theta = np.array(np.broadcast_to(prior, (bins.n.shape[0], F.shape[1])))
        loss = self._loss(F, bins, prior, pooling, theta)
        for _ in range(N_STEPS):
            step = self._step(F, bins, prior, pooling, theta)
            moved, lower = self._descend(lambda to: self._loss(F, bins, prior, pooling, to), theta, step, loss)
            is_done = np.abs(moved - theta).max(initial=0.0) <= TOLERANCE
            theta, loss = moved, lower
            if is_done:
                break
        return theta

    @staticmethod
    def _loss(F: Floats, bins: ScoreBins, prior: Floats, pooling: float, theta: Floats) -> Floats:
        """Return what is made least, one number per map."""
        z = theta @ F.T
        own = np.logaddexp(0.0, z) * bins.n - z * bins.k
        total: Floats = own.sum(axis=1) + pooling / 2 * ((theta - prior) ** 2).sum(axis=1)
        return total

    @staticmethod
    def _step(F: Floats, bins: ScoreBins, prior: Floats, pooling: float, theta: Floats) -> Floats:
        """Return Newton's steps, to subtract; a slope that is 0 and would fall on stays, the rest moves.

        Bertsekas, D. (1982). Projected Newton methods for optimization problems with simple constraints.
        """
        p = expit(theta @ F.T)
        gradient = (bins.n * p - bins.k) @ F + pooling * (theta - prior)
        hessian = np.einsum("gb,bi,bj->gij", bins.n * p * (1 - p), F, F, optimize=True)
        hessian += (pooling + LEAST) * np.eye(F.shape[1])
        stays = (theta <= TOLERANCE) & (gradient > 0)
        stays[:, -1] = False  # the constant may be any number
        hessian[stays[:, :, None] | stays[:, None, :]] = 0.0
        hessian += stays[:, :, None] * np.eye(F.shape[1])
        step = np.linalg.solve(hessian, np.where(stays, 0.0, gradient)[..., None])[..., 0]
        return np.where(stays, theta, step)

    @staticmethod
    def _descend(
        loss_at: Callable[[Floats], Floats], theta: Floats, step: Floats, loss: Floats
    ) -> tuple[Floats, Floats]:
        """Return maps, slopes not below 0, that lose no more than before, and their loss: steps are halved until so."""
        length = np.ones((len(theta), 1))
        for _ in range(N_HALVINGS):
            moved = theta - length * step
            moved[:, :-1] = np.maximum(moved[:, :-1], 0.0)  # never decreasing
            lower = loss_at(moved)
            is_worse = lower > loss + np.finfo(float).eps * np.abs(loss)
            if not is_worse.any():
                return moved, lower
            length[is_worse] /= 2
        return np.where(is_worse[:, None], theta, moved), np.where(is_worse, loss, lower)

    def apply(self, maps: Floats, S: Floats) -> Floats:
        """Return the probabilities, the map of each column."""
        F = self.features(S)
        found: Floats = expit(sum(F[..., j] * maps[:, j] for j in range(maps.shape[1])))
        return found

    def export(self, graph: Graph, maps: Floats, scores: str) -> str:
        """Add the probabilities to an ONNX graph."""
        s = graph.clip(scores, LEAST, 1 - LEAST)
        features = self._export_features(graph, s)
        total = graph.constant(maps[None, :, -1], float)
        for feature, weight in zip(features, maps[:, :-1].T):
            total = graph.add("Add", total, graph.add("Mul", feature, graph.constant(weight[None, :], float)))
        return graph.add("Sigmoid", total)

    def _export_features(self, graph: Graph, s: str) -> list[str]:
        """Add the features of scores, without the constant."""
        rest = graph.add("Log", graph.add("Sub", graph.constant(1.0), s))
        return [graph.add("Sub", graph.add("Log", s), rest)]


class BetaMaps(SigmoidMaps):
    """Maps ``sigmoid(a log s - b log(1 - s) + c)`` with a, b >= 0."""

    name = "beta"
    identity = np.array([[1.0, 1.0, 0.0]])

    def features(self, s: Any) -> Floats:
        """Return the features of scores, the constant last."""
        s = np.clip(s, LEAST, 1 - LEAST)
        return np.stack([np.log(s), -np.log1p(-s), np.ones_like(s)], axis=-1)

    def _export_features(self, graph: Graph, s: str) -> list[str]:
        return [graph.add("Log", s), graph.add("Neg", graph.add("Log", graph.add("Sub", graph.constant(1.0), s)))]


class IsotonicMaps:
    """Increasing maps by their values at the bins' mean scores, with straight lines between."""

    name = "isotonic"

    def __init__(self, x: Floats):
        self.x = x
        self.identity = x[None, :]

    def fit(self, bins: ScoreBins, prior: Floats, pooling: float) -> Floats:
        """Return the increasing maps closest to the shares of true rows, mixed with the prior's."""
        prior = np.broadcast_to(prior, bins.n.shape)
        maps = np.array(prior)
        evidence = np.minimum(bins.k.sum(axis=1), (bins.n - bins.k).sum(axis=1))
        for g in np.flatnonzero(evidence > 0):
            n = bins.n[g] + LEAST
            own = isotonic_regression((bins.k[g] + LEAST * prior[g]) / n, sample_weight=n, y_min=0, y_max=1)
            share = evidence[g] / (evidence[g] + pooling)
            maps[g] = share * own + (1 - share) * prior[g]
        return maps

    def apply(self, maps: Floats, S: Floats) -> Floats:
        """Return the probabilities, the map of each column."""
        place = np.clip(np.searchsorted(self.x, S, side="right"), 1, self.x.size - 1)
        low, high = self.x[place - 1], self.x[place]
        part = np.clip((S - low) / np.maximum(high - low, LEAST), 0.0, 1.0)
        column = np.arange(S.shape[1])
        found = (1 - part) * maps[column, place - 1] + part * maps[column, place]
        mixed: Floats = (1 - OWN_SHARE) * found + OWN_SHARE * S
        return mixed

    def export(self, graph: Graph, maps: Floats, scores: str) -> str:
        """Add the probabilities to an ONNX graph."""
        knots = np.repeat(self.x[:, None], maps.shape[0], axis=1)
        found = interpolate(graph, scores, knots, maps.T)
        found = graph.add("Mul", found, graph.constant(1 - OWN_SHARE))
        return graph.add("Add", found, graph.add("Mul", scores, graph.constant(OWN_SHARE)))

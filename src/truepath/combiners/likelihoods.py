"""How probable a local score is at a node that is on, against one that is off: the observation models.

A likelihood is fitted per node on held-out scores and returns log p(s_v | y_v = 1) - log p(s_v | y_v = 0). A class
without positives or without negatives says nothing: its ratio is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from truepath.held import MOST, flags, holds, numbers
from truepath.records import Record

# The variance of a class is estimated with this many pseudo-observations of the whole column's variance, so that one or
# two positives do not make a spike
SHRINKAGE = 1.0
# Pseudo-counts per bin, so that no bin is impossible
SMOOTHING = 1.0
# A share of the rows below this is what sums of weights in two orders differ by: no row
ROUNDING = 1e-12


@holds(means=numbers(2, "n_nodes"), scales=numbers(2, "n_nodes", least=0), is_silent=flags("n_nodes"))
class GaussianLikelihood(Record, home="truepath.combiners"):
    """One normal density for each node and label value (Barutcuoglu & DeCoro)."""

    def __init__(self, S: np.ndarray, Y: Any, weight: np.ndarray, n_bins: int):
        moments = [np.ones_like(S), S, S * S]
        on = np.array([_sum_where(Y, M, weight) for M in moments])
        all_rows = np.array([weight @ M for M in moments])
        off = all_rows - on
        spread = _variance(all_rows, 0.0, 0.0)
        self.means = np.array([_ratio(off[1], off[0]), _ratio(on[1], on[0])])
        self.scales = np.sqrt([_variance(off, SHRINKAGE, spread), _variance(on, SHRINKAGE, spread)])
        least = ROUNDING * all_rows[0]
        self.is_silent = (on[0] <= least) | (off[0] <= least) | (spread <= 0)

    def check_loaded(self) -> None:
        """Refuse densities from a file that have no width."""
        if (self.scales[:, ~self.is_silent] <= 1 / MOST).any():
            raise ValueError("a density has no width")

    def log_ratio(self, S: np.ndarray) -> np.ndarray:
        """Return log p(s | 1) - log p(s | 0), cell by cell."""
        ratio = np.zeros_like(S)
        speaks = ~self.is_silent
        for sign, mean, scale in zip((-1, 1), self.means[:, speaks], self.scales[:, speaks]):
            ratio[:, speaks] -= sign * (0.5 * ((S[:, speaks] - mean) / scale) ** 2 + np.log(scale))
        return ratio


@holds(edges=numbers("b", "n_nodes"), log_ratios=numbers("b+1", "n_nodes"))
class BinnedLikelihood(Record, home="truepath.combiners"):
    """Histograms over bins of equal mass at each node, with one pseudo-count per bin."""

    def __init__(self, S: np.ndarray, Y: Any, weight: np.ndarray, n_bins: int):
        inner = np.linspace(0, 1, n_bins + 1)[1:-1]
        self.edges = np.quantile(S, inner, axis=0).reshape(n_bins - 1, S.shape[1])
        bins = self._bins(S)
        counts = np.zeros((2, n_bins, S.shape[1]))
        for b in range(n_bins):
            hits = (bins == b).astype(np.float64)
            counts[1, b] = _sum_where(Y, hits, weight)
            counts[0, b] = weight @ hits - counts[1, b]
        shares = counts + SMOOTHING
        shares /= shares.sum(axis=1, keepdims=True)
        self.log_ratios = np.log(shares[1]) - np.log(shares[0])
        self.log_ratios[:, (counts.sum(axis=1) <= ROUNDING * weight.sum()).any(axis=0)] = 0.0

    def _bins(self, S: np.ndarray) -> np.ndarray:
        bins = np.zeros(S.shape, np.int64)
        for edge in self.edges:
            bins += edge <= S
        return bins

    def log_ratio(self, S: np.ndarray) -> np.ndarray:
        """Return log p(s | 1) - log p(s | 0), cell by cell."""
        return np.take_along_axis(self.log_ratios, self._bins(S), axis=0)


LIKELIHOODS: dict[str, type[GaussianLikelihood] | type[BinnedLikelihood]] = {
    "gaussian": GaussianLikelihood,
    "binned": BinnedLikelihood,
}


def _sum_where(Y: Any, M: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the weighted column sums of ``M`` over the cells where ``Y`` is set."""
    if sparse.issparse(Y):
        return np.asarray(Y.multiply(weight[:, None] * M).sum(axis=0)).ravel()
    return weight @ (M * Y)


def _ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Divide, 0 where there is nothing to divide by."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


def _variance(moments: np.ndarray, n_pseudo: float, prior: Any) -> np.ndarray:
    """Return variances from sums of 1, s and s^2, shrunk towards ``prior``."""
    count, first, second = moments
    squares = np.maximum(second - _ratio(first, count) * first, 0.0)
    return _ratio(squares + n_pseudo * prior, count + n_pseudo)

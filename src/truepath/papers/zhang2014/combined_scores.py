"""Every correction and every FAEL on the same local scores, judged by AU(PRC), hierarchical F1 and HMC-loss.

Combiners that learn are fitted on the out-of-fold scores of the training rows. One threshold for all nodes is chosen on
held-out combined scores (the combiner cross-fitted over 5 folds of those rows), once for hF and once for HMC-loss.
AU(PRC) is pooled over all nodes; on DAGs the top terms, which every row of the GO sets has, are left out everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.hierarchy import Hierarchy
from truepath.papers.zhang2014.local_scores import LocalScores

MANY_ROWS = 6000  # above this, the exact kernel form does not fit
MANY_NODES = 1000  # above this, HierarchicalFAEL's eigendecompositions are judged by GCV, which costs less than LOO


class CombinerResult(NamedTuple):
    """One combiner judged on the test rows; ``seconds`` are those of fitting and transforming."""

    combiner: str
    auprc: float
    hierarchical_f1: float
    hmc_loss: float
    seconds: float


def list_combiners(hierarchy: Hierarchy, n_samples: int) -> dict[str, Any]:
    """Return a name and a combiner for every row of the table; None is the raw scores."""
    from truepath import combiners as tc

    h: dict[str, Any] = {"hierarchy": hierarchy}
    sampled: dict[str, Any] = {"n_landmarks": 1000, "random_state": 0} if n_samples > MANY_ROWS else {}
    tree: dict[str, Any] = {} if hierarchy.is_tree else {"dag": "spanning_tree"}
    choice = "loo" if hierarchy.n_nodes < MANY_NODES else "gcv"
    return {
        "raw local scores": None,
        "MaxUp": tc.MaxUp(**h),
        "MinDown (= TopDown at 0)": tc.MinDown(**h),
        "TopDown, threshold 0.5": tc.TopDown(0.5, **h),
        "PathProduct": tc.PathProduct(**h),
        "TruePathRule, threshold 0.5": tc.TruePathRule(**h),
        "TruePathRule, free": tc.TruePathRule("free", **h),
        "TruePathRule, free, weight 0.5": tc.TruePathRule("free", weight=0.5, **h),
        "TruePathRule, free, descendants": tc.TruePathRule("free", descendants=True, **h),
        "Isotonic": tc.Isotonic(**h),
        "MeanOfPaths": tc.MeanOfPaths(**h),
        "BayesianAggregation, gaussian": tc.BayesianAggregation(**tree, **h),
        "BayesianAggregation, binned": tc.BayesianAggregation("binned", **tree, **h),
        "FAEL, alpha by LOO": tc.FAEL("loo", **h),
        "HierarchicalFAEL, by LOO": tc.HierarchicalFAEL(choice, **h),
        "KernelFAEL (RBF), alpha by LOO": tc.KernelFAEL(alpha="loo", **sampled, **h),
    }


def judge_combiners(scores: LocalScores) -> Iterator[CombinerResult]:
    """Yield the results of all combiners."""
    from time import perf_counter

    from truepath.metrics import auprc, hierarchical_f1, hmc_loss

    S, Y, T, truth, h, _ = scores
    kept = np.arange(h.n_nodes) if h.is_tree else np.setdiff1d(np.arange(h.n_nodes), h.roots)
    gain = _hmc_gain(Y, h.costs)[:, kept]
    for name, combiner in list_combiners(h, S.shape[0]).items():
        start = perf_counter()
        new = T if combiner is None else combiner.fit(S, Y).transform(T)
        seconds = perf_counter() - start
        held_out = S if combiner is None else _cross_fit(combiner, S, Y)
        sweep = _Sweep(held_out[:, kept])
        t, u = sweep.f1_threshold(Y[:, kept]), sweep.gain_threshold(gain)
        f1 = hierarchical_f1(truth, new > t, h, nodes=kept)
        loss = hmc_loss(truth, h.close(new > u), h, nodes=kept)
        yield CombinerResult(name, auprc(truth, new, h, nodes=kept), f1, loss, seconds)


def _cross_fit(combiner: Any, S: NDArray[Any], Y: NDArray[Any]) -> NDArray[Any]:
    """Return held-out combined scores of the training rows, with the parameters that were chosen on all."""
    from sklearn.base import clone
    from sklearn.model_selection import KFold

    from truepath.combiners.base import Correction

    if isinstance(combiner, Correction):
        return combiner.transform(S)
    chosen = {name: getattr(combiner, f"{name}_") for name in ("alpha", "beta", "mu") if hasattr(combiner, f"{name}_")}
    out = np.empty_like(S)
    for fit, held_out in KFold(5, shuffle=True, random_state=1).split(S):
        out[held_out] = clone(combiner).set_params(**chosen).fit(S[fit], Y[fit]).transform(S[held_out])
    return out


def _hmc_gain(Y: NDArray[Any], costs: NDArray[Any]) -> NDArray[Any]:
    """Return how much predicting a cell lowers the HMC-loss with one lambda per class."""
    share = Y.mean(axis=0)
    return np.where(Y, (2 - 2 * share) * costs, -2 * share * costs)


class _Sweep:
    """Cells in order of falling score, sorted once; a threshold lies between different scores.

    The decoders' thresholds need coherent scores, which raw local ones are not.
    """

    def __init__(self, S: NDArray[Any]) -> None:
        self.order = np.argsort(-S, axis=None)
        self.values = S.ravel()[self.order]
        self.is_end = np.r_[self.values[1:] < self.values[:-1], True]

    def f1_threshold(self, Y: NDArray[Any]) -> float:
        """Maximise F1 over one threshold."""
        hits = np.cumsum(Y.ravel()[self.order])
        return self._best(2 * hits / (np.arange(1, hits.size + 1) + hits[-1]))

    def gain_threshold(self, gain: NDArray[Any]) -> float:
        """Maximise the summed gain of the cells above one threshold."""
        return self._best(np.cumsum(gain.ravel()[self.order]))

    def _best(self, value: NDArray[Any]) -> float:
        """Return the threshold that leaves above it as many of the first cells as is best."""
        k = int(np.argmax(np.where(self.is_end, value, -np.inf)))
        return -np.inf if k == self.values.size - 1 else float(self.values[k + 1])

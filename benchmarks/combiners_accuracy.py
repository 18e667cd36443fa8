"""Compare raw local scores, every correction and every FAEL on five data sets (protocol of local_scores.py).

Combiners that learn are fitted on the out-of-fold scores of the training rows. One threshold for all nodes is chosen on
held-out combined scores (the combiner cross-fitted over 5 folds of those rows), once for hF and once for HMC-loss.
AUPRC is pooled over all nodes; on GO the three top terms, which every row has, are left out everywhere.

Run ``PYTHONPATH=src python benchmarks/combiners_accuracy.py CACHE_FOLDER [dataset ...]``; prints one Markdown table a
measure.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path

import local_scores
import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

from truepath import combiners as tc
from truepath.combiners.base import Correction
from truepath.metrics import auprc, hierarchical_f1, hmc_loss

MANY_ROWS = 6000  # beyond, the exact kernel form does not fit
MANY_NODES = 1000  # beyond, HierarchicalFAEL's six eigendecompositions are judged by GCV, which costs less than LOO


def members(hierarchy, n_samples):
    """Return a name and a combiner for every row of the table; None is the raw scores."""
    h = {"hierarchy": hierarchy}
    sampled = {"n_components": 1000, "random_state": 0} if n_samples > MANY_ROWS else {}
    tree = {} if hierarchy.is_tree else {"dag": "spanning_tree"}
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
        "HierarchicalFAEL, by LOO": tc.HierarchicalFAEL("loo" if hierarchy.n_nodes < MANY_NODES else "gcv", **h),
        "KernelFAEL (RBF), alpha by LOO": tc.KernelFAEL("loo", **sampled, **h),
    }


def fixed(combiner):
    """Return a copy with the parameters that were chosen."""
    chosen = {name: getattr(combiner, f"{name}_") for name in ("alpha", "beta", "mu") if hasattr(combiner, f"{name}_")}
    return clone(combiner).set_params(**chosen)


def cross_fit(combiner, S, Y):
    """Return held-out combined scores of the training rows."""
    if isinstance(combiner, Correction):
        return combiner.transform(S)
    out = np.empty_like(S)
    for fit, held_out in KFold(5, shuffle=True, random_state=1).split(S):
        out[held_out] = fixed(combiner).fit(S[fit], Y[fit]).transform(S[held_out])
    return out


class Sweep:
    """Cells in order of falling score, sorted once; a threshold lies between different scores."""

    def __init__(self, S):
        self.order = np.argsort(-S, axis=None)
        self.values = S.ravel()[self.order]
        self.is_end = np.r_[self.values[1:] < self.values[:-1], True]

    def best(self, gain):
        """Return how many of the first cells to take so that the summed gain is greatest."""
        return int(np.argmax(np.where(self.is_end, np.cumsum(gain), -np.inf)))

    def threshold(self, k):
        """Return the t that leaves the first k + 1 cells above it."""
        return -np.inf if k == self.values.size - 1 else float(self.values[k + 1])

    def f1_threshold(self, Y):
        """Maximise F1 over one threshold."""
        hits = np.cumsum(Y.ravel()[self.order])
        f1 = 2 * hits / (np.arange(1, hits.size + 1) + hits[-1])
        return self.threshold(int(np.argmax(np.where(self.is_end, f1, -1))))

    def gain_threshold(self, gain):
        """Maximise the summed gain of the cells above one threshold."""
        return self.threshold(self.best(gain.ravel()[self.order]))


def hmc_gain(Y, costs):
    """Return what predicting a cell saves of the HMC-loss with a lambda per class."""
    share = Y.mean(axis=0)
    return np.where(Y, (2 - 2 * share) * costs, -2 * share * costs)


def evaluate(name, folder):
    """Yield (member, AUPRC, hF, HMC-loss, seconds)."""
    ds = local_scores.load(name)
    h = ds.hierarchy
    kept = np.arange(h.n_nodes) if h.is_tree else np.setdiff1d(np.arange(h.n_nodes), h.roots)
    scores = np.load(Path(folder) / f"{name}.npz")
    S, T, Y, truth = scores["S_train"], scores["S_test"], ds.train.Y, ds.test.Y
    dense = Y.toarray()
    gain = hmc_gain(dense, h.costs)[:, kept]
    for member, combiner in members(h, S.shape[0]).items():
        start = time.perf_counter()
        new = T if combiner is None else combiner.fit(S, Y).transform(T)
        seconds = time.perf_counter() - start
        old = S if combiner is None else cross_fit(combiner, S, Y)
        sweep = Sweep(old[:, kept])
        t, u = sweep.f1_threshold(dense[:, kept]), sweep.gain_threshold(gain)
        f1 = hierarchical_f1(truth, new > t, h, nodes=kept)
        loss = hmc_loss(truth, h.close(new > u), h, nodes=kept)
        yield member, auprc(truth, new, h, nodes=kept), f1, loss, seconds


def saved(name, folder):
    """Return the results of a data set, kept in the folder once computed."""
    file = Path(folder) / f"{name}.accuracy.json"
    if not file.exists():
        found = {}
        for member, *values in evaluate(name, folder):
            found[member] = values
            print(name, member, *(f"{value:.4f}" for value in values), file=sys.stderr, flush=True)
        file.write_text(json.dumps(found, indent=1))
    return json.loads(file.read_text())


def main(folder, names):
    warnings.simplefilter("ignore", ConvergenceWarning)
    names = names or local_scores.NAMES
    local_scores.main(folder, names)
    results = {}
    for name in names:
        for member, values in saved(name, folder).items():
            results[name, member] = values
    rows = dict.fromkeys(member for _, member in results)
    for k, (measure, digits) in enumerate([("AUPRC", 3), ("hF", 3), ("HMC-loss", 4), ("fit + transform, s", 1)]):
        print(f"\n| {measure} | {' | '.join(names)} |\n|---|{'---:|' * len(names)}")
        for member in rows:
            cells = (f"{results[name, member][k]:.{digits}f}" for name in names)
            print(f"| {member} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

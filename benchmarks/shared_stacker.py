"""A stacker that shares its parameters over labels, beside FAEL's blend.

Run: ``python benchmarks/shared_stacker.py [SETS]``. One small boosted model (scikit-learn's) learns from pairs of a row
and a label. What it knows of a pair: the score of each member, the best of the label's children and the worst of its
parents in the members' mean, the label's share of the training rows, its depth and its information content. Members
are a forest, boosted trees and a kernel ridge regression, with cheap settings; what stackers learn from are scores by
five folds of three quarters of the training rows. The table is AU(PRC) on the last quarter.
"""

from __future__ import annotations

import time

import numpy as np
from data_folder import make_parser, open_sets
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier

from truepath import load_dataset
from truepath.combiners import FAELBlend, GreedyBlend
from truepath.hierarchy import raise_up
from truepath.hierarchy.matrices import as_dense
from truepath.learners import BoostedTrees, MultiLabelKernelRidge, PCTForest
from truepath.metrics import auprc, information_content
from truepath.resampling import deal_folds, draw_some, split_folds

SETS = ["cellcycle_FUN", "seq_FUN", "diatoms", "imclef07d", "enron"]
FAEL, STACKER = "FAEL's blend", "shared stacker"
MOST_ROWS, N_PARTS, N_FOLDS, PAIRS = 4_000, 4, 5, 10


def make_members(ds, smallest):
    """Return the members, with cheap settings."""
    options, few = {"hierarchy": ds.hierarchy, "n_jobs": 1}, 2 if smallest else None
    kinds = {"categorical_features": list(ds.categories), **options}
    return {
        "forest": PCTForest(n_estimators=few or 100, random_state=0, **kinds),
        "boosted trees": BoostedTrees(max_iter=few or 300, **kinds),
        "kernel ridge": MultiLabelKernelRidge("laplacian", hierarchy=ds.hierarchy),
    }


def describe_pairs(S, Y, hierarchy):
    """Return what is known of each pair of a row and a label, row by row; ``Y`` are the training labels."""
    mean = np.mean(S, axis=0)
    best, worst = np.zeros_like(mean), np.ones_like(mean)
    for u, v in hierarchy.edges:
        best[:, u] = np.maximum(best[:, u], mean[:, v])
        worst[:, v] = np.minimum(worst[:, v], mean[:, u])
    share, content = np.asarray(Y.mean(axis=0)).ravel(), information_content(Y, hierarchy)
    of_labels = [np.broadcast_to(known, mean.shape) for known in (share, hierarchy.depth, content)]
    return np.stack([*S, best, worst, *of_labels], axis=-1).reshape(mean.size, -1).astype(np.float32)


class SharedStacker:
    """A boosted model of pairs, learned from those with the greatest mean scores.

    That is ``PAIRS`` times as many pairs as there are labels set: bins are shares of the pairs, and of all pairs those
    that matter would fill one or two. Other pairs follow their means, below.
    """

    def __init__(self, hierarchy):
        self.hierarchy = hierarchy

    def fit(self, S, Y):
        self.Y = Y
        pairs, is_set, mean = describe_pairs(S, Y, self.hierarchy), as_dense(Y).ravel(), np.mean(S, axis=0).ravel()
        self.least = max(np.quantile(mean, max(0.0, 1 - PAIRS * is_set.mean())), 1e-12)
        options = {"max_iter": 100, "max_leaf_nodes": 8, "min_samples_leaf": 50}
        self.model = HistGradientBoostingClassifier(early_stopping=False, random_state=0, **options)
        self.model.fit(pairs[mean >= self.least], is_set[mean >= self.least])
        return self

    def transform(self, S):
        mean = np.mean(S, axis=0)
        is_among = mean.ravel() >= self.least
        found = np.zeros(mean.size)
        pairs = describe_pairs(S, self.Y, self.hierarchy)
        found[is_among] = self.model.predict_proba(pairs[is_among])[:, 1]
        found[~is_among] = mean.ravel()[~is_among] / self.least * found[is_among].min()
        return raise_up(found.reshape(mean.shape), self.hierarchy)


def score_by_folds(member, X, Y):
    """Return scores of all rows by fits that did not see them."""
    S = np.empty(Y.shape)
    for train, left_out in split_folds(deal_folds(Y, N_FOLDS, 1)):
        S[left_out] = clone(member).fit(X[train], Y[train]).predict_proba(X[left_out])
    return S


def compare(ds, smallest):
    """Return AU(PRC) on the rows left out, of members and of what is made of them, and what stackers took."""
    h, drawn = ds.hierarchy, draw_some(len(ds.train.X), min(MOST_ROWS, len(ds.train.X)), 0)
    X, Y = ds.train.X[drawn], sparse.csr_array(ds.train.y)[drawn]
    train, out = split_folds(deal_folds(Y, N_PARTS, 0))[0]
    members = make_members(ds, smallest)
    held_out = [score_by_folds(member, X[train], Y[train]) for member in members.values()]
    S = [member.fit(X[train], Y[train]).predict_proba(X[out]) for member in members.values()]
    found, seconds = dict(zip(members, S)), {}
    combiners = {"greedy blend": GreedyBlend(hierarchy=h), FAEL: FAELBlend(hierarchy=h), STACKER: SharedStacker(h)}
    for name, combiner in combiners.items():
        begun = time.process_time()
        found[name] = combiner.fit(held_out, Y[train]).transform(S)
        seconds[name] = time.process_time() - begun
    found["mean of both"] = (found[FAEL] + found[STACKER]) / 2
    return {name: auprc(Y[out], scores) for name, scores in found.items()}, seconds


def main():
    parser = make_parser(__doc__)
    parser.add_argument("sets", nargs="*", default=SETS)
    given = parser.parse_args()
    for k, name in enumerate(open_sets([f"hmc/{name}" for name in given.sets], given.smallest)):
        ds = load_dataset(name)
        parts = [part for part in ("train", "valid") if part in ds]
        ds = ds.merge(*parts, into="train") if len(parts) > 1 else ds
        areas, seconds = compare(ds, given.smallest)
        if not k:
            print(f"| set | {' | '.join(areas)} | CPU s of FAEL, of the stacker |\n|{'---|' * (len(areas) + 2)}")
        took = f"{seconds[FAEL]:.0f}, {seconds[STACKER]:.0f}"
        print(f"| {name} | {' | '.join(f'{area:.4f}' for area in areas.values())} | {took} |", flush=True)


if __name__ == "__main__":
    main()

"""Cutset networks: times, what the pair counts cost, the paper's tables, and the same without leakage.

Run ``PYTHONPATH=src python benchmarks/bench_cutset.py [times | tables | honest | rivals | cut] [--sets flags,scene]``;
without a name, ``times``. The data are read from ``../shared/data`` unless ``TRUEPATH_DATA`` says otherwise.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np
from sklearn.pipeline import make_pipeline

from truepath import _kernels
from truepath.data import load_dataset
from truepath.learners import (
    BaggedCutsetNetworks,
    BayesianChain,
    CutsetNetwork,
    NaiveBayesML,
    RestrictedCutsetNetwork,
    TreeAugmentedML,
)
from truepath.metrics import exact_match, hamming_score, jaccard_score
from truepath.preprocessing import LAIM

HOME = Path(os.environ.get("TRUEPATH_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
SETS = ("arts", "business", "cal500", "emotions", "flags", "health", "scene", "yeast")
MEASURES = (jaccard_score, hamming_score, exact_match)
NETWORKS = {
    "RCNET": RestrictedCutsetNetwork(force_nonempty=True),
    "CNET": CutsetNetwork(force_nonempty=True),
}
RIVALS = {
    "BRNB": NaiveBayesML(),
    "CCNB": NaiveBayesML(scheme="cc"),
    "BRTAN": TreeAugmentedML(),
    "CCTAN": TreeAugmentedML(scheme="cc"),
    "BCC": BayesianChain(),
}


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else np.asarray(matrix)


def clock(action, repeats=3):
    """Median CPU seconds of a call (the machine may be shared), after one call that compiles."""
    action()
    taken = []
    for _ in range(repeats):
        start = process_time()
        action()
        taken.append(process_time() - start)
    return median(taken)


def times(sets):
    """One fold of each set: learning, MPE, the cost per pair, and one bit-set count against one dense product."""
    print("| data set | rows x labels x features | OR nodes | learn, s | MPE, s | ns per (row x label x feature) pair |"
          " bit-set counts, ms | dense product, ms | ratio |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|")
    for name in sets:
        ds = load_dataset(f"mulan/{name}", version="laim", fold=0, home=HOME)
        X, Y = dense(ds.train.X), dense(ds.train.Y)
        model = RestrictedCutsetNetwork(force_nonempty=True)
        learn = clock(lambda m=model, X=X, Y=Y: m.fit(X, Y))
        mpe = clock(lambda m=model, X=ds.test.X: m.predict(X))
        bits, product = count_once(X, Y)
        pairs = X.shape[0] * Y.shape[1] * X.shape[1]
        size = f"{X.shape[0]} x {Y.shape[1]} x {X.shape[1]}"
        cost = f"{1e9 * learn / pairs:.0f} | {1e3 * bits:.3f} | {1e3 * product:.2f} | {product / bits:.0f}"
        print(f"| {name} | {size} | {model.n_or_nodes_} | {learn:.3f} | {mpe:.3f} | {cost} |", flush=True)


def count_once(X, Y):
    """Seconds of all label-feature counts: by bit-sets, and as a float32 matrix product."""
    kernels = _kernels.pair_counts
    Z = np.ascontiguousarray(np.hstack([Y, X]), np.uint8)
    bits = kernels.pack_columns(Z)
    everything = kernels.pack_columns(np.ones((Z.shape[0], 1), np.uint8))[0]
    counts = np.zeros((Y.shape[1], Z.shape[1]), np.int32)
    values, labels = Z.astype(np.float32), Y.astype(np.float32)
    by_bits = clock(lambda: kernels.count_pairs(bits, everything, Y.shape[1], counts), 9)
    return by_bits, clock(lambda: labels.T @ values, 9)


def score_folds(name, make, version, cut=False):
    """Mean of the measures over the five published folds; ``original`` features take the same rows."""
    found = []
    folds = [load_dataset(f"mulan/{name}", version="laim", fold=fold, home=HOME) for fold in range(5)]
    for ds in folds:
        train, test = (ds.train.X, ds.test.X) if version == "laim" else original_rows(name, ds)
        model = make.fit(train, ds.train.Y)
        Y = cut_at_cardinality(model.predict_proba(test), ds.train.Y) if cut else model.predict(test)
        found.append([measure(ds.test.Y, Y) for measure in MEASURES])
    return np.mean(found, axis=0)


def original_rows(name, ds):
    """Return the original features of the rows of a fold, found by their discretised twins in the whole set."""
    whole = load_dataset(f"mulan/{name}", version="laim", home=HOME)["all"]
    features = dense(load_dataset(f"mulan/{name}", home=HOME)["all"].X)
    waiting: dict[bytes, list[int]] = {}
    for row, key in enumerate(map(bytes, np.hstack([dense(whole.X), dense(whole.Y)]).astype(np.uint8))):
        waiting.setdefault(key, []).append(row)
    rows = []
    for split in (ds.test, ds.train):
        keys = map(bytes, np.hstack([dense(split.X), dense(split.Y)]).astype(np.uint8))
        rows.append([waiting[key].pop(0) for key in keys])
    return features[rows[1]], features[rows[0]]


def cut_at_cardinality(S, Y_train):
    """Label as many cells as the training cardinality asks for: how MEKA calibrates its threshold (PCut1)."""
    n_wanted = round(dense(Y_train).sum(axis=1).mean() * S.shape[0])
    return np.sort(S, axis=None)[-n_wanted] <= S


def table(sets, makers, version="laim", cut=False):
    print("| data set | method | accuracy | Hamming score | exact match |\n|---|---|---|---|---|")
    for name in sets:
        for method, make in makers.items():
            values = " | ".join(f"{value:.4f}" for value in score_folds(name, make, version, cut))
            print(f"| {name} | {method} | {values} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", default="times", choices=["times", "tables", "honest", "rivals", "cut"])
    parser.add_argument("--sets", default="")
    parser.add_argument("--methods", default="")
    chosen = parser.parse_args()
    sets = chosen.sets.split(",") if chosen.sets else SETS
    if chosen.what == "times":
        times(chosen.sets.split(",") if chosen.sets else ("scene", "yeast", "arts"))
    elif chosen.what == "honest":
        bag = BaggedCutsetNetworks(RestrictedCutsetNetwork(force_nonempty=True), n_estimators=10, random_state=0)
        table(
            sets,
            {"LAIM + RCNET": make_pipeline(LAIM(), NETWORKS["RCNET"]), "LAIM + bag": make_pipeline(LAIM(), bag)},
            "original",
        )
    else:
        makers = NETWORKS if chosen.what == "tables" else RIVALS
        kept = {method: makers[method] for method in (chosen.methods.split(",") if chosen.methods else makers)}
        table(sets, kept, cut=chosen.what == "cut")


if __name__ == "__main__":
    main()

"""Cutset networks: times, what the pair counts cost, the paper's tables, and the same without leakage.

Run ``PYTHONPATH=src python benchmarks/bench_cutset.py [times | tables | honest | rivals] [--sets flags,scene]``;
without a name, ``times``. The data are looked for in ``$TRUEPATH_DATA``, else in ``../shared/data``.
"""

from __future__ import annotations

from statistics import median
from time import process_time
from types import SimpleNamespace

import numpy as np
from data_folder import home, make_parser, open_sets
from sklearn.pipeline import make_pipeline

from truepath import _kernels
from truepath.data import load_dataset
from truepath.learners import BaggedCutsetNetworks, RestrictedCutsetNetwork
from truepath.papers.base import Settings
from truepath.papers.dimauro2016.paper import METHODS, PAPER, load_folds, measure_folds
from truepath.preprocessing import LAIM

SETS = ("arts", "business", "cal500", "emotions", "flags", "health", "scene", "yeast")
NETWORKS = ("RCNET", "CNET")


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
    """One fold of each set: learning, MPE, the cost per pair, bit-set counts against a dense product and the search."""
    print("| data set | rows x labels x features | OR nodes | learn, s | MPE, s | ns per (row x label x feature) pair |"
          " bit-set counts, ms | dense product, ms | ratio | counts' share of the search |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in sets:
        ds = load_dataset(f"mulan/{name}", version="laim", fold=0)
        X, Y = dense(ds.train.X), dense(ds.train.y)
        model = RestrictedCutsetNetwork(force_nonempty=True)
        learn = clock(lambda m=model, X=X, y=Y: m.fit(X, y))
        mpe = clock(lambda m=model, X=ds.test.X: m.predict(X))
        bits, product, share = count_once(X, Y)
        pairs = X.shape[0] * Y.shape[1] * X.shape[1]
        size = f"{X.shape[0]} x {Y.shape[1]} x {X.shape[1]}"
        cost = f"{1e9 * learn / pairs:.0f} | {1e3 * bits:.3f} | {1e3 * product:.2f} | {product / bits:.0f}"
        print(f"| {name} | {size} | {model.n_or_nodes_} | {learn:.3f} | {mpe:.3f} | {cost} | {share:.0%} |", flush=True)


def count_once(X, Y):
    """Seconds of all label-feature counts by bit-sets and as a float32 product; their share of the first search."""
    kernels = _kernels.cutset.pair_counts
    Z = np.ascontiguousarray(np.hstack([Y, X[:, X.min(axis=0) < X.max(axis=0)]]), np.uint8)
    n_rows, n_labels = Y.shape
    bits = kernels.pack_columns(Z)
    everything = kernels.pack_columns(np.ones((n_rows, 1), np.uint8))[0]
    counts = np.zeros((n_labels, Z.shape[1]), np.int32)
    kernels.count_pairs(bits, everything, n_labels, counts)
    columns, candidates = kernels.count_columns(bits, everything), np.arange(n_labels, Z.shape[1])
    prior = (counts + 0.25) / (n_rows + 1), (columns + 0.5) / (n_rows + 1), 0.5, 0.0, candidates
    sizes = np.arange(Z.shape[1] + 1), n_labels, n_rows, counts.copy(), columns
    search = clock(lambda: _kernels.cutset.chow_liu.score_splits(bits, *sizes, *prior, None))
    values, labels = Z.astype(np.float32), Y.astype(np.float32)
    by_bits = (
        clock(lambda: [kernels.count_pairs(bits, bits[c], n_labels, counts) for c in candidates]) / candidates.size
    )
    return by_bits, clock(lambda: labels.T @ values, 9), by_bits * candidates.size / search


def original_rows(name, ds):
    """Return the original features of the rows of a fold, found by their discretised twins in the whole set."""
    whole = load_dataset(f"mulan/{name}", version="laim")["all"]
    features = dense(load_dataset(f"mulan/{name}")["all"].X)
    waiting: dict[bytes, list[int]] = {}
    for row, key in enumerate(map(bytes, np.hstack([dense(whole.X), dense(whole.y)]).astype(np.uint8))):
        waiting.setdefault(key, []).append(row)
    rows = []
    for split in (ds.test, ds.train):
        keys = map(bytes, np.hstack([dense(split.X), dense(split.y)]).astype(np.uint8))
        rows.append([waiting[key].pop(0) for key in keys])
    return features[rows[1]], features[rows[0]]


def on_original_features(name):
    """Return the published folds with the original numeric features."""
    folds = []
    for ds in load_folds(name, Settings(home())):
        train, test = original_rows(name, ds)
        folds.append(
            SimpleNamespace(train=SimpleNamespace(X=train, y=ds.train.y), test=SimpleNamespace(X=test, y=ds.test.y))
        )
    return folds


def head():
    print("| data set | method | accuracy | Hamming score | exact match |\n|---|---|---|---|---|")


def honest(sets):
    """LAIM fitted on training rows only."""
    bag = BaggedCutsetNetworks(RestrictedCutsetNetwork(force_nonempty=True), n_estimators=10, random_state=0)
    makers = {"LAIM + RCNET": METHODS["RCNET"].make(), "LAIM + bag": bag}
    head()
    for name in sets:
        folds = on_original_features(name)
        for label, model in makers.items():
            found = measure_folds(folds, make_pipeline(LAIM(), model))
            print(f"| {name} | {label} | " + " | ".join(f"{value:.4f}" for value in found.values()) + " |", flush=True)


def rerun(sets, labels):
    """Run the paper's cells and print ours with the published value in brackets."""
    head()
    for cell in PAPER.cells:
        name, family = cell.key.split(", ", 1)
        if name not in sets or not any(METHODS[label].family == family for label in labels):
            continue
        rows = cell.run(Settings(home()))
        for label in dict.fromkeys(row.method for row in rows):
            values = [f"{row.ours:.4f} ({row.published:.3f})" for row in rows if row.method == label]
            print(f"| {name} | {label} | {' | '.join(values)} |", flush=True)


def main():
    parts = {
        "times": times,
        "tables": lambda sets: rerun(sets, NETWORKS),
        "honest": honest,
        "rivals": lambda sets: rerun(sets, [label for label in METHODS if label not in NETWORKS]),
    }
    parser = make_parser(__doc__)
    parser.add_argument("what", nargs="?", choices=list(parts))
    parser.add_argument("--sets", default="")
    chosen = parser.parse_args()
    for what in parts if chosen.smallest and chosen.what is None else [chosen.what or "times"]:
        usual = ("flags",) if chosen.smallest else ("scene", "yeast", "arts") if what == "times" else SETS
        names = chosen.sets.split(",") if chosen.sets else usual
        sets = open_sets([f"mulan/{name}" for name in names], chosen.smallest)
        parts[what]([name.removeprefix("mulan/") for name in sets])


if __name__ == "__main__":
    main()

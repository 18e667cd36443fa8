"""How good are the forests: AU(PRC) beside scikit-learn's, micro-F1 beside the labelling paper's, missing values.

Run from the repository's root: ``python benchmarks/bench_forest_accuracy.py [auprc|f1|missing|protocols] [--seeds 5]``.
The data are looked for in ``$TRUEPATH_DATA``, else in ``../shared/data``. Prints Markdown tables of means (and standard
deviations) over seeds.

Settings everywhere: 50 trees, bootstrap, sqrt(d) features, minimal leaf weight 5, w0 = 0.75, averaged parents.
``f1`` has the authors' own instead, as their log of ImCLEF07A shows: minimal weight 2 and log2(d) + 1 features.
Protocol of ``auprc`` and ``missing``: train and valid together, test; average precision of all cells pooled.
"""

from __future__ import annotations

import numpy as np
from data_folder import make_parser, open_sets
from scipy import sparse
from sklearn.ensemble import RandomForestRegressor

from truepath import load_dataset
from truepath.decoders import SingleThreshold
from truepath.learners import PCTForest, class_weights
from truepath.metrics import auprc, micro_f1

SETS = ["imclef07a", "diatoms", "cellcycle_FUN", "seq_FUN", "cellcycle_GO"]
PROTOCOLS = ("cellcycle_FUN", "seq_FUN", "cellcycle_GO")
MISSING = ("cellcycle_FUN", "seq_FUN", "diatoms", "imclef07a")
TABLE_4 = {"cellcycle_GO": 0.4744, "diatoms": 0.5856, "enron": 0.6574, "imclef07a": 0.7955, "seq_FUN": 0.3070}
EXTRA = {"splitter": "random", "bootstrap": False, "max_features": 1 / 3}


def load(name, parts=("train", "valid")):
    """Return the data set with its training parts joined as "train"."""
    ds = load_dataset(f"hmc/{name}")
    present = [part for part in parts if part in ds]
    return ds.merge(*present, into="train") if len(present) > 1 else ds


def forest(ds, seed, **changes):
    """The published setting."""
    settings = {
        "n_estimators": 50,
        "random_state": seed,
        "n_jobs": 2,
        "categorical_features": list(ds.categories),
        **changes,
    }
    return PCTForest(hierarchy=ds.hierarchy, **settings)


def dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def scikit_scores(ds, seed, n_estimators=50):
    """Scores of scikit-learn's forest on Y * sqrt(w): the same criterion, the same settings, NaN handled by it."""
    w = np.sqrt(class_weights(ds.hierarchy))
    X, Y = dense(ds.train.X), dense(ds.train.y)
    model = RandomForestRegressor(
        n_estimators, max_features="sqrt", min_weight_fraction_leaf=5 / len(X), random_state=seed, n_jobs=1
    ).fit(X, Y * w)
    return model.predict(dense(ds.test.X)) / w


def area(ds, S, without_tops=False):
    """Pooled average precision on the test part."""
    h = ds.hierarchy
    nodes = np.setdiff1d(np.arange(h.n_nodes), h.roots) if without_tops else None
    return auprc(ds.test.y, S, h, nodes=nodes)


def show(values):
    return f"{np.mean(values):.4f} ± {np.std(values):.4f}"


def bench_auprc(seeds, sets):
    print("| data set | PCTForest | scikit-learn | difference | extra-randomised | PCTForest, top nodes left out |")
    print("|---|---|---|---|---|---|")
    for name in filter(sets.__contains__, SETS):
        ds = load(name)
        ours = [forest(ds, seed).fit(ds.train.X, ds.train.y).predict_proba(ds.test.X) for seed in range(seeds)]
        extra = [
            forest(ds, seed, **EXTRA).fit(ds.train.X, ds.train.y).predict_proba(ds.test.X) for seed in range(seeds)
        ]
        n_theirs = min(seeds, 2) if name.endswith("GO") else seeds  # minutes a forest
        theirs = [area(ds, scikit_scores(ds, seed)) for seed in range(n_theirs)]
        own = [area(ds, S) for S in ours]
        print(
            f"| {name} | {show(own)} | {show(theirs)} | {np.mean(own) - np.mean(theirs):+.4f} | "
            f"{show([area(ds, S) for S in extra])} | {show([area(ds, S, True) for S in ours])} |",
            flush=True,
        )


def bench_protocols(seeds, sets):
    print("| data set | train -> test | train + valid -> test |\n|---|---|---|")
    for name in filter(sets.__contains__, PROTOCOLS):
        row = []
        for ds in (load(name, ("train",)), load(name)):
            row.append(
                [area(ds, forest(ds, s).fit(ds.train.X, ds.train.y).predict_proba(ds.test.X)) for s in range(seeds)]
            )
        print(f"| {name} | {show(row[0])} | {show(row[1])} |", flush=True)


def bench_f1(seeds, sets):
    print("| data set | Table 4 | test micro-F1 | difference | validation micro-F1 |\n|---|---|---|---|---|")
    for name in filter(sets.__contains__, TABLE_4):
        published = TABLE_4[name]
        found = [f1_of_seed(name, seed) for seed in range(seeds)]
        test, valid = np.mean(found, axis=0)
        print(
            f"| {name} | {published:.4f} | {show([t for t, _ in found])} | {test - published:+.4f} | {valid:.4f} |",
            flush=True,
        )


def f1_of_seed(name, seed):
    """Train, tune the threshold on valid (a random third of train where there is none), refit on both, test."""
    ds = load_dataset(f"hmc/{name}")
    if "valid" not in ds:
        ds = ds.split({"train": 2 / 3, "valid": 1 / 3}, of="train", random_state=seed)
    both = ds.merge("train", "valid", into="train")
    as_published = {"min_leaf_weight": 2, "max_features": int(np.log2(ds.n_features)) + 1}
    first = forest(ds, seed, **as_published).fit(ds.train.X, ds.train.y)
    decoder = SingleThreshold("micro_f1", hierarchy=ds.hierarchy).fit(first.predict_proba(ds.valid.X), ds.valid.y)
    S = forest(ds, seed, **as_published).fit(both.train.X, both.train.y).predict_proba(ds.test.X)
    return micro_f1(ds.test.y, decoder.predict(S)), decoder.objective_value_


def bench_missing(seeds, sets):
    print("| data set | complete | 20 % removed, native | 20 % removed, mean imputed | drop native | drop imputed |")
    print("|---|---|---|---|---|---|")
    for name in filter(sets.__contains__, MISSING):
        ds = load(name)
        found = np.array([missing_of_seed(ds, seed) for seed in range(seeds)]).mean(axis=0)
        drops = found[0] - found[1:]
        print("| " + " | ".join([name, *(f"{value:.4f}" for value in [*found, *drops])]) + " |", flush=True)


def missing_of_seed(ds, seed):
    """AU(PRC) complete; with 20 % of all cells removed at random; and with those filled by training means."""
    rng = np.random.default_rng(seed)
    train, test = dense(ds.train.X).astype(float), dense(ds.test.X).astype(float)
    gone, test_gone = (np.where(rng.random(X.shape) < 0.2, np.nan, X) for X in (train, test))
    mean = np.nanmean(gone, axis=0)
    for j in ds.categories:  # the mode of a nominal column
        values, counts = np.unique(gone[~np.isnan(gone[:, j]), j], return_counts=True)
        mean[j] = values[counts.argmax()]
    filled, test_filled = (np.where(np.isnan(X), mean, X) for X in (gone, test_gone))
    pairs = [(train, test), (gone, test_gone), (filled, test_filled)]
    return [area(ds, forest(ds, seed).fit(X, ds.train.y).predict_proba(Z)) for X, Z in pairs]


def main():
    benches = {"auprc": bench_auprc, "f1": bench_f1, "missing": bench_missing, "protocols": bench_protocols}
    parser = make_parser(__doc__)
    parser.add_argument("what", nargs="?", choices=[*benches, "all"], default="all")
    parser.add_argument("--seeds", type=int, default=5)
    asked = parser.parse_args()
    if asked.smallest:
        asked.seeds = 1
    names = ["seq_FUN"] if asked.smallest else sorted({*SETS, *TABLE_4, *PROTOCOLS, *MISSING})
    sets = [name.removeprefix("hmc/") for name in open_sets([f"hmc/{name}" for name in names], asked.smallest)]
    for what, bench in benches.items():
        if asked.what in (what, "all"):
            print(f"\n### {what}, {asked.seeds} seeds\n")
            bench(asked.seeds, sets)


if __name__ == "__main__":
    main()

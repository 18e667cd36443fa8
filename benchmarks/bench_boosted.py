"""Boosted trees for all labels at once beside XGBoost, LightGBM and CatBoost; how their time grows; how good they are.

Run: ``python benchmarks/bench_boosted.py [rounds|wordnet|accuracy|whole|targets|scaling]``, one part or all. One
thread; seconds are the processor's, so that other work on the machine does not count.

``rounds``: one round on a generated table (``--rows 12000 --columns 2000 --labels 1200``). XGBoost grows trees with
vector leaves (``multi_output_tree``); LightGBM one tree per label, measured on a few labels and multiplied; CatBoost
symmetric trees for all labels. ``wordnet``: the same on WordNet's glosses as 256 columns (truncated SVD of TF-IDF).
``--peers`` names who is asked; one that is not installed is left out.
``accuracy``: AU(PRC) on test rows of public sets, and the CPU seconds of the whole fit.
``whole``: AU(PRC) and CPU seconds of fits of few rounds beside LightGBM with 100 trees for each label.
``targets``: AU(PRC) on rows left out of training: of trees trained on all rows (with two seeds) and on those of the
parents, of their means, and the same of a linear model.
``scaling``: fits of ``--trees`` rounds on tables of 10,000 rows and more, up to ``--most-rows``, 100 columns and 300
labels, and the exponent of their time.
"""

from __future__ import annotations

import resource
import sys
import time
from functools import partial
from importlib.util import find_spec

import numpy as np
from bench_text import open_wordnet
from data_folder import make_parser, open_sets
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from truepath import Hierarchy, load_dataset
from truepath.hierarchy.matrices import as_dense
from truepath.learners import BoostedTrees, SparseLinear
from truepath.metrics import auprc
from truepath.resampling import deal_folds, split_folds

PARTS = ("rounds", "wordnet", "accuracy", "whole", "targets", "scaling")
PEERS = ("xgboost", "lightgbm", "catboost")
SETS = ["imclef07a", "cellcycle_FUN", "diatoms", "seq_FUN"]
#: Of the small sets, whose labels differ in how much there is to learn: rows left out say when to stop
SETTINGS = {"max_iter": 4000, "n_iter_no_change": 100, "refit": True}
#: Of the two sets that LightGBM is measured on, and its trees for each label
WHOLE, TREES = ["imclef07a", "cellcycle_FUN"], 100
FEW_ROUNDS = (70, 200, 500)
ROUNDS, LABELS_ASKED, LABELS_PER_BRANCH, AT_A_TIME = 5, 3, 8, 50_000


def make_table(n_rows, n_columns, n_labels, seed=0):
    """Return a hierarchy of two levels, float32 rows, and their labels: the leaf that fits best, and its parent."""
    n_leaves = n_labels * LABELS_PER_BRANCH // (LABELS_PER_BRANCH + 1)
    h = Hierarchy.from_paths([f"{k // LABELS_PER_BRANCH}/{k}" for k in range(n_leaves)])
    rng = np.random.default_rng(seed)
    used = min(n_columns, 20)
    weights = rng.normal(size=(used, n_leaves)).astype(np.float32)
    X, leaf = np.empty((n_rows, n_columns), np.float32), np.empty(n_rows, np.int64)
    for start in range(0, n_rows, AT_A_TIME):
        part = slice(start, min(start + AT_A_TIME, n_rows))
        X[part] = rng.normal(size=X[part].shape)
        leaf[part] = (np.abs(X[part, :used]) @ weights + rng.gumbel(size=(len(X[part]), n_leaves))).argmax(axis=1)
    place = np.array([h.index(f"{k // LABELS_PER_BRANCH}/{k}") for k in range(n_leaves)])
    specific = sparse.csr_array((np.ones(n_rows, bool), (np.arange(n_rows), place[leaf])), (n_rows, h.n_nodes))
    return h, X, h.close(specific)


def timed(action, *given, **options):
    """Return the CPU seconds of a call, and what it returns."""
    begun = time.process_time()
    result = action(*given, **options)
    return time.process_time() - begun, result


def round_of_ours(h, X, Y):
    """Return the seconds of a round: what more rounds take, divided by their number."""

    def fit(n_rounds):
        options = {"hierarchy": h, "learning_rate": 0.1, "max_leaves": 64, "n_jobs": 1}
        return BoostedTrees(max_iter=n_rounds, **options).fit(X, Y)

    fit(1)  # compiled
    first, _ = timed(fit, 1)
    more, _ = timed(fit, 1 + ROUNDS)
    return (more - first) / ROUNDS


def round_of_xgboost(h, X, Y):
    """Return the seconds of the second round of vector-leaf trees of the same depth."""
    import xgboost

    data = xgboost.QuantileDMatrix(X, np.asarray(Y.toarray(), np.float32), max_bin=64, nthread=1)
    options = {"multi_strategy": "multi_output_tree", "objective": "binary:logistic", "tree_method": "hist"}
    model = xgboost.Booster({**options, "max_depth": 6, "max_bin": 64, "nthread": 1}, [data])
    model.update(data, 0)
    return timed(model.update, data, 1)[0]


def round_of_lightgbm(h, X, Y):
    """Return the seconds of a tree for each label: those of some labels, multiplied."""
    import lightgbm

    counts = np.asarray(Y.sum(axis=0)).ravel()
    asked = np.argsort(counts)[np.linspace(0, counts.size - 1, LABELS_ASKED).astype(int)]
    options = {"objective": "binary", "num_leaves": 64, "max_bin": 64, "num_threads": 1, "verbose": -1}
    data = lightgbm.Dataset(
        X, Y[:, [int(asked[0])]].toarray().ravel().astype(float), params=options, free_raw_data=False
    )
    data.construct()
    seconds = 0.0
    for v in asked:
        data.set_label(Y[:, [int(v)]].toarray().ravel().astype(float))
        seconds += timed(lightgbm.train, options, data, 1 + ROUNDS)[0]
        seconds -= timed(lightgbm.train, options, data, 1)[0]
    return seconds / LABELS_ASKED / ROUNDS * Y.shape[1]


def round_of_catboost(h, X, Y):
    """Return the seconds of a round of symmetric trees for all labels; labels without rows are left out."""
    import catboost

    counts = np.asarray(Y.sum(axis=0)).ravel()
    varies = np.flatnonzero((counts > 0) & (counts < Y.shape[0]))
    data = catboost.Pool(X, Y[:, varies].toarray().astype(int))
    options = {"loss_function": "MultiLogloss", "depth": 6, "border_count": 64, "thread_count": 1, "verbose": False}
    options |= {"learning_rate": 0.1, "allow_writing_files": False, "boosting_type": "Plain"}
    seconds = [timed(catboost.CatBoost({**options, "iterations": k}).fit, data)[0] for k in (1, 3)]
    return (seconds[1] - seconds[0]) / 2


ROUND_OF = {"xgboost": round_of_xgboost, "lightgbm": round_of_lightgbm, "catboost": round_of_catboost}


def print_rounds(name, table, peers):
    """Print one round of everyone, in one run."""
    h, X, Y = table
    ours = round_of_ours(h, X, Y)
    print(f"\n{name}: {X.shape[0]:,} x {X.shape[1]} x {Y.shape[1]:,}\n")
    print("| one round | CPU s | times ours |\n|---|---|---|")
    print(f"| BoostedTrees | {ours:.3f} | 1 |", flush=True)
    for peer in peers:
        seconds = ROUND_OF[peer](h, X, Y)
        print(f"| {peer} | {seconds:.2f} | {seconds / max(ours, 1e-9):.0f} |", flush=True)


def encode_wordnet(smallest):
    """Return WordNet's nouns as columns."""
    h, texts, Y, _, _ = open_wordnet(smallest)
    words = TfidfVectorizer(min_df=2, sublinear_tf=True).fit_transform(texts)
    return h, TruncatedSVD(4 if smallest else 256, random_state=0).fit_transform(words), Y


def open_merged(names, smallest):
    """Yield public sets, with the rows that are kept for validation among those to learn from, and their options."""
    for name in open_sets([f"hmc/{name}" for name in names], smallest):
        ds = load_dataset(name)
        parts = [part for part in ("train", "valid") if part in ds]
        ds = ds.merge(*parts, into="train") if len(parts) > 1 else ds
        yield name, ds, {"hierarchy": ds.hierarchy, "categorical_features": list(ds.categories), "n_jobs": 1}


def print_accuracy(smallest):
    """Print AU(PRC) on test rows, with settings by the number of rows and rows left out to stop by."""
    print("\n| set | rounds | CPU s | AU(PRC) |\n|---|---|---|---|")
    for name, ds, options in open_merged(SETS, smallest):
        settings = {"max_iter": 4} if smallest else SETTINGS
        seconds, model = timed(BoostedTrees(**settings, **options).fit, ds.train.X, ds.train.y)
        area = auprc(ds.test.y, model.predict_proba(ds.test.X))
        print(f"| {name} | {model.n_iter_} | {seconds:.1f} | {area:.4f} |", flush=True)


def fit_lightgbm(ds, n_trees):
    """Return test scores by a model of LightGBM's for each label."""
    import lightgbm

    Y, S = as_dense(ds.train.y), np.zeros(ds.test.y.shape)
    options = {"objective": "binary", "num_threads": 1, "verbose": -1}
    kinds = list(ds.categories)
    data = lightgbm.Dataset(ds.train.X, Y[:, 0].astype(float), params=options, categorical_feature=kinds)
    data.free_raw_data = False
    for v, y in enumerate(Y.T):
        if y.all() or not y.any():
            S[:, v] = y[0]
            continue
        data.set_label(y.astype(float))
        S[:, v] = lightgbm.train(options, data, n_trees).predict(ds.test.X)
    return S  # as they are: raised to those of the labels below they are worse


def print_whole(peers, smallest):
    """Print AU(PRC) on test rows and CPU seconds of whole fits: ours of few rounds, and a model for each label."""
    print("\n| set | fit | CPU s | AU(PRC) |\n|---|---|---|---|")
    for name, ds, options in open_merged(WHOLE, smallest):
        BoostedTrees(max_iter=1, **options).fit(ds.train.X, ds.train.y)  # compiled
        for n_rounds in FEW_ROUNDS:
            seconds, model = timed(BoostedTrees(max_iter=n_rounds, **options).fit, ds.train.X, ds.train.y)
            area = auprc(ds.test.y, model.predict_proba(ds.test.X))
            print(f"| {name} | {n_rounds} rounds | {seconds:.2f} | {area:.4f} |", flush=True)
        if "lightgbm" in peers:
            seconds, S = timed(fit_lightgbm, ds, 2 if smallest else TREES)
            print(f"| {name} | LightGBM per label | {seconds:.2f} | {auprc(ds.test.y, S):.4f} |", flush=True)


def fit_targets(make, train, out):
    """Return scores of rows left out by learners of all rows, of those of the parents, and with another seed."""
    options = ({"train_on": "all"}, {"train_on": "parents"}, {"train_on": "all", "random_state": 1})
    return [make(**own).fit(*train).predict_proba(out) for own in options]


def print_targets(smallest):
    """Print AU(PRC) on a quarter of the training rows, by what the others train."""
    print("\n| set | learner | all | parents | mean of both | all, another seed | mean of all twice | mean of three |")
    print(f"|{'---|' * 8}")
    settings = {"max_iter": 4} if smallest else {**SETTINGS, "refit": False}
    for name, ds, options in open_merged(SETS, smallest):
        X, Y = ds.train.X, sparse.csr_array(ds.train.y)
        train, out = split_folds(deal_folds(Y, 4, 0))[0]
        kinds = options["categorical_features"]
        numeric = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
        one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        columns = make_column_transformer((one_hot, kinds), remainder=numeric).fit(X[train])
        cases = {
            "boosted": (partial(BoostedTrees, **settings, **options), (lambda rows: rows)),
            "linear": (partial(SparseLinear, loss="log", hierarchy=ds.hierarchy), columns.transform),
        }
        for learner, (make, prepare) in cases.items():
            S = fit_targets(make, (prepare(X[train]), Y[train]), prepare(X[out]))
            found = (S[0], S[1], S[0] + S[1], S[2], S[0] + S[2], S[0] + S[1] + S[2])
            areas = " | ".join(f"{auprc(Y[out], scores):.4f}" for scores in found)
            print(f"| {name} | {learner} | {areas} |", flush=True)


def print_scaling(most_rows, n_trees, smallest):
    """Print the time of fits of tables of more and more rows, and how it grows."""
    first = 60 if smallest else 10_000
    sizes = [size for size in (int(round(first * 10 ** (k / 2), -1)) for k in range(9)) if size <= most_rows]
    BoostedTrees(max_iter=1, max_leaves=64).fit(*make_table(100, 4, 9)[1:])  # compiled
    print(f"\n{n_trees} rounds, 100 columns, 300 labels\n")
    print("| rows | CPU s | peak memory so far, GB |\n|---|---|---|")
    seconds = []
    for n_rows in sizes:
        h, X, Y = make_table(n_rows, 100, 300)
        learner = BoostedTrees(hierarchy=h, max_iter=n_trees, max_leaves=64, n_jobs=1)
        seconds.append(timed(learner.fit, X, Y)[0])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"| {n_rows:,} | {seconds[-1]:.1f} | {peak:.1f} |", flush=True)
    if len(sizes) > 1:
        print(f"\nexponent {np.polyfit(np.log(sizes), np.log(np.maximum(seconds, 1e-9)), 1)[0]:.2f}")


def main():
    parser = make_parser(__doc__)
    parser.add_argument("part", nargs="?", choices=PARTS)
    parser.add_argument("--rows", type=int, default=12_000)
    parser.add_argument("--columns", type=int, default=2000)
    parser.add_argument("--labels", type=int, default=1200)
    parser.add_argument("--peers", nargs="*", default=PEERS, choices=PEERS)
    parser.add_argument("--most-rows", type=int, default=1_000_000)
    parser.add_argument("--trees", type=int, default=20)
    given = parser.parse_args()
    parts = [given.part] if given.part else PARTS
    peers = [peer for peer in given.peers if find_spec(peer)]
    if absent := [peer for peer in given.peers if peer not in peers]:
        print(f"not installed, left out: {', '.join(absent)}", file=sys.stderr)
    if "rounds" in parts:
        size = (80, 6, 27) if given.smallest else (given.rows, given.columns, given.labels)
        print_rounds("generated", make_table(*size), peers)
    if "wordnet" in parts:
        print_rounds("WordNet columns", encode_wordnet(given.smallest), peers)
    if "accuracy" in parts:
        print_accuracy(given.smallest)
    if "whole" in parts:
        print_whole(peers, given.smallest)
    if "targets" in parts:
        print_targets(given.smallest)
    if "scaling" in parts:
        print_scaling(600 if given.smallest else given.most_rows, 2 if given.smallest else given.trees, given.smallest)


if __name__ == "__main__":
    main()

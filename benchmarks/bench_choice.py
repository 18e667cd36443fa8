"""Which method should I choose? Accuracy, time and size of a few methods for each question of that page, on six sets.

Run as ``PYTHONPATH=src python benchmarks/bench_choice.py``; name parts to run only these: ``path``, ``leaves``,
``scores``, ``guarantees``, ``few``, ``start``, ``many``. Seconds are CPU time of one thread, with compiled loops
loaded; sizes are those of model files. Rows of train and valid are learned from, those of test are measured. The tables
are those of ``docs/choose.rst``.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from data_folder import home, make_parser, open_sets
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from truepath import HierarchicalClassifier, load_dataset, open_dataset
from truepath.combiners import MaxUp
from truepath.data import has_full_paths, keep_full_paths, make_hmc
from truepath.decoders import MAS, BestPath, ExactLeafMAP, MultiThreshold, SingleThreshold, Threshold, TopLeaves
from truepath.learners import MultiLabelKernelRidge, PCTForest, SparseLinear
from truepath.metrics import auprc, exact_match, hierarchical_f1, hmc_loss, incoherent_share, micro_f1, symmetric_loss

SETS = ["hmc/enron", "hmc/diatoms", "hmc/cellcycle_FUN", "hmc/cellcycle_GO"]
TOPICS, NOUNS = "pypi-topics", "text/wordnet_nouns"
FEW_ROWS = (100, 400)
SMALLEST = False


@cache
def load(name):
    """Return a set with the parts train and test."""
    if SMALLEST and name in (TOPICS, NOUNS):
        return make_hmc(90, 8, 12, random_state=0).merge("train", "valid", into="train")
    if name == TOPICS:
        ds = load_dataset(TOPICS)
    elif name == NOUNS:
        folder = home() / NOUNS
        rows, edges = folder / "rows.csv.xz", folder / "edges.csv.xz"
        ds = open_dataset(rows, labels="labels", text="gloss", split="split", ids="id", hierarchy=edges)
    else:
        ds = load_dataset(name, home=home()).one_hot()
    return ds.merge("train", "valid", into="train") if "valid" in ds else ds


def row(*cells):
    """Print one row of a table."""
    print("| " + " | ".join(str(cell) if isinstance(cell, str) else f"{cell:.3f}" for cell in cells) + " |", flush=True)


def head(title, *columns):
    """Print what comes before the rows of a table."""
    print(f"\n### {title}\n")
    row(*columns)
    row(*("---" for _ in columns))


def clock(work):
    """Return a result and the CPU seconds it took."""
    start = time.process_time()
    return work(), time.process_time() - start


def megabytes(model):
    """Return the size of the model's file."""
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model.tp")
        return (Path(folder) / "model.tp").stat().st_size / 1e6


def compare_fits(ds, methods, shown, rows=None):
    """Fit each method on the training rows and print its accuracy, time and size."""
    for name, learner in methods.items():
        options = learner if isinstance(learner, dict) else {"learner": learner}
        model = HierarchicalClassifier(**options, hierarchy=ds.hierarchy, random_state=0)
        X, y = (ds.train.X, ds.train.y) if rows is None else (ds.train.X[rows], ds.train.y[rows])
        _, fitting = clock(lambda model=model, X=X, y=y: model.fit(X, y))
        S, predicting = clock(lambda model=model: model.predict_proba(ds.test.X))
        hf = hierarchical_f1(ds.test.y, model.decoder_.predict(S), ds.hierarchy)
        seconds = [f"{fitting:.1f}", f"{1e3 * predicting / len(ds.test):.2f}"]
        row(*shown, name, hf, auprc(ds.test.y, S), *seconds, f"{megabytes(model):.2f}")


def start(names):
    """Nothing special: what the default gives, and what else is quick to try."""
    head("Just start", "set", "method", "hF", "AU(PRC)", "fit s", "predict ms per row", "file MB")
    tree = {"one tree (pct)": "pct"}
    usual = {"the default": None, "forest": "forest"}
    compare_fits(load(TOPICS), {"the default": None, "linear": "linear", "fael": "fael"}, [TOPICS])
    compare_fits(load(names[0]), usual | {"linear": "linear"} | tree, ["enron"])
    compare_fits(load(names[1]), usual | tree, ["diatoms"])
    compare_fits(load(names[2]), usual | tree, ["cellcycle_FUN"])


@cache
def forest_scores(ds):
    """Return scores of validation rows with their labels, and scores of test rows, by a forest that saw neither."""
    order = np.random.default_rng(0).permutation(len(ds.train))
    cut = 3 * order.size // 4
    forest = PCTForest(hierarchy=ds.hierarchy, splitter="random", bootstrap=False, max_features=1 / 3, random_state=0)
    forest.fit(ds.train.X[order[:cut]], ds.train.y[order[:cut]])
    return forest.predict_proba(ds.train.X[order[cut:]]), ds.train.y[order[cut:]], forest.predict_proba(ds.test.X)


def decode(ds, decoder):
    """Return the labels of the test rows and the CPU seconds of fitting and predicting, scores given."""
    S_valid, y_valid, S = forest_scores(ds)
    return clock(lambda: decoder.set_params(hierarchy=ds.hierarchy).fit(S_valid, y_valid).predict(S))


def path(names):
    """Every row has one path."""
    head("One path per row", "set", "decoder", "hF", "exact match", "rows with one path")
    ds = load(names[1])
    for name, decoder in {"one threshold": SingleThreshold(), "best path": BestPath()}.items():
        found, _ = decode(ds, decoder)
        deepest = [len(labels) == 1 for labels in ds.hierarchy.decode(found)]
        measured = hierarchical_f1(ds.test.y, found, ds.hierarchy), exact_match(ds.test.y, found)
        row("diatoms", name, *measured, np.mean(deepest))


def leaves(names):
    """Paths must end in leaves."""
    head("Must end in leaves", "set", "decoder", "hF", "loss (7)", "rows that end in leaves")
    decoders = {"one threshold": SingleThreshold(), "MAS": MAS(), "exact": ExactLeafMAP()}
    decoders["best leaves, number learned"] = TopLeaves("metalabeler")
    for name in names[:2]:
        ds = keep_full_paths(load(name))
        for shown, decoder in decoders.items():
            found, _ = decode(ds, decoder)
            ends = has_full_paths(found, ds.hierarchy).mean()
            hf = hierarchical_f1(ds.test.y, found, ds.hierarchy)
            row(name.rpartition("/")[2], shown, hf, symmetric_loss(ds.test.y, found, ds.hierarchy), ends)


def scores(names):
    """Scores are given, labels wanted."""
    head("Have scores only", "set", "decoder", "micro-F1", "HMC-loss", "CPU s")
    decoders = {
        "cut at 0.5": Threshold(0.5),
        "one threshold, micro-F1": SingleThreshold("micro_f1"),
        "one per class, micro-F1": MultiThreshold("micro_f1"),
        "one threshold, HMC-loss": SingleThreshold("hmc_loss"),
        "one per class, HMC-loss": MultiThreshold("hmc_loss"),
    }
    for name in names[2:4]:
        ds = load(name)
        forest_scores(ds)
        for shown, decoder in decoders.items():
            found, seconds = decode(ds, decoder)
            measured = micro_f1(ds.test.y, found), hmc_loss(ds.test.y, found, ds.hierarchy)
            row(name.rpartition("/")[2], shown, *measured, f"{seconds:.2f}")


def few(names):
    """Few rows to learn from."""
    head("Few rows", "set", "rows", "method", "hF", "AU(PRC)", "fit s", "predict ms per row", "file MB")
    for name in names[1:3]:
        ds = load(name)
        order = np.random.default_rng(0).permutation(len(ds.train))
        for n_rows in FEW_ROWS:
            kernel = MultiLabelKernelRidge()
            methods = {"the default": None, "forest": "forest", "kernel ridge": kernel}
            compare_fits(ds, methods, [name.rpartition("/")[2], str(n_rows)], np.sort(order[:n_rows]))


def many(names):
    """Thousands of labels."""
    head("Thousands of labels", "set", "method", "hF", "AU(PRC)", "fit s", "predict ms per row", "file MB")
    words = [] if SMALLEST else [TfidfVectorizer(min_df=2, sublinear_tf=True)]
    sparse = {"learner": make_pipeline(*words, SparseLinear()), "cv": 0.1}
    if SMALLEST or (home() / NOUNS).is_dir():
        compare_fits(load(NOUNS), {"TF-IDF and sparse linear, a tenth held out": sparse}, ["wordnet_nouns"])
    compare_fits(load(names[3]), {"forest": "forest", "the default": None}, ["cellcycle_GO"])


def guarantees(names):
    """What holds for every row, and what is the best that can be had."""
    head("Need guarantees", "set", "what", "without", "with")
    ds = load(names[0])
    flat = make_pipeline(StandardScaler(with_mean=False), LogisticRegression(max_iter=200))
    S = np.zeros(ds.test.y.shape)
    for v in np.flatnonzero(ds.train.y.any(axis=0) & ~ds.train.y.all(axis=0)):
        S[:, v] = flat.fit(ds.train.X, ds.train.y[:, v]).predict_proba(ds.test.X)[:, 1]
    broken = [incoherent_share(s > 0.5, ds.hierarchy) for s in (S, MaxUp(hierarchy=ds.hierarchy).transform(S))]
    row("enron", "rows with a label but not its parent, separate models and `MaxUp`", *broken)
    ds = load(names[2])
    S_valid, y_valid, _ = forest_scores(ds)
    losses = []
    for method in ("greedy", "auto"):
        decoder = MultiThreshold("hmc_loss", method=method, hierarchy=ds.hierarchy).fit(S_valid, y_valid)
        losses.append(hmc_loss(y_valid, decoder.predict(S_valid), ds.hierarchy))
    row(
        "cellcycle_FUN", "HMC-loss of the fitted rows, greedy and exact thresholds", *(f"{loss:.5f}" for loss in losses)
    )


PARTS = {part.__name__: part for part in (path, leaves, scores, guarantees, few, start, many)}


def main():
    global FEW_ROWS, SMALLEST
    parser = make_parser(__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all by default")
    chosen = parser.parse_args()
    SMALLEST = chosen.smallest
    FEW_ROWS = (30,) if SMALLEST else FEW_ROWS
    names = open_sets(SETS, chosen.smallest)
    if len(names) < len(SETS):
        return
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        toy = load("toy")
        for learner in ("forest", SparseLinear()):  # compiles
            HierarchicalClassifier(learner, hierarchy=toy.hierarchy, cv=2).fit(toy.train.X, toy.train.y)
        spent = time.process_time()
        for part in chosen.parts or PARTS:
            PARTS[part](names)
        print(f"\n{time.process_time() - spent:.0f} CPU seconds in all.")


if __name__ == "__main__":
    main()

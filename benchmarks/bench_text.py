"""Texts with thousands of labels: SparseLinear against napkinXC's probabilistic label trees and omikuji's Parabel.

    python -m venv text-venv && text-venv/bin/pip install napkinxc omikuji && text-venv/bin/pip install -e .
    text-venv/bin/python benchmarks/bench_text.py

WordNet's nouns (``text/wordnet_nouns`` of the data folder): the hypernyms of a noun from its words and its gloss, train
and valid against test. All methods get the same TF-IDF matrix of words, and run one after the other, each in a process
of its own with one thread, except where two are named; only the last two rows, the default for texts, make features
themselves, pairs of words included: one model (features and one fit), and all that the classifier does. Seconds are CPU
seconds; compiled code is loaded before. A peer that is not installed is left out; ``--rows`` runs some rows alone.
PSP@5 counts rare labels more; beside it stands that of the same scores divided by the propensities, as
``predict_top(..., propensities=...)`` ranks them.
"""

from __future__ import annotations

import csv
import importlib.util
import lzma
import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from data_folder import home, make_parser
from sklearn.feature_extraction.text import TfidfVectorizer

from truepath import HierarchicalClassifier, Hierarchy
from truepath.classifier import default_learner
from truepath.learners import SparseLinear
from truepath.metrics import auprc, hierarchical_f1, label_propensities, precision_at_k, psp_at_k

WORDNET = "text/wordnet_nouns"
TOP = 50  # labels that peers are asked for; what they do not name scores 0


def open_wordnet(smallest):
    """Return what :func:`read_wordnet` does, of a few made-up texts if ``smallest``; end the script without the set."""
    if smallest:
        return make_up()
    if not (home() / WORDNET).is_dir():
        print(f"not in {home()}, left out: {WORDNET}", file=sys.stderr)
        sys.exit()
    return read_wordnet(home() / WORDNET)


def read_wordnet(folder):
    """Return hierarchy, texts and labels to train on and to test on."""
    with lzma.open(folder / "edges.csv.xz", "rt", encoding="utf-8") as file:
        hierarchy = Hierarchy.from_edges([(row["parent"] or None, row["child"]) for row in csv.DictReader(file)])
    with lzma.open(folder / "rows.csv.xz", "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    parts = []
    for is_test in (False, True):
        own = [row for row in rows if (row["split"] == "test") == is_test]
        texts = [f"{row['words']} {row['gloss']}" for row in own]
        parts += [texts, hierarchy.encode([row["labels"].split(";") for row in own], sparse_output=True)]
    return hierarchy, *parts


def make_up():
    """Return a few made-up texts in the same form."""
    hierarchy = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2"])
    names = ["a/1", "a/2", "b/1", "b/2"] * 20
    texts = [f"word{name[0]} thing{name[2]} common" for name in names]
    Y = hierarchy.encode([[name] for name in names], sparse_output=True)
    return hierarchy, texts, Y, texts, Y


def ours(hierarchy, X, Y, X_test, n_jobs=1, **options):
    """Fit SparseLinear; return the seconds to fit and to score, and the scores."""
    SparseLinear(hierarchy=hierarchy, n_jobs=n_jobs, **options).fit(X[:50], Y[:50]).predict_proba(X_test[:2])
    model, begun = SparseLinear(hierarchy=hierarchy, n_jobs=n_jobs, **options), time.process_time()
    model.fit(X, Y)
    fitted = time.process_time()
    S = model.predict_proba(X_test)
    return fitted - begun, time.process_time() - fitted, S


def one_model(hierarchy, texts, Y, test_texts):
    """Fit the default's learner alone, features included."""
    default_learner(texts).set_params(learner__hierarchy=hierarchy).fit(texts[:60], Y[:60]).predict_proba(texts[:2])
    model, begun = default_learner(texts).set_params(learner__hierarchy=hierarchy), time.process_time()
    model.fit(texts, Y)
    fitted = time.process_time()
    S = model.predict_proba(test_texts)
    return fitted - begun, time.process_time() - fitted, S


def default(hierarchy, texts, Y, test_texts):
    """Fit the classifier as it comes, features and thresholds included."""
    HierarchicalClassifier(hierarchy=hierarchy).fit(texts[:60], Y[:60]).predict_proba(test_texts[:2])
    begun = time.process_time()
    model = HierarchicalClassifier(hierarchy=hierarchy).fit(texts, Y)
    fitted = time.process_time()
    S = model.predict_proba(test_texts)
    scored = time.process_time() - fitted
    return fitted - begun, scored, S, model.predict(test_texts)


def napkinxc(hierarchy, X, Y, X_test):
    """Fit napkinXC's label tree on all labels, ancestors included."""
    from napkinxc.models import PLT

    labels = [Y.indices[Y.indptr[i] : Y.indptr[i + 1]].tolist() for i in range(Y.shape[0])]
    with tempfile.TemporaryDirectory() as folder:
        begun = time.process_time()
        model = PLT(folder, threads=1, seed=0)
        model.fit(X, labels)
        fitted = time.process_time()
        found = model.predict_proba(X_test, top_k=TOP)
        return fitted - begun, time.process_time() - fitted, spread(found, hierarchy.n_nodes)


def omikuji(hierarchy, X, Y, X_test):
    """Fit omikuji's default, three Parabel trees; it reads its training rows from a file."""
    from omikuji import Model

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.txt"
        with path.open("w") as file:
            file.write(f"{X.shape[0]} {X.shape[1]} {Y.shape[1]}\n")
            for i in range(X.shape[0]):
                own = range(X.indptr[i], X.indptr[i + 1])
                cells = " ".join(f"{X.indices[e]}:{X.data[e]:.6g}" for e in own)
                file.write(",".join(map(str, Y.indices[Y.indptr[i] : Y.indptr[i + 1]])) + f" {cells}\n")
        begun = time.process_time()
        model = Model.train_on_data(str(path), n_threads=1)
    fitted = time.process_time()
    rows = [
        list(zip(X_test.indices[a:b].tolist(), X_test.data[a:b].tolist()))
        for a, b in zip(X_test.indptr[:-1], X_test.indptr[1:])
    ]
    found = [model.predict(row, top_k=TOP) for row in rows]
    return fitted - begun, time.process_time() - fitted, spread(found, hierarchy.n_nodes)


def spread(found, n_nodes):
    """Return pairs (label, score) of each row as a matrix."""
    S = np.zeros((len(found), n_nodes), np.float32)
    for i, pairs in enumerate(found):
        for v, score in pairs:
            S[i, v] = score
    return S


def measure(function, data, options):
    """Run a method in this process; return its row of the table."""
    hierarchy, X, Y, X_test, Y_test = data
    fitted, scored, S, *labels = function(hierarchy, X, Y, X_test, **options)
    truth = Y_test.toarray()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    p = label_propensities(Y)
    found = [auprc(truth, S), precision_at_k(truth, S, k=1), precision_at_k(truth, S, k=5)]
    found += [psp_at_k(truth, scores, k=5, propensities=p) for scores in (S, S / p)]
    cells = [f"{fitted:.1f}", f"{scored:.1f}", *(f"{value:.3f}" for value in found), f"{peak:.2f}"]
    return [*cells, f"{hierarchical_f1(truth, labels[0]):.3f}" if labels else ""]


def measure_apart(function, data, options):
    """Run a method in a process of its own; return its row of the table."""
    context = multiprocessing.get_context("fork")
    rows = context.SimpleQueue()
    process = context.Process(target=lambda: rows.put(measure(function, data, options)))
    process.start()
    process.join()
    return ["failed"] if rows.empty() else rows.get()


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--rows", default="", help="run only methods whose name has one of these words, a,b,c")
    asked = parser.parse_args()
    smallest = asked.smallest
    hierarchy, texts, Y, test_texts, Y_test = open_wordnet(smallest)
    words = TfidfVectorizer(min_df=2, sublinear_tf=True, dtype=np.float32)
    matrices = (hierarchy, words.fit_transform(texts), Y, words.transform(test_texts), Y_test)
    methods = [
        ("SparseLinear", ours, matrices, {"train_on": "parents", "loss": "log"}),
        ("SparseLinear, squared hinge", ours, matrices, {"train_on": "parents", "loss": "squared_hinge", "C": 1.0}),
        ("SparseLinear, rare rows weighted", ours, matrices, {"train_on": "parents", "class_weight": "sqrt"}),
        ("SparseLinear, two threads", ours, matrices, {"train_on": "parents", "loss": "log", "n_jobs": 2}),
        ("napkinXC PLT", napkinxc, matrices, {}),
        ("omikuji, three trees", omikuji, matrices, {}),
        ("the default's model, its own features", one_model, (hierarchy, texts, Y, test_texts, Y_test), {}),
        ("HierarchicalClassifier, its own features", default, (hierarchy, texts, Y, test_texts, Y_test), {}),
    ]
    print(f"{len(texts)} rows, {hierarchy.n_nodes} labels, {matrices[1].shape[1]} words")
    print("| method | fit, CPU s | score, CPU s | AU(PRC) | P@1 | P@5 | PSP@5 | by S / p | peak, GB | hF |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, function, data, options in methods:
        if not any(word in name for word in asked.rows.split(",")):
            continue
        if function in (napkinxc, omikuji) and importlib.util.find_spec(function.__name__) is None:
            print(f"not installed, left out: {function.__name__}", file=sys.stderr)
            continue
        print("|", name, "|", " | ".join(measure_apart(function, data, options)), "|", flush=True)


if __name__ == "__main__":
    main()

"""What the product costs beside what it is built on: commands, model files, the work of classifier and experiments.

Run as ``PYTHONPATH=src python benchmarks/bench_product.py``. Every row is a ratio measured in one run, the median of
several rounds in which ours and the yardstick take turns. cellcycle_GO is used for the table of
scores and the report where the benchmark data are there; a made-up hierarchy of the same size otherwise.
"""

from __future__ import annotations

import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from data_folder import home, make_parser
from sklearn.base import clone

from truepath import HierarchicalClassifier, load_dataset
from truepath.classifier import make_preset
from truepath.combiners import MinDown
from truepath.data import make_hmc, write_scores
from truepath.experiments import run_experiment
from truepath.learners import PCTForest, PCTree
from truepath.persistence import load, save
from truepath.report import Evaluated, Run, write_report

ROUNDS = 5


def clock(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def duel(name, ours, yardstick, what, rounds=None):
    """Let the two take turns; print the medians and the median of the ratios."""
    pairs = [(clock(ours), clock(yardstick)) for _ in range(min(rounds or ROUNDS, ROUNDS))]
    mine, theirs = (statistics.median(side) for side in zip(*pairs))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"| {name} | {mine:.3f} | {what} | {theirs:.3f} | {ratio:.2f} |", flush=True)


def run(*arguments):
    """Run a command of this Python, quietly."""
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def large(smallest):
    """Return cellcycle_GO, or data of its size."""
    if smallest:
        return make_hmc(n_samples=60, n_nodes=12, random_state=0)
    if (home() / "hmc" / "cellcycle_GO").is_dir():
        return load_dataset("hmc/cellcycle_GO", home=home())
    return make_hmc(n_samples=3750, n_nodes=4125, random_state=0)


def commands(folder, h, n_rows):
    """`--help`, and labelling a large table of scores."""
    import pandas as pd

    duel("`truepath --help`", lambda: run("-m", "truepath", "--help"), lambda: run("-c", "pass"), "`python -c pass`")
    S = MinDown(hierarchy=h).transform(np.random.default_rng(0).random((n_rows, h.n_nodes)))
    write_scores(folder / "scores.csv", S, h)
    (folder / "h.json").write_text(h.to_json())
    files = (str(folder / "scores.csv"), "-H", str(folder / "h.json"))
    command = ("-m", "truepath", "label", *files, "--threshold", "0.3")
    name = f"`truepath label`, {S.shape[0]:,} x {S.shape[1]:,}, start to end"
    what = "`pandas.read_csv` of the scores"
    duel(name, lambda: run(*command), lambda: pd.read_csv(folder / "scores.csv"), what, 3)


def model_files(folder, topics):
    """Save and load a classifier; return what to say of the sizes."""
    model = make_preset("clus-ens+mts", hierarchy=topics.hierarchy, n_jobs=1).fit(topics.train.X, topics.train.y)
    ours, theirs = folder / "m.tp", folder / "m.pkl"
    duel(
        "save a forest's classifier",
        lambda: save(model, ours),
        lambda: theirs.write_bytes(pickle.dumps(model)),
        "pickle",
    )
    duel("load it", lambda: load(ours), lambda: pickle.loads(theirs.read_bytes()), "pickle")
    return f"Model file {ours.stat().st_size / 1e6:.1f} MB, pickle {theirs.stat().st_size / 1e6:.1f} MB"


def classifier(topics):
    """The classifier's own work beside the fits it makes."""
    forest = PCTForest(hierarchy=topics.hierarchy, n_estimators=20, random_state=0)
    honest = HierarchicalClassifier(forest, hierarchy=topics.hierarchy, cv=4)
    X, Y = topics.train.X, topics.train.y

    def five_fits():
        rows = np.arange(X.shape[0])
        for k in range(4):
            clone(forest).fit(X[rows % 4 != k], Y[rows % 4 != k])
        clone(forest).fit(X, Y)

    duel("`HierarchicalClassifier.fit`, 4 folds", lambda: honest.fit(X, Y), five_fits, "the five fits alone")


def experiments(n_sets=20):
    """The experiments' own work beside very small fits."""
    made = {f"made {k}": make_hmc(100, n_nodes=10, random_state=k) for k in range(n_sets)}
    plan = {"datasets": made, "methods": {"tree": PCTree(), "stump": PCTree(max_depth=1)}, "measures": ["micro_f1"]}

    def plain_loop():
        for data in made.values():
            for depth in (None, 1):
                PCTree(hierarchy=data.hierarchy, max_depth=depth).fit(data.train.X, data.train.y).predict(data.test.X)

    def experiment():
        with tempfile.TemporaryDirectory() as place:
            run_experiment(plan, place)

    duel(f"`run_experiment`, {2 * n_sets} runs of milliseconds", experiment, plain_loop, "the fits in a loop")


def reports(folder, ds):
    """A report on many labels; return what to say of its size."""
    h, page = ds.hierarchy, folder / "report.html"
    forest = PCTForest(hierarchy=h, n_estimators=5, random_state=0).fit(ds.train.X, ds.train.y)
    S = forest.predict_proba(ds.test.X)
    found = Evaluated("forest", S > 0.3, S, 0.3)
    name = f"report, {S.shape[0]:,} rows x {h.n_nodes:,} labels"
    duel(
        name,
        lambda: write_report(page, Run(h, ds.test.y, found)),
        lambda: np.sort(S, axis=None),
        "`np.sort` of its scores",
        3,
    )
    return f"report {page.stat().st_size / 1e3:.0f} kB"


def main():
    global ROUNDS
    smallest = make_parser(__doc__).parse_args().smallest
    ROUNDS = 1 if smallest else ROUNDS
    print("| what | ours, s | beside | s | ratio |\n|---|---|---|---|---|")
    ds = large(smallest)
    topics = ds if smallest else load_dataset("pypi-topics")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        commands(folder, ds.hierarchy, 20 if smallest else 1278)
        sizes = model_files(folder, topics)
        classifier(topics)
        experiments(2 if smallest else 20)
        print(f"\n{sizes}; {reports(folder, ds)}.")


if __name__ == "__main__":
    main()

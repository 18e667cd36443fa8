"""What the product costs beside what it stands on: commands, model files, the work of classifier and experiments.

Run as ``PYTHONPATH=src python benchmarks/bench_product.py``. Every row is a ratio measured in one run, the median of
several rounds in which ours and the yardstick take turns. ``../shared/data`` (cellcycle_GO) is used for the table of
scores and the report where it is there; a made-up hierarchy of the same size otherwise.
"""

from __future__ import annotations

import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.base import clone

from truepath import HierarchicalClassifier, load_dataset
from truepath.classifier import make_preset
from truepath.combiners import MinDown
from truepath.data import make_hmc, write_scores
from truepath.experiments import run_experiment
from truepath.learners import PCTForest, PCTree
from truepath.persistence import load, save
from truepath.report import Evaluated, write_report

HOME = Path(os.environ.get("TRUEPATH_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
ROUNDS = 5


def clock(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def duel(name, ours, yardstick, what, rounds=ROUNDS):
    """Let the two take turns; print the medians and the median of the ratios."""
    pairs = [(clock(ours), clock(yardstick)) for _ in range(rounds)]
    mine, theirs = (statistics.median(side) for side in zip(*pairs))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"| {name} | {mine:.3f} | {what} | {theirs:.3f} | {ratio:.2f} |", flush=True)


def run(*arguments):
    """Run a command of this Python, quietly."""
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def large():
    """Return cellcycle_GO, or data of its size."""
    if (HOME / "hmc" / "cellcycle_GO").is_dir():
        return load_dataset("cellcycle_GO", home=HOME)
    return make_hmc(n_samples=3750, n_nodes=4125, random_state=0)


def main():
    import pandas as pd

    print("| what | ours, s | beside | s | ratio |\n|---|---|---|---|---|")
    duel("`truepath --help`", lambda: run("-m", "truepath", "--help"), lambda: run("-c", "pass"), "`python -c pass`")
    folder = Path(tempfile.mkdtemp())
    ds = large()
    h = ds.hierarchy
    S = MinDown(hierarchy=h).transform(np.random.default_rng(0).random((1278, h.n_nodes)))
    write_scores(folder / "scores.csv", S, h)
    (folder / "h.json").write_text(h.to_json())
    command = (
        "-m",
        "truepath",
        "label",
        str(folder / "scores.csv"),
        "-H",
        str(folder / "h.json"),
        "--threshold",
        "0.3",
    )
    size = f"{S.shape[0]:,} x {S.shape[1]:,}"
    duel(f"`truepath label`, {size}, start to end", lambda: run(*command), lambda: pd.read_csv(folder / "scores.csv"),
         "`pandas.read_csv` of the scores", 3)  # fmt: skip

    topics = load_dataset("pypi-topics")
    model = make_preset("clus-ens+mts", topics.hierarchy, n_jobs=1).fit(topics.train.X, topics.train.Y)
    duel("save a forest's classifier", lambda: save(model, folder / "m.tp"),
         lambda: (folder / "m.pkl").write_bytes(pickle.dumps(model)), "pickle")  # fmt: skip
    duel("load it", lambda: load(folder / "m.tp"), lambda: pickle.loads((folder / "m.pkl").read_bytes()), "pickle")
    sizes = [(folder / name).stat().st_size / 1e6 for name in ("m.tp", "m.pkl")]

    forest = PCTForest(topics.hierarchy, n_estimators=20, random_state=0)
    honest = HierarchicalClassifier(forest, hierarchy=topics.hierarchy, validation=4)

    def five_fits():
        rows = np.arange(topics.train.X.shape[0])
        for k in range(4):
            clone(forest).fit(topics.train.X[rows % 4 != k], topics.train.Y[rows % 4 != k])
        clone(forest).fit(topics.train.X, topics.train.Y)

    duel("`HierarchicalClassifier.fit`, 4 folds", lambda: honest.fit(topics.train.X, topics.train.Y), five_fits,
         "the five fits alone")  # fmt: skip

    made = {f"made {k}": make_hmc(100, n_nodes=10, random_state=k) for k in range(20)}
    plan = {"datasets": made, "methods": {"tree": PCTree(), "stump": PCTree(max_depth=1)}, "measures": ["micro_f1"]}

    def plain_loop():
        for data in made.values():
            for depth in (None, 1):
                tree = PCTree(data.hierarchy, max_depth=depth).fit(data.train.X, data.train.Y)
                tree.predict(data.test.X)

    def experiment():
        with tempfile.TemporaryDirectory() as place:
            run_experiment(plan, place)

    duel("`run_experiment`, 40 runs of milliseconds", experiment, plain_loop, "the fits in a loop")

    grown = PCTForest(h, n_estimators=5, random_state=0).fit(ds.train.X, ds.train.Y)
    scores = grown.predict_proba(ds.test.X)
    found = Evaluated("forest", scores > 0.3, scores, 0.3)
    page = folder / "report.html"
    duel(f"report, {scores.shape[0]:,} rows x {h.n_nodes:,} labels",
         lambda: write_report(page, h, ds.test.Y, found), lambda: np.sort(scores, axis=None),
         "`np.sort` of its scores", 3)  # fmt: skip
    print(f"\nModel file {sizes[0]:.1f} MB, pickle {sizes[1]:.1f} MB; report {page.stat().st_size / 1e3:.0f} kB.")


if __name__ == "__main__":
    main()

"""How long a round of boosting takes, beside one scikit-learn stump per class on the same weights, in one process.

Run ``python benchmarks/bench_boosting.py`` with the benchmark data in ``$TRUEPATH_DATA`` or ``../shared/data``; prints
Markdown tables. One thread throughout; seconds are the processor's, so that other work on the machine does not count. A
round of ours is all of it: stumps, votes, r_t, alpha_t, new weights and the training loss; the median of five runs of
eight rounds.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from statistics import median
from time import perf_counter, process_time

import numpy as np
from data_folder import make_parser, open_sets
from sklearn.tree import DecisionTreeClassifier

from truepath import load_dataset
from truepath.learners import HAdaBoostMH
from truepath.learners.boosting.rounds import boost, start_weights
from truepath.learners.boosting.stumps import TreeLearner

ROUNDS = 8


def seconds_of(function, repeats: int) -> float:
    """Median seconds of a call, the first (which may compile) left out."""
    function()
    times = []
    for _ in range(repeats):
        start = process_time()
        function()
        times.append(process_time() - start)
    return median(times)


def stump_per_class(X, y, w, classes) -> float:
    """Seconds for scikit-learn's stumps of some classes, and as many of all as there are."""
    start = process_time()
    for j in classes:
        DecisionTreeClassifier(max_depth=1).fit(X, y[:, j], sample_weight=w[:, j])
    return (process_time() - start) * w.shape[1] / len(classes)


def bench(name: str, repeats: int) -> None:
    ds = load_dataset(name)
    X, y, h = ds.train.X, np.where(ds.train.y, 1, -1).astype(np.int8), ds.hierarchy
    start = start_weights(len(X), h.costs, None)
    X32 = X.astype(np.float32)  # what scikit-learn would convert to, done beforehand
    classes = np.linspace(0, h.n_nodes - 1, 24).astype(int)  # every class takes about as long
    theirs = median(stump_per_class(X32, y, start, classes) for _ in range(min(3, repeats)))
    for label, options in {
        "a stump per class, edge (default)": {"shared": False, "votes": "discrete", "criterion": "edge"},
        "one shared stump, edge": {"shared": True, "votes": "discrete", "criterion": "edge"},
        "a stump per class, gini": {"shared": False, "votes": "discrete", "criterion": "gini"},
        "a stump per class, real votes": {"shared": False, "votes": "real", "criterion": "z"},
    }.items():
        weak = TreeLearner(X, y, **options)
        setting = {"learning_rate": 1.0, "real": options["votes"] == "real", "clip": False, "enforce": True}

        def eight_rounds(weak=weak, setting=setting):
            boost(weak, y, start.copy(), h, n_rounds=ROUNDS, **setting)

        ours = seconds_of(eight_rounds, repeats) / ROUNDS
        size = f"{len(X):,} x {X.shape[1]}, {h.n_nodes} nodes"
        print(
            f"| {name} ({size}) | {label} | {ours * 1e3:.1f} | {theirs * 1e3:,.0f} | {theirs / ours:.0f} |", flush=True
        )


def long_run(name: str, rounds: int, depth: int) -> None:
    ds = load_dataset(name)
    HAdaBoostMH(hierarchy=ds.hierarchy, n_estimators=1).fit(ds.train.X[:50], ds.train.y[:50])  # compile
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start, cpu = perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_utime
    learner = HAdaBoostMH(hierarchy=ds.hierarchy, n_estimators=rounds, max_depth=depth).fit(ds.train.X, ds.train.y)
    fit, cpu = perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_utime - cpu
    start = perf_counter()
    learner.predict_proba(ds.test.X)
    predict = perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    run = f"{name}, {learner.n_estimators_} rounds, depth {depth}"
    print(f"| {run} | {fit:.1f} | {cpu:.1f} | {predict:.2f} | {peak:.0f} | {before:.0f} |")


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--long-run", nargs=3, metavar=("NAME", "ROUNDS", "DEPTH"), help="one row of the second table")
    options = parser.parse_args()
    if options.long_run:
        name, rounds, depth = options.long_run
        long_run(name, int(rounds), int(depth))
        return
    sets = open_sets(["hmc/imclef07a"] if options.smallest else ["hmc/imclef07a", "hmc/diatoms"], options.smallest)
    print("| data | ours | ms per round | scikit-learn, a stump per class, ms | ratio |\n|---|---|---|---|---|")
    for name in sets:
        bench(name, repeats=1 if options.smallest else 5)
    print("\n| run | fit s | of which CPU s | predict test rows, s | peak memory MB | before fit MB |")
    print("|---|---|---|---|---|---|", flush=True)
    rounds, depths = ("3", "1") if options.smallest else ("600", "12")
    for depth in depths if "hmc/imclef07a" in sets else ():  # each in a process of its own, for its memory
        subprocess.run([sys.executable, __file__, "--long-run", "hmc/imclef07a", rounds, depth], check=True)


if __name__ == "__main__":
    main()

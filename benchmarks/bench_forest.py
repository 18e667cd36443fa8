"""How fast are the forests, and how small: against scikit-learn's forest on the same criterion, one thread.

Run from the repository's root: ``python benchmarks/bench_forest.py [speed|extra|threads|memory|size|start|scaling]``.
The data are looked for in ``$TRUEPATH_DATA``, else in ``../shared/data`` (``scaling`` needs none). Prints Markdown
tables; the ratios of a row belong to one run: both forests are grown in turn, in the same process, several times, and
medians are compared.

Settings: 50 trees, bootstrap, sqrt(d) features, minimal leaf weight 5; scikit-learn's RandomForestRegressor gets
Y * sqrt(w), min_weight_fraction_leaf = 5 / n and the same X, missing values included. It is grown with fewer trees
where 50 take minutes (column "trees"), and its time is scaled to 50. Compile time is excluded; see ``start``.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from data_folder import make_parser, open_sets
from scipy import sparse
from sklearn.impute import SimpleImputer

SETS = {"imclef07a": 10, "cellcycle_FUN": 10, "seq_FUN": 10, "diatoms": 10, "cellcycle_GO": 3}
EXTRA = ("hmc/cellcycle_FUN", "hmc/expr_FUN", "hmc/seq_FUN")
N_TREES = 50


def load(name):
    """Return features, labels, hierarchy and nominal columns of train and valid together."""
    from truepath import load_dataset

    ds = load_dataset(f"hmc/{name}")
    ds = ds.merge("train", "valid", into="train") if "valid" in ds else ds
    X = ds.train.X.toarray() if sparse.issparse(ds.train.X) else np.asarray(ds.train.X)
    return X, sparse.csr_array(ds.train.y), ds.hierarchy, list(ds.categories)


def ours(data, n_estimators=N_TREES, n_jobs=1, **options):
    """Grow our forest."""
    from truepath.learners import PCTForest

    X, Y, hierarchy, nominal = data
    forest = PCTForest(
        hierarchy=hierarchy,
        n_estimators=n_estimators,
        categorical_features=nominal,
        random_state=0,
        n_jobs=n_jobs,
        **options,
    )
    return forest.fit(X, Y)


def theirs(data, n_estimators, kind="RandomForestRegressor", max_features="sqrt"):
    """Grow scikit-learn's, from the dense targets it needs."""
    import sklearn.ensemble

    from truepath.learners import class_weights

    X, Y, hierarchy, _ = data
    targets = Y.toarray() * np.sqrt(class_weights(hierarchy))
    settings = {"min_weight_fraction_leaf": 5 / len(X), "max_features": max_features, "random_state": 0, "n_jobs": 1}
    return getattr(sklearn.ensemble, kind)(n_estimators, **settings).fit(X, targets)


def seconds(function, *arguments, **options):
    """Return wall and processor seconds of one call."""
    start, cpu = time.perf_counter(), time.process_time()
    function(*arguments, **options)
    return time.perf_counter() - start, time.process_time() - cpu


def bench_speed(sets, n_trees, repeats=3):
    print("| data set | trees of scikit-learn | its time for 50 | PCTForest, 50 trees | ratio | ratio of CPU time |")
    print("|---|---|---|---|---|---|")
    for name in sets:
        n_theirs = min(SETS[name], n_trees)
        data = load(name)
        ours(data, 2)  # compiles
        runs = np.array([[*seconds(theirs, data, n_theirs), *seconds(ours, data, n_trees)] for _ in range(repeats)])
        runs[:, :2] *= n_trees / n_theirs
        wall, _, own_wall, _ = np.median(runs, axis=0)
        ratio, cpu_ratio = np.median(runs[:, 0] / runs[:, 2]), np.median(runs[:, 1] / runs[:, 3])
        print(
            f"| {name} | {n_theirs} | {wall:.2f} s | {own_wall:.2f} s | {ratio:.1f}x | {cpu_ratio:.1f}x |", flush=True
        )


def bench_extra(sets, n_trees, repeats=3):
    """Report processor time: all rows, one random cut each of a third of the features."""
    print("| data set | missing | scikit-learn per tree | PCTForest per tree | ratio | learned | surrogates | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    names = sets if repeats == 1 else [name.removeprefix("hmc/") for name in open_sets(EXTRA, smallest=False)]
    random = {"splitter": "random", "bootstrap": False, "max_features": 1 / 3}
    for name in names:
        X, Y, hierarchy, _ = load(name)
        raw = X, Y, hierarchy, []
        filled = SimpleImputer().fit_transform(X), Y, hierarchy, []
        ours(raw, 1, **random)
        runs = [
            [
                seconds(theirs, filled, 2, "ExtraTreesRegressor", 1 / 3)[1] / 2,
                seconds(ours, filled, n_trees, **random)[1] / n_trees,
                seconds(ours, raw, n_trees, missing="learned", **random)[1] / n_trees,
                seconds(ours, raw, n_trees, **random)[1] / n_trees,
            ]
            for _ in range(repeats)
        ]
        t, o, learned, surrogate = np.median(runs, axis=0) * 1e3
        there = f"| {name} | {np.isnan(X).mean():.1%} | {t:.0f} ms | {o:.1f} ms | {t / o:.1f}x |"
        print(f"{there} {learned:.1f} ms | {surrogate:.1f} ms | {surrogate / learned:.2f}x |", flush=True)


def bench_threads(sets, n_trees, repeats=20):
    """Report the fastest runs of each: other work on the machine takes the second core most of the time."""
    print("| data set | one thread | two threads | ratio |\n|---|---|---|---|")
    for name in sets:
        data = load(name)
        ours(data, 2)
        runs = [[seconds(ours, data, n_trees, n_jobs)[0] for n_jobs in (1, 2)] for _ in range(repeats)]
        one, two = np.min(runs, axis=0)
        print(f"| {name} | {one:.2f} s | {two:.2f} s | {one / two:.2f}x |", flush=True)


def peak_mb():
    """The most memory this process ever held, in MB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_memory(name, who, n_trees):
    """Print by how much growing raises the peak: data loaded, libraries and kernels warm."""
    data = load(name)
    X, Y, hierarchy, nominal = data
    few = (X[:60], Y[:60], hierarchy, nominal)
    grow = ours if who == "ours" else lambda part, n: theirs(part, n)
    grow(few, 1)
    before = peak_mb()
    kept = grow(data, int(n_trees))
    print(peak_mb() - before, len(kept.estimators_) if who == "theirs" else len(kept.trees_))


def bench_memory(sets, n_trees, repeats=1):
    print("| data set | scikit-learn | PCTForest | share |\n|---|---|---|---|")
    for name in sets:
        found = {}
        for who in ("theirs", "ours"):
            command = [sys.executable, __file__, "memory-of", name, who, str(n_trees)]
            out = subprocess.run(command, capture_output=True, text=True, check=True)
            found[who] = float(out.stdout.split()[-2])
        print(f"| {name} | {found['theirs']:.0f} MB | {found['ours']:.1f} MB | {share(**found)} |", flush=True)


def share(theirs, ours):
    """Say ours as a share of theirs; a forest that fits in memory already held does not raise the peak at all."""
    return f"1/{theirs / ours:.0f}" if ours > 0 else "no rise"


def bench_size(sets, n_trees, repeats=1):
    print(f"| data set | {n_trees} trees, pickled |\n|---|---|")
    for name in sets:
        print(f"| {name} | {len(pickle.dumps(ours(load(name), n_trees))) / 1e6:.1f} MB |", flush=True)


START_SET = "cellcycle_FUN"
START = """
import time, sys, pathlib
sys.path.insert(0, {folder!r})
import bench_forest, truepath.learners
data = bench_forest.load({name!r})
start, cpu = time.perf_counter(), time.process_time()
bench_forest.ours(data, {n_trees})
print(time.perf_counter() - start, time.process_time() - cpu)
"""


def bench_start(sets, n_trees, repeats=5):
    if START_SET not in sets:
        return
    print(f"| first fit of a process, {START_SET}, {n_trees} trees | wall | CPU |\n|---|---|---|")
    code = START.format(folder=str(Path(__file__).parent), name=START_SET, n_trees=n_trees)
    if repeats > 1:
        with tempfile.TemporaryDirectory() as folder:
            print_start(code, "nothing compiled yet", 1, {**os.environ, "NUMBA_CACHE_DIR": folder})
            print_start(
                code, f"kernels in the cache, best of {repeats}", repeats, {**os.environ, "NUMBA_CACHE_DIR": folder}
            )
    else:  # the smallest form compiles nothing twice
        print_start(code, "kernels in the cache", 1, dict(os.environ))


def print_start(code, what, repeats, environment):
    """Print the best of several processes."""
    runs = []
    for _ in range(repeats):
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
        runs.append([float(word) for word in out.stdout.split()[-2:]])
    wall, cpu = np.min(runs, axis=0)
    print(f"| {what} | {wall:.2f} s | {cpu:.2f} s |", flush=True)


def made_up(n_rows, n_classes, per_row, n_features=30, seed=0):
    """Rows with random labels of a random tree; the first features depend on the top classes."""
    from truepath import Hierarchy

    rng = np.random.default_rng(seed)
    hierarchy = Hierarchy.from_parents([-1 if v < 10 else int(rng.integers(0, v)) for v in range(n_classes)])
    rows = np.repeat(np.arange(n_rows), per_row)
    drawn = sparse.csr_array(
        (np.ones(rows.size, bool), (rows, rng.integers(0, n_classes, rows.size))), shape=(n_rows, n_classes)
    )
    Y = hierarchy.close(drawn.astype(bool))
    X = rng.random((n_rows, n_features), dtype=np.float32)
    for j in range(10):
        X[:, j] += np.asarray(Y[:, [j]].todense())[:, 0]
    return X, Y, hierarchy, []


def bench_scaling(sets, n_trees, repeats=2):
    cases = [(5_000, 1_000, 2), (20_000, 1_000, 2), (100_000, 1_000, 2)]
    cases += [(20_000, 1_000, 1), (20_000, 1_000, 4), (20_000, 1_000, 8), (20_000, 100, 2), (20_000, 10_000, 2)]
    cases = cases if repeats > 1 else [(300, 20, 2)]
    print("| rows | classes | labels per row, closed | one tree | per row and label |\n|---|---|---|---|---|")
    ours(made_up(200, 20, 2), 1)
    for n_rows, n_classes, per_row in cases:
        data = made_up(n_rows, n_classes, per_row)
        took = min(seconds(ours, data, 2)[1] for _ in range(repeats)) / 2
        labels = data[1].nnz / n_rows
        print(
            f"| {n_rows:,} | {n_classes:,} | {labels:.1f} | {took:.2f} s | {took / data[1].nnz * 1e6:.2f} us |",
            flush=True,
        )


def main():
    if sys.argv[1:2] == ["memory-of"]:
        measure_memory(*sys.argv[2:])
        return
    benches = {
        "speed": bench_speed,
        "extra": bench_extra,
        "threads": bench_threads,
        "memory": bench_memory,
        "size": bench_size,
        "start": bench_start,
        "scaling": bench_scaling,
    }
    parser = make_parser(__doc__)
    parser.add_argument("what", nargs="?", choices=[*benches, "all"], default="all")
    asked = parser.parse_args()
    names = [f"hmc/{name}" for name in ([START_SET] if asked.smallest else SETS)]
    sets = [name.removeprefix("hmc/") for name in open_sets(names, asked.smallest)]
    size = {"n_trees": 2, "repeats": 1} if asked.smallest else {"n_trees": N_TREES}
    for what, bench in benches.items():
        if asked.what in (what, "all"):
            print(f"\n### {what}\n", flush=True)
            bench(sets, **size)


if __name__ == "__main__":
    main()

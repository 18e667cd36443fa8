"""How fast are the forests, and how small: against scikit-learn's forest on the same criterion, one thread.

Run from the repository's root: ``python benchmarks/bench_forest.py [speed|threads|memory|size|start|scaling]``. Needs
the benchmark data in ``../shared/data`` (``scaling`` does not). Prints Markdown tables; the ratios of a row belong to
one run: both forests are grown in turn, in the same process, several times, and medians are compared.

Settings: 50 trees, bootstrap, sqrt(d) features, minimal leaf weight 5; scikit-learn's RandomForestRegressor gets
Y * sqrt(w), min_weight_fraction_leaf = 5 / n and the same X, missing values included. It is grown with fewer trees
where 50 take minutes (column "trees"), and its time is scaled to 50. Compile time is excluded; see ``start``.
"""

from __future__ import annotations

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = {"imclef07a": 10, "cellcycle_FUN": 10, "seq_FUN": 10, "diatoms": 10, "cellcycle_GO": 3}
N_TREES = 50


def load(name):
    """Return features, labels, hierarchy and nominal columns of train and valid together."""
    from truepath import load_dataset

    ds = load_dataset(name, home=DATA)
    ds = ds.merge("train", "valid", into="train") if "valid" in ds else ds
    X = ds.train.X.toarray() if sparse.issparse(ds.train.X) else np.asarray(ds.train.X)
    return X, sparse.csr_array(ds.train.y), ds.hierarchy, list(ds.categories)


def ours(data, n_estimators=N_TREES, n_jobs=1):
    """Grow our forest."""
    from truepath.learners import PCTForest

    X, Y, hierarchy, nominal = data
    forest = PCTForest(
        hierarchy=hierarchy, n_estimators=n_estimators, categorical_features=nominal, random_state=0, n_jobs=n_jobs
    )
    return forest.fit(X, Y)


def theirs(data, n_estimators):
    """Grow scikit-learn's, from the dense targets it needs."""
    from sklearn.ensemble import RandomForestRegressor

    from truepath.learners import class_weights

    X, Y, hierarchy, _ = data
    targets = Y.toarray() * np.sqrt(class_weights(hierarchy))
    return RandomForestRegressor(
        n_estimators, max_features="sqrt", min_weight_fraction_leaf=5 / len(X), random_state=0, n_jobs=1
    ).fit(X, targets)


def seconds(function, *arguments):
    """Return wall and processor seconds of one call."""
    start, cpu = time.perf_counter(), time.process_time()
    function(*arguments)
    return time.perf_counter() - start, time.process_time() - cpu


def bench_speed(repeats=3):
    print("| data set | trees of scikit-learn | its time for 50 | PCTForest, 50 trees | ratio | ratio of CPU time |")
    print("|---|---|---|---|---|---|")
    for name, n_theirs in SETS.items():
        data = load(name)
        ours(data, 2)  # compiles
        runs = np.array([[*seconds(theirs, data, n_theirs), *seconds(ours, data)] for _ in range(repeats)])
        runs[:, :2] *= N_TREES / n_theirs
        wall, _, own_wall, _ = np.median(runs, axis=0)
        ratio, cpu_ratio = np.median(runs[:, 0] / runs[:, 2]), np.median(runs[:, 1] / runs[:, 3])
        print(
            f"| {name} | {n_theirs} | {wall:.2f} s | {own_wall:.2f} s | {ratio:.1f}x | {cpu_ratio:.1f}x |", flush=True
        )


def bench_threads(repeats=20):
    """Report the fastest runs of each: other work on the machine takes the second core most of the time."""
    print("| data set | one thread | two threads | ratio |\n|---|---|---|---|")
    for name in SETS:
        data = load(name)
        ours(data, 2)
        runs = [[seconds(ours, data, N_TREES, n_jobs)[0] for n_jobs in (1, 2)] for _ in range(repeats)]
        one, two = np.min(runs, axis=0)
        print(f"| {name} | {one:.2f} s | {two:.2f} s | {one / two:.2f}x |", flush=True)


def peak_mb():
    """The most memory this process ever held, in MB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_memory(name, who):
    """Print by how much growing raises the peak: data loaded, libraries and kernels warm."""
    data = load(name)
    X, Y, hierarchy, nominal = data
    few = (X[:60], Y[:60], hierarchy, nominal)
    grow = ours if who == "ours" else lambda part, n: theirs(part, n)
    grow(few, 1)
    before = peak_mb()
    kept = grow(data, N_TREES)
    print(peak_mb() - before, len(kept.estimators_) if who == "theirs" else len(kept.trees_))


def bench_memory():
    print("| data set | scikit-learn | PCTForest | share |\n|---|---|---|---|")
    for name in SETS:
        found = {}
        for who in ("theirs", "ours"):
            out = subprocess.run(
                [sys.executable, __file__, "memory-of", name, who], capture_output=True, text=True, check=True
            )
            found[who] = float(out.stdout.split()[-2])
        print(
            f"| {name} | {found['theirs']:.0f} MB | {found['ours']:.1f} MB | 1/{found['theirs'] / found['ours']:.0f} |",
            flush=True,
        )


def bench_size():
    print("| data set | 50 trees, pickled |\n|---|---|")
    for name in SETS:
        print(f"| {name} | {len(pickle.dumps(ours(load(name)))) / 1e6:.1f} MB |", flush=True)


START = """
import time, sys, pathlib
sys.path.insert(0, {folder!r})
import bench_forest, truepath.learners
data = bench_forest.load("cellcycle_FUN")
start, cpu = time.perf_counter(), time.process_time()
bench_forest.ours(data)
print(time.perf_counter() - start, time.process_time() - cpu)
"""


def bench_start():
    print("| first fit of a process, cellcycle_FUN, 50 trees | wall | CPU |\n|---|---|---|")
    code = START.format(folder=str(Path(__file__).parent))
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        for what, repeats in (("nothing compiled yet", 1), ("kernels in the cache, best of 5", 5)):
            runs = []
            for _ in range(repeats):
                command = [sys.executable, "-c", code]
                out = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
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


def bench_scaling():
    cases = [(5_000, 1_000, 2), (20_000, 1_000, 2), (100_000, 1_000, 2)]
    cases += [(20_000, 1_000, 1), (20_000, 1_000, 4), (20_000, 1_000, 8), (20_000, 100, 2), (20_000, 10_000, 2)]
    print("| rows | classes | labels per row, closed | one tree | per row and label |\n|---|---|---|---|---|")
    ours(made_up(200, 20, 2), 1)
    for n_rows, n_classes, per_row in cases:
        data = made_up(n_rows, n_classes, per_row)
        took = min(seconds(ours, data, 2)[1] for _ in range(2)) / 2
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
        "threads": bench_threads,
        "memory": bench_memory,
        "size": bench_size,
        "start": bench_start,
        "scaling": bench_scaling,
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="?", choices=[*benches, "all"], default="all")
    asked = parser.parse_args()
    for what, bench in benches.items():
        if asked.what in (what, "all"):
            print(f"\n### {what}\n")
            bench()


if __name__ == "__main__":
    main()

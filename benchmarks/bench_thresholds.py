"""Time threshold decoders against ``np.sort`` of the same score matrix, in one thread.

Run as ``PYTHONPATH=src OMP_NUM_THREADS=1 python benchmarks/bench_thresholds.py``; prints Markdown. Scores come from a
forest of 50 trees trained on train and applied to valid (kept in the temporary folder), and from the published
ImCLEF07A scores.
Every timing is a whole ``fit``, checks of its arguments included. Ratios are medians of interleaved runs.
"""

from __future__ import annotations

import lzma
import sys
import tracemalloc
from pathlib import Path
from tempfile import gettempdir
from time import perf_counter

import numpy as np
from data_folder import home, make_parser, open_sets

from truepath import Hierarchy, load_dataset
from truepath.decoders import MultiThreshold, SingleThreshold

CACHE = Path(gettempdir()) / "truepath-benchmarks"
PUBLISHED = "reference/labelling_imclef07a/val.pred.arff.xz"

# name, limit on trees, limit on GO, column of the paper's Table 6 (seconds on cellcycle_GO, seq_FUN, imclef07a)
CASES = [
    ("STS micro-F1", lambda h: SingleThreshold("micro_f1", hierarchy=h), 2, 2, (65620.1, 30.4, 15.0)),
    ("STS H-loss", lambda h: SingleThreshold("h_loss", hierarchy=h), 2, 2, (18413.5, 15.9, 9.7)),
    ("STS HMC-loss", lambda h: SingleThreshold("hmc_loss", hierarchy=h), None, None, (21105.3, 102.3, 8.1)),
    (
        "STS class distribution",
        lambda h: SingleThreshold("class_distribution", hierarchy=h),
        None,
        None,
        (17274.3, 14.2, 5.9),
    ),
    (
        "STS label cardinality",
        lambda h: SingleThreshold("label_cardinality", hierarchy=h),
        None,
        None,
        (12712.1, 9.3, 3.1),
    ),
    (
        "MTS Algorithm 3 (H-loss)",
        lambda h: MultiThreshold("h_loss", "greedy", hierarchy=h),
        2,
        2,
        (90945.5, 105.3, 64.3),
    ),
    ("MTS Algorithm 4 (HMC-loss)", lambda h: MultiThreshold("hmc_loss", "greedy", hierarchy=h), 4, 8, (10.0, 0.2, 1.5)),
    ("MTS Algorithm 5 (micro-F1)", lambda h: MultiThreshold("micro_f1", "greedy", hierarchy=h), 2, 2, (15.8, 5.2, 4.4)),
    (
        "MTS class distribution",
        lambda h: MultiThreshold("class_distribution", hierarchy=h),
        2,
        2,
        (0.467, 0.059, 0.056),
    ),
    ("MTS optimal HMC-loss", lambda h: MultiThreshold("hmc_loss", "optimal", hierarchy=h), 3, 40, None),
    ("MTS optimal micro-F1", lambda h: MultiThreshold("micro_f1", "optimal", hierarchy=h), 15, None, None),
    (
        "MTS optimal H-loss",
        lambda h: MultiThreshold("h_loss", "optimal", hierarchy=h) if h.is_tree else None,
        None,
        None,
        None,
    ),
]


def forest_scores(name, smallest):
    """Return (S, Y, hierarchy) of the valid part, from the cache if it is there."""
    data = load_dataset(f"hmc/{name}")
    path = CACHE / f"{name}{'-smallest' if smallest else ''}.npy"
    if smallest or not path.exists():
        from sklearn.ensemble import RandomForestRegressor

        X, X_valid = (np.asarray(part.X, np.float64) for part in (data.train, data.valid))
        X, X_valid = (np.where(np.isnan(M), np.nanmean(X, axis=0), M) for M in (X, X_valid))
        forest = RandomForestRegressor(50, min_samples_leaf=5, max_features="sqrt", random_state=0, n_jobs=2)
        CACHE.mkdir(exist_ok=True)
        np.save(path, forest.fit(X, data.train.y.astype(np.float32)).predict(X_valid))
    return np.load(path), data.valid.y, data.hierarchy


def published_scores():
    """Return (S, Y, hierarchy) of the published ImCLEF07A validation scores."""
    with lzma.open(home() / PUBLISHED, "rt") as file:
        lines = [line.strip() for line in file if line.strip()]
    names = [line.split()[1] for line in lines if line.lower().startswith("@attribute")]
    start = next(k for k, line in enumerate(lines) if line.lower().startswith("@data")) + 1
    rows = [line.split(",") for line in lines[start:]]
    truth = [k for k, name in enumerate(names) if name.startswith("class-a-")]
    score = [k for k, name in enumerate(names) if name.startswith("Original-p-")]
    hierarchy = Hierarchy.from_paths([names[k].removeprefix("class-a-") for k in truth])
    Y = np.array([[float(row[k]) > 0 for k in truth] for row in rows])
    return np.array([[float(row[k]) for k in score] for row in rows]), Y, hierarchy


def timed(call):
    start = perf_counter()
    call()
    return perf_counter() - start


def ratio(call, sort, repeats):
    """Return the median of ratios of neighbouring runs, the seconds, and the peak of memory in bytes."""
    call()
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    pairs = [((timed(sort) + timed(sort)) / 2, timed(call)) for _ in range(repeats)]
    return np.median([b / a for a, b in pairs]), np.median([b for _, b in pairs]), peak


def load_sets(smallest):
    """Return the scores by data set, and say which are not there."""
    found = [name.removeprefix("hmc/") for name in open_sets(["hmc/cellcycle_GO", "hmc/seq_FUN"], smallest)]
    sets = {name: forest_scores(name, smallest) for name in found}
    if (home() / PUBLISHED).exists():
        return sets | {"imclef07a": published_scores()}
    print(f"not in {home()}, left out: {PUBLISHED}", file=sys.stderr)
    return sets


def main():
    parser = make_parser(__doc__)
    parser.add_argument("repeats", nargs="?", type=int, default=7)
    asked = parser.parse_args()
    sets = load_sets(asked.smallest)
    print("| search | data | limit | float32 | float64 | ms (float64) | memory f32 / f64 | paper, s |")
    print("|---|---|---|---|---|---|---|---|")
    for name, make, on_trees, on_go, paper in CASES:
        for data, (S, Y, hierarchy) in sets.items():
            results = []
            for dtype in (np.float32, np.float64):
                A = np.ascontiguousarray(S, dtype)
                if make(hierarchy) is None:
                    break
                call = lambda A=A: make(hierarchy).fit(A, Y)  # noqa: B023, E731
                found = ratio(call, lambda A=A: np.sort(A, axis=None), 1 if asked.smallest else asked.repeats)
                results.append((found[0], found[1], found[2] / A.nbytes))
            if not results:
                continue
            limit = on_trees if hierarchy.is_tree else on_go
            (r32, _, m32), (r64, s64, m64) = results
            seconds = "" if paper is None else paper[("cellcycle_GO", "seq_FUN", "imclef07a").index(data)]
            print(
                f"| {name} | {data} | {'' if limit is None else f'{limit}x'} | {r32:.2f}x | {r64:.2f}x | "
                f"{1000 * s64:.1f} | {m32:.1f}x / {m64:.1f}x | {seconds} |",
                flush=True,
            )


if __name__ == "__main__":
    main()

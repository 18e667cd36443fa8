"""What allowed labels cost: predict with one set per row, against predict without, and set against set.

    python benchmarks/bench_allowed.py [--rows 1000000] [--labels 2000] [--sets 1000] [--smallest]

Rows are sparse, 50 of 20,000 columns; the model is linear, by thresholds and by the best path. Times are those of the
processor.
"""

from __future__ import annotations

import time

import numpy as np
from data_folder import make_parser
from scipy import sparse

from truepath import HierarchicalClassifier, Hierarchy
from truepath.hierarchy import AllowedLabels
from truepath.learners import SparseLinear


def make_tree(n_labels, rng):
    """Return a tree of some depth, 20 labels at its top."""
    above = [None if v < 20 else f"n{rng.integers(v // 8, v)}" for v in range(n_labels)]
    return Hierarchy.from_edges([(u, f"n{v}") for v, u in enumerate(above)])


def make_rows(n_rows, rng, n_columns=20_000, n_each=50):
    """Return sparse rows."""
    columns = rng.integers(0, n_columns, (n_rows, n_each)).astype(np.int32)
    ends = np.arange(0, n_rows * n_each + 1, n_each)
    rows = sparse.csr_array((np.ones(columns.size, np.float32), columns.ravel(), ends), shape=(n_rows, n_columns))
    rows.sum_duplicates()
    return rows


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--labels", type=int, default=2_000)
    parser.add_argument("--sets", type=int, default=1_000)
    given = parser.parse_args()
    n_rows, n_labels, n_sets = (500, 60, 5) if given.smallest else (given.rows, given.labels, given.sets)
    rng = np.random.default_rng(0)
    h = make_tree(n_labels, rng)
    X, Y = make_rows(10 * n_labels, rng), h.encode([[h.names[v]] for v in rng.integers(0, n_labels, 10 * n_labels)])
    new, of_row = make_rows(n_rows, rng), rng.integers(0, n_sets, n_rows)
    sets = [[str(h.names[v]) for v in rng.choice(n_labels, n_labels // 10, replace=False)] for _ in range(n_sets)]
    print(f"{n_rows:,} rows, {n_labels:,} labels, {n_sets:,} sets of {n_labels // 10:,} names each")
    for decoder in ("threshold", "best-path"):
        model = HierarchicalClassifier(SparseLinear(), decoder=decoder, hierarchy=h).fit(X, Y)
        model.predict(new[:100]), model.predict(new[:100], allowed=[sets[k] for k in of_row[:100]])  # compiled
        times = []
        for allowed in (None, AllowedLabels(dict(enumerate(sets)), by=of_row)):
            begun = time.process_time()
            found = model.predict(new, allowed=allowed)
            times.append(time.process_time() - begun)
        print(f"{decoder:10} without {times[0]:8.1f} s   with {times[1]:8.1f} s   ratio {times[1] / times[0]:.2f}")
        same = [(model.predict(new[of_row == k], allowed=sets[k]) != found[of_row == k]).sum() == 0 for k in range(3)]
        print(f"{'':10} sets on their own give the same labels: {all(same)}")


if __name__ == "__main__":
    main()

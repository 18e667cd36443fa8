"""Many labels: SparseLinear on flat and tagged sets, and on up to 100,000 generated labels with Zipf frequencies.

    python benchmarks/bench_many_labels.py [--labels 10000,30000,100000]

delicious (983 tags) and RCV1's first subset (Mulan's file of 500 words, 101 topics as flat labels), features as
AutoFeatures scales them, train against test (RCV1: the first two thirds of the rows against the others): with the
labels of wide nodes in groups, without groups, and each label on all rows. Then the generated sets of
``zipf_labels.py``: 200,000 rows for every number of labels, and 2 rows per label. CPU seconds, one thread; compiled
code is loaded before.
"""

from __future__ import annotations

import resource
import time

import numpy as np
from data_folder import home, make_parser, open_sets
from scipy import sparse
from zipf_labels import make_zipf

from truepath import Hierarchy
from truepath.data import open_dataset
from truepath.learners import SparseLinear
from truepath.metrics import auprc, ndcg_at_k, precision_at_k, psp_at_k
from truepath.preprocessing import AutoFeatures

WAYS = {
    "groups": {"train_on": "parents"},
    "no groups": {"train_on": "parents", "max_children": None},
    "all rows": {"train_on": "all"},
}


def tagged(name):
    """Return the hierarchy and TF-IDF rows and labels to train on and to test on."""
    ds = open_dataset(str(home() / name))
    if "test" in ds.splits:
        parts = [ds["train"], ds["test"]]
        X, Y = [sparse.csr_matrix(part.X, dtype=float) for part in parts], [sparse.csr_array(part.y) for part in parts]
    else:
        whole = ds.merge()["all"]
        first = 2 * whole.y.shape[0] // 3
        all_rows, labels = sparse.csr_matrix(whole.X, dtype=float), sparse.csr_array(whole.y)
        X, Y = [all_rows[:first], all_rows[first:]], [labels[:first], labels[first:]]
    weights = AutoFeatures(scale=True).fit(X[0])
    return ds.hierarchy, weights.transform(X[0]), Y[0], weights.transform(X[1]), Y[1]


def small_sets(names):
    """Print the table of sets that can be scored whole."""
    print("| set | way | fit, CPU s | AU(PRC) | P@1 | P@5 | nDCG@5 | PSP@5 |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names:
        hierarchy, X, Y, X_test, Y_test = tagged(name)
        for way, options in WAYS.items():
            SparseLinear(hierarchy=hierarchy, n_jobs=1, **options).fit(X[:60], Y[:60])
            begun = time.process_time()
            model = SparseLinear(hierarchy=hierarchy, n_jobs=1, **options).fit(X, Y)
            seconds, S = time.process_time() - begun, model.predict_proba(X_test)
            at = [precision_at_k(Y_test, S, k=1), precision_at_k(Y_test, S), ndcg_at_k(Y_test, S), psp_at_k(Y_test, S)]
            cells = " | ".join(f"{value:.3f}" for value in [auprc(Y_test, S), *at])
            print(f"| {name} | {way} | {seconds:.1f} | {cells} |", flush=True)


def generated(n_rows, n_labels):
    """Fit one generated set; print its row of the table."""
    X, Y, X_test, Y_test = make_zipf(n_rows, n_labels, n_test=min(5000, n_rows))
    hierarchy = Hierarchy.flat(n_labels)
    begun = time.process_time()
    model = SparseLinear(hierarchy=hierarchy, n_jobs=1).fit(X, Y)
    fitted = time.process_time()
    found = [model.predict_top(X_test, 5), time.process_time()]
    narrow = model.predict_top(X_test, 5, beam=10)
    speeds = [X_test.shape[0] / (found[1] - fitted), X_test.shape[0] / (time.process_time() - found[1])]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    at = [precision_at_k(Y_test, S, k=1) for S in (found[0], narrow)]
    cells = [f"{n_labels:,}", f"{n_rows:,}", f"{fitted - begun:.1f}", f"{speeds[0]:,.0f}", f"{at[0]:.3f}"]
    print("|", " | ".join([*cells, f"{speeds[1]:,.0f}", f"{at[1]:.3f}", f"{peak:.2f}"]), "|", flush=True)
    return fitted - begun


def grown(numbers, rows_of):
    """Print the rows for growing numbers of labels, and the exponent of the fit's time."""
    seconds = [generated(rows_of(n), n) for n in numbers]
    if len(numbers) > 1:
        print(f"exponent {np.log(seconds[-1] / seconds[0]) / np.log(numbers[-1] / numbers[0]):.2f}", flush=True)


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--labels", default="10000,30000,100000", help="numbers of generated labels; empty for none")
    asked = parser.parse_args()
    small_sets(open_sets(["mulan/delicious", "mulan/rcv1subset1_500"], asked.smallest))
    numbers = [400] if asked.smallest else [int(number) for number in asked.labels.split(",") if number]
    n_rows = 800 if asked.smallest else 200_000
    if not numbers:
        return
    X, Y, X_test, _ = make_zipf(300, 400, n_test=10)
    SparseLinear(n_jobs=1).fit(X, Y).predict_top(X_test, 5)
    print("| labels | rows | fit, CPU s | top 5, rows/s | P@1 | with beam 10 | P@1 | peak so far, GB |")
    print("|---|---|---|---|---|---|---|---|")
    grown(numbers, lambda n: n_rows)
    if not asked.smallest:
        grown(numbers, lambda n: 2 * n)


if __name__ == "__main__":
    main()

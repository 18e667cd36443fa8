"""Time the metrics against one np.sort of the same scores, and against scikit-learn where it has a twin.

Run from the repository's root: ``python benchmarks/bench_metrics.py``. The matrix is 1278 x 4125, the test part of
cellcycle_GO with its hierarchy when the benchmark data are there, else a random DAG of that size.
Prints a Markdown table of medians; the ratios belong to this one run.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from data_folder import home, make_parser
from sklearn.metrics import average_precision_score, f1_score

from truepath import Hierarchy, metrics

N_SAMPLES, N_NODES = 1278, 4125


def random_problem(rng, n_samples, n_nodes):
    """A DAG of GO's shape, and closed labels at GO's density."""
    parents = [[]] + [np.unique(rng.integers(0, v, rng.integers(1, 3))).tolist() for v in range(1, n_nodes)]
    hierarchy = Hierarchy.from_parents(parents)
    Y = np.zeros((n_samples, n_nodes), bool)
    Y[np.repeat(np.arange(n_samples), 4), rng.integers(0, n_nodes, 4 * n_samples)] = True
    return "random DAG", hierarchy, hierarchy.close(Y)


def load_problem(rng, smallest):
    """cellcycle_GO's hierarchy and test labels where they can be read, else random ones."""
    folder = home() / "hmc" / "cellcycle_GO"
    if smallest or not folder.is_dir():
        return random_problem(rng, *(20, 15) if smallest else (N_SAMPLES, N_NODES))
    from truepath.data import read_clus_arff

    dataset = read_clus_arff({"test": folder / "test.arff.xz"})
    return "cellcycle_GO test", dataset.hierarchy, dataset.test.y


def median_times(functions, repeats):
    """Medians of several functions run in turn, so that a busy machine slows all of them, after one warm-up each."""
    times = {key: [] for key in functions}
    for repeat in range(repeats + 1):
        for key, function in functions.items():
            start = time.perf_counter()
            function()
            if repeat:
                times[key].append(time.perf_counter() - start)
    return {key: float(np.median(values)) for key, values in times.items()}


def main():
    parser = make_parser(__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    asked = parser.parse_args()
    repeats = 1 if asked.smallest else asked.repeats
    rng = np.random.default_rng(0)
    name, hierarchy, Y = load_problem(rng, asked.smallest)
    scores = np.clip(0.4 * Y + 0.6 * rng.random(Y.shape) ** 3, 0, 1)
    for v in range(hierarchy.n_nodes):  # coherent, as a learner's scores would be
        for u in hierarchy.parents(v):
            np.minimum(scores[:, v], scores[:, u], out=scores[:, v])
    P = scores > 0.4
    print(f"{name}: {Y.shape[0]} x {Y.shape[1]}, {int(Y.sum())} positives; {hierarchy!r}; medians of {repeats}\n")
    print("| what | scores | np.sort ms | ours ms | ours / np.sort | scikit-learn ms | scikit-learn / ours |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for dtype in (np.float64, np.float32):
        report(Y, P, scores.astype(dtype), hierarchy, repeats)


def report(Y, P, S, hierarchy, repeats):
    """Print the rows for one type of scores."""
    cases = {
        "h_loss": (lambda: metrics.h_loss(Y, P, hierarchy), None),
        "hmc_loss": (lambda: metrics.hmc_loss(Y, P, hierarchy), None),
        "hierarchical F1": (lambda: metrics.hierarchical_f1(Y, P, hierarchy), None),
        "micro_f1": (lambda: metrics.micro_f1(Y, P), lambda: f1_score(Y, P, average="micro")),
        "macro_f1": (lambda: metrics.macro_f1(Y, P), lambda: f1_score(Y, P, average="macro", zero_division=0.0)),
        "auprc, pooled AP": (lambda: metrics.auprc(Y, S), lambda: average_precision_score(Y, S, average="micro")),
        "auprc, Davis & Goadrich": (lambda: metrics.auprc(Y, S, method="davis_goadrich"), None),
        "auprc, over classes": (
            lambda: metrics.auprc(Y, S, average="macro"),
            lambda: average_precision_score(Y, S, average="macro"),
        ),
        "fmax, exact": (lambda: metrics.fmax(Y, S), None),
        "precision_at_k": (lambda: metrics.precision_at_k(Y, S, hierarchy, k=hierarchy.height), None),
    }
    for what, (ours, theirs) in cases.items():
        functions = {"sort": lambda: np.sort(S, axis=None), "ours": ours}
        if theirs is not None:
            functions["theirs"] = theirs
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn warns of each class without positives
            found = {key: 1e3 * value for key, value in median_times(functions, repeats).items()}
        peer = f"{found['theirs']:.1f} | {found['theirs'] / found['ours']:.1f}" if theirs else "|"
        cells = f"{found['sort']:.1f} | {found['ours']:.1f} | {found['ours'] / found['sort']:.2f} | {peer}"
        print(f"| {what} | {S.dtype} | {cells} |", flush=True)


if __name__ == "__main__":
    main()

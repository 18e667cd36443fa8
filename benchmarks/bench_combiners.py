"""Time the combiners at the size of cellcycle_GO: 1,278 rows, 4,125 nodes, 5,824 edges, height 14.

Every figure is a ratio of processor times (``time.process_time``: other work on the machine does not count) measured in
one run on one thread, medians. Corrections: to ``S.copy()``, and that divided by the *edge-depth
unit* of the hierarchy, (edges / nodes) * height: a walk over all edges touches each node edges / nodes times, and
information has to travel height levels. FAEL: to ``scipy.linalg.cho_factor``.

Run ``OMP_NUM_THREADS=1 PYTHONPATH=src python benchmarks/bench_combiners.py``. Uses the real hierarchy if
the data are there, else a random DAG of the same size.
"""

from __future__ import annotations

import statistics
import time

import numpy as np
from data_folder import home, make_parser
from scipy import linalg, sparse

from truepath import Hierarchy
from truepath import combiners as tc

N_NODES, N_TEST, N_TRAIN, ALPHA = 4125, 1278, 2473, 1.0
SHORTEST = 1e-9  # seconds: a call may be quicker than the processor's clock ticks


def load_hierarchy(n_nodes):
    """Return the hierarchy of cellcycle_GO, or a random one."""
    file = home() / "hmc" / "cellcycle_GO" / "train.arff.xz"
    if n_nodes == N_NODES and file.exists():
        from truepath.data import read_clus_arff

        return read_clus_arff(file).hierarchy, "cellcycle_GO"
    rng = np.random.default_rng(0)
    parents = [[-1], *([int(u) for u in set(rng.integers(0, v, rng.integers(1, 3)) // 2)] for v in range(1, n_nodes))]
    return Hierarchy.from_parents(parents), "random DAG"


def seconds(call, repeats):
    """Return the median processor time of a call."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times)


def smooth_scores(hierarchy, n_rows, noise, rng):
    """Return scores near coherent ones: sums of a coherent part and noise, within [0, 1]."""
    S = rng.random((n_rows, hierarchy.n_nodes)) ** 4
    S = tc.MinDown(hierarchy=hierarchy).transform(S)
    return np.clip(S + noise * rng.normal(size=S.shape), 0, 1)


def nearly_coherent(hierarchy, n_rows, rng):
    """Return coherent scores with one cell in two hundred replaced, about what regularised local models give."""
    S = smooth_scores(hierarchy, n_rows, 0.0, rng)
    wrong = rng.random(S.shape) < 0.005
    S[wrong] = rng.random(int(wrong.sum()))
    return S


def bench_corrections(hierarchy, n_rows):
    """Print times of every correction over ``S.copy()``."""
    rng = np.random.default_rng(0)
    h = {"hierarchy": hierarchy}
    inputs = {
        "nearly coherent": nearly_coherent(hierarchy, n_rows, rng),
        "noisy": smooth_scores(hierarchy, n_rows, 0.05, rng),
        "pure noise": rng.random((n_rows, hierarchy.n_nodes)),
    }
    plain = inputs["noisy"]
    unit = hierarchy.n_edges / hierarchy.n_nodes * hierarchy.height
    copy = max(seconds(plain.copy, 9), SHORTEST)
    print(f"`S.copy()`: {copy * 1e3:.1f} ms; edge-depth unit: {unit:.1f}\n")
    print("| correction | input | ms | / copy | / copy / unit |\n|---|---|---:|---:|---:|")
    cases = [
        ("MaxUp", tc.MaxUp(**h), "noisy"),
        ("MinDown", tc.MinDown(**h), "noisy"),
        ("TopDown(0.5)", tc.TopDown(0.5, **h), "noisy"),
        ("PathProduct", tc.PathProduct(**h), "noisy"),
        ('PathProduct(dag="all")', tc.PathProduct(dag="all", **h), "noisy"),
        ("TruePathRule", tc.TruePathRule(**h), "noisy"),
        ('TruePathRule("free", weight=0.5)', tc.TruePathRule("free", weight=0.5, **h), "noisy"),
        ("TruePathRule(descendants=True)", tc.TruePathRule(descendants=True, **h), "noisy"),
        ("MeanOfPaths(project=None)", tc.MeanOfPaths(project=None, **h), "noisy"),
        *(("Isotonic", tc.Isotonic(**h), kind) for kind in inputs),
    ]
    thin = sparse.csr_array(np.where(plain > np.quantile(plain, 0.99), plain, 0))
    bayes = tc.BayesianAggregation(dag="spanning_tree", **h).fit(plain, hierarchy.close(plain > 0.7))
    calls = [(name, kind, lambda c=c, k=kind: c.transform(inputs[k])) for name, c, kind in cases]
    calls.append(("BayesianAggregation (transform)", "noisy", lambda: bayes.transform(plain)))
    calls.append(("MaxUp on CSR, 1 % stored", "noisy", lambda: tc.MaxUp(**h).transform(thin)))
    for _, combiner, _ in cases:
        combiner.transform(plain[:1])  # compiles
    for name, kind, call in calls:
        repeats = 1 if name == "Isotonic" else 3
        taken = seconds(call, repeats)
        print(f"| {name} | {kind} | {taken * 1e3:.0f} | {taken / copy:.1f} | {taken / copy / unit:.2f} |", flush=True)


def bench_fael(hierarchy, n_train, n_test):
    """Print times of FAEL fits over Cholesky factorisations."""
    rng = np.random.default_rng(1)
    S = smooth_scores(hierarchy, n_train, 0.02, rng)
    Y = hierarchy.close(sparse.csr_array(rng.random(S.shape) < 0.002))
    factor = {}
    for size in (n_train, hierarchy.n_nodes):
        A = rng.random((size, size))
        A = A + A.T + 2 * size * np.eye(size)
        factor[size] = max(seconds(lambda A=A: linalg.cho_factor(A, check_finite=False), 2), SHORTEST)
        print(f"\n`cho_factor` of {size} x {size}: {factor[size]:.2f} s", end="")
    small, large = factor.values()
    print(f"\n\n| fit | s | / cho_factor({n_train}) | / cho_factor({hierarchy.n_nodes}) |\n|---|---:|---:|---:|")
    h = {"hierarchy": hierarchy}
    for name, model in [
        ("FAEL (rows < nodes: dual form)", tc.FAEL(ALPHA, **h)),
        ("HierarchicalFAEL", tc.HierarchicalFAEL(ALPHA, ALPHA, **h)),
        ("KernelFAEL (RBF)", tc.KernelFAEL(alpha=ALPHA, **h)),
        ('FAEL("gcv")', tc.FAEL("gcv", **h)),
        ('FAEL("loo")', tc.FAEL("loo", **h)),
    ]:
        taken = seconds(lambda m=model: m.fit(S, Y), 1)
        print(f"| {name} | {taken:.2f} | {taken / small:.1f} | {taken / large:.1f} |")
    raw = tc.FAEL(ALPHA, project=None, **h).fit(S, Y)
    T = S[:n_test]
    taken = seconds(lambda: raw.transform(T), 1)
    print(
        f"| FAEL transform of {len(T)} rows, no projection | {taken:.2f} | {taken / small:.1f} | {taken / large:.1f} |"
    )


def main():
    smallest = make_parser(__doc__).parse_args().smallest
    n_nodes, n_train, n_test = (12, 40, 20) if smallest else (N_NODES, N_TRAIN, N_TEST)
    hierarchy, name = load_hierarchy(n_nodes)
    print(f"{name}: {hierarchy}, {n_test} rows of float64\n")
    bench_corrections(hierarchy, n_test)
    bench_fael(hierarchy, n_train, n_test)


if __name__ == "__main__":
    main()

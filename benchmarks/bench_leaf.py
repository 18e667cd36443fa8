"""Mandatory leaf prediction: how fast, how much faster than the printed algorithms, how often greedy = exact.

Run ``python benchmarks/bench_leaf.py [speed] [dag] [agreement]`` (all three by default); prints Markdown tables of
medians. The data are looked for in ``$TRUEPATH_DATA``, else in ``../shared/data``. Times are those of one thread,
counted by the processor, so that a busy machine does not distort them. The printed Algorithms 1-3 are compiled too,
from the plain transcription below, and are handed the same weights.
"""

from __future__ import annotations

from statistics import median
from time import thread_time

import numpy as np
from data_folder import make_parser, open_sets
from numba import njit

from truepath import Hierarchy
from truepath.decoders import MAS, MASR, ExactLeafMAP
from truepath.decoders.leaves.dag_optimum import DagOptimum
from truepath.decoders.leaves.greedy import GreedySearch
from truepath.decoders.leaves.tree_optimum import TreeOptimum
from truepath.decoders.leaves.weights import posterior_weights, risk_weights
from truepath.hierarchy.arcs import arc_pointers
from truepath.papers.bi2012.agreement import nested_agreement

SETS = ("cellcycle_FUN", "enron", "imclef07a", "diatoms")  # trees


@njit
def printed_on_tree(w, root, k, leaves, up):
    """Algorithm 1 with Algorithm 2: all unassigned supernodes are summed again in each round."""
    order, values = np.empty(k, np.int64), np.empty(k)
    in_omega, is_assigned = np.zeros(w.size, np.bool_), np.zeros(leaves.size, np.bool_)
    snv, snv_omega = np.empty(leaves.size), root
    for j in range(k + 1):
        for q in range(leaves.size):
            if not is_assigned[q]:
                node, snv[q] = leaves[q], snv_omega
                while node >= 0 and not in_omega[node]:
                    snv[q] += w[node]
                    node = up[node]
        if j == k:
            break
        best = -1
        for q in range(leaves.size):
            if not is_assigned[q] and (best < 0 or snv[q] > snv[best]):
                best = q
        order[j], values[j], snv_omega, is_assigned[best] = leaves[best], snv[best], snv[best], True
        node = leaves[best]
        while node >= 0 and not in_omega[node]:
            in_omega[node] = True
            node = up[node]
    return order, values


@njit
def printed_update(leaf, w, snv_omega, in_omega, parent_ptr, parent_idx, heap, in_heap):
    """Algorithm 3; the balanced search tree T is a binary heap with a flag for every node in it."""
    heap[0], size, snv = leaf, 1, snv_omega
    in_heap[leaf] = True
    while size:
        node = heap[0]
        size -= 1
        moved, at = heap[size], 0
        while 2 * at + 1 < size:
            below = 2 * at + 1
            if below + 1 < size and heap[below + 1] > heap[below]:
                below += 1
            if moved >= heap[below]:
                break
            heap[at] = heap[below]
            at = below
        heap[at] = moved
        in_heap[node] = False
        snv += w[node]
        for a in range(parent_ptr[node], parent_ptr[node + 1]):
            u = parent_idx[a]
            if not in_omega[u] and not in_heap[u]:
                in_heap[u] = True
                at = size
                size += 1
                while at and heap[(at - 1) >> 1] < u:
                    heap[at] = heap[(at - 1) >> 1]
                    at = (at - 1) >> 1
                heap[at] = u
    return snv


@njit
def printed_on_dag(w, root, k, leaves, parent_ptr, parent_idx):
    """Algorithm 1 with Algorithm 3."""
    order, values = np.empty(k, np.int64), np.empty(k)
    in_omega, is_assigned = np.zeros(w.size, np.bool_), np.zeros(leaves.size, np.bool_)
    heap, in_heap, queue = np.empty(w.size, np.int64), np.zeros(w.size, np.bool_), np.empty(w.size, np.int64)
    snv, snv_omega = np.empty(leaves.size), root
    for j in range(k + 1):
        for q in range(leaves.size):
            if not is_assigned[q]:
                snv[q] = printed_update(leaves[q], w, snv_omega, in_omega, parent_ptr, parent_idx, heap, in_heap)
        if j == k:
            break
        best = -1
        for q in range(leaves.size):
            if not is_assigned[q] and (best < 0 or snv[q] > snv[best]):
                best = q
        order[j], values[j], snv_omega, is_assigned[best] = leaves[best], snv[best], snv[best], True
        queue[0], head, tail = leaves[best], 0, 1
        in_omega[leaves[best]] = True
        while head < tail:
            for a in range(parent_ptr[queue[head]], parent_ptr[queue[head] + 1]):
                if not in_omega[parent_idx[a]]:
                    in_omega[parent_idx[a]] = True
                    queue[tail] = parent_idx[a]
                    tail += 1
            head += 1
    return order, values


def timed(function, repeats: int = 7) -> float:
    """Median seconds of one thread, the first call (which may compile) left out."""
    function()
    times = []
    for _ in range(repeats):
        start = thread_time()
        function()
        times.append(thread_time() - start)
    return median(times)


def random_tree(n_nodes: int, rng: np.random.Generator) -> Hierarchy:
    """A random recursive tree with five top-level nodes."""
    return Hierarchy.from_parents([-1 if v < 5 else int(rng.integers(0, v)) for v in range(n_nodes)])


def random_marginals(h: Hierarchy, n_rows: int, rng: np.random.Generator) -> np.ndarray:
    """Uniform conditional probabilities, multiplied down the paths (on DAGs by the smallest parent's)."""
    S = rng.random((n_rows, h.n_nodes))
    for v in range(h.n_nodes):
        S[:, v] *= S[:, h.parents(v)].min(axis=1, initial=1)
    return S


def bench_trees(smallest: bool) -> None:
    print("\nNanoseconds per node and row on random trees; `all` starts from marginals, `search` from weights.\n")
    print(
        "| nodes | leaves | MAS all k, all | search | exact any k, all | search | exact k = 10, all | printed/search |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for n_nodes in (20,) if smallest else (500, 4_000, 40_000):
        bench_tree(n_nodes, max(10, (200 if smallest else 400_000) // n_nodes), np.random.default_rng(0))


def bench_tree(n_nodes: int, n_rows: int, rng: np.random.Generator) -> None:
    h = random_tree(n_nodes, rng)
    n_leaves = h.leaves.size
    S = random_marginals(h, n_rows, rng)
    weights, every = posterior_weights(S, h), np.full(n_rows, n_leaves)
    greedy, optimum = GreedySearch(h), TreeOptimum(h)
    jobs = [
        lambda: MAS(hierarchy=h).predict_path(S),
        lambda: greedy.path(weights, every),
        lambda: ExactLeafMAP(hierarchy=h).predict(S),
        lambda: optimum.solve(weights, None),
        lambda: ExactLeafMAP(k=min(10, n_leaves), hierarchy=h).predict(S),
    ]
    ns = [timed(job) / S.size * 1e9 for job in jobs]
    ratio = "not run"
    if n_nodes <= 4_000:
        up, ours = arc_pointers(h)[1], greedy.path(weights, every)

        def printed(i: int):
            return printed_on_tree(weights.nodes[i], weights.root[i], n_leaves, h.leaves, up)

        assert all((printed(i)[0] == ours.leaves[i]).all() for i in range(4))
        seconds = timed(lambda: [printed(i) for i in range(4)], 3) / 4
        ratio = f"{seconds / (ns[1] * 1e-9 * n_nodes):.0f}"
    print(f"| {n_nodes:,} | {n_leaves:,} | " + " | ".join(f"{value:.1f}" for value in ns) + f" | {ratio} |")


def forest_scores(ds, n_estimators: int = 100) -> np.ndarray:
    """Test scores of extremely randomised trees, leaves of 5 rows, fitted to train and valid; missing values are 0."""
    from sklearn.ensemble import ExtraTreesRegressor

    X, Y, test = np.nan_to_num(_dense(ds.train.X)), _dense(ds.train.y), np.nan_to_num(_dense(ds.test.X))
    known = Y.any(axis=0)  # a label never seen is scored 0 and would only blow the model up
    model = ExtraTreesRegressor(n_estimators, min_samples_leaf=5, max_features=1 / 3, random_state=0, n_jobs=2)
    model.fit(X, Y[:, known].astype(np.float32))
    S = np.zeros((len(test), Y.shape[1]))
    S[:, known] = model.predict(test).reshape(len(test), -1)
    return S.clip(0, 1)


def load(name: str):
    """Train and valid together, nominal features as 0/1 columns."""
    from truepath.data import load_dataset

    ds = load_dataset(f"hmc/{name}").one_hot()
    return ds.merge(*[split for split in ds if split != "test"], into="train")


def reduce(ds, n_least: int = 10):
    """The mandatory setting: full paths only, labels of at least 10 training rows, then full paths once more."""
    from truepath.data.full_paths import keep_full_paths

    return keep_full_paths(keep_full_paths(ds).prune(n_least))


def _dense(M) -> np.ndarray:
    return M.toarray() if hasattr(M, "toarray") else np.asarray(M)


def bench_dag(smallest: bool) -> None:
    if not open_sets(["hmc/cellcycle_GO"], smallest):
        return
    ds, (n_rows, n_few, k) = load("cellcycle_GO"), (8, 4, 3) if smallest else (100, 20, 10)
    h, S = ds.hierarchy, forest_scores(ds, 20)[:n_rows]
    weights, greedy, each = posterior_weights(S, h), GreedySearch(h), np.full(n_rows, k)
    ours = greedy.path(weights, each)

    def printed(i: int):
        return printed_on_dag(weights.nodes[i], weights.root[i], k, h.leaves, h.parent_ptr, h.parent_idx)

    same = np.mean([np.allclose(printed(i)[1], ours.values[i]) for i in range(n_rows)])
    literal = timed(lambda: [printed(i) for i in range(n_few)], 3) / n_few
    search = timed(lambda: greedy.path(weights, each)) / n_rows
    whole = timed(lambda: MAS(k=k, hierarchy=h).predict(S)) / n_rows
    every = timed(lambda: MAS(hierarchy=h).predict(S), 3) / n_rows
    print(f"\nDAG: cellcycle_GO ({h.n_nodes:,} nodes, {h.leaves.size:,} leaves), milliseconds per row.\n")
    columns = f"printed Algorithm 3, k = {k} | search, k = {k} | printed/search | same values | MAS(k={k}), all"
    print(f"| {columns} | MAS(), all |")
    print("|---|---|---|---|---|---|")
    times = [f"{1e3 * seconds:.3f}" for seconds in (literal, search, whole, every)]
    print("| " + " | ".join([*times[:2], f"{literal / search:.0f}", f"{same:.0%}", *times[2:]]) + " |")
    bench_programme(S[:10], h, ours.values[:10, -1], k)


def bench_programme(S: np.ndarray, h: Hierarchy, greedy_value: np.ndarray, k: int) -> None:
    """The integer programme for k leaves, beside what the greedy found."""
    exact, start, weights = ExactLeafMAP(k=k, time_limit=60.0, hierarchy=h), thread_time(), posterior_weights(S, h)
    Y, gaps = exact.predict_with_gaps(S)
    seconds = (thread_time() - start) / len(S)
    better = weights.root + np.where(Y, weights.nodes, 0).sum(axis=1) > greedy_value + 1e-6
    print(
        f"\nExactLeafMAP(k={k}), the integer programme: {seconds:.2f} s per row over {len(S)} rows, "
        f"{(gaps == 0).sum()} proved, better than the greedy in {better.sum()}."
    )


def bench_agreement(smallest: bool) -> None:
    print("\nPer cent of test rows where the greedy's set of k leaves is a best one (in brackets: best sets nested);")
    print("`any` is unknown k. Reduced: full paths, labels of 10 rows, full paths once more.\n")
    print("| data | rows | leaves | weights | " + " | ".join(map(str, range(2, 11))) + " | any |")
    print("|---|---|---|---|" + "---|" * 10)
    names = ("hmc/enron", "hmc/cellcycle_GO") if smallest else (*(f"hmc/{name}" for name in SETS), "hmc/cellcycle_GO")
    n_trees, n_rows, n_least = (5, 4, 1) if smallest else (100, 40, 10)
    for name in [found.removeprefix("hmc/") for found in open_sets(names, smallest)]:
        if name == "cellcycle_GO":  # a DAG: one integer programme for each row and k
            ds = reduce(load(name), n_least)
            bench_rows(f"{name} reduced", forest_scores(ds, n_trees // 2)[:n_rows], ds.hierarchy)
            continue
        for title, ds in ((name, load(name)), (f"{name} reduced", reduce(load(name), n_least))):
            bench_rows(title, forest_scores(ds, n_trees), ds.hierarchy)


def bench_rows(title: str, S: np.ndarray, h: Hierarchy) -> None:
    for weights, decoder in (("map", MAS(hierarchy=h)), ("risk", MASR(1.0, hierarchy=h))):
        found = nested_agreement(S, h, min(10, h.leaves.size), weights=weights)
        node_weights = posterior_weights(S, h) if weights == "map" else risk_weights(S, h, 1.0)
        optimum = TreeOptimum(h) if h.is_tree else DagOptimum(h, 60.0)
        best = optimum.solve(node_weights, None)[1]
        reached = np.isclose(decoder.predict_path(S).values.max(axis=1), best, rtol=1e-9, atol=1e-9).mean()
        cells = [f"{100 * a:.0f} ({100 * b:.0f})" for a, b in zip(found.reached[1:], found.nested[1:])]
        cells += ["-"] * (9 - len(cells)) + [f"{100 * reached:.0f}"]
        print(f"| {title} | {len(S)} | {h.leaves.size} | {weights} | " + " | ".join(cells) + " |")


def main() -> None:
    parts = {"speed": bench_trees, "dag": bench_dag, "agreement": bench_agreement}
    parser = make_parser(__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(parts))
    asked = parser.parse_args()
    for name in asked.parts or parts:
        parts[name](asked.smallest)


if __name__ == "__main__":
    main()

"""How long a large hierarchy takes to build and to close on, beside a physical yardstick of the same size.

Run ``python benchmarks/bench_hierarchy.py``; prints a Markdown table of medians.
"""

from __future__ import annotations

from statistics import median
from time import perf_counter

import numpy as np
from data_folder import make_parser
from scipy import sparse

from truepath import Hierarchy

N_LABELS = 5


def make_edges(n_nodes: int, rng: np.random.Generator) -> list[tuple[str, str]]:
    """A random recursive DAG of two edges per node, named in a shuffled order so that it must be sorted."""
    child = np.concatenate([np.arange(1, n_nodes), rng.integers(1, n_nodes, n_nodes + 1)])
    parent = (rng.random(child.size) * child).astype(int)
    names = np.array([f"GO:{v:07d}" for v in range(n_nodes)])[rng.permutation(n_nodes)]
    return list(zip(names[parent].tolist(), names[child].tolist()))


def timed(function, repeats: int = 5) -> float:
    """Median seconds of a call, the first (which may compile) left out."""
    function()
    times = []
    for _ in range(repeats):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return median(times)


def main() -> None:
    smallest = make_parser(__doc__).parse_args().smallest
    n_nodes, n_rows = (100, 20) if smallest else (100_000, 10_000)
    rng = np.random.default_rng(0)
    edges = make_edges(n_nodes, rng)
    h = Hierarchy.from_edges(edges)
    rows = np.repeat(np.arange(n_rows), N_LABELS)
    ones = np.ones(rows.size, bool)
    Y = sparse.csr_array((ones, (rows, rng.integers(0, h.n_nodes, rows.size))), shape=(n_rows, h.n_nodes))
    closed = h.close(Y)
    ends = [end for edge in edges for end in edge]
    yardstick = timed(lambda: dict.fromkeys(ends))
    sort = timed(lambda: np.sort(closed.indices))
    build = timed(lambda: Hierarchy.from_edges(edges))
    close = timed(lambda: h.close(Y))
    check = timed(lambda: h.is_closed(closed))
    print("| job | seconds | yardstick | ratio |\n|---|---|---|---|")
    print(
        f"| build, check and order {h.n_nodes:,} nodes, {h.n_edges:,} edges | {build:.3f} "
        f"| a dict of the {len(ends):,} edge ends | {build / yardstick:.1f} |"
    )
    print(
        f"| close {n_rows:,} rows of {N_LABELS} labels ({closed.nnz:,} after) | {close:.3f} "
        f"| `np.sort` of the {closed.nnz:,} column numbers | {close / sort:.1f} |"
    )
    print(f"| check that they are closed | {check:.3f} | the same sort | {check / sort:.1f} |")


if __name__ == "__main__":
    main()

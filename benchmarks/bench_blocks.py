"""Larger than memory: decode sparse scores of an ontology's size, and predict tables with ``truepath predict``.

Run as ``PYTHONPATH=src python benchmarks/bench_blocks.py``: 20,000 rows, some seconds; ``--rows 1000000`` is the table
of ``benchmarks/README.md`` and takes half an hour. Prints Markdown. Each part runs in a process of its own, whose peak
of resident memory is reported; rows per second are of wall-clock time, those in brackets of processor time.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from contextlib import suppress
from time import perf_counter, process_time

import numpy as np
from data_folder import make_parser
from scipy import sparse

N_NODES = 45_000
ROWS_TOGETHER = 20_000
#: Searches over all leaves make every row dense, and take 10 to 100 ms for each: they get this many rows
ROWS_OF_SEARCHES = 50
CASES = [
    ("threshold", {}),
    ("threshold", {"coherent": "max-up"}),
    ("single", {}),
    ("multi", {}),
    ("best-path", {}),
    ("top-leaves", {"k": 3}),
    ("mas", {"k": 3}),
    ("mas", {}),
    ("masr", {"alpha": 1.0}),
]


def make_hierarchy():
    """Return a DAG like an ontology: 45,000 nodes, several parents, about ten levels."""
    from truepath import Hierarchy

    with suppress(ImportError):
        from truepath.data import make_ontology_like

        return make_ontology_like(N_NODES, random_state=0)
    rng = np.random.default_rng(0)
    first = (rng.random(N_NODES) * np.arange(N_NODES)).astype(int)
    second = (rng.random(N_NODES) * np.arange(N_NODES)).astype(int)
    edges = [(int(first[v]), v) for v in range(1, N_NODES)]
    edges += [(int(second[v]), v) for v in range(1, N_NODES) if rng.random() < 0.3 and second[v] != first[v]]
    return Hierarchy.from_edges([(f"n{u}", f"n{v}") for u, v in edges])


def make_scores(hierarchy, n_rows):
    """Return coherent float32 scores in CSR: two leaves per row with their ancestors."""
    from truepath.hierarchy import raise_up
    from truepath.hierarchy.matrices import stack_sparse

    parts = []
    for start in range(0, n_rows, ROWS_TOGETHER):
        n = min(ROWS_TOGETHER, n_rows - start)
        rng = np.random.default_rng([0, start])
        leaves = rng.choice(hierarchy.leaves, (n, 2))
        values = rng.random((n, 2), np.float32)
        rows = np.repeat(np.arange(n), 2)
        S = sparse.csr_array((values.ravel(), (rows, leaves.ravel())), shape=(n, hierarchy.n_nodes))
        parts.append(raise_up(S, hierarchy))
    return stack_sparse(parts, hierarchy.n_nodes)


def peak_gb(who=resource.RUSAGE_SELF):
    """Return the peak of resident memory in GB."""
    return resource.getrusage(who).ru_maxrss * 1024 / 1e9


def timed(job, n_rows):
    """Return rows per second of wall-clock and processor time."""
    wall, cpu = perf_counter(), process_time()
    job()
    return f"{n_rows / (perf_counter() - wall):,.0f} ({n_rows / (process_time() - cpu):,.0f})"


def decode(n_rows):
    """Print rows per second of every decoder."""
    from truepath.registry import DECODERS

    hierarchy = make_hierarchy()
    S = make_scores(hierarchy, n_rows)
    print(f"\n{hierarchy}; {n_rows:,} rows, {S.nnz / n_rows:.0f} scores stored per row\n")
    print("| decoder | rows | rows/s (of processor time) | labels per row | peak, GB |\n|---|---|---|---|---|")
    few = S[:2000]
    truth = few > 0.6
    for name, options in CASES:
        decoder = DECODERS[name](hierarchy=hierarchy, **options)
        if name in ("single", "multi"):
            decoder.fit(few, truth)
        n = min(n_rows, ROWS_OF_SEARCHES) if name.startswith("mas") else n_rows
        part = S if n == n_rows else S[:n]
        decoder.predict(part[:1])  # compiles
        found = []
        rate = timed(lambda decoder=decoder, part=part, found=found: found.append(decoder.predict(part)), n)
        shown = ", ".join(f"{key}={value}" for key, value in options.items())
        print(f"| {name} {shown} | {n:,} | {rate} | {found[0].nnz / n:.1f} | {peak_gb():.2f} |", flush=True)


def main():
    """Run every part in a process of its own."""
    parser = make_parser(__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--part", choices=sorted(PARTS))
    given = parser.parse_args()
    if given.smallest:
        given.rows = 4
    if given.part:
        PARTS[given.part](given.rows)
        return
    for part in PARTS:
        subprocess.run([sys.executable, __file__, "--rows", str(given.rows), "--part", part], check=True)


PARTS = {"decode": decode}

if __name__ == "__main__":
    main()

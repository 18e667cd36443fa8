"""Larger than memory: decode sparse scores of an ontology's size, and predict tables with ``truepath predict``.

Run as ``PYTHONPATH=src python benchmarks/bench_blocks.py``: 20,000 rows, some seconds; ``--rows 1000000`` is the table
of ``benchmarks/archive.md`` and takes half an hour. Prints Markdown. Each part runs in a process of its own, whose peak
of resident memory is reported; rows per second are of wall-clock time, those in brackets of processor time.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from data_folder import make_parser
from scipy import sparse

N_NODES = 45_000
N_TRAINED_ON = 2000
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


def decode(n_rows, is_smallest):
    """Print rows per second of every decoder on a DAG like an ontology: several parents, about ten levels."""
    from truepath.data import make_ontology_like
    from truepath.registry import DECODERS

    hierarchy = make_ontology_like(500 if is_smallest else N_NODES, random_state=0)
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


def predict_table(n_rows, is_smallest):
    """Print rows per second of ``truepath predict`` on 20 columns of numbers, with the usual forest of 100 trees."""
    from truepath.data import make_hmc

    ds = make_hmc(2000, 20, 30, random_state=0).merge()["all"]
    hierarchy = make_hmc(2000, 20, 30, random_state=0).hierarchy
    labels = [";".join(names) for names in hierarchy.decode(ds.y)]
    rows = [",".join(f"{x:.6f}" for x in row) for row in ds.X]
    header = ",".join(f"x{j}" for j in range(20))
    run_predict(
        n_rows, f"{header},labels", [f"{row},{cell}" for row, cell in zip(rows, labels)], [], "20 numbers", is_smallest
    )


def predict_texts(n_rows, is_smallest):
    """Print rows per second of ``truepath predict`` on descriptions of packages, with the usual model for texts."""
    from truepath import load_dataset

    data = load_dataset("pypi-topics")
    ds = data.merge()["all"]
    labels = [";".join(names) for names in data.hierarchy.decode(ds.y)]
    words = np.asarray(data.feature_names, object)
    X = sparse.csr_array(ds.X)
    texts = [" ".join(words[X.indices[a:b]].tolist()) for a, b in zip(X.indptr[:-1], X.indptr[1:])]
    rows = ['"{}",{}'.format(text.replace('"', '""'), cell) for text, cell in zip(texts, labels)]
    run_predict(n_rows // 5, "text,labels", rows, ["--text", "text"], "texts (pypi-topics)", is_smallest)


def run_predict(n_rows, header, rows, options, what, is_smallest):
    """Fit on some rows by the command line, predict a table that repeats them, and print what that took."""
    truepath = [sys.executable, "-m", "truepath"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "train.csv").write_text(
            "\n".join([header, *rows[: 60 if is_smallest else N_TRAINED_ON], ""]), encoding="utf-8"
        )
        fit = [*truepath, "fit", folder / "train.csv", "-o", folder / "m.tp", "--labels", "labels", *options]
        subprocess.run(fit, check=True, capture_output=True)
        for kind in ("csv", "parquet"):
            write_rows(folder / f"new.{kind}", header, rows, n_rows)
            size = (folder / f"new.{kind}").stat().st_size / 1e6
            predict = [*truepath, "predict", folder / "m.tp", folder / f"new.{kind}", "-o", folder / f"out.{kind}"]
            wall, before = perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            peak = int(subprocess.run([sys.executable, "-c", PEAK, *predict], check=True, capture_output=True).stdout)
            wall, after = perf_counter() - wall, resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            rate = f"{n_rows / wall:,.0f} ({n_rows / cpu:,.0f})"
            print(f"| {what}, {kind} of {size:,.0f} MB | {n_rows:,} | {rate} | {peak / 1024:,.0f} |", flush=True)


PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def write_rows(path, header, rows, n_rows):
    """Write a table that repeats the rows."""
    whole, rest = divmod(n_rows, len(rows))
    text = path.with_suffix(".csv")
    with open(text, "w", encoding="utf-8") as file:
        file.write(header + "\n")
        for _ in range(whole):
            file.write("\n".join(rows) + "\n")
        file.write("".join(row + "\n" for row in rows[:rest]))
    if path.suffix == ".parquet":
        from pyarrow import csv, parquet

        with csv.open_csv(text) as reader, parquet.ParquetWriter(path, reader.schema) as writer:
            for batch in reader:
                writer.write_batch(batch)


def main():
    """Run every part in a process of its own."""
    parser = make_parser(__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--part", choices=list(PARTS))
    given = parser.parse_args()
    if given.smallest:
        given.rows = 100
    if given.part:
        PARTS[given.part](given.rows, given.smallest)
        return
    for part in PARTS:
        if part == "table":
            print(
                "\n| `truepath predict` | rows | rows/s (of processor time) | peak, MB |\n|---|---|---|---|", flush=True
            )
        smallest = ["--smallest"] if given.smallest else []
        subprocess.run([sys.executable, __file__, "--rows", str(given.rows), "--part", part, *smallest], check=True)


PARTS = {"decode": decode, "table": predict_table, "texts": predict_texts}

if __name__ == "__main__":
    main()

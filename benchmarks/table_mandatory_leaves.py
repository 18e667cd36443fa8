"""hF and loss (7) of the mandatory leaf methods, five-fold, with Bi & Kwok's (2012) values beside.

    PYTHONPATH=src python benchmarks/table_mandatory_leaves.py [DATA SET ...] [--nesting DATA SET ...] [--json FILE]

What is run, and how, is in ``truepath.papers.bi2012.paper``; this only lays the comparisons out. With --json
they are also written to a file, after every data set.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from data_folder import home, make_parser, open_sets

from truepath.papers import Settings
from truepath.papers.base import Comparison
from truepath.papers.bi2012.paper import PAPER

DEFAULT = ("cellcycle_FUN", "pheno_FUN", "seq_FUN", "enron", "imclef07a", "cellcycle_GO", "church_GO")
FAMILIES = ("statistics", "lasso", "powerset", "trees")
COLUMNS = {
    "MAS": "MAS",
    "MAS, k by MetaLabeler": "MAS, ML",
    "MASR": "MASR",
    "exact": "exact",
    "HMC-LP": "HMC-LP",
    "HBR + MetaLabeler": "HBR+ML",
    "CLUS-HMC + MetaLabeler": "PCT+ML",
    "PCT forest + MetaLabeler": "forest+ML",
    "BR + MetaLabeler": "BR+ML",
}


def run(keys: list[str]) -> list[Comparison]:
    """Run the paper's cells of these keys, those it has."""
    found = []
    for cell in PAPER.cells:
        if cell.key in keys:
            start = time.process_time()
            found += cell.run(Settings(home()))
            print(f"{cell.key}: {time.process_time() - start:.0f} s", file=sys.stderr, flush=True)
    return found


def size(found: list[Comparison]) -> str:
    counts = {c.measure: c.ours for c in found if c.method == "data"}
    return f"{counts['#pattern']:.0f} / {counts['#leaf']:.0f} / {counts['avg #leaf per pattern']:.2f}"


def row(found: list[Comparison], measure: str) -> str:
    """Return one cell per method: ours, and the paper's in brackets."""
    by_method = {c.method: c for c in found if c.measure == measure}
    texts = []
    for method in COLUMNS:
        c = by_method.get(method)
        own = "–" if c is None else f"{c.ours:.3f}"
        texts.append(own if c is None or c.published is None else f"{own} ({c.published:.2f})")
    return " | ".join(texts)


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("names", nargs="*", default=list(DEFAULT))
    parser.add_argument("--nesting", nargs="*", default=[], help="data sets whose nesting is counted (Figure 3)")
    parser.add_argument("--only-nesting", action="store_true", help="leave the tables out")
    parser.add_argument("--json", type=Path, help="where to keep the comparisons")
    options = parser.parse_args()
    if options.smallest:
        options.names = options.nesting = ["enron"]
    names = dict.fromkeys([*options.names, *options.nesting])
    folders = [f"{'mulan' if name.startswith('rcv1') else 'hmc'}/{name}" for name in names]
    there = {folder.rpartition("/")[2] for folder in open_sets(folders, options.smallest)}
    kept: list[Comparison] = []
    print(f"| data set | rows / leaves / per row | measure | {' | '.join(COLUMNS.values())} |")
    print("|---" * (len(COLUMNS) + 3) + "|")
    for name in [] if options.only_nesting else filter(there.__contains__, options.names):
        found = run([f"{family}/{name}" for family in FAMILIES])
        for measure in ("hF", "loss (7)", "leaves predicted"):
            print(f"| {name} | {size(found)} | {measure} | {row(found, measure)} |", flush=True)
        kept += found
        if options.json:
            options.json.write_text(json.dumps([asdict(c) for c in kept], indent=1))
    if options.nesting:
        print(
            "\n| data set | share of rows | "
            + " | ".join(f"k = {k}" for k in range(2, 11))
            + " |\n"
            + "|---" * 11
            + "|"
        )
    for name in filter(there.__contains__, options.nesting):
        found = run([f"nesting/{name}"])
        for method, text in (("optimum", "best sets nested"), ("MAS", "greedy is optimal")):
            print(
                f"| {name} | {text} | " + " | ".join(f"{c.ours:.3f}" for c in found if c.method == method) + " |",
                flush=True,
            )
        kept += found
        if options.json:
            options.json.write_text(json.dumps([asdict(c) for c in kept], indent=1))


if __name__ == "__main__":
    main()

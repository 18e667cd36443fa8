"""How long the readers take, per data set, against the time it takes to decompress the same bytes.

Run from the repository's root: ``python benchmarks/bench_readers.py [name ...]``. The data are looked for in
``$TRUEPATH_DATA``, else in ``../shared/data``. Each figure is the median of three runs; the ratio says how
many times the bare decompression a whole load costs (parsing, hierarchy, closure included).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

from data_folder import home, make_parser, open_sets

from truepath.data import list_datasets, load_dataset
from truepath.files.unpacking import read_bytes

RUNS = 3


def median_seconds(action: Callable[[], object]) -> float:
    """Run three times, give the middle time."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def files_of(folder: Path) -> list[Path]:
    """Find the files that loading this data set reads."""
    return [file for file in sorted(folder.iterdir()) if ".arff" in file.name]


def main() -> None:
    """Print one line per data set: MB of text, seconds to decompress and to load, and their ratio."""
    parser = make_parser(__doc__)
    parser.add_argument("names", nargs="*", help="such as hmc/enron; all by default")
    asked = parser.parse_args()
    names = open_sets(["hmc/diatoms", "mulan/flags"], True) if asked.smallest else open_sets(asked.names)
    names = names or ([] if asked.names else [name for name in list_datasets(home()) if "/" in name])
    if not names:
        print(f"no data sets in {home()}; set TRUEPATH_DATA.")
        return
    load_dataset(names[0])  # imports and compiled code are not part of the figures
    print(f"{'data set':<34}{'MB':>8}{'decompress s':>14}{'load s':>9}{'ratio':>8}{'MB/s':>8}")
    total = 0.0
    for name in names:
        files = files_of(home() / name)
        megabytes = sum(len(read_bytes(file)) for file in files) / 1e6
        bare = median_seconds(lambda files=files: [read_bytes(file) for file in files])
        load = median_seconds(lambda name=name: load_dataset(name))
        total += load
        print(f"{name:<34}{megabytes:>8.2f}{bare:>14.4f}{load:>9.3f}{load / bare:>8.1f}{megabytes / load:>8.1f}")
    print(f"{len(names)} data sets in {total:.1f} s")


if __name__ == "__main__":
    main()

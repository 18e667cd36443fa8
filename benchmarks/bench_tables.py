"""How fast large tables are read, in MB per second of processor time, against other ways to read the same file.

Run: ``python benchmarks/bench_tables.py [megabytes]`` (100 by default); the files are made in a temporary folder. Each
figure is the best of three runs. The yardsticks read numbers or words into columns and do nothing more: no labels, no
hierarchy, no check of names and ids; ``as ours`` has pyarrow make the same matrix and texts. ``plain`` is the library's
own way for small files, which gives the same bits.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from data_folder import make_parser

from truepath.data import open_dataset, read_scores
from truepath.data.tables import cut

RUNS = 3
COLUMNS = 50
WORDS = ["red", "green", "dark blue", "yellow", "v1", "v2"]
LABELS = ["a/b", "a/c;d", "d", "a"]


def best_seconds(action: Callable[[], object], runs: int = RUNS) -> float:
    """Run several times, give the least processor time."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def rows_of(kind: str, size: int) -> Iterator[list[str]]:
    """Make rows of cells until they take ``size`` bytes."""
    rng, made = np.random.default_rng(0), 0
    while made < size:
        if kind == "words":
            block = [[WORDS[w] for w in row] for row in rng.integers(0, len(WORDS), (500, COLUMNS)).tolist()]
        elif kind == "scores":
            block = [list(map(repr, row)) for row in rng.random((500, COLUMNS)).tolist()]
        else:
            block = [[f"{x:.6g}" for x in row] for row in rng.normal(size=(500, COLUMNS)).tolist()]
        for row in block:
            made += sum(map(len, row)) + len(row)
            yield row


def write(folder: Path, kind: str, ending: str, size: int) -> Path:
    """Write one table: numbers, words or scores; CSV or ARFF."""
    path = folder / f"{kind}{ending}"
    names = [f"x{k}" for k in range(COLUMNS)]
    with open(path, "w", encoding="utf-8") as file:
        if ending == ".arff":
            kinds = "{" + ",".join(f"'{word}'" for word in WORDS) + "}" if kind == "words" else "numeric"
            file.write("@relation r\n" + "".join(f"@attribute {name} {kinds}\n" for name in names))
            file.write("@attribute class hierarchical a,a/b,a/c,d\n@data\n")
        else:
            file.write(",".join(["id", *names] if kind == "scores" else [*names, "labels"]) + "\n")
        for i, row in enumerate(rows_of(kind, size)):
            if kind == "scores":
                row = [f"r{i}", *row]
            elif ending == ".arff":
                quoted = [f"'{cell}'" if " " in cell else cell for cell in row]
                row = [*quoted, LABELS[i % 4].replace(";", "@")]
            else:
                row = [*row, LABELS[i % 4]]
            file.write(",".join(row) + "\n")
    return path


def yardsticks(path: Path, kind: str) -> dict[str, Callable[[], object]]:
    """Give other ways to read the same file."""
    found: dict[str, Callable[[], object]] = {"bytes": path.read_bytes}
    if path.suffix == ".csv" and find_spec("pandas"):
        import pandas

        found["pandas"] = lambda: pandas.read_csv(path)
    if path.suffix == ".csv" and find_spec("pyarrow"):
        import pyarrow.csv

        options = pyarrow.csv.ReadOptions(use_threads=False)
        found["pyarrow"] = lambda: pyarrow.csv.read_csv(path, read_options=options)
        found["as ours"] = lambda: as_ours(path)
    if kind == "numbers":
        skip, columns = (1 if path.suffix == ".csv" else COLUMNS + 3), range(COLUMNS)
        found["loadtxt"] = lambda: np.loadtxt(path, delimiter=",", skiprows=skip, usecols=columns)
    return found


def as_ours(path: Path) -> tuple[np.ndarray, list[list[str]]]:
    """Read with pyarrow what the library reads: a matrix of the numbers, and every other cell as the text it is.

    Nothing is guessed by pyarrow (it takes NA for missing and 007 for a number) and cells may hold line feeds, but
    ragged rows are not named by their lines, and text after a closing quote is not refused.
    """
    import pyarrow
    from pyarrow import csv

    raw = path.read_bytes()
    names = next(iter(raw.split(b"\n", 1))).decode().split(",")
    table = csv.read_csv(
        pyarrow.BufferReader(raw),
        read_options=csv.ReadOptions(use_threads=False),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, pyarrow.string())),
    )
    numbers, texts = [], []
    for name in names:
        try:
            numbers.append(table[name].cast(pyarrow.float64()).to_numpy())
        except pyarrow.ArrowInvalid:
            texts.append(table[name].to_pylist())
    return (np.column_stack(numbers) if numbers else np.empty((0, 0))), texts


def plainly(read: Callable[[], object]) -> None:
    """Read as small files are read."""
    before, cut.LARGE = cut.LARGE, 1 << 60
    try:
        read()
    finally:
        cut.LARGE = before


def main(megabytes: float) -> None:
    """Print one line per table and way of reading."""
    cut.LARGE = min(cut.LARGE, int(megabytes * 5e5))
    print(f"{'table':<16}{'way':<12}{'MB':>8}{'s':>8}{'MB/s':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for kind, ending in [("scores", ".csv"), *((k, e) for e in (".csv", ".arff") for k in ("numbers", "words"))]:
            path = write(Path(folder), kind, ending, int(megabytes * 1e6))
            size = path.stat().st_size / 1e6

            def read(path: Path = path, kind: str = kind) -> object:
                return read_scores(path) if kind == "scores" else open_dataset(path)

            read()  # compiled code is loaded once
            times = {"truepath": best_seconds(read), "plain": best_seconds(lambda read=read: plainly(read), 1)}
            times.update({name: best_seconds(way) for name, way in yardsticks(path, kind).items()})
            for name, seconds in times.items():
                rate = size / max(seconds, 1e-9)
                print(f"{path.name:<16}{name:<12}{size:>8.1f}{seconds:>8.2f}{rate:>8.0f}", flush=True)
            path.unlink()


if __name__ == "__main__":
    parser = make_parser(__doc__)
    parser.add_argument("megabytes", type=float, nargs="?", default=100.0)
    given = parser.parse_args()
    main(0.02 if given.smallest else given.megabytes)

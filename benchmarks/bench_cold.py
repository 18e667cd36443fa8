"""The first use in a new environment: processor seconds of compiling, beside those of the next process.

    PYTHONPATH=src python benchmarks/bench_cold.py

Each first use is a process of its own with an empty cache of compiled functions, the next use another with what the
first one left there; imports and the making of data (plain NumPy) are not counted. Medians of five. The yardstick is
numba's own first function, one that adds two numbers. ``truepath warmup`` is timed by the clock, once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from data_folder import make_parser

IMPORTS = """
import time, warnings
import numba
import numpy as np
from truepath import Hierarchy
from truepath.learners import CutsetNetwork, HAdaBoostMH, PCTForest
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
h = Hierarchy.from_edges([(str(v // 3), str(v)) for v in range(1, 40)])  # node 0 on top
place = {name: v for v, name in enumerate(h.names)}
X, y = rng.normal(size=(300, 10)), np.zeros((300, 40), dtype=bool)
for row in range(300):
    v = rng.integers(1, 40)
    while v:
        y[row, place[str(v)]], v = True, v // 3
y[:, place["0"]] = True
names = [[h.names[v] for v in np.flatnonzero(row)] for row in y]
begun = time.process_time()
"""
SPEAK = "\nprint(time.process_time() - begun)"
USES = {
    "a function of numba's that adds two numbers": "numba.njit(lambda a, b: a + b)(1.0, 2.0)",
    "`Hierarchy.encode`": "h.encode(names)",
    "`PCTForest.fit`": "PCTForest(n_estimators=5, random_state=0, hierarchy=h).fit(X, y)",
    "`HAdaBoostMH.fit`": "HAdaBoostMH(n_estimators=5, hierarchy=h).fit(X, y)",
    "`CutsetNetwork.fit`": "CutsetNetwork(hierarchy=h).fit(X, y)",
}


def run(command, cache):
    """Run a process with this cache of compiled functions; return what it prints."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    command = [sys.executable, *command]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def measure(use):
    """Return the processor seconds of a first and of a next use."""
    with tempfile.TemporaryDirectory() as cache:
        return [float(run(["-c", IMPORTS + use + SPEAK], cache)) for _ in range(2)]


def main():
    smallest = make_parser(__doc__).parse_args().smallest
    uses = dict(list(USES.items())[:2]) if smallest else USES
    print("| first use | CPU s | next process, CPU s |\n|---|---|---|")
    for name, use in uses.items():
        first, next_one = np.median([measure(use) for _ in range(1 if smallest else 5)], axis=0)
        print(f"| {name} | {first:.2f} | {next_one:.2f} |", flush=True)
    if smallest:
        return
    for n_jobs in (1, 2):
        with tempfile.TemporaryDirectory() as cache:
            begun = time.perf_counter()
            said = run(["-m", "truepath", "warmup", "--n-jobs", str(n_jobs)], cache)
            print(f"\n`truepath warmup --n-jobs {n_jobs}`: {time.perf_counter() - begun:.0f} s ({said.split(',')[0]})")


if __name__ == "__main__":
    main()

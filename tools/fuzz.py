"""Try the public surface with random cases: ``python tools/fuzz.py --cases 100000 --seed 1``.

Each case draws a check and an input from a seed of its own, so that any failure comes back with ``--case``.
Metamorphic checks compare answers that must agree: rows and nodes in another order, other names, repeated rows against
weights, dense against sparse; the others ask for a right answer or an error that says something. Ends with a table of
what was tried, and with 1 if anything failed.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
import warnings
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fuzzing import CHECKS, RefusedError

#: Cases are handed out so many at a time
BLOCK = 500
SHOWN = 10


def run_case(seed: int, case: int) -> tuple[str, str, float, str]:
    """Run one case; return its check, "passed", "refused" or "failed", the seconds and the traceback."""
    rng = np.random.default_rng([seed, case])
    shares = np.array([check.share for check in CHECKS], float)
    chosen = CHECKS[int(rng.choice(len(CHECKS), p=shares / shares.sum()))]
    start = time.perf_counter()
    outcome, said = "passed", ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            chosen.run(rng)
        except RefusedError:
            outcome = "refused"
        except Exception:
            outcome, said = "failed", traceback.format_exc(limit=-6)
    return chosen.name, outcome, time.perf_counter() - start, said


def run_block(seed: int, cases: range) -> list[tuple[int, Any]]:
    """Run some cases."""
    return [(case, run_case(seed, case)) for case in cases]


def run(n_cases: int, seed: int, n_jobs: int) -> tuple[dict[str, dict[str, float]], list[tuple[int, str, str]]]:
    """Run all cases; return counts by check, and the failures."""
    counts: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    failures = []
    blocks = [range(start, min(start + BLOCK, n_cases)) for start in range(0, n_cases, BLOCK)]
    done = map(run_block, [seed] * len(blocks), blocks) if n_jobs == 1 else _in_processes(seed, blocks, n_jobs)
    n_done = 0
    for block in done:
        for case, (name, outcome, seconds, said) in block:
            counts[name][outcome] += 1
            counts[name]["seconds"] += seconds
            if said:
                failures.append((case, name, said))
        n_done += len(block)
        if sys.stderr.isatty():
            print(f"\r{n_done:,} of {n_cases:,} cases, {len(failures)} failed", end="", file=sys.stderr, flush=True)
    return counts, failures


def _in_processes(seed: int, blocks: list[range], n_jobs: int) -> Any:
    with ProcessPoolExecutor(n_jobs) as pool:
        yield from pool.map(run_block, [seed] * len(blocks), blocks)


def table(counts: dict[str, dict[str, float]]) -> str:
    """Write what was tried as a table."""
    lines = [f"{'check':<24}{'passed':>10}{'refused':>10}{'failed':>10}{'ms each':>10}"]
    for name, row in sorted(counts.items()):
        total = row["passed"] + row["refused"] + row["failed"]
        numbers = "".join(f"{int(row[key]):>10,}" for key in ("passed", "refused", "failed"))
        lines.append(f"{name:<24}{numbers}{1000 * row['seconds'] / total:>10.1f}")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run the cases, print the report, return how many failed (1 at most)."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000, help="how many cases to run")
    parser.add_argument("--seed", type=int, default=0, help="where the cases come from")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--case", type=int, help="run this one case alone, and show its traceback")
    given = parser.parse_args(arguments)
    if given.case is not None:
        name, outcome, _, said = run_case(given.seed, given.case)
        print(f"{name}: {outcome}\n{said}")
        return int(outcome == "failed")
    start = time.perf_counter()
    counts, failures = run(given.cases, given.seed, given.jobs)
    print(table(counts))
    for case, name, said in failures[:SHOWN]:
        print(f"\ncase {case} ({name}); again with: python tools/fuzz.py --seed {given.seed} --case {case}\n{said}")
    print(
        f"\n{given.cases:,} cases of seed {given.seed} in {time.perf_counter() - start:.0f} s, {len(failures)} failed"
    )
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())

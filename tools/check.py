"""Everything that must hold before a change lands: style, types, the import contract, tests, doctests, docs.

Run as ``python tools/check.py`` for the checks and the quick tests; ``--full`` adds the tests that are marked slow (the
docs build among them), and ``--rest`` runs only those. ``--full`` also measures which branches the tests take, with
kernels run once more as plain Python, whose lines can be seen. Other arguments go to pytest; with any, nothing is
measured.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(sys.executable).parent

CHECKS = {
    "style": [sys.executable, "-m", "ruff", "check", "."],
    "format": [sys.executable, "-m", "ruff", "format", "--check", "."],
    "types": [sys.executable, "-m", "mypy"],
    "imports": [str(HERE / "lint-imports")],
}
KERNELS = [sys.executable, "-m", "truepath", "warmup"]
COVERAGE = [sys.executable, "-m", "coverage"]
#: Tests that reach the kernels and are small enough to run as plain Python
OF_KERNELS = [
    "tests/kernels",
    "tests/hierarchy",
    "tests/metrics/test_oracles.py",
    "tests/decoders/leaves",
    "tests/decoders/thresholds",
    "tests/combiners/test_corrections.py",
    "tests/learners/bayes",
    "tests/learners/boosting/test_stumps.py",
    "tests/learners/cutset",
    "tests/learners/linear",
    "tests/learners/trees",
    "tests/data/tables",
    "tests/cafa/test_evaluate.py",
    "tests/classifier/test_top.py",
    "tests/learners/reasons/test_contributions.py",
]
#: Tests among them of published data sets, on which plain Python takes hours
TOO_LARGE = [f"--ignore-glob=*/{name}.py" for name in ("test_golden", "test_paper", "test_real_scores")]
#: What only shows which branches are taken: kernels that count bits or compile have no plain form, and their tests fail
PLAIN = "kernels as plain Python"
#: Numbers of 64 bits wrap around on purpose; compiled code says nothing of it
WRAP_AROUND = ["-W", "ignore:overflow encountered:RuntimeWarning"]
STAGES = {"quick": ["-m", "not slow"], "full": [], "rest": ["-m", "slow"]}


def main(arguments: list[str]) -> int:
    """Run the checks one after the other, the tests last; return the number that failed."""
    stage, for_pytest = parse(arguments)
    checks = {} if stage == "rest" else CHECKS
    with subprocess.Popen(KERNELS, cwd=ROOT):  # compiled beside the checks, once, not by every worker
        failed = [name for name, command in checks.items() if not passes(name, command)]
    tests = measured_tests() if stage == "full" and not for_pytest else {"tests": make_test_command(stage, for_pytest)}
    failed += [name for name, command in tests.items() if not passes(name, command) and name != PLAIN]
    if failed:
        print(f"failed: {', '.join(failed)}")
    return len(failed)


def parse(arguments: list[str]) -> tuple[str, list[str]]:
    """Return the stage that is asked for, and what is left for pytest."""
    parser = argparse.ArgumentParser(description="Checks and tests. Other arguments go to pytest.", allow_abbrev=False)
    stages = parser.add_mutually_exclusive_group()
    stages.add_argument("--full", action="store_true", help="the slow tests as well")
    stages.add_argument("--rest", action="store_true", help="the slow tests alone")
    options, for_pytest = parser.parse_known_args(arguments)
    return "full" if options.full else "rest" if options.rest else "quick", for_pytest


def make_test_command(stage: str, for_pytest: list[str]) -> list[str]:
    """Return the call of pytest; the stage comes first, so that an ``-m`` of one's own replaces it."""
    n_workers = str(min(os.cpu_count() or 1, 8))
    return [sys.executable, "-m", "pytest", "-q", "-n", n_workers, *STAGES[stage], *for_pytest]


def measured_tests() -> dict[str, list[str]]:
    """Return the steps that run all tests and measure the branches they take; what a run leaves behind is joined."""
    tests = [*COVERAGE, "run", *make_test_command("full", [])[1:]]
    plain = ["env", "NUMBA_DISABLE_JIT=1", "CI=1", *COVERAGE, "run", *make_test_command("quick", [])[1:]]
    plain += [*WRAP_AROUND, *TOO_LARGE, *OF_KERNELS]
    steps = {"tests": tests, PLAIN: plain, "joining": [*COVERAGE, "combine", "-q"]}
    return {**steps, "branches": [*COVERAGE, "report", "--skip-covered"]}


def passes(name: str, command: list[str]) -> bool:
    """Run one check from the repository's root and print how long it took."""
    start = time.perf_counter()
    print(f"== {name}", flush=True)
    ok = subprocess.run(command, cwd=ROOT, check=False).returncode == 0
    print(f"== {name}: {'ok' if ok else 'FAILED'} in {time.perf_counter() - start:.0f} s", flush=True)
    return ok


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

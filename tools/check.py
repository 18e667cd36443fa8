"""Everything that must hold before a change lands: style, types, the import contract, tests, doctests, docs.

Run as ``python tools/check.py``; add ``--fast`` to leave out the slow tests (the docs build among them). Other
arguments go to pytest.
"""

from __future__ import annotations

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


def main(arguments: list[str]) -> int:
    """Run the checks one after the other, the tests last; return the number that failed."""
    fast = "--fast" in arguments
    extra = [argument for argument in arguments if argument != "--fast"]
    tests = [sys.executable, "-m", "pytest", "-q", "-n", str(min(os.cpu_count() or 1, 8)), *extra]
    if fast:
        tests += ["-m", "not slow"]
    failed = [name for name, command in CHECKS.items() if not passes(name, command)]
    passes("kernels", [sys.executable, "-m", "truepath", "warmup"])  # once, not by every worker; not a check
    if not passes("tests", tests):
        failed.append("tests")
    if failed:
        print(f"failed: {', '.join(failed)}")
    return len(failed)


def passes(name: str, command: list[str]) -> bool:
    """Run one check from the repository's root and print how long it took."""
    start = time.perf_counter()
    print(f"== {name}", flush=True)
    ok = subprocess.run(command, cwd=ROOT, check=False).returncode == 0
    print(f"== {name}: {'ok' if ok else 'FAILED'} in {time.perf_counter() - start:.0f} s", flush=True)
    return ok


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

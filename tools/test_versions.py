"""The fast tests on every Python from 3.10 to 3.14 on this machine, and once with the oldest versions that are allowed.

Run as ``python tools/test_versions.py``. For each Python but the one that runs this (``--all`` for that one as well) an
environment is made with uv, and the fast tests run in it; then once more, on the oldest Python found, with the lowest
versions that ``pyproject.toml`` allows. ``--into FOLDER`` keeps the environments, ``--minutes`` limits the whole,
``--only 3.12`` or ``--only lowest`` picks; further arguments go to pytest. A table at the end says what passed, what
failed, and what was not found; the exit code is the number of environments that did not pass.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
MINORS = range(10, 15)
LOWEST = "lowest"
SHOWN = ("numpy", "scipy", "scikit-learn", "numba", "pandas")


class Result(NamedTuple):
    """What came of one environment."""

    name: str
    outcome: str
    said: str = ""
    versions: str = ""
    seconds: float = 0.0


def main(arguments: list[str]) -> int:
    """Test in one environment after the other; print a table; return how many did not pass."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, help="folder for the environments (default: a temporary one)")
    parser.add_argument("--minutes", type=float, default=60.0, help="for all environments together")
    parser.add_argument("--only", action="append", help="3.10, 3.11, ... or lowest; may be repeated")
    parser.add_argument("--all", action="store_true", help="the Python that runs this as well")
    options, for_pytest = parser.parse_known_args(arguments)
    end = time.monotonic() + 60 * options.minutes
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.into or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        results = [
            test_one(name, python, folder, end, for_pytest)
            for name, python in wanted(find_pythons(), options.only, options.all)
        ]
    print_table(results)
    return sum(result.outcome not in ("passed", "not found") for result in results)


def wanted(pythons: dict[str, str | None], only: list[str] | None, also_own: bool) -> Iterator[tuple[str, str | None]]:
    """Yield the environments in turn: the Pythons, then the lowest versions on the oldest of them."""
    own = f"3.{sys.version_info.minor}"
    for name, python in pythons.items():
        if name in only if only else (also_own or name != own):
            yield name, python
    if not only or LOWEST in only:
        yield LOWEST, next(filter(None, pythons.values()), None)


def find_pythons() -> dict[str, str | None]:
    """Return the interpreter of each version, or None."""
    return {f"3.{minor}": next(filter(runs, candidates(minor)), None) for minor in MINORS}


def candidates(minor: int) -> Iterator[str]:
    """Yield where an interpreter of a version may lie: this one, pyenv's folders, the path."""
    if minor == sys.version_info.minor:
        yield getattr(sys, "_base_executable", sys.executable)
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [path for path in pyenv.glob(f"3.{minor}.*/bin/python3") if path.parts[-3].replace(".", "").isdigit()]
    yield from map(str, sorted(found, key=lambda path: int(path.parts[-3].split(".")[2]), reverse=True))
    for place in os.environ.get("PATH", "").split(os.pathsep):
        if on_path := shutil.which(f"python3.{minor}", path=place):
            yield on_path


def runs(python: str) -> bool:
    """Return whether it starts: a shim of pyenv may stand for a version that is not switched on."""
    return subprocess.run([python, "-c", "import venv"], capture_output=True, check=False).returncode == 0


def test_one(name: str, python: str | None, folder: Path, end: float, for_pytest: list[str]) -> Result:
    """Make an environment and run the fast tests in it, until ``end``."""
    start = time.monotonic()
    if python is None:
        return Result(name, "not found")
    if start > end:
        return Result(name, "not run", "no time was left")
    print(f"== {name}: {python}", flush=True)
    try:
        own = make_environment(python, folder / name, lowest=name == LOWEST)
        passed, said = run_tests(own, folder / name / "numba", end, for_pytest)
    except subprocess.CalledProcessError as problem:
        return Result(name, "not installed", f"exit code {problem.returncode}", seconds=time.monotonic() - start)
    except subprocess.TimeoutExpired:
        return Result(name, "stopped", "no time was left", list_versions(own), time.monotonic() - start)
    return Result(name, "passed" if passed else "failed", said, list_versions(own), time.monotonic() - start)


def make_environment(python: str, place: Path, *, lowest: bool) -> str:
    """Install truepath with what its tests need; return the environment's interpreter."""
    uv = [sys.executable, "-m", "uv"]
    resolution = ["--resolution", "lowest-direct"] if lowest else []
    own = str(place / "bin" / "python")
    subprocess.run([*uv, "venv", "-q", "--clear", "--no-project", "--python", python, str(place)], check=True)
    subprocess.run([*uv, "pip", "install", "-q", "--python", own, *resolution, "-e", ".[test]"], cwd=ROOT, check=True)
    return own


def run_tests(python: str, numba_cache: Path, end: float, for_pytest: list[str]) -> tuple[bool, str]:
    """Run the fast tests; return whether they passed, and pytest's last line."""
    n_workers = str(min(os.cpu_count() or 1, 8))
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", n_workers, "-m", "not slow", *for_pytest]
    surroundings = {**os.environ, "NUMBA_CACHE_DIR": str(numba_cache)}  # numba's files of one Python at a time
    surroundings.pop("PYTHONPATH", None)
    with subprocess.Popen(command, cwd=ROOT, env=surroundings, stdout=subprocess.PIPE, text=True) as process:
        watched = _Watch(process, end)
        last = ""
        for line in process.stdout or ():
            print(line, end="", flush=True)
            last = line.strip() or last
        watched.cancel()
    if watched.is_over:
        raise subprocess.TimeoutExpired(command, 0)
    return process.returncode == 0, last.strip("= ")


class _Watch:
    """Ends a process when the time is over."""

    def __init__(self, process: subprocess.Popen[str], end: float):
        from threading import Timer

        self.process, self.is_over = process, False
        self.timer = Timer(max(end - time.monotonic(), 1.0), self.stop)
        self.timer.daemon = True
        self.timer.start()

    def stop(self) -> None:
        """End the tests; pytest's workers end with it."""
        self.is_over = True
        self.process.terminate()

    def cancel(self) -> None:
        """The process ended by itself."""
        self.timer.cancel()


def list_versions(python: str) -> str:
    """Return the versions that matter in an environment."""
    code = f"from importlib.metadata import version as v; print(', '.join(f'{{n}} {{v(n)}}' for n in {SHOWN!r}))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=False).stdout.strip()


def print_table(results: list[Result]) -> None:
    """Print one line per environment."""
    print("\n== versions")
    for result in results:
        about = "; ".join(filter(None, (result.said, result.versions)))
        print(f"{result.name:<8} {result.outcome:<14} {result.seconds:5.0f} s  {about}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The quick tests on every Python from 3.10 to 3.14 on this machine, and once with the oldest versions allowed.

Run as ``python tools/test_versions.py``. For each Python but the one that runs this (``--all`` for that one as well) uv
makes an environment, and the quick tests run in it; so they do on the oldest Python found with the lowest versions that
``pyproject.toml`` allows. That comes first, then the newest Python, the oldest, and those between.
``--minutes`` limits the whole, ``--only 3.12`` or ``--only lowest`` picks, ``--into FOLDER`` keeps the environments;
further arguments go to pytest.

A table at the end says what passed, what failed, and what was not found or not reached in time. The exit code is the
number of environments in which a test failed; what could not be made, found or reached is said, and not counted.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
MINORS = range(10, 15)
LOWEST = "lowest"
SHOWN = ("numpy", "scipy", "scikit-learn", "numba", "pandas")
UV = [sys.executable, "-m", "uv"]
SECONDS_TO_END = 30.0  # for pytest to say what failed so far
FAILURE = re.compile(r"[.sxXFE]*[FE][.sxXFE]*\s*(\[ *\d+%\])?\s*$|(FAILED|ERROR) ")  # in what pytest prints as it goes


class Result(NamedTuple):
    """What came of one environment."""

    name: str
    outcome: str
    said: str = ""
    versions: str = ""
    seconds: float = 0.0


def main(arguments: list[str]) -> int:
    """Test in one environment after the other; print a table; return how many failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, help="folder for the environments (default: a temporary one)")
    parser.add_argument("--minutes", type=float, default=60.0, help="for all environments together")
    parser.add_argument("--only", action="append", help="3.10, 3.11, ... or lowest; may be repeated")
    parser.add_argument("--all", action="store_true", help="the Python that runs this as well")
    options, for_pytest = parser.parse_known_args(arguments)
    end = time.monotonic() + 60 * options.minutes
    results = [
        test_one(name, python, options.into, end, for_pytest)
        for name, python in wanted(find_pythons(), options.only, options.all)
    ]
    print_table(results, options.minutes)
    return sum(result.outcome == "failed" for result in results)


def wanted(pythons: dict[str, str | None], only: list[str] | None, also_own: bool) -> list[tuple[str, str | None]]:
    """Return the environments in their turn: where trouble is likeliest comes first."""
    own = f"3.{sys.version_info.minor}"
    found = [name for name, python in pythons.items() if python]
    outside_in = [LOWEST, *found[-1:], *found[:1], *found[1:-1], *(name for name in pythons if name not in found)]
    chosen = only or [LOWEST, *(name for name in pythons if also_own or name != own)]
    oldest = pythons[found[0]] if found else None
    return [(name, pythons.get(name, oldest)) for name in dict.fromkeys(outside_in) if name in chosen]


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


def test_one(name: str, python: str | None, into: Path | None, end: float, for_pytest: list[str]) -> Result:
    """Make an environment and run the quick tests in it, until ``end``."""
    start = time.monotonic()
    if python is None:
        return Result(name, "not found")
    if start > end:
        return Result(name, "not reached")
    print(f"== {name}: {python}", flush=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        place = (into or Path(temporary)).resolve() / name
        try:
            own = make_environment(python, place, lowest=name == LOWEST)
        except subprocess.CalledProcessError as problem:
            return Result(
                name, "not installed", f"uv ended with {problem.returncode}", seconds=time.monotonic() - start
            )
        outcome, said = run_tests(own, place / "numba", end, for_pytest)
        return Result(name, outcome, said, list_versions(own), time.monotonic() - start)


def make_environment(python: str, place: Path, *, lowest: bool) -> str:
    """Install truepath with what its tests need; return the environment's interpreter."""
    resolution = ["--resolution", "lowest-direct"] if lowest else []
    own = str(place / "bin" / "python")
    place.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([*UV, "venv", "-q", "--clear", "--no-project", "--python", python, str(place)], check=True)
    subprocess.run([*UV, "pip", "install", "-q", "--python", own, *resolution, "-e", ".[test]"], cwd=ROOT, check=True)
    return own


def run_tests(python: str, numba_cache: Path, end: float, for_pytest: list[str]) -> tuple[str, str]:
    """Run the quick tests until ``end``; return what came of them, and pytest's last line."""
    n_workers = str(min(os.cpu_count() or 1, 8))
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", n_workers, "-m", "not slow", *for_pytest]
    surroundings = {**os.environ, "NUMBA_CACHE_DIR": str(numba_cache)}  # numba's files of one Python at a time
    surroundings.pop("PYTHONPATH", None)
    subprocess.run([python, "-m", "truepath", "warmup"], cwd=ROOT, env=surroundings, check=False)  # to save time
    with subprocess.Popen(
        command, cwd=ROOT, env=surroundings, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        watch = _Watch(process, end)
        last, has_failed = "", False
        for line in process.stdout or ():
            print(line, end="", flush=True)
            last = line.strip("= \n") or last
            has_failed |= FAILURE.match(line) is not None
        watch.cancel()
    if watch.is_over and not has_failed:
        return "not finished", last
    return ("passed" if process.returncode == 0 else "failed"), last


class _Watch:
    """Ends a run of pytest when the time is over: by an interrupt, on which it says what failed, and then for good."""

    def __init__(self, process: subprocess.Popen[str], end: float):
        self.process, self.is_over = process, False
        self.timers = [Timer(max(end - time.monotonic(), 1.0), self.interrupt)]
        self.timers[0].start()

    def interrupt(self) -> None:
        """Ask pytest and its workers to stop."""
        self.is_over = True
        self.timers.append(Timer(SECONDS_TO_END, os.killpg, (self.process.pid, signal.SIGKILL)))
        self.timers[1].start()
        os.killpg(self.process.pid, signal.SIGINT)

    def cancel(self) -> None:
        """The process has ended."""
        for timer in self.timers:
            timer.cancel()


def list_versions(python: str) -> str:
    """Return the versions that matter in an environment."""
    code = f"from importlib.metadata import version as v; print(', '.join(f'{{n}} {{v(n)}}' for n in {SHOWN!r}))"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=False).stdout.strip()


def print_table(results: list[Result], minutes: float) -> None:
    """Print one line per environment, and then what was not tested."""
    print("\n== versions")
    for result in results:
        about = "; ".join(filter(None, (result.said, result.versions)))
        print(f"{result.name:<8} {result.outcome:<14} {result.seconds:5.0f} s  {about}")
    for outcome, why in (("not found", "not on this machine"), ("not reached", "no time"), ("not finished", "no time")):
        if names := [result.name for result in results if result.outcome == outcome]:
            limit = f" left of {minutes:.0f} minutes" if why == "no time" else ""
            print(f"{outcome}, {why}{limit}: {', '.join(names)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Kill commands at random moments and look at what they leave: ``python tools/try_kills.py [N] [COMMAND ...]``.

``fit``, ``update``, ``experiment --n-jobs 2`` and ``export`` are started over results that are there already, and
killed by SIGKILL or SIGTERM at N moments each, spread over the time that the command takes. ``serve --workers 2`` is
killed while it starts, and while it answers. After each kill every file must be the old one or the new one, whole, and
the workers must be gone. After every tenth, and at the end, the command is run to its end: then nothing else may lie
beside its results, or in the folder of temporary files. The exit status is 1 if anything was found.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import re
import shutil
import signal
import socket
import sys
import tempfile
import time
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from http.client import HTTPException
from itertools import count
from pathlib import Path
from threading import Event, Thread
from urllib.request import Request, urlopen

#: The longest that a worker may outlive its parent, in seconds
AFTER = 5.0
#: Nothing takes longer, in seconds
LONGEST = 120.0
ROWS = "".join(
    f"the cat number {i} sleeps,animal/cat\ndog {i} barks aloud,animal/dog\nan oak of {i} years,plant/oak\n"
    for i in range(30)
)
PLAN = """
datasets = ["toy"]
seeds = 6
measures = ["micro_f1"]
[methods]
tree = "truepath.learners.PCTree"
prior = "sklearn.dummy.DummyClassifier"
"""
FIT = ("fit", "rows.csv", "--text", "text", "--labels", "labels", "--method", "half", "-o", "model.tp")
COMMANDS = {
    "fit": FIT,
    "update": ("update", "base.tp", "rows.csv", "--step", "add plant/elm under plant", "-o", "updated.tp"),
    "experiment": ("experiment", "plan.toml", "-o", "results", "--n-jobs", "2"),
    "export": ("export", "base.tp", "-o", "model.onnx"),
    "serve": ("serve", "base.tp", "--workers", "2", "--quiet"),
}
QUESTION = json.dumps({"texts": ["a cat sleeps", "dogs bark"]}).encode()


@dataclass
class Found:
    """What the kills of one command left."""

    n_kills: int = 0
    n_in_time: int = 0
    longest: float = 0.0
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        said = f"{self.n_kills} kills, {self.n_in_time} of them while it ran; workers gone after {self.longest:.1f} s"
        return "; ".join([said, *(self.problems or ["nothing found"])])


class Command:
    """A command that runs in a copy of this process, where everything is imported, and in a session of its own.

    So what is killed is the work of the command, not the seconds in which Python imports. A server gets a port of its
    own, and questions as long as it runs.
    """

    def __init__(self, folder: Path, arguments: tuple[str, ...]):
        from truepath.cli import main

        self.code: int | None = None
        self.has_answered = Event()
        self.is_server = arguments[0] == "serve"
        port = free_port()
        arguments += ("--port", str(port)) if self.is_server else ()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside the threads of BLAS
            self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                os.chdir(folder)
                tempfile.tempdir = os.environ["TMPDIR"] = str(folder / "temporary")
                for stream in (1, 2):
                    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
                sys.argv = ["truepath", *arguments]
                main()
            except SystemExit as ended:
                os._exit(ended.code if isinstance(ended.code, int) else 0)
            finally:
                os._exit(70)
        if self.is_server:  # after the fork, which takes no thread along but the locks it holds
            Thread(target=self._ask, args=(f"http://127.0.0.1:{port}/predict",), daemon=True).start()

    def poll(self) -> int | None:
        """Return the exit code once it has ended."""
        if self.code is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self.code = os.waitstatus_to_exitcode(status) if ended else None
        return self.code

    def _ask(self, address: str) -> None:
        """Ask a server again and again, until it has ended."""
        request = Request(address, QUESTION, {"Content-Type": "application/json"})
        while self.code is None:
            try:
                with urlopen(request, timeout=5) as answer:
                    answer.read()
                self.has_answered.set()
            except (OSError, HTTPException):  # it starts, is busy, or is being killed
                time.sleep(0.02)

    def end(self) -> int | None:
        """Wait for its end, which a server that has answered is told to come to; return the exit code."""
        if self.is_server:
            self.has_answered.wait(LONGEST)
            os.kill(self.pid, signal.SIGTERM)
        return self.wait(LONGEST)

    def wait(self, seconds: float = float("inf")) -> int | None:
        """Wait for its end, but not longer than some time; return the exit code."""
        end = time.perf_counter() + seconds
        while self.poll() is None and time.perf_counter() < end:
            time.sleep(0.002)
        return self.code


def finish(folder: Path, arguments: tuple[str, ...]) -> float:
    """Run a command to its end; return the seconds it took."""
    begin = time.perf_counter()
    if (code := Command(folder, arguments).end()) != 0:
        raise RuntimeError(f"{' '.join(arguments)} ended with {code}")
    return time.perf_counter() - begin


def kill_at(folder: Path, command: tuple[str, ...], moment: float, number: signal.Signals, found: Found) -> None:
    """Send a signal to a command after some seconds, and wait until its workers are gone."""
    process = Command(folder, command)
    process.wait(moment)
    found.n_kills += 1
    if process.code is None:
        found.n_in_time += 1
        os.kill(process.pid, number)
    if process.wait(60) is None:
        found.problems.append(f"{number.name} at {moment:.2f} s did not end it")
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    begin = time.perf_counter()
    while left := members_of(process.pid):
        if time.perf_counter() - begin > 4 * AFTER:
            os.killpg(process.pid, signal.SIGKILL)
            break
        time.sleep(0.05)
    took = time.perf_counter() - begin
    found.longest = max(found.longest, took)
    if took > AFTER:
        found.problems.append(f"{number.name} at {moment:.2f} s: processes {left or 'gone'} after {took:.1f} s")


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def members_of(session: int) -> list[int]:
    """Return the processes of a session that run."""
    members = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, group = place.read_text().rpartition(")")[2].split()[:3]
        except OSError:  # it has ended since
            continue
        if int(group) == session and state != "Z":
            members.append(int(place.parent.name))
    return members


def prepare(folder: Path) -> None:
    """Write the inputs, and run every command once, so that there are old results and everything is imported."""
    import truepath.serve  # noqa: F401
    from truepath.cli.app import app

    (folder / "temporary").mkdir()

    (folder / "rows.csv").write_text("text,labels\n" + ROWS)
    (folder / "plan.toml").write_text(PLAN)
    before = Path.cwd()
    os.chdir(folder)
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            app(FIT, standalone_mode=False)
            shutil.copy("model.tp", "base.tp")
            for name in ("update", "export"):
                app(COMMANDS[name], standalone_mode=False)
            app(COMMANDS["experiment"][:-2], standalone_mode=False)  # without workers, which a fork would not have
    finally:
        os.chdir(before)
    shutil.copytree(folder / "results", folder / "expected")


def check_whole(folder: Path) -> None:
    """Load every result; what is torn raises."""
    import onnx

    from truepath.classifier import HierarchicalClassifier
    from truepath.experiments.store import Store
    from truepath.report import load_run

    for name in ("model.tp", "updated.tp", "base.tp"):
        HierarchicalClassifier.load(folder / name)
    load_run(folder / "model.run")
    onnx.load(folder / "model.onnx")
    Store(folder / "results" / "runs.jsonl").read()
    table = folder / "results" / "results.csv"
    if table.exists():
        whole = (folder / "expected" / "results.csv").read_text().splitlines()
        rows = table.read_text()
        if not rows.endswith("\n") or not set(rows.splitlines()) <= set(whole):
            raise RuntimeError("results.csv holds other rows")


def list_files(folder: Path) -> set[str]:
    """Return what lies in a folder; the arrays of a run are in folders of any token."""
    return {re.sub("arrays-[0-9a-f]+", "arrays", str(path.relative_to(folder))) for path in folder.rglob("*")}


def try_kills(folder: Path, name: str, n_kills: int, seed: int) -> Found:
    """Kill one command at random moments in a folder that was prepared; return what was found."""
    rng, found, command = random.Random(seed), Found(), COMMANDS[name]
    usual = list_files(folder)
    if name == "experiment":
        shutil.rmtree(folder / "results")
    longest = finish(folder, command)
    for k in count():
        if name == "experiment" and k % 3 == 0:  # a finished one has nothing to do
            shutil.rmtree(folder / "results", ignore_errors=True)
        number = rng.choice([signal.SIGKILL, signal.SIGTERM])
        moment = longest * rng.uniform(0, 1.5 if name == "serve" else 1.02)
        kill_at(folder, command, moment, number, found)
        try:
            check_whole(folder)
        except Exception as problem:  # whatever a torn file provokes
            found.problems.append(f"{number.name} at {moment:.2f} s: {problem!r}")
        is_over = found.n_in_time >= n_kills
        if k % 10 == 9 or is_over:
            longest = min(longest, finish(folder, command))
            if left := list_files(folder) ^ usual:
                found.problems.append(f"after the next run: {sorted(left)}")
            print(f"{name}: {found}", flush=True)
        if is_over:
            return found


def main() -> None:
    """Kill, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n_kills", type=int, nargs="?", default=50)
    parser.add_argument("commands", nargs="*", default=list(COMMANDS), metavar="COMMAND")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        prepare(Path(temporary))
        found = [try_kills(Path(temporary), name, asked.n_kills, asked.seed) for name in asked.commands]
    sys.exit(any(one.problems for one in found))


if __name__ == "__main__":
    main()

"""Every command of ``truepath --help`` once, in a fresh environment with chosen extras.

Run as ``python tools/try_commands.py`` for ``truepath[all]``, with which every command must work; ``--extras ""`` tries
the plain install and ``--extras report,serve`` some extras: there a command may also say which extra it needs.
``--python FILE`` takes an environment that is there already. The table says what each command did, and how long making
the environment took and how large it is. The exit code is the number of commands that failed.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple
from urllib.request import ProxyHandler, build_opener

ROOT = Path(__file__).resolve().parents[1]
PORT = 8765

TEXTS = ("cats purr", "dogs bark", "oaks grow")
ROWS = [f"g{i:03},{i % 7},{TEXTS[i % 3]} {i % 5},{'abc'[i % 3]}/{i % 2}" for i in range(120)]
RESULTS = [f"d{i},{method},0.{(i * 7 + j * 13) % 90 + 10}" for i in range(6) for j, method in enumerate("mno")]
PLAN = """
folds = 2
measures = ["micro_f1"]
[datasets]
t = {path = "t.csv", ids = "id"}
[methods]
tree = "truepath.learners.PCTree"
"""

#: The files that the commands start from, beside those of ``truepath.cafa.make_function_data``
FILES = {
    "t.csv": "\n".join(["id,size,about,labels", *ROWS, ""]),
    "h.csv": "parent,child\n,a\na,a/0\na,a/1\n,b\n",
    "new.csv": "id,size,about\nx,1,cats purr\ny,2,oaks grow\n",
    "s.csv": "id,a,a/0,a/1,b\nx,0.9,0.8,0.1,0.2\ny,0.6,0.1,0.5,0.7\n",
    "y.csv": "id,labels\nx,a/0\ny,b\n",
    "z.csv": "id,labels\nx,a/1\ny,b\n",
    "r.csv": "\n".join(["dataset,method,value", *RESULTS, ""]),
    "plan.toml": PLAN,
    "targets.txt": "Q00001\nQ00002\n",
}
MADE = "from truepath.cafa import make_function_data; make_function_data(120, 30).write('.')"

#: One call of each command, in the order in which files are made
CALLS = (
    "methods",
    "describe t.csv --labels labels",
    "fit t.csv -o m.tp --labels labels --ids id",
    "predict m.tp new.csv -o labels.csv",
    "predict m.tp new.csv -o labels.parquet",
    "fit t.csv -o linear.tp --labels labels --ids id --learner sparse-linear --decoder single",
    "features linear.tp",
    "export linear.tp -o linear.onnx --from-features",
    "update linear.tp t.csv -o n.tp --labels labels --step 'add d under a' --old-labels",
    "report m.run -o report.html",
    "serve m.tp",
    "hierarchy edit h.csv 'add d under a' -o h2.json",
    "hierarchy diff h.csv h2.json",
    "label s.csv -H h.csv -o found.csv",
    "evaluate y.csv found.csv -H h.csv",
    "compare y.csv z.csv --truth y.csv -H h.csv",
    "compare r.csv --diagram ranks.png --greater-is-better",
    "reproduce --list",
    "fetch --list",
    "warmup",
    "cafa pairs annotations.gaf --until 2022-06-30 -o known.tsv",
    "cafa pairs annotations.gaf --after 2022-06-30 -o later.tsv",
    "cafa ia known.tsv -O made.obo -o IA.txt",
    "cafa train embeddings.npz known.tsv -O made.obo -o models --min-count 3",
    "cafa predict models embeddings.npz -O made.obo -o model.tsv",
    "cafa baseline known.tsv -O made.obo --targets targets.txt -o common.tsv",
    "cafa blend model.tsv model.tsv -O made.obo -t later.tsv -o blend.tsv",
    "cafa evaluate -O made.obo -t later.tsv -p model.tsv --ia IA.txt --report cafa.html",
    "cafa cutoffs model.tsv -O made.obo -t later.tsv",
    "cafa submit model.tsv -O made.obo -o submission.tsv",
    "cafa check submission.tsv -O made.obo",
    "experiment plan.toml -o study",
    "demo",
)
LIST = """
from typer.main import get_command
from truepath.cli.app import app
def leaves(command, name):
    for part, below in getattr(command, "commands", {}).items():
        yield from leaves(below, [*name, part]) if hasattr(below, "commands") else [" ".join([*name, part])]
print("\\n".join(leaves(get_command(app), [])))
"""


class Result(NamedTuple):
    """What came of one call."""

    call: str
    outcome: str
    said: str
    seconds: float


def main(arguments: list[str]) -> int:
    """Make an environment, try every command, print a table; return how many failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--extras", default="all", help="of truepath, separated by commas; '' for the plain install")
    parser.add_argument("--python", help="the interpreter of an environment that is there already")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        python = options.python or install(Path(temporary) / "venv", options.extras)
        folder = Path(temporary) / "work"
        folder.mkdir()
        results = try_all(python, folder)
    for result in results:
        print(f"{result.outcome:<8} {result.seconds:6.1f} s  truepath {result.call}  {result.said}".rstrip())
    accepted = {"works"} if options.extras == "all" else {"works", "refuses"}
    return sum(result.outcome not in accepted for result in results)


def install(place: Path, extras: str) -> str:
    """Make an environment as the README does; say how long that took and how large it is."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    python = str(place / "bin" / "python")
    what = f".[{extras}]" if extras else "."
    subprocess.run([python, "-m", "pip", "install", "-q", what], cwd=ROOT, check=True)
    size = sum(file.stat().st_size for file in place.rglob("*") if file.is_file() and not file.is_symlink())
    print(f"{what}: {time.perf_counter() - start:.0f} s, {size / 1e6:.0f} MB", flush=True)
    return python


def try_all(python: str, folder: Path) -> list[Result]:
    """Run all calls in a folder; a command without a call is a failure too."""
    for name, content in FILES.items():
        (folder / name).write_text(content, encoding="utf-8")
    subprocess.run([python, "-c", MADE], cwd=folder, env=surroundings(), check=True)
    known = run(python, ["-c", LIST], folder).stdout.splitlines()
    tried = [try_one(python, call, folder) for call in CALLS]
    called = {name for name in known for call in CALLS if f"{call} ".startswith(f"{name} ")}
    return [*tried, *(Result(name, "no call", "add one to CALLS", 0.0) for name in known if name not in called)]


def try_one(python: str, call: str, folder: Path) -> Result:
    """Run one call, and tell what works from what asks for an extra and from what fails."""
    start = time.perf_counter()
    command = ["-m", "truepath", *shlex.split(call)]
    done = serve(python, command, folder) if call.startswith("serve") else run(python, command, folder)
    seconds = time.perf_counter() - start
    if done.returncode == 0:
        return Result(call, "works", "", seconds)
    said = " ".join(re.sub(r"\x1b\[\d*m", "", done.stderr).split())[-300:]
    is_refusal = done.returncode == 1 and "pip install" in said
    return Result(call, "refuses" if is_refusal else "fails", said, seconds)


def run(python: str, command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in the folder."""
    return subprocess.run(
        [python, *command], cwd=folder, env=surroundings(), capture_output=True, text=True, check=False
    )


def serve(python: str, command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Start a server, ask it for its counts, and end it as an operator does."""
    command = [python, *command, "--port", str(PORT)]
    with subprocess.Popen(command, cwd=folder, env=surroundings(), stderr=subprocess.PIPE, text=True) as server:
        code = 1
        for _ in range(240):
            if server.poll() is not None:
                break
            try:
                with build_opener(ProxyHandler({})).open(f"http://127.0.0.1:{PORT}/metrics", timeout=5) as answer:
                    code = 0 if b"truepath_ready" in answer.read() else 1
                    break
            except OSError:
                time.sleep(0.25)
        server.send_signal(signal.SIGTERM)
        said = server.communicate()[1]
    return subprocess.CompletedProcess(command, code, "", said)


def surroundings() -> dict[str, str]:
    """Return the environment without what would let another copy of truepath in."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

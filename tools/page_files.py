"""The files that the commands on the pages speak of, made up where a page needs them, and how a command is run."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

#: Commands that are not run here, and why
SKIPPED = {
    r"^python3 -m venv|pip install|sphinx-build": "installs or builds; CI does it",
    r"^truepath serve": "runs until it is stopped; tests/serve starts and stops it",
    r"^truepath fetch (?!--list)": "downloads; tests/data runs it against a server of its own",
    r"^truepath reproduce (?!--list)": "takes minutes and the benchmark data; tests/papers runs parts of it",
}
#: Commands that are run on made-up files although the page shows the output of real ones, and why
UNCOMPARED = {r"^truepath compare linear\.csv forest\.csv": "the two predictions take a minute to make"}
#: Packages that a command may name and that are not installed everywhere
OPTIONAL = ("lightgbm",)
PLAN = (
    """seeds = [0]
measures = ["micro_f1"]
[datasets]
"""
    + "".join(f"made{k} = {{make = {{n_samples = 80, n_nodes = 8, random_state = {k}}}}}\n" for k in range(6))
    + """
[methods]
stump = {use = "truepath.learners.PCTree", params = {max_depth = 1}}
tree = "truepath.learners.PCTree"
forest = {use = "truepath.learners.PCTForest", params = {n_estimators = 5}}
"""
)
TEXTS = {
    "topics.csv": "parent,child\na,a/1\na,a/2\nb,b/1\n",
    "scores.csv": "id,a,a/1,a/2,b,b/1\nx,0.9,0.8,0.1,0.2,0.1\ny,0.6,0.1,0.55,0.7,0.6\n",
    "valid_scores.csv": "id,a,a/1,a/2,b,b/1\nv,0.8,0.7,0.1,0.3,0.2\nw,0.5,0.2,0.4,0.6,0.5\n",
    "valid_labels.csv": "id,labels\nv,a/1\nw,a/2;b/1\n",
    "truth.csv": "id,labels\nx,a/1\ny,a/2;b\n",
    "labels.csv": "id,labels\nx,a/1\ny,a/2;b/1\n",
    "other_labels.csv": "id,labels\nx,a\ny,b/1\n",
    "thresholds.json": '{"threshold": 0.5, "thresholds": {"a/2": 0.6}}',
    "changes.txt": "add Science/Genetics under Science\n",
    "plan.toml": PLAN,
    "arts.txt": "Arts\n",
    "shelves.csv": "id,labels\nn1,Science\nn2,Arts/Music;Cooking\nn3,Arts\nn4,Science\n",
    "shares.csv": "label,share\nCooking,0.5\n",
    "things.csv": "size,weight,labels\n" + "1,2,a/1\n9,4,b\n5,1,a/2\n" * 12,
    "more_things.csv": "size,weight\n1.5,2\n8,4\n",
}


def is_skipped(line: str) -> bool:
    """Say whether a command is not run here, for a reason above or for want of a package."""
    absent = [package for package in OPTIONAL if package in line and find_spec(package) is None]
    return bool(absent) or any(re.search(pattern, line) for pattern in SKIPPED)


def set_scene(folder: Path, arguments: list[str]) -> None:
    """Make those of the files that a command names and that are not there yet."""
    for name in arguments:
        if (folder / name).exists():
            continue
        if name in TEXTS:
            (folder / name).write_text(TEXTS[name], encoding="utf-8")
        elif (DOCS / name).is_file():
            shutil.copy(DOCS / name, folder)
        elif name in MADE:
            MADE[name](folder)


def _make_model(folder: Path) -> None:
    books = ["--text", "about", "--labels", "topics", "--ids", "id"]
    run_command(["truepath", "fit", str(DOCS / "books.csv"), *books, "-o", "model.tp"], folder)


def _make_rows(folder: Path) -> None:
    for name in ("all_rows.csv", "old_rows.csv"):
        shutil.copy(DOCS / "books.csv", folder / name)


def _make_run(folder: Path) -> None:
    _make_model(folder)
    shutil.copytree(folder / "model.run", folder / "run")


def _make_experiment(folder: Path) -> None:
    set_scene(folder, ["plan.toml"])
    run_command(["truepath", "experiment", "plan.toml", "-o", "experiment-folder"], folder)


def _make_benchmark(place: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        sys.path.insert(0, str(ROOT / "benchmarks"))
        from data_folder import write_set

        if not (folder / place).exists():
            write_set(folder / place)

    return make


def _make_predictions(folder: Path) -> None:
    from truepath import open_dataset
    from truepath.data import write_labels

    set_scene(folder, ["cellcycle_FUN"])
    ds = open_dataset(folder / "data" / "hmc" / "cellcycle_FUN")
    write_labels(folder / "cellcycle_labels.csv", ds.test.y, ds.hierarchy)


def _make_labels(seed: int) -> Callable[[Path], None]:
    """Return what writes predictions for the bundled data: the truth, some labels lost."""

    def make(folder: Path) -> None:
        import numpy as np

        from truepath import load_dataset
        from truepath.data import write_labels

        ds = load_dataset("pypi-topics")
        kept = np.random.default_rng(seed).random(ds.test.y.shape) < 0.9 - 0.1 * seed
        name = "forest.csv" if seed else "linear.csv"
        write_labels(folder / name, ds.hierarchy.close(ds.test.y & kept), ds.hierarchy, ids=ds.test.ids)

    return make


def _make_proteins(folder: Path) -> None:
    from truepath.cafa import make_function_data

    make_function_data().write(folder)


MADE: dict[str, Callable[[Path], object]] = {
    **dict.fromkeys(("made.obo", "annotations.gaf", "embeddings.npz"), _make_proteins),
    "model.tp": _make_model,
    "rows.csv": lambda folder: shutil.copy(DOCS / "new.csv", folder / "rows.csv"),
    **dict.fromkeys(("all_rows.csv", "old_rows.csv"), _make_rows),
    "run": _make_run,
    "experiment-folder": _make_experiment,
    "cellcycle_FUN": _make_benchmark("data/hmc/cellcycle_FUN"),
    "data_folder": _make_benchmark("data_folder"),
    "cellcycle_labels.csv": _make_predictions,
    "linear.csv": _make_labels(0),
    "forest.csv": _make_labels(1),
}


@contextlib.contextmanager
def _standing_in(folder: Path, width: int) -> Iterator[None]:
    """Work in a folder as a user would: its data folder, a terminal of some width, no browser."""
    import typer

    changed = {"COLUMNS": str(width), "TRUEPATH_DATA": str(folder / "data")}
    with (
        mock.patch.dict(os.environ, changed),
        mock.patch.object(typer, "launch", return_value=0),
        _moving(folder),
    ):
        yield


@contextlib.contextmanager
def _moving(folder: Path) -> Iterator[None]:
    """Work in another folder for a while (``contextlib.chdir`` came with Python 3.11)."""
    where = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(where)


def run_command(arguments: list[str], folder: Path, width: int = 100) -> str:
    """Run ``truepath ...`` or ``cat FILE`` in a folder; return all it prints, remarks and results in their order."""
    program, *options = arguments
    if program == "cat":
        return (folder / options[0]).read_text(encoding="utf-8")
    if program != "truepath":
        raise ValueError(f"{program!r} is no command that a page can show; add it to SKIPPED with the reason.")
    from typer.testing import CliRunner

    from truepath.cli.app import app, format_error

    with _standing_in(folder, width):
        done = CliRunner().invoke(app, options)
    if done.exit_code != 0:
        said = format_error(done.exception) if isinstance(done.exception, Exception) else done.output
        raise RuntimeError(f"{' '.join(arguments)}: {said}")
    return done.output.replace(str(folder.resolve()), "~").replace(str(folder), "~")

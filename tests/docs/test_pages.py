"""Every block of code on every page runs: Python by itself, commands in a folder made for the page, plans as plans.

Blocks with ``>>>`` are collected as doctests of their page. Blocks that show another program are marked as such.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import typer

from tools_by_file import load_tool
from truepath.cli.app import app
from truepath.cli.shared.project import read_project
from truepath.registry import REGISTRIES

pages = load_tool("pages")
PAGES = {page.relative_to(pages.DOCS).as_posix(): page for page in pages.find_pages()}
BLOCKS = {name: list(pages.find_blocks(page)) for name, page in PAGES.items()}
#: What the plan of an experiment may set; a block of TOML without any of these is a truepath.toml
PLAN_KEYS = {"name", "seeds", "folds", "data", "measures", "datasets", "methods"}
#: What a block is replaced with where it speaks of a place that is not here
INSTEAD = {
    '"scheduler-address:8786"': "processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None",
    'scores.to_zarr("scores.zarr")': "scores.compute()",  # zarr is not installed for the tests
    "my_package.MyClassifier": "sklearn.linear_model.LogisticRegression",
    'open_dataset("cellcycle_FUN")': "make_hmc(60, 6, 8, random_state=0)",
    "CoherentNetwork(hierarchy=ds.hierarchy)": "CoherentNetwork(hierarchy=ds.hierarchy, n_estimators=2, n_epochs=2)",
}
#: Blocks of Python that are not run, and why
LEFT_OUT = {
    "ray.init": "tests/backends starts Ray where it is installed",
    'load_dataset("hmc/spo_FUN")': "takes minutes, and data that are not bundled",
    "sentence_transformers": "downloads a model; the classifiers that it is given to are tested with arrays",
}


def plain_python(name):
    """Return the blocks of a page that hold Python without prompts, as one text each."""
    texts = ["\n".join(block.lines) for block in BLOCKS[name] if block.language == "python" and not block.is_theirs]
    return [text for text in texts if not text.startswith(">>>") and not any(word in text for word in LEFT_OUT)]


def test_every_block_is_of_a_kind_that_is_tested():
    kinds = {block.language for blocks in BLOCKS.values() for block in blocks if not block.is_theirs}
    assert kinds <= {"python", "console", "toml", "text"}
    assert sum(len(blocks) for blocks in BLOCKS.values()) > 40


def test_a_block_in_text_holds_no_code():
    shown = ["\n".join(block.lines) for blocks in BLOCKS.values() for block in blocks if block.language == "text"]
    assert [text for text in shown if re.search(r"^(\$|>>>|import |from )", text, re.M)] == []


def test_what_is_left_out_is_on_a_page():
    written = "\n".join(page.read_text(encoding="utf-8") for page in PAGES.values())
    assert [word for word in [*LEFT_OUT, *INSTEAD] if word not in written] == []
    commands = [command.line for page in PAGES.values() for command in pages.find_commands(page)]
    assert [
        pattern
        for pattern in [*pages.SKIPPED, *pages.UNCOMPARED]
        if not any(re.search(pattern, line) for line in commands)
    ] == []


def test_getting_started_shows_what_every_command_prints():
    silent = [c.line for c in pages.find_commands(PAGES["getting_started.rst"]) if not c.output and "pip" not in c.line]
    assert [line for line in silent if "venv" not in line] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PAGES if pages.find_commands(PAGES[name])])
def test_commands_run_and_print_what_the_page_shows(name, tmp_path):
    results = pages.run_page(PAGES[name], tmp_path)
    wrong = [(command.line, printed) for command, printed in results if pages.differs(command, printed)]
    assert wrong == [], "run `python tools/pages.py --write` if this is what should be printed"
    if name == "getting_started.rst":
        for report in (tmp_path / "truepath-demo" / "report.html", tmp_path / "books.run" / "report.html"):
            assert report.stat().st_size > 50_000
            assert "<svg" in report.read_text(encoding="utf-8")


@pytest.fixture
def names():
    """What blocks take for granted: a fitted model, rows and labels."""
    from truepath import HierarchicalClassifier
    from truepath.data import make_hmc
    from truepath.learners import PCTree
    from truepath.persistence import load

    ds = make_hmc(60, 6, 8, random_state=0)
    X, y = ds.train.X, ds.train.y
    model = HierarchicalClassifier(PCTree(), hierarchy=ds.hierarchy, cv=2).fit(X, y)
    return {"ds": ds, "model": model, "X": X, "y": y, "X_new": ds.test.X, "np": np, "make_hmc": make_hmc, "load": load}


@pytest.fixture
def registries():
    """Take out again what a page enters."""
    before = {name: set(registry) for name, registry in REGISTRIES.items()}
    yield
    for name, registry in REGISTRIES.items():
        for entered in set(registry) - before[name]:
            del registry._members[entered], registry._origins[entered]


@pytest.mark.slow
@pytest.mark.usefixtures("registries")
@pytest.mark.filterwarnings(  # Dask's, where the port of its dashboard is taken: another cluster may be running
    "ignore:\\nPort", "ignore:Port", "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("name", [name for name in PAGES if plain_python(name)])
def test_python_without_prompts_runs(name, names, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if name == "larger_than_memory.rst":
        give_large_rows(names, tmp_path)
    if name == "persistence.rst":
        names["model"].save("model.truepath")
    if any("CoherentNetwork" in text for text in plain_python(name)):
        pytest.importorskip("torch")
    for text in plain_python(name):
        for written, instead in INSTEAD.items():
            text = text.replace(written, instead)
        exec(compile(text, name, "exec"), names)  # the blocks of a page follow each other
    if "client" in names:
        names["client"].close()


def give_large_rows(names, folder):
    """Write a folder of Parquet files, and rows as a Dask array."""
    import dask.array
    import pyarrow as pa
    import pyarrow.parquet as pq

    (folder / "parts").mkdir()
    X = names["X"]
    pq.write_table(pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])}), folder / "parts" / "0.parquet")
    names["dask_array"] = dask.array.from_array(X, chunks=(32, -1))


def toml_blocks():
    """Return the tables of every block of TOML: those of plans, and those of truepath.toml."""
    tomllib = pytest.importorskip("tomllib")
    blocks = [block for blocks in BLOCKS.values() for block in blocks if block.language == "toml"]
    texts = ["\n".join(block.lines) for block in blocks]
    plans = [text for text in texts if PLAN_KEYS & set(tomllib.loads(text))]
    return plans, [text for text in texts if text not in plans]


def test_plans_are_toml_with_the_keys_of_a_plan():
    tomllib = pytest.importorskip("tomllib")
    plans, _ = toml_blocks()
    assert plans
    assert [set(tomllib.loads(text)) - PLAN_KEYS for text in plans] == [set() for _ in plans]


def test_other_toml_is_options_of_a_project(tmp_path, monkeypatch, capsys):
    """Each table is one of a command, and each key an option that takes the value."""
    tomllib = pytest.importorskip("tomllib")
    _, projects = toml_blocks()
    assert projects
    monkeypatch.chdir(tmp_path)
    for text in projects:
        Path("truepath.toml").write_text(text)
        for name in tomllib.loads(text):
            assert read_project(typer.main.get_command(app), name)[name]
            assert "truepath.toml sets --" in capsys.readouterr().err

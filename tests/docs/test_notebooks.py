"""The notebooks are the scripts of the gallery, and run from top to bottom.

The build of the documentation runs every script, and a notebook holds the same code; here two are run cell by cell.
"""

from __future__ import annotations

import json

import pytest

from places import ROOT
from tools_by_file import load_tool

make_notebook = load_tool("make_notebooks").make_notebook
SCRIPTS = sorted((ROOT / "examples").glob("plot_*.py"))


def code_cells(script):
    cells = json.loads(script.with_suffix(".ipynb").read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_notebook_is_up_to_date(script):
    written = script.with_suffix(".ipynb").read_text(encoding="utf-8")
    assert written == make_notebook(script), "run `python tools/make_notebooks.py`"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_notebook_has_all_code_of_its_script(script):
    def statements(text):
        return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]

    body = script.read_text(encoding="utf-8").split('"""\n', 2)[-1]
    assert statements("\n".join(code_cells(script))) == statements(body)


def test_no_notebook_is_left_over():
    assert {path.stem for path in (ROOT / "examples").glob("*.ipynb")} == {script.stem for script in SCRIPTS}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plot_first_look", "plot_thresholds"])
def test_a_notebook_runs_from_top_to_bottom(name, tmp_path, monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("matplotlib.pyplot.show", lambda: None)
    names = {"__name__": "__main__"}
    for cell in code_cells(ROOT / "examples" / f"{name}.py"):
        exec(compile(cell, name, "exec"), names)
    from matplotlib import pyplot as plt

    assert plt.get_fignums()
    plt.close("all")

"""Every script in benchmarks/ runs to its end in its smallest form, with no data but what it makes up."""

from __future__ import annotations

import runpy
import sys
import warnings

import pytest

from places import ROOT, SOURCES

FOLDER = ROOT / "benchmarks"
SHARED_BY_SCRIPTS = {"data_folder", "zipf_labels"}
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in SHARED_BY_SCRIPTS)


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_benchmark_reaches_its_end(script, monkeypatch, tmp_path, capfd):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setenv("TRUEPATH_DATA", str(tmp_path / "none"))
    monkeypatch.setenv("PYTHONPATH", str(SOURCES))  # of the processes it starts
    monkeypatch.setattr(sys, "argv", [script, "--smallest"])
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a few rows: labels without a positive, folds without a class
        runpy.run_path(str(FOLDER / f"{script}.py"), run_name="__main__")
    assert "left out: hmc" not in capfd.readouterr().err
    assert list(tmp_path.iterdir()) == []  # nothing is left in the folder it runs in


@pytest.mark.slow
def test_a_benchmark_without_its_data_says_so_and_goes_on(monkeypatch, tmp_path, capfd):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setenv("TRUEPATH_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["bench_forest", "memory"])
    runpy.run_path(str(FOLDER / "bench_forest.py"), run_name="__main__")
    assert "left out: hmc/imclef07a" in capfd.readouterr().err

"""The papers themselves: what is printed, and that ours still meets what it has met (the golden files)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from places import GOLDEN
from truepath.papers import PAPERS, Settings, choose_cells, reproduce
from truepath.papers.base import load_published
from truepath.papers.triguero2016.strategy_ranks import compare_published_statistics

QUICK = 40.0  # seconds of each paper that the slow test reruns, the cheapest cells first
SAME_NUMBER = 1e-6  # between machines


def golden(key):
    """Return {cell: values} of a paper, or skip."""
    path = GOLDEN / f"{key}_reproduced.json"
    if not path.exists():
        pytest.skip(f"{path.name} is not written: nothing published is met, or the paper was not rerun")
    return {entry["cell"]: entry["values"] for entry in json.loads(path.read_text())["cells"]}


def name(entry):
    read = entry.get if isinstance(entry, dict) else lambda field: getattr(entry, field)
    return tuple(read(field) for field in ("table", "dataset", "method", "measure"))


def test_the_printed_tables_of_triguero_and_vens_fit_together():
    """Tables 5 and 7 follow from Tables 3 and 4 to the last digit: a check sum of 300 transcribed numbers."""
    compared = [c for c in compare_published_statistics(Settings(Path())) if c.published is not None]
    assert len(compared) == 38
    assert {c.verdict for c in compared} == {"same"}


def test_p_values_printed_as_bounds_lie_beyond_them():
    bounded = [c for c in compare_published_statistics(Settings(Path())) if c.published is None]
    assert len(bounded) == 4
    assert all(c.ours >= 0.2 for c in bounded)


def test_table_2_of_chelmis_and_qi_agrees_with_the_golden_file():
    table = load_published("chelmis2021")["Table II"]
    entries = json.loads((GOLDEN / "chelmis2021_table2.json").read_text())["entries"]
    assert len(entries) == 36
    assert all(table[e["dataset"]][e["method"]][e["metric"]] == e["value"] for e in entries)


@pytest.mark.parametrize("key", PAPERS)
def test_golden_numbers_are_within_their_tolerance(key):
    for values in golden(key).values():
        assert all(abs(e["ours"] - e["value"]) <= e["tolerance"] + 1e-12 for e in values)


@pytest.mark.slow
def test_the_authors_own_scores_are_met(shared_data, tmp_path):
    """Every single threshold, and Algorithms 4 and 5, on the published scores of ImCLEF07A: to 1e-9."""
    paper, settings = PAPERS["triguero2016"], Settings(shared_data)
    found = reproduce(paper, tmp_path, settings, cells=choose_cells(paper, only="authors"))
    exact = [c for c in found if c.published is not None and c.method.split(", ")[-1] != "CD(MTS)"]
    different = [name(c) for c in exact if c.verdict != "same"]
    assert all("normalised H-loss" in (measure, method.split(", ")[0]) for _, _, method, measure in different)
    assert all(method.endswith("EM(MTS)") for _, _, method, _ in different)
    met = [c.table for c in exact if c.verdict == "same" and c.tolerance <= 1e-9]
    assert [met.count(table) for table in ("Table 3", "Table 4", "Figure 6 (a)")] == [11, 3, 8]


@pytest.mark.slow
@pytest.mark.parametrize("key", PAPERS)
def test_quick_cells_still_meet_the_published_values(key, shared_data, tmp_path):
    """Rerun what costs little; the same seed must give the same numbers, within tolerance of the published ones."""
    met, paper = golden(key), PAPERS[key]
    cells = sorted((cell for cell in paper.cells if cell.key in met), key=lambda cell: cell.seconds)
    cells = [cell for cell, cost in zip(cells, np.cumsum([cell.seconds for cell in cells])) if cost <= QUICK]
    assert cells
    found = {name(c): c for c in reproduce(paper, tmp_path, Settings(shared_data), cells=cells)}
    for cell in cells:
        for entry in met[cell.key]:
            again = found[name(entry)]
            assert again.verdict == "same", again
            assert np.isclose(again.ours, entry["ours"], rtol=0, atol=SAME_NUMBER), again

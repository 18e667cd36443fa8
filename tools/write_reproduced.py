"""Turn results of ``truepath reproduce`` into the documentation's pages and the tests' golden numbers.

Run ``PYTHONPATH=src python tools/write_reproduced.py FOLDER --data DATA [paper ...]`` after ``truepath reproduce all
--data DATA -o FOLDER``. Writes ``docs/reproduced/<paper>.rst``, ``docs/reproduced/summary.inc`` and
``tests/golden/<paper>_reproduced.json``; papers without results in the folder are left alone. Of the leaderboard, the
standing alone becomes a page, and all areas are golden numbers, since they lie above the published ones.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from truepath.experiments.markup import Table, write_rst
from truepath.papers import PAPERS, Paper, Settings
from truepath.papers.base import Comparison, comparisons_of
from truepath.papers.leaderboard.standing import AREA
from truepath.papers.runner import all_comparisons, finished_cells
from truepath.papers.tables import count_verdicts, to_rst

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "reproduced"
GOLDEN = ROOT / "tests" / "golden"
STANDING = "leaderboard"  # has a page of its own, docs/how_good.rst
SUMMARY_HEADER = ("paper", "same", "better", "worse", "differs", "ours only", "cells without data")


def write_paper(paper: Paper, folder: Path, settings: Settings) -> None:
    """Write a paper's page and its golden numbers."""
    finished = finished_cells(paper, folder, settings)
    comparisons = all_comparisons(paper, folder, settings)
    if paper.show is not None:
        write_standing(paper, comparisons)
        return
    (PAGES / f"{paper.name}.rst").write_text(to_rst(paper, comparisons, finished.values()), encoding="utf-8")
    cells = [{"cell": key, "values": golden(comparisons_of(cell))} for key, cell in finished.items()]
    record = {
        "paper": paper.title,
        "setting": paper.notes,
        "random_state": settings.random_state,
        "cells": [cell for cell in cells if cell["values"]],
    }
    if record["cells"]:
        (GOLDEN / f"{paper.name}_reproduced.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def write_standing(paper: Paper, comparisons: list[Comparison]) -> None:
    """Write where ours stands, for a page to include, its figures, and every area as a golden number."""
    _, *blocks = paper.show(comparisons)  # the page has its own heading
    (PAGES / f"{paper.name}.inc").write_text(write_rst(blocks), encoding="utf-8")
    for name, figure in paper.figures(comparisons).items():
        (PAGES / name).write_text(figure, encoding="utf-8")
    areas: dict[str, dict[str, dict[str, float]]] = {}
    for c in comparisons:
        if c.measure == AREA and c.ours is not None:
            areas.setdefault(c.table, {}).setdefault(c.method, {})[c.dataset] = round(c.ours, 6)
    record = {"paper": paper.title, "setting": paper.notes, "areas": areas}
    (GOLDEN / f"{paper.name}_areas.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def golden(comparisons: list[Comparison]) -> list[dict]:
    """Return the published values that ours meet within tolerance."""
    fields = ("table", "dataset", "method", "measure")
    return [
        {name: getattr(c, name) for name in fields} | {"value": c.published, "tolerance": c.tolerance, "ours": c.ours}
        for c in comparisons
        if c.verdict == "same"
    ]


def summarize(found: dict[str, list[Comparison]]) -> Table:
    """Count the verdicts of each paper."""
    rows = [[key, *map(str, count_verdicts(comparisons).values())] for key, comparisons in found.items()]
    return Table(SUMMARY_HEADER, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("papers", nargs="*", default=list(PAPERS))
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_intermixed_args()
    settings = Settings(options.data)
    PAGES.mkdir(exist_ok=True)
    found = {}
    for key in options.papers:
        if (options.folder / f"{key}.jsonl").exists():
            paper = PAPERS[key]
            found |= {} if key == STANDING else {key: all_comparisons(paper, options.folder, settings)}
            write_paper(paper, options.folder, settings)
    if found:
        (PAGES / "summary.inc").write_text(write_rst([summarize(found)]), encoding="utf-8")


if __name__ == "__main__":
    main()

"""``truepath reproduce``: rerun a paper's tables on the available data, with our values beside the published ones."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truepath.cli.shared.messages import INTERRUPTED
from truepath.cli.shared.options import DataFolder, NumberOfJobs, Seed
from truepath.files.strict_json import dump_json

if TYPE_CHECKING:
    from truepath.papers import Paper, Settings
    from truepath.papers.base import Cell, Comparison

NOTHING_COMPARED = 1


def reproduce(
    paper: Annotated[
        str | None,
        typer.Argument(help="Name of a paper from the list below, or all.", metavar="PAPER|all"),
    ] = None,
    data: DataFolder = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for results and tables.")] = Path("reproduced"),
    only: Annotated[
        str | None, typer.Option(help="Only cells (single results of a table) with this text in their key.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only cells that take less than about a minute.")] = False,
    rerun: Annotated[bool, typer.Option("--rerun", help="Run finished cells again.")] = False,
    seed: Seed = 0,
    n_jobs: NumberOfJobs = None,
    show_list: Annotated[bool, typer.Option("--list", help="List papers and cells; run nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparisons (or the list) as JSON.")] = False,
) -> None:
    """Rerun the tables of a paper: published values beside ours, with difference and verdict.

    Every finished cell is saved at once, so that an interrupted run continues where it stopped. Cells without data are
    listed.
    """
    from truepath.cli.shared.outputs import check_folder, check_outputs
    from truepath.data import data_home
    from truepath.errors import TruePathError
    from truepath.papers import PAPERS, Settings

    if paper is None and not show_list:
        raise TruePathError(f"name a paper, one of {', '.join(PAPERS)}, or all.", "--list shows the cells of each.")
    if data is not None and not data.is_dir():
        raise TruePathError(f"--data: {data} is not a folder.")
    check_outputs({"--output": [output]}, {"--data": data})
    check_folder("--output", output)
    papers = PAPERS.members() if paper in (None, "all") else [PAPERS[str(paper)]]
    settings = Settings(data_home(data), seed, n_jobs)
    if show_list:
        _show_list(papers, output, settings, as_json)
        return
    chosen = {paper.name: _choose(paper, only, quick, len(papers) > 1) for paper in papers}
    try:
        found = {paper.name: _run(paper, chosen[paper.name], output, settings, rerun) for paper in papers}
    except KeyboardInterrupt:
        for paper_ in papers:
            _write(paper_, output, settings)
        typer.echo(
            f"interrupted: finished cells are kept in {output}; the same command continues from there.", err=True
        )
        raise typer.Exit(INTERRUPTED) from None
    _print(papers, found, output, settings, as_json)
    _report_failures([comparison for comparisons in found.values() for comparison in comparisons], settings)


def _report_failures(found: list[Comparison], settings: Settings) -> None:
    """Name the cells that raised; exit with a code if there are any, or if nothing could be compared."""
    failed = [comparison for comparison in found if comparison.table == "Failed"]
    for comparison in failed:
        typer.echo(f"failed: {comparison.dataset}: {comparison.reason}", err=True)
    if all(comparison.verdict == "missing" for comparison in found):
        typer.echo(
            f"truepath: nothing could be compared; is {settings.data} the folder of the benchmark data? "
            "truepath fetch all downloads the public sets.",
            err=True,
        )
    elif not failed:
        return
    raise typer.Exit(NOTHING_COMPARED)


def _choose(paper: Paper, only: str | None, quick: bool, is_one_of_many: bool) -> list[Cell]:
    """Pick the cells to run; of several papers, those without any are skipped."""
    from truepath.errors import TruePathError
    from truepath.papers import choose_cells

    try:
        return choose_cells(paper, only=only, quick=quick)
    except TruePathError:
        if is_one_of_many:
            return []
        raise


def _run(paper: Paper, cells: list[Cell], output: Path, settings: Settings, rerun: bool) -> list[Comparison]:
    """Run cells with a progress bar that counts the expected seconds of the cells to run."""
    from truepath.cli.shared.progress import progress
    from truepath.papers import reproduce

    with progress(paper.name) as show:
        found = reproduce(paper, output, settings, cells=cells, rerun=rerun, on_progress=show)
    _write(paper, output, settings)
    return found


def _write(paper: Paper, output: Path, settings: Settings) -> None:
    """Write the page of all finished cells, and its figures."""
    from truepath.files.writing import write_text
    from truepath.papers.runner import all_comparisons, finished_cells
    from truepath.papers.tables import to_markdown

    cells = finished_cells(paper, output, settings).values()
    comparisons = all_comparisons(paper, output, settings)
    text = to_markdown(paper, comparisons, cells)
    output.mkdir(parents=True, exist_ok=True)
    write_text(output / f"{paper.name}.md", text)
    for name, figure in (paper.figures(comparisons) if paper.figures else {}).items():
        write_text(output / name, figure)


def _print(
    papers: list[Paper], found: dict[str, list[Comparison]], output: Path, settings: Settings, as_json: bool
) -> None:
    """Print what was asked for: Markdown, set by rich on a terminal, or JSON."""
    from rich.console import Console
    from rich.markdown import Markdown

    from truepath.papers.runner import finished_cells
    from truepath.papers.tables import to_markdown

    if as_json:
        typer.echo(dump_json({key: [_to_dict(c) for c in comparisons] for key, comparisons in found.items()}, indent=1))
        return
    console = Console()
    for paper in papers:
        if found[paper.name]:
            text = to_markdown(paper, found[paper.name], finished_cells(paper, output, settings).values())
            console.print(Markdown(text)) if console.is_terminal else typer.echo(text)
            typer.echo(f"written: {output / paper.name}.md", err=True)


def _to_dict(comparison: Comparison) -> dict[str, Any]:
    return asdict(comparison) | {"difference": comparison.difference, "verdict": comparison.verdict}


def _show_list(papers: list[Paper], output: Path, settings: Settings, as_json: bool) -> None:
    """Print papers and their cells, with cost and state."""
    from truepath.papers.runner import finished_cells, missing_folders

    listed: dict[str, Any] = {}
    for paper in papers:
        done = finished_cells(paper, output, settings)
        states = {
            cell.key: "no data" if missing_folders(cell, settings) else "finished" if cell.key in done else "to run"
            for cell in paper.cells
        }
        cells = [{"key": cell.key, "seconds": cell.seconds, "state": states[cell.key]} for cell in paper.cells]
        listed[paper.name] = {"title": paper.title, "cells": cells}
    if as_json:
        typer.echo(dump_json(listed, indent=1))
        return
    for key, entry in listed.items():
        typer.echo(f"{key}: {entry['title']}")
        for cell in entry["cells"]:
            typer.echo(f"  {cell['key']:<50} {cell['seconds']:>6.0f} s  {cell['state']}")

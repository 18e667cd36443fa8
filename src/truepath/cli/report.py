"""``truepath report``: one HTML page about a run or an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["report"]


def report(
    run: Annotated[Path, typer.Argument(help="The folder of a run (run.json) or of an experiment (results.csv).")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The page to write; by default report.html in the folder."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="The page's title; by default the run's own.")] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Write one self-contained HTML page about a run (measures, hierarchy, curves, examples) or an experiment."""
    from truepath.cli.steps import check_outputs, progress

    output = output or _folder(run) / "report.html"
    check_outputs({"--output": [output]}, {f"RUN/{path.name}": path for path in _inputs(_folder(run))})
    with progress("writing the page"):
        page = _write(run, output, title)
    typer.echo(str(page))
    if open_page:
        typer.launch(page.resolve().as_uri())


def _folder(run: Path) -> Path:
    return run if run.is_dir() else run.parent


def _inputs(folder: Path) -> list[Path]:
    """Return the files of a run or an experiment."""
    from truepath.experiments.run import files_of_experiment
    from truepath.report.run_folder import files_of_run

    return [*files_of_run(folder), *files_of_experiment(folder)]


def _plan_name(folder: Path) -> str:
    """Return the name of the experiment's plan, or the folder's."""
    import json

    try:
        name = json.loads((folder / "plan.json").read_text(encoding="utf-8"))["name"]
    except (OSError, ValueError, KeyError, TypeError):  # a table from elsewhere has no plan
        name = None
    return name if isinstance(name, str) and name else folder.resolve().name


def _write(run: Path, output: Path, title: str | None) -> Path:
    """Find out what the folder contains and write its page."""
    from truepath.errors import TruePathError
    from truepath.report import load_run, write_experiment_report, write_report

    folder = _folder(run)
    if not run.exists():
        raise TruePathError(f"{run}: there is no such folder.")
    if (folder / "run.json").is_file() and run.name != "results.csv":
        saved = load_run(folder)
        saved.title = title or saved.title
        return write_report(output, saved)
    if (folder / "results.csv").is_file():
        return write_experiment_report(output, folder / "results.csv", title=title or _plan_name(folder))
    raise TruePathError(
        f"{run}: this is neither a run (no run.json) nor an experiment (no results.csv).",
        "A run is saved by truepath fit or truepath.report.save_run, an experiment by truepath experiment.",
    )

"""``truepath report``: one HTML page about a run, an experiment, or files of any model's predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from truepath.cli.steps import Between, ByOrder, Delimiter, Encoding, Header, Ids, Sep, refuse_options

__all__ = ["report"]

#: The heading of the help for options about files
FILES = "Files of any model: --truth T --predictions P --scores S"
#: The options that are about files
OF_FILES = (
    *("truth", "predictions", "scores", "hierarchy", "name", "labels", "text", "threshold", "split", "header"),
    *("sep", "between", "delimiter", "encoding", "ids", "by_order"),
)


def report(
    ctx: typer.Context,
    run: Annotated[
        Path | None,
        typer.Argument(help="The folder of a run (run.json) or of an experiment (results.csv).", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="The page to write; by default report.html, in the folder of a run."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="The page's title; by default the run's own.")] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    truth: Annotated[
        str | None,
        typer.Option(help="True labels: a file of labels, a 0/1 matrix, or a data set.", rich_help_panel=FILES),
    ] = None,
    predictions: Annotated[
        list[str] | None,
        typer.Option(
            "--predictions",
            "-p",
            help="Predicted labels of a model: a file of labels or a 0/1 matrix. Repeat it to compare models.",
            rich_help_panel=FILES,
        ),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--scores",
            "-S",
            help="Scores of a model, with its predictions or without. Repeated in the same order; - for none.",
            rich_help_panel=FILES,
        ),
    ] = None,
    hierarchy: Annotated[
        str | None,
        typer.Option(
            "--hierarchy",
            "-H",
            help="Hierarchy, as in truepath label; by default that of the label paths found.",
            rich_help_panel=FILES,
        ),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(help="What a model is called, in the same order (default: its file).", rich_help_panel=FILES),
    ] = None,
    threshold: Annotated[
        float, typer.Option(help="Labels of scores alone are those above this.", rich_help_panel=FILES)
    ] = 0.5,
    text: Annotated[
        str | None, typer.Option(help="A column of TRUTH to show with examples.", rich_help_panel=FILES)
    ] = None,
    labels: Annotated[
        str, typer.Option(help="The column of label names, in whichever table.", rich_help_panel=FILES)
    ] = "labels",
    split: Annotated[str, typer.Option(help="Which part, if TRUTH is a data set.", rich_help_panel=FILES)] = "test",
    header: Header = None,
    sep: Sep = None,
    between: Between = ";",
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    ids: Ids = None,
    by_order: ByOrder = False,
) -> None:
    """Write one self-contained HTML page: measures, hierarchy, curves, examples.

    [bold]truepath report RUN[/] is about a run or an experiment that truepath saved.

    [bold]truepath report --truth t.csv --predictions p.csv --scores s.csv -H edges.csv -o page.html[/] is about the
    output of any model, or of several: rows are found by their ids.
    """
    from truepath.cli.steps import check_outputs, progress
    from truepath.cli.studies.models import Reading
    from truepath.cli.studies.outputs import pair_files, run_of_files
    from truepath.report import write_report

    _check_use(ctx, run, truth, predictions or scores)
    if run is not None:
        page = _report_folder(run, output, title)
    else:
        models = pair_files(predictions or (), scores or (), name or ())
        output = output or Path("report.html")
        inputs: dict[str, Any] = {"--truth": truth, "--hierarchy": hierarchy}
        inputs |= {f"--predictions {k}": model.labels for k, model in enumerate(models)}
        inputs |= {f"--scores {k}": model.scores for k, model in enumerate(models)}
        check_outputs({"--output": [output]}, inputs)
        reading = Reading(labels, split, header, sep, between, delimiter, encoding, ids, by_order)
        read = run_of_files(models, str(truth), hierarchy, reading, threshold, text, title)
        with progress("writing the page"):
            page = write_report(output, read)
    typer.echo(str(page))
    if open_page:
        typer.launch(page.resolve().as_uri())


def _check_use(ctx: typer.Context, run: Path | None, truth: str | None, found: Any) -> None:
    """Refuse a mixture of the two uses, and half of one."""
    from truepath.errors import TruePathError

    if run is None and (truth is None or not found):
        missing = "a run, or --truth and --predictions" if truth is None else "--predictions or --scores"
        raise TruePathError(f"nothing to report on: {missing} is missing.", "See truepath report -h.")
    if run is not None:
        refuse_options(ctx, OF_FILES, f"files of any model, and {run} is a run: leave one of the two out")


def _report_folder(run: Path, output: Path | None, title: str | None) -> Path:
    """Write the page of a run or an experiment."""
    from truepath.cli.steps import check_outputs, progress

    output = output or _folder(run) / "report.html"
    check_outputs({"--output": [output]}, {f"RUN/{path.name}": path for path in _inputs(_folder(run))})
    with progress("writing the page"):
        return _write(run, output, title)


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

"""``truepath report``: one HTML page about a run, an experiment, or files of any model's predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from truepath.cli.shared.options import (
    Between,
    ByOrder,
    Delimiter,
    Encoding,
    Header,
    Ids,
    LabelColumn,
    Part,
    Sep,
    Sheet,
    hierarchy_option,
    refuse_options,
    truth_option,
)

#: The heading of the help for options about files
FILES = "Files of any model: --truth T --predictions P --scores S"
#: What a report about a run takes; all else is about files
OF_RUNS = ("run", "output", "title", "open_page")


def report(
    ctx: typer.Context,
    run: Annotated[
        Path | None,
        typer.Argument(help="The folder of a run (run.json) or of an experiment (results.csv).", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The page to write (default: report.html, in the folder of a run)."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the page (default: that of the run).")] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    truth: Annotated[str | None, truth_option(FILES)] = None,
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
            help="Scores of a model, with its predictions or without. Repeat it in the same order; - for none.",
            rich_help_panel=FILES,
        ),
    ] = None,
    hierarchy: Annotated[str | None, hierarchy_option(FILES)] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(help="Name of a model, in the same order (default: its file).", rich_help_panel=FILES),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(min=0, max=1, help="Threshold for models with scores but no predictions.", rich_help_panel=FILES),
    ] = 0.5,
    text: Annotated[
        str | None, typer.Option(help="Column of texts in TRUTH, shown with examples.", rich_help_panel=FILES)
    ] = None,
    labels: LabelColumn = "labels",
    part: Part = "test",
    header: Header = None,
    sep: Sep = None,
    between: Between = ";",
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    ids: Ids = None,
    by_order: ByOrder = False,
) -> None:
    """Write one self-contained HTML page: measures, hierarchy, curves, examples.

    [bold]truepath report RUN[/] is about a run or an experiment that truepath saved.

    [bold]truepath report --truth t.csv --predictions p.csv --scores s.csv -H edges.csv -o page.html[/] is about the
    output of any model, or of several; rows are matched by their ids.
    """
    from truepath.cli.shared.messages import say
    from truepath.cli.shared.outputs import check_outputs
    from truepath.cli.shared.progress import progress
    from truepath.cli.studies.pairing import pair_files
    from truepath.report import write_report
    from truepath.workflow import Reading, read_run

    _check_use(ctx, run, truth, predictions or scores)
    if run is not None:
        page = _report_folder(run, output, title)
    else:
        models = pair_files(predictions or (), scores or (), name or ())
        output = output or Path("report.html")
        inputs: dict[str, Any] = {"--truth": truth, "--hierarchy": hierarchy}
        inputs |= {f"--predictions {k}": model.labels for k, model in enumerate(models)}
        inputs |= {f"--scores {k}": model.scores for k, model in enumerate(models)}
        check_outputs({"--output": output}, inputs, makes_folders=True)
        reading = Reading(labels, part, header, sep, between, delimiter, encoding, ids, by_order, say=say, sheet=sheet)
        read = read_run(models, str(truth), hierarchy, reading, threshold=threshold, text=text, title=title)
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
        of_files = [param.name for param in ctx.command.params if param.name not in OF_RUNS]
        refuse_options(ctx, of_files, f"files of any model, and {run} is a run: leave one of the two out")


def _report_folder(run: Path, output: Path | None, title: str | None) -> Path:
    """Write the page of a run or an experiment."""
    from truepath.cli.shared.outputs import check_outputs
    from truepath.cli.shared.progress import progress
    from truepath.report import write_folder_report
    from truepath.report.folder_page import files_of_report, folder_of

    output = output or folder_of(run) / "report.html"
    inputs: dict[str, Any] = {f"RUN/{path.name}": path for path in files_of_report(run)}
    check_outputs({"--output": output}, inputs, makes_folders=True)
    with progress("writing the page"):
        return write_folder_report(output, run, title=title)

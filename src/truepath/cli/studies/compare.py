"""``truepath compare``: two models on the same rows, or methods over all data sets of a table of results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truepath.cli.shared.kinds import NAMES, choice, in_range
from truepath.cli.shared.options import (
    Between,
    ByOrder,
    Delimiter,
    Encoding,
    Header,
    Ids,
    LabelColumn,
    Part,
    SafeCsv,
    Seed,
    Sep,
    Sheet,
    hierarchy_option,
    refuse_options,
    split_names,
    truth_option,
)
from truepath.files.strict_json import dump_json
from truepath.parameters import RESAMPLES, SHARE

if TYPE_CHECKING:
    from truepath.experiments import MethodComparison

#: The two uses, as headings of the help; what both take, and what results take; all else is about two models
TWO_MODELS, RESULTS = "Two models: A B --truth", "Results of experiments: RESULTS"
OF_BOTH = ("files", "metrics", "alpha", "form", "as_json")
OF_RESULTS = ("diagram", "greater_is_better", "safe_csv")


def compare(
    ctx: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Predictions of two models (labels, a 0/1 matrix or scores), with --truth; or one CSV with dataset, "
            "method, (seed, fold, measure,) value; or an experiment's folder.",
            metavar="A B | RESULTS",
            show_default=False,
        ),
    ],
    metrics: Annotated[
        str | None,
        typer.Option(
            "--metrics",
            "-m",
            parser=NAMES,
            help="For two models: names from the list below, separated by commas (default: hierarchical_f1, or auprc "
            "for scores). For RESULTS: one of its measures (default: each).",
        ),
    ] = None,
    alpha: Annotated[
        float, typer.Option(help="Significance level; intervals have the confidence 1 - alpha.", parser=in_range(SHARE))
    ] = 0.05,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="table, markdown, latex, csv or json; for two models table or json.",
            parser=choice("table", "markdown", "latex", "csv", "json"),
        ),
    ] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    truth: Annotated[str | None, truth_option(TWO_MODELS)] = None,
    hierarchy: Annotated[str | None, hierarchy_option(TWO_MODELS)] = None,
    labels: LabelColumn = "labels",
    part: Part = "test",
    resamples: Annotated[
        int,
        typer.Option(
            help="Number of bootstrap resamples, and of permutations.",
            parser=in_range(RESAMPLES),
            rich_help_panel=TWO_MODELS,
        ),
    ] = 2000,
    seed: Seed = 0,
    header: Header = None,
    sep: Sep = None,
    between: Between = ";",
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    ids: Ids = None,
    by_order: ByOrder = False,
    diagram: Annotated[
        Path | None,
        typer.Option(
            help="Draw the critical-difference diagram to this file: .svg, or .png or .pdf with matplotlib.",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    greater_is_better: Annotated[
        bool | None,
        typer.Option(
            "--greater-is-better/--lower-is-better",
            help="Which values are better, for measures that truepath does not know.",
            rich_help_panel=RESULTS,
        ),
    ] = None,
    safe_csv: SafeCsv = False,
) -> None:
    """Test whether two models differ on the same rows, or which methods differ over many data sets.

    [bold]truepath compare a.csv b.csv --truth t.csv[/] takes the predictions of two models, matches the rows by
    their ids, and prints the difference with a paired bootstrap interval and a paired permutation test.

    [bold]truepath compare RESULTS[/] takes a table of results, ranks the methods and tests which differ: Friedman,
    Nemenyi, Wilcoxon with Holm.
    """
    from truepath.cli.shared.messages import say
    from truepath.cli.shared.progress import progress
    from truepath.errors import TruePathError
    from truepath.workflow import Reading, compare_files

    form = "json" if as_json else form
    if len(files) == 1 and truth is None:
        of_models = [param.name for param in ctx.command.params if param.name not in (*OF_BOTH, *OF_RESULTS)]
        refuse_options(ctx, of_models, "two models, compared by: truepath compare A B --truth T")
        compare_results(files[0], metrics, alpha, form, diagram, greater_is_better, safe_csv)
        return
    _check_files(files, truth)
    refuse_options(ctx, OF_RESULTS, "a table of results, compared by: truepath compare RESULTS")
    if form not in ("table", "json"):
        raise TruePathError(f"--format {form} is for tables of results.", "Two models: table or json.")
    reading = Reading(labels, part, header, sep, between, delimiter, encoding, ids, by_order, say=say, sheet=sheet)
    way: dict[str, Any] = {"n_resamples": resamples, "confidence": 1 - alpha, "random_state": seed}
    with progress("comparing") as show:
        way["on_progress"] = show
        found = compare_files(files[0], files[1], str(truth), hierarchy, split_names(metrics), reading, **way)
    texts = [str(comparison) for comparison in found]
    as_list = [comparison.to_dict() for comparison in found]
    typer.echo(dump_json(as_list, indent=2) if form == "json" else "\n\n".join(texts))


def _check_files(files: list[Path], truth: str | None) -> None:
    """Refuse anything but two predictions and their truth."""
    from truepath.errors import TruePathError

    if folder := next((file for file in files if file.is_dir()), None):
        problem = f"{folder} is a folder; two models are compared by files of their predictions and --truth."
        raise TruePathError(problem, "truepath predict writes such files.")
    if truth is None and len(files) == 2:
        problem = "--truth is missing: two files are compared as the predictions of two models."
        raise TruePathError(problem, "Name the file of true labels, or put tables of results into one file.")
    if len(files) != 2:
        problem = f"compare takes one table of results, or two files of predictions and --truth; got {len(files)}"
        raise TruePathError(f"{problem} file{'s' if len(files) > 1 else ' and --truth'}.", "See truepath compare -h.")


def compare_results(
    results: Path,
    measure: str | None,
    alpha: float,
    form: str,
    diagram: Path | None,
    greater_is_better: bool | None,
    safe_csv: bool,
) -> None:
    """Compare the methods of a table of results, by one measure or by each."""
    from truepath.errors import TruePathError
    from truepath.experiments.statistics.compare import compare as compare_methods
    from truepath.experiments.statistics.scores import list_measures, result_columns

    _check_diagram(diagram, results)
    columns = result_columns(results)
    wanted: list[str | None] = [measure] if measure is not None else [*list_measures(columns)] or [None]
    if diagram is not None and len(wanted) > 1:
        remedy = f"Choose one with --metrics: {', '.join(map(str, wanted))}."
        raise TruePathError("--diagram draws one measure.", remedy)
    way: dict[str, Any] = {"greater_is_better": greater_is_better}
    found = [compare_methods(columns, label, alpha=alpha, **way) for label in wanted]
    typer.echo(_print(columns, found, form, way, safe_csv))
    if diagram is not None:
        _draw(found[0], diagram)
        typer.echo(f"diagram: {diagram}", err=True)


def _check_diagram(diagram: Path | None, results: Path) -> None:
    """Refuse to draw over the results."""
    from truepath.cli.shared.outputs import check_outputs
    from truepath.experiments.run import files_of_experiment

    files = files_of_experiment(results) if results.is_dir() else [results]
    check_outputs({"--diagram": diagram}, {f"RESULTS, {file.name}": file for file in files})


def _print(columns: Any, found: list[MethodComparison], form: Any, way: dict[str, Any], safe_csv: bool) -> str:
    """Return the comparisons as text, the results as a table for a paper, or everything as JSON."""
    from truepath.experiments import format_table

    if form == "json":
        return dump_json([comparison.to_dict() for comparison in found], indent=2)
    if form == "table":
        return "\n\n".join(map(str, found))
    way = {**way, "safe_csv": safe_csv}
    return "\n\n".join(format_table(columns, c.measure or None, to=form, **way) for c in found)


def _draw(comparison: MethodComparison, path: Path) -> None:
    """Write the diagram: SVG without matplotlib, other formats with it."""
    from truepath.experiments import critical_difference_diagram, critical_difference_svg
    from truepath.extras import import_extra
    from truepath.files.writing import open_atomically, write_text

    if path.suffix.lower() == ".svg":
        write_text(path, critical_difference_svg(comparison) + "\n")
        return
    matplotlib = import_extra("matplotlib", "Drawing ranks", "report")
    matplotlib.use("agg")
    figure = critical_difference_diagram(comparison).figure
    try:
        with open_atomically(path) as file:
            figure.savefig(file, dpi=200, format=path.suffix[1:] or None)
    except ValueError as error:
        from truepath.errors import TruePathError, explain

        raise TruePathError(f"--diagram {path}: {explain(error)[0]}", "Choose .svg, .png or .pdf.") from None

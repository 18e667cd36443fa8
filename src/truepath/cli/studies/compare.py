"""``truepath compare``: which methods differ, over all data sets of a table of results."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truepath.cli.steps import SafeCsv

if TYPE_CHECKING:
    from truepath.experiments import MethodComparison

__all__ = ["compare"]


class Format(str, Enum):
    """How results are printed."""

    table = "table"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"
    json = "json"


def compare(
    results: Annotated[
        Path,
        typer.Argument(help="A CSV with dataset, method, (seed, fold, measure,) value, or an experiment's folder."),
    ],
    measure: Annotated[str | None, typer.Option("--measure", "-m", help="One measure; all by default.")] = None,
    alpha: Annotated[float, typer.Option(help="Significance level.")] = 0.05,
    form: Annotated[Format, typer.Option("--format", "-f", help="Output format.")] = Format.table,
    diagram: Annotated[
        Path | None,
        typer.Option(help="Draw the critical-difference diagram: to OUT.svg, or to PNG or PDF with matplotlib."),
    ] = None,
    greater_is_better: Annotated[
        bool | None,
        typer.Option(
            "--greater-is-better/--lower-is-better",
            help="Which values are better, for measures truepath does not know.",
        ),
    ] = None,
    safe_csv: SafeCsv = False,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Rank the methods and test which differ: Friedman, Nemenyi, Wilcoxon with Holm."""
    from truepath.errors import TruePathError
    from truepath.experiments.statistics.compare import compare as compare_methods
    from truepath.experiments.statistics.scores import list_measures, result_columns

    if not 0 < alpha < 1:
        raise TruePathError(f"--alpha must be between 0 and 1, not {alpha:g}.")
    _check_diagram(diagram, results)
    columns = result_columns(results)
    wanted: list[str | None] = [measure] if measure is not None else [*list_measures(columns)] or [None]
    if diagram is not None and len(wanted) > 1:
        remedy = f"Choose one with --measure: {', '.join(map(str, wanted))}."
        raise TruePathError("--diagram draws one measure.", remedy)
    way: dict[str, Any] = {"greater_is_better": greater_is_better}
    found = [compare_methods(columns, label, alpha=alpha, **way) for label in wanted]
    form = Format.json if as_json else form
    typer.echo(_print(columns, found, form, way, safe_csv))
    if diagram is not None:
        _draw(found[0], diagram)
        typer.echo(f"diagram: {diagram}", err=True)


def _check_diagram(diagram: Path | None, results: Path) -> None:
    """Refuse to draw over the results."""
    from truepath.cli.steps import check_outputs
    from truepath.experiments.run import files_of_experiment

    files = files_of_experiment(results) if results.is_dir() else [results]
    check_outputs({"--diagram": diagram}, {f"RESULTS, {file.name}": file for file in files})


def _print(columns: Any, found: list[MethodComparison], form: Format, way: dict[str, Any], safe_csv: bool) -> str:
    """Return the comparisons as text, the results as a table for a paper, or everything as JSON."""
    from truepath.experiments import format_table

    if form is Format.json:
        return json.dumps([comparison.to_dict() for comparison in found], indent=2)
    if form is Format.table:
        return "\n\n".join(map(str, found))
    way = {**way, "safe_csv": safe_csv}
    return "\n\n".join(format_table(columns, c.measure or None, to=form.value, **way) for c in found)


def _draw(comparison: MethodComparison, path: Path) -> None:
    """Write the diagram: SVG without matplotlib, other formats with it."""
    from truepath.experiments import critical_difference_diagram, critical_difference_svg
    from truepath.files.text import open_atomically

    if path.suffix.lower() == ".svg":
        with open_atomically(path, "w", encoding="utf-8") as file:
            file.write(critical_difference_svg(comparison) + "\n")
        return
    import matplotlib

    matplotlib.use("agg")
    figure = critical_difference_diagram(comparison).figure
    try:
        with open_atomically(path) as file:
            figure.savefig(file, dpi=200, format=path.suffix[1:] or None)
    except ValueError as error:
        from truepath.errors import TruePathError, explain

        raise TruePathError(f"--diagram {path}: {explain(error)[0]}", "Choose .svg, .png or .pdf.") from None

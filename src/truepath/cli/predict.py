"""``truepath predict``: labels for new rows, from a model that ``truepath fit`` saved."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from truepath.cli.steps import SafeCsv

__all__ = ["predict"]


def predict(
    model: Annotated[Path, typer.Argument(help="A model that truepath fit saved.")],
    data: Annotated[
        str,
        typer.Argument(
            help="Rows of the same kind: a file in one of the formats below, a folder, or a data set's name."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A .csv, .tsv, .parquet or .json file (default: standard output)."),
    ] = None,
    format: Annotated[
        str | None, typer.Option(help="csv, tsv, parquet or json (default: the ending of OUTPUT).")
    ] = None,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Write 0/1 columns for all labels instead of the most specific ones.")
    ] = False,
    scores: Annotated[Path | None, typer.Option(help="Also write the scores of all labels to this file.")] = None,
    explain: Annotated[
        int | None, typer.Option(help="Print why this row (counted from 0) got its labels, and stop.")
    ] = None,
    safe_csv: SafeCsv = False,
) -> None:
    """Predict label sets for new rows, and write the label names. Tables may be of any length."""
    from truepath.classifier import HierarchicalClassifier, predict_file
    from truepath.cli.steps import check_outputs, progress

    check_outputs({"--output": output, "--scores": scores}, {"MODEL": model, "DATA": data})
    with progress("predicting") as show:
        show(0, None, f"loading {model.name}")
        fitted = HierarchicalClassifier.load(model)
        if explain is not None:
            typer.echo(_explained(fitted, data, explain))
            return
        show(0, None, "reading rows")
        target: Any = sys.stdout if output is None else output
        form = format or (None if output is not None else "csv")
        options: dict[str, Any] = {"scores": scores, "matrix": matrix, "format": form, "safe_csv": safe_csv}
        n_rows = predict_file(fitted, data, target, **options, on_progress=show)
    if output is not None:
        typer.echo(f"{n_rows:,} rows -> {output}", err=True)


def _explained(fitted: Any, data: str, row: int) -> str:
    """Return why one row got its labels."""
    from truepath.classifier.files import read_row_blocks
    from truepath.errors import TruePathError

    n_rows = 0
    for block in read_row_blocks(data, fitted.fitted_on_, fitted.hierarchy_.n_nodes):
        at, n_rows = row - block.start, block.start + len(block)
        if 0 <= at < len(block):
            name = block.ids[at] if block.ids is not None else f"row {row}"
            one = block.X[at] if block.X.ndim == 1 else block.X[at : at + 1]
            return f"{name}\n{fitted.explain(one)}"
    raise TruePathError(f"--explain must be a row from 0 to {n_rows - 1}, not {row}.")

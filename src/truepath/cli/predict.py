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
    """Predict label sets for new rows, and write the label names."""
    from truepath.classifier import HierarchicalClassifier
    from truepath.cli.steps import check_outputs, open_rows, progress
    from truepath.data import write_labels, write_scores

    check_outputs({"--output": output, "--scores": scores}, {"MODEL": model, "DATA": data})
    with progress("predicting") as show:
        show(0, 3, f"loading {model.name}")
        fitted = HierarchicalClassifier.load(model)
        show(1, 3, "reading rows")
        X, ids = open_rows(data, fitted.fitted_on_)
        show(2, 3, "predicting")
        if explain is None:
            Y, S = fitted.predict(X), None if scores is None else fitted.predict_proba(X)
    if explain is not None:
        typer.echo(_explained(fitted, X, ids, explain))
        return
    target: Any = sys.stdout if output is None else output
    format = format or (None if output is not None else "csv")
    write_labels(target, Y, fitted.hierarchy_, ids=ids, matrix=matrix, format=format, safe_csv=safe_csv)
    if scores is not None:
        write_scores(scores, S, fitted.hierarchy_, ids=ids, safe_csv=safe_csv)
    if output is not None:
        typer.echo(f"{Y.shape[0]:,} rows -> {output}", err=True)


def _explained(fitted: Any, X: Any, ids: list[str] | None, row: int) -> str:
    """Return why one row got its labels."""
    n_rows = X.shape[0]
    if not 0 <= row < n_rows:
        from truepath.errors import TruePathError

        raise TruePathError(f"--explain must be a row from 0 to {n_rows - 1}, not {row}.")
    name = ids[row] if ids is not None else f"row {row}"
    one = X[row] if getattr(X, "ndim", 2) == 1 else X[row : row + 1]
    return f"{name}\n{fitted.explain(one)}"

"""``truepath predict``: labels for new rows, from a model that ``truepath fit`` saved."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truepath.cli.steps import Delimiter, Encoding, SafeCsv, Trust
from truepath.errors import TruePathError
from truepath.files.text import counted

if TYPE_CHECKING:
    from truepath.classifier.files import RowBlock
    from truepath.data.tables.frames import TextForm

__all__ = ["predict"]

#: The words or columns that --explain shows for each label
N_CAUSES = 4


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
    top: Annotated[
        int | None, typer.Option(help="Write this many best labels with their probabilities instead of label sets.")
    ] = None,
    per: Annotated[str, typer.Option(help="The best labels of each 'row', or of each 'level'.")] = "row",
    among: Annotated[str, typer.Option(help="The best of 'all' labels, of the 'leaves', or 'most-specific'.")] = "all",
    long: Annotated[bool, typer.Option("--long", help="With --top: a line per label instead of columns.")] = False,
    keep: Annotated[
        str | None, typer.Option(help="Columns of DATA to keep in the output, separated by commas, or 'all'.")
    ] = None,
    coverage: Annotated[
        float | None,
        typer.Option(help="Of a model fitted with --coverage: another probability that a set holds all true labels."),
    ] = None,
    scores: Annotated[Path | None, typer.Option(help="Also write the scores of all labels to this file.")] = None,
    explain: Annotated[
        str | None, typer.Option(help="Print why this row (its id, or its number from 0) got its labels, and stop.")
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    trust: Trust = None,
    safe_csv: SafeCsv = False,
) -> None:
    """Predict label sets for new rows, and write the label names. Tables may be of any length."""
    from truepath.classifier import HierarchicalClassifier, predict_file
    from truepath.cli.fitting.trust import trusted_types_of
    from truepath.cli.steps import check_outputs, progress
    from truepath.data.tables.frames import TextForm

    check_outputs({"--output": output, "--scores": scores}, {"MODEL": model, "DATA": data})
    with progress("predicting") as show:
        show(0, None, f"loading {model.name}")
        fitted = HierarchicalClassifier.load(model, trusted=trusted_types_of(model, trust or []))
        if coverage is not None:
            _set_coverage(fitted, coverage)
        if explain is not None:
            typer.echo(_explained(fitted, data, explain, TextForm.of(delimiter, encoding)))
            return
        show(0, None, "reading rows")
        target: Any = sys.stdout if output is None else output
        form = format or (None if output is not None else "csv")
        options: dict[str, Any] = {"scores": scores, "matrix": matrix, "format": form, "safe_csv": safe_csv}
        options |= {"delimiter": delimiter, "encoding": encoding, "top": top, "per": per, "among": among, "long": long}
        options["keep"] = "all" if keep == "all" else keep.split(",") if keep else ()
        n_rows = predict_file(fitted, data, target, **options, on_progress=show)
    if output is not None:
        typer.echo(f"{counted(n_rows, 'row')} -> {output}", err=True)


def _set_coverage(fitted: Any, coverage: float) -> None:
    """Change the coverage of a model whose label sets have one."""
    from truepath.decoders.conformal.base import check_share

    if "coverage" not in getattr(fitted.decoder_, "get_params", dict)():
        raise TruePathError(
            f"the label sets of this model have no coverage: it decides by {type(fitted.decoder_).__name__}.",
            "Fit it with truepath fit --coverage 0.9, or with --decoder conformal.",
        )
    fitted.decoder_.set_params(coverage=check_share("--coverage", coverage))


def _explained(fitted: Any, data: str, row: str, form: TextForm) -> str:
    """Return why one row got its labels: the one with this id, else the one with this number."""
    from truepath.classifier.files import read_row_blocks

    number = int(row) if row.isdecimal() else -1
    known: list[str] = []
    by_number = None
    for block in read_row_blocks(data, fitted.fitted_on_, fitted.hierarchy_.n_nodes, form=form):
        known += block.names
        at = block.ids.index(row) if block.ids is not None and row in block.ids else None
        if at is not None:
            return _explain_row(fitted, block, at)
        if block.start <= number < block.start + len(block):
            by_number = _explain_row(fitted, block, number - block.start)
    if by_number is None:
        raise _no_row(row, known, fitted.fitted_on_.ids)
    return by_number


def _explain_row(fitted: Any, block: RowBlock, at: int) -> str:
    name = block.ids[at] if block.ids is not None else f"row {block.start + at}"
    one = block.X[at] if block.X.ndim == 1 else block.X[at : at + 1]
    return f"{name}\n{fitted.explain(one, n_causes=N_CAUSES)}"


def _no_row(row: str, known: list[str], ids: str | None) -> TruePathError:
    """Make the error for a row that is not there."""
    from truepath.hierarchy.names import nearest

    near = nearest(row, known)
    hint = f" Nearest: {', '.join(map(repr, near))}." if near and not row.isdecimal() else ""
    named = f"an id in column {ids!r}, or " if ids is not None else ""
    return TruePathError(f"--explain must be {named}a row from 0 to {len(known) - 1}, not {row!r}.{hint}")

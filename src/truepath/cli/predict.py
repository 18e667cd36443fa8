"""``truepath predict``: labels for new rows, from a model that ``truepath fit`` saved."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from truepath.cli.shared.options import Delimiter, Encoding, LabelFile, LabelFormat, Matrix, ModelFile, SafeCsv, Trust
from truepath.english import counted
from truepath.errors import TruePathError

#: The words or columns that --explain shows for each label
N_CAUSES = 4


def predict(
    model: ModelFile,
    data: Annotated[
        str,
        typer.Argument(
            help="Rows of the same kind: a file in one of the formats below, a folder, or a data set's name."
        ),
    ],
    output: LabelFile = None,
    format: LabelFormat = None,
    matrix: Matrix = False,
    top: Annotated[
        int | None,
        typer.Option(help="Number of best labels to write for each row, with their scores, instead of label sets."),
    ] = None,
    per: Annotated[
        str, typer.Option(help="With --top: the best labels of each row, or of each level (row, level).")
    ] = "row",
    among: Annotated[
        str, typer.Option(help="With --top: the labels to choose from (all, leaves, most-specific).")
    ] = "all",
    long: Annotated[bool, typer.Option("--long", help="With --top: one line per label instead of columns.")] = False,
    keep: Annotated[
        str | None, typer.Option(help="Columns of DATA to keep in the output, separated by commas, or 'all'.")
    ] = None,
    coverage: Annotated[
        float | None,
        typer.Option(help="For a model fitted with --coverage: another probability that a set holds all true labels."),
    ] = None,
    write_scores: Annotated[Path | None, typer.Option(help="Also write the scores of all labels to this file.")] = None,
    explain: Annotated[
        str | None, typer.Option(help="Print why this row (its id, or its number from 0) got its labels, and stop.")
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    trust: Trust = None,
    safe_csv: SafeCsv = False,
) -> None:
    """Predict label sets for new rows, and write the label names. Tables may be of any length."""
    from truepath.classifier import HierarchicalClassifier, find_row, predict_file
    from truepath.cli.shared.outputs import check_outputs
    from truepath.cli.shared.progress import progress
    from truepath.persistence import trusted_types_of

    check_outputs({"--output": output, "--write-scores": write_scores}, {"MODEL": model, "DATA": data})
    with progress("predicting") as show:
        show(0, None, f"loading {model.name}")
        fitted = HierarchicalClassifier.load(model, trusted=trusted_types_of(model, trust or []))
        if coverage is not None:
            _set_coverage(fitted, coverage)
        if explain is not None:
            name, row = find_row(fitted, data, explain, delimiter=delimiter, encoding=encoding)
            typer.echo(f"{name}\n{fitted.explain(row, n_causes=N_CAUSES)}")
            return
        show(0, None, "reading rows")
        target: Any = sys.stdout if output is None else output
        form = format or (None if output is not None else "csv")
        options: dict[str, Any] = {"scores": write_scores, "matrix": matrix, "format": form, "safe_csv": safe_csv}
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

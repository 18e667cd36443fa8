"""``truepath predict``: labels for new rows, from a model that ``truepath fit`` saved."""

from __future__ import annotations

from numbers import Real
from pathlib import Path
from typing import Annotated, Any

import typer

from truepath.cli.shared.kinds import NAMES, choice, in_range
from truepath.cli.shared.options import (
    Delimiter,
    Encoding,
    LabelFile,
    LabelFormat,
    Matrix,
    ModelFile,
    SafeCsv,
    Sheet,
    Trust,
)
from truepath.english import counted
from truepath.errors import TruePathError
from truepath.parameters import SHARE, Range

#: The words or columns that --explain shows for each label
N_CAUSES = 4


def predict(
    model: ModelFile,
    data: Annotated[
        str,
        typer.Argument(
            help="Rows of the same kind: a file in one of the formats below, a folder, a data set's name, or - for "
            "standard input."
        ),
    ],
    output: LabelFile = None,
    format: LabelFormat = None,
    matrix: Matrix = False,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of best labels to write for each row, with their scores, instead of label sets."
        ),
    ] = None,
    per: Annotated[
        str,
        typer.Option(
            help="With --top: the best labels of each row, or of each level (row, level).",
            parser=choice("row", "level"),
        ),
    ] = "row",
    among: Annotated[
        str,
        typer.Option(
            help="With --top: the labels to choose from (all, leaves, most-specific).",
            parser=choice("all", "leaves", "most-specific"),
        ),
    ] = "all",
    long: Annotated[bool, typer.Option("--long", help="With --top: one line per label instead of columns.")] = False,
    keep: Annotated[
        str | None,
        typer.Option(help="Columns of DATA to keep in the output, separated by commas, or 'all'.", parser=NAMES),
    ] = None,
    coverage: Annotated[
        float | None,
        typer.Option(
            help="For a model fitted with --coverage: another probability that a set holds all true labels.",
            parser=in_range(SHARE),
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            help="Labels are those with a score above this, instead of what the model decides.",
            parser=in_range(Range(Real, 0, 1)),
        ),
    ] = None,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Write the score of each label beside the labels of a row.")
    ] = False,
    write_scores: Annotated[Path | None, typer.Option(help="Also write the scores of all labels to this file.")] = None,
    explain: Annotated[
        str | None, typer.Option(help="Print why this row (its id, or its number from 0) got its labels, and stop.")
    ] = None,
    allowed: Annotated[
        list[str] | None,
        typer.Option(
            help="Labels that may be predicted, each with all below it: a file with one per line, a label, or a set "
            "that was saved with the model; may be repeated."
        ),
    ] = None,
    allowed_by: Annotated[
        tuple[str, str] | None,
        typer.Option(
            help="A column of DATA, and a table that lists the labels allowed for each of its values: a column of the "
            "same name, and one called labels, with ; between several.",
            metavar="COLUMN TABLE",
        ),
    ] = None,
    mask_only: Annotated[
        bool,
        typer.Option(
            "--mask-only", help="With --allowed: leave scores as they are, and only drop those of other labels."
        ),
    ] = False,
    priors: Annotated[
        Path | None,
        typer.Option(
            help="For a calibrated model: a table of the shares that labels have among the rows, with the columns "
            "label and share."
        ),
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    trust: Trust = None,
    safe_csv: SafeCsv = False,
) -> None:
    """Predict label sets for new rows, and write the label names. Tables may be of any length."""
    from truepath.classifier import HierarchicalClassifier, find_row, predict_file
    from truepath.cli.shared.outputs import check_outputs
    from truepath.cli.shared.progress import progress
    from truepath.cli.shared.streams import file_or_stdout, reading_stdin, stream_of_data
    from truepath.data import read_label_shares

    output = file_or_stdout(output)
    inputs: dict[str, Any] = {
        "MODEL": model,
        "DATA": data,
        "--priors": priors,
        "--allowed-by": (allowed_by or [None])[-1],
    }
    inputs |= {f"--allowed {name}": name for name in allowed or [] if Path(name).is_file()}
    check_outputs({"--output": output, "--write-scores": write_scores}, inputs)
    written: dict[str, Any] = {"delimiter": delimiter, "encoding": encoding, "sheet": sheet}
    if explain is not None and allowed_by is not None:
        raise TruePathError("--explain is about one row; give the labels it may have by --allowed.")
    with reading_stdin(data) as data, progress("predicting") as show:
        show(0, None, f"loading {model.name}")
        fitted = HierarchicalClassifier.load(model, trusted=trust or [])
        if coverage is not None:
            _set_coverage(fitted, coverage)
        place: dict[str, Any] = {"allowed": _allowed(allowed or [], allowed_by, mask_only)}
        place["priors"] = None if priors is None else read_label_shares(priors)
        if explain is not None:
            name, row = find_row(fitted, data, explain, **written)
            typer.echo(f"{name}\n{fitted.explain(row, n_causes=N_CAUSES, **place)}")
            return
        show(0, None, "reading rows")
        target: Any = stream_of_data() if output is None else output
        form = format or (None if output is not None else "csv")
        options: dict[str, Any] = {"scores": write_scores, "matrix": matrix, "format": form, "safe_csv": safe_csv}
        options |= {**written, "top": top, "per": per, "among": among, "long": long}
        options |= {"threshold": threshold, "probabilities": probabilities, **place}
        options["keep"] = "all" if keep == "all" else keep.split(",") if keep else ()
        n_rows = predict_file(fitted, data, target, **options, on_progress=show)
    if output is not None:
        typer.echo(f"{counted(n_rows, 'row')} -> {output}", err=True)


def _allowed(given: list[str], by: tuple[str, str] | None, mask_only: bool) -> Any:
    """Return the labels that may be predicted: in files or by name, or by a column."""
    from truepath.data import read_label_list, read_label_sets
    from truepath.hierarchy import AllowedLabels

    if given and by:
        raise TruePathError("--allowed is for all rows, --allowed-by for each its own; give one of the two.")
    if mask_only and not (given or by):
        raise TruePathError("--mask-only is about the labels that are not allowed; give --allowed or --allowed-by.")
    if by:
        return AllowedLabels(read_label_sets(by[1], by[0]), by=by[0], renormalize=not mask_only)
    names = [name for one in given for name in (read_label_list(one) if Path(one).is_file() else [one])]
    return AllowedLabels(names, renormalize=not mask_only) if given else None


def _set_coverage(fitted: Any, coverage: float) -> None:
    """Change the coverage of a model whose label sets have one."""
    if "coverage" not in getattr(fitted.decoder_, "get_params", dict)():
        raise TruePathError(
            f"the label sets of this model have no coverage: it decides by {type(fitted.decoder_).__name__}.",
            "Fit it with truepath fit --coverage 0.9, or with --decoder conformal.",
        )
    fitted.decoder_.set_params(coverage=coverage)

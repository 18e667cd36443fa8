"""``truepath describe``: what a data set holds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from truepath.cli.steps import Delimiter, Encoding

if TYPE_CHECKING:
    from truepath.data import Dataset

__all__ = ["describe"]


def describe(
    data: Annotated[
        str,
        typer.Argument(
            help="A file in one of the formats below, a folder of train, valid and test files, or a data set's name."
        ),
    ],
    labels: Annotated[str | None, typer.Option(help="Column of label paths in a table (default: labels).")] = None,
    text: Annotated[str | None, typer.Option(help="Column of texts in a table.")] = None,
    ids: Annotated[str | None, typer.Option("--ids", "--id", help="Column with the row ids.")] = None,
    split: Annotated[str | None, typer.Option(help="Column that says train or test for each row.")] = None,
    sep: Annotated[str | None, typer.Option(help="Separator of the parts of a path (default: /).")] = None,
    between: Annotated[str | None, typer.Option(help="Separator of the paths in a cell (default: ;).")] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    reader: Annotated[str | None, typer.Option(help="The format, if it cannot be seen from the file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Count what a data set holds: rows, features, missing values, labels, depth, partial paths."""
    from truepath.cli.steps import open_training

    form = {"delimiter": delimiter, "encoding": encoding, "format": reader}
    ds, _ = open_training(data, labels=labels, text=text, ids=ids, split=split, sep=sep, between=between, **form)
    n_text = _count_texts(ds)
    description = ds.describe()
    description = replace(
        description, n_text=description.n_text + n_text, n_categorical=description.n_categorical - n_text
    )
    typer.echo(json.dumps(description.to_dict(), indent=2) if as_json else str(description))


def _count_texts(ds: Dataset) -> int:
    """Count the columns of a table that ``truepath fit`` takes as texts, among those that hold no numbers."""
    from truepath.preprocessing import AutoFeatures
    from truepath.preprocessing.column_kinds import TEXT, column_kind

    X, most = next(iter(ds.splits.values())).X, AutoFeatures().max_categories
    if X.ndim == 1 or X.dtype != object:
        return 0
    return sum(column_kind(X[:, j], most, name) == TEXT for j, name in enumerate(ds.feature_names))

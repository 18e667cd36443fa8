"""``truepath describe``: what a data set holds."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from truepath.cli.steps import Delimiter, Encoding

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
    description = ds.describe()
    typer.echo(json.dumps(description.to_dict(), indent=2) if as_json else str(description))

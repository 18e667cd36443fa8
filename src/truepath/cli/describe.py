"""``truepath describe``: what a data set holds."""

from __future__ import annotations

import json
from typing import Annotated

import typer

__all__ = ["describe"]


def describe(
    data: Annotated[
        str, typer.Argument(help="A data set's name, a table with label paths, or an ARFF file in the CLUS dialect.")
    ],
    labels: Annotated[str | None, typer.Option(help="Column of label paths in a table (default: labels).")] = None,
    text: Annotated[str | None, typer.Option(help="Column of texts in a table.")] = None,
    sep: Annotated[str, typer.Option(help="What separates the parts of a path.")] = "/",
    between: Annotated[str, typer.Option(help="What separates the paths of a cell.")] = ";",
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Count what a data set holds: rows, features, missing values, labels, depth, partial paths."""
    from truepath.cli.sources import open_training

    ds, _ = open_training(data, labels=labels, text=text, sep=sep, between=between)
    description = ds.describe()
    typer.echo(json.dumps(description.to_dict(), indent=2) if as_json else str(description))

"""``truepath describe``: what a data set holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from truepath.data import Dataset

__all__ = ["describe", "open_dataset"]


def describe(
    data: Annotated[str, typer.Argument(help="A data set's name, or an ARFF file in the CLUS dialect (.xz, .gz too).")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Count what a data set holds: rows, features, missing values, labels, depth, partial paths."""
    description = open_dataset(data).describe()
    typer.echo(json.dumps(description.to_dict(), indent=2) if as_json else str(description))


def open_dataset(data: str) -> Dataset:
    """Load a data set by file if there is one of that name, else by name."""
    from truepath.data import load_dataset, read_clus_arff

    return read_clus_arff(data) if Path(data).is_file() else load_dataset(data)

"""``truepath describe``: what a data set holds."""

from __future__ import annotations

from typing import Annotated

import typer

from truepath.cli.shared.options import (
    BetweenOrNone,
    Data,
    Delimiter,
    Encoding,
    Ids,
    LabelColumns,
    Reader,
    Sep,
    SplitColumn,
    TextColumn,
    split_columns,
)
from truepath.files.strict_json import dump_json


def describe(
    data: Data,
    labels: LabelColumns = None,
    text: TextColumn = None,
    ids: Ids = None,
    split: SplitColumn = None,
    sep: Sep = None,
    between: BetweenOrNone = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    reader: Reader = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Count what a data set holds: rows, features, missing values, labels, depth, partial paths."""
    from truepath.workflow import describe_training, open_training

    form = {"delimiter": delimiter, "encoding": encoding, "format": reader}
    columns = {"labels": split_columns(labels), "text": text, "ids": ids, "split": split}
    found = describe_training(open_training(data, **columns, sep=sep, between=between, **form))
    typer.echo(dump_json(found.to_dict(), indent=2) if as_json else str(found))

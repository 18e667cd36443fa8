"""``truepath describe``: what a data set holds."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from truepath.cli.shared.options import (
    BetweenOrNone,
    Data,
    Delimiter,
    Encoding,
    Ids,
    LabelColumns,
    MergeSpellings,
    Prefixes,
    Reader,
    Sep,
    Sheet,
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
    prefixes: Prefixes = False,
    merge_spellings: MergeSpellings = False,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    reader: Reader = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the counts as JSON.")] = False,
) -> None:
    """Count what a data set holds: rows, features, missing values, labels, depth, partial paths."""
    from truepath.cli.shared.streams import reading_stdin
    from truepath.workflow import describe_training, open_training

    form = {"delimiter": delimiter, "encoding": encoding, "sheet": sheet, "format": reader}
    columns = {"labels": split_columns(labels), "text": split_columns(text), "ids": ids, "split": split}
    how: dict[str, Any] = {"sep": sep, "between": between, "prefixes": prefixes, "merge_spellings": merge_spellings}
    with reading_stdin(data) as data:
        found = describe_training(open_training(data, **columns, **how, **form))
    typer.echo(dump_json(found.to_dict(), indent=2) if as_json else str(found))

"""Options that several commands have, declared once: one name, one short name, one meaning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from truepath.cli.shared.kinds import SIGNS, choice, in_range
from truepath.parameters import JOBS, PART, SEED

#: Data to learn from or to describe, the first argument
Data = Annotated[
    str,
    typer.Argument(
        help="A file in one of the formats below, a folder of train, valid and test files, a data set's name, or - for "
        "standard input."
    ),
]
DataFolder = Annotated[
    Path | None,
    typer.Option("--data", help="Folder of benchmark data (default: $TRUEPATH_DATA or the cache folder)."),
]
#: A saved model, the first argument of every command that uses one
ModelFile = Annotated[Path, typer.Argument(help="A model that truepath fit saved.")]

# ---------------------------------------------------------------------------------- data to learn from

LabelColumns = Annotated[
    str | None,
    typer.Option(
        "--labels", help="Column of label paths, or the columns of the levels, separated by commas (default: labels)."
    ),
]
TextColumn = Annotated[
    str | None,
    typer.Option(
        "--text",
        help="Column of texts to learn from, or several separated by commas (default: all columns that are left).",
    ),
]
GroupColumn = Annotated[
    str | None,
    typer.Option(
        "--group",
        help="Column that says what each row belongs to (a patient, a document): its rows are held out together.",
    ),
]
SplitColumn = Annotated[
    str | None,
    typer.Option("--split", help="Column that says train, valid or test for each row (also as Training, dev, TEST)."),
]
Reader = Annotated[str | None, typer.Option("--reader", help="The format of DATA, if it cannot be seen from the file.")]
BetweenOrNone = Annotated[
    str | None, typer.Option("--between", help="Separator of the labels in a cell (default: ;).", parser=SIGNS)
]

Prefixes = Annotated[
    bool, typer.Option("--prefixes", help="Labels are codes that begin with their group, such as E11.9 below E11.")
]

MergeSpellings = Annotated[
    bool,
    typer.Option(
        "--merge-spellings",
        help="Labels that differ only in capitals, accents or blanks are one, spelled as in most rows.",
    ),
]

# ------------------------------------------------------------------------------------- tables and labels

Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter", help="Separator of the cells of a text table: , ; | or tab (default: detected).", parser=SIGNS
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding", help="Encoding of a text table, such as latin-1 (default: UTF-8 or UTF-16, else Latin-1)."
    ),
]
Sheet = Annotated[
    str | None, typer.Option("--sheet", help="Sheet of an .xlsx workbook (default: the only one with rows).")
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of a file of edges names the columns (default: detected).",
        show_default=False,
    ),
]
Ids = Annotated[str | None, typer.Option("--ids", help="Column of row ids.")]
ByOrder = Annotated[
    bool, typer.Option("--by-order", help="Match the rows of all files by their order instead of their ids.")
]
Sep = Annotated[
    str | None,
    typer.Option(
        "--sep",
        help="Separator of the parts of a label path, such as ' > ' (default: detected, else /).",
        parser=SIGNS,
    ),
]
Between = Annotated[str, typer.Option("--between", help="Separator of the labels in a cell.", parser=SIGNS)]
SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="In CSV and TSV put an apostrophe before text that a spreadsheet would run as a formula (= + - @).",
    ),
]

#: Of label sets of any model, to evaluate, compare and report on
LabelColumn = Annotated[str, typer.Option("--labels", help="Column of label names.")]
Part = Annotated[str, typer.Option("--part", help="Which part of the true labels, if they are those of a data set.")]

#: Label sets to write
LabelFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="A .csv, .tsv, .parquet, .json or .jsonl file (default: standard output)."),
]
LabelFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        help="csv, tsv, parquet, json or jsonl (default: the ending of OUTPUT).",
        parser=choice("csv", "tsv", "parquet", "json", "jsonl"),
    ),
]
Matrix = Annotated[
    bool, typer.Option("--matrix", help="Write 0/1 columns for all labels instead of the most specific ones.")
]


def truth_option(panel: str) -> Any:
    """Return ``--truth``, under a heading of the help."""
    text = "True labels: a file of labels, a 0/1 matrix, or a data set."
    return typer.Option("--truth", "-t", help=text, rich_help_panel=panel)


def hierarchy_option(panel: str) -> Any:
    """Return ``--hierarchy`` of files that may do without, under a heading of the help."""
    text = "Hierarchy, as in truepath label (default: built from the label paths found)."
    return typer.Option("--hierarchy", "-H", help=text, rich_help_panel=panel)


# -------------------------------------------------------------------------------------- models and fitting

NewModel = Annotated[Path, typer.Option("--output", "-o", help="Where to write the model, such as books.tp.")]
TestShare = Annotated[
    float,
    typer.Option(
        "--test-share",
        help="Share of rows held out to measure on if the data have no test part; 0 for none.",
        parser=in_range(PART),
    ),
]
Trust = Annotated[
    list[str] | None,
    typer.Option("--trust", help="A type of another package that the model may hold, in full; may be repeated."),
]
Seed = Annotated[int, typer.Option("--seed", help="Random seed.", parser=in_range(SEED))]
NumberOfJobs = Annotated[
    int | None, typer.Option("--n-jobs", "-j", help="Parallel workers; -1 for all cores.", parser=in_range(JOBS))
]


def split_columns(typed: str | None) -> str | list[str] | None:
    """Return a column, or several that were separated by commas."""
    return typed.split(",") if typed is not None and "," in typed else typed


def split_names(typed: str | None) -> list[str]:
    """Return names that were separated by commas."""
    return [name.strip() for name in (typed or "").split(",") if name.strip()]


def refuse_options(ctx: typer.Context, names: Sequence[str], what: str) -> None:
    """Refuse options that were typed and belong to the other use of a command."""
    from truepath.errors import TruePathError

    for name in names:
        source = ctx.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise TruePathError(f"--{name.replace('_', '-')} is for {what}.")

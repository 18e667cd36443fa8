"""``truepath hierarchy diff``: what differs between two hierarchies."""

from __future__ import annotations

from typing import Annotated

import typer

from truepath.cli.shared.options import Header, Sep
from truepath.files.strict_json import dump_json

SOURCE = "A file of a hierarchy, a saved model, or a data set's name."


def diff(
    old: Annotated[str, typer.Argument(help=SOURCE)],
    new: Annotated[str, typer.Argument(help=SOURCE)],
    sep: Sep = None,
    header: Header = None,
    json_wanted: Annotated[bool, typer.Option("--json", help="Print what changed as JSON.")] = False,
) -> None:
    """Print what changed between two hierarchies, and which labels a model has to learn."""
    from truepath.cli.taxonomy.steps import as_json
    from truepath.workflow import open_hierarchy

    found = open_hierarchy(old, sep=sep, header=header).diff(open_hierarchy(new, sep=sep, header=header))
    typer.echo(dump_json(as_json(found), indent=2) if json_wanted else str(found))
    if found.touched.size and not json_wanted:
        names = ", ".join(found.new.names[found.touched].tolist())
        typer.echo(f"to learn: {names}")

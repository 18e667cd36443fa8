"""``truepath hierarchy edit``: labels added, removed, renamed, moved, merged or split."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from truepath.cli.shared.options import Header, Sep
from truepath.cli.taxonomy.steps import StepFile
from truepath.files.strict_json import dump_json
from truepath.files.writing import write_text


def edit(
    source: Annotated[str, typer.Argument(help="A file of a hierarchy, a saved model, or a data set's name.")],
    changes: Annotated[
        list[str] | None,
        typer.Argument(
            help='Changes in their order: "add plant/elm under plant", "remove X", "rename X to Y", "move X under Y", '
            '"merge X; Y into Z", "split X into Y; Z".'
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A .json file for the new hierarchy (default: none)."),
    ] = None,
    steps: StepFile = None,
    sep: Sep = None,
    header: Header = None,
    json_wanted: Annotated[bool, typer.Option("--json", help="Print what changes as JSON.")] = False,
) -> None:
    """Change a hierarchy, and print what happens to its labels."""
    from truepath.cli.shared.outputs import check_outputs
    from truepath.cli.taxonomy.steps import as_json, change_by_steps
    from truepath.workflow import open_hierarchy

    check_outputs({"--output": output}, {"SOURCE": source, "--steps": steps})
    found = change_by_steps(open_hierarchy(source, sep=sep, header=header), changes or [], steps)
    typer.echo(dump_json(as_json(found), indent=2) if json_wanted else str(found))
    if output is not None:
        write_text(output, found.new.to_json() + "\n")
        typer.echo(f"truepath: {found.new.n_nodes} labels -> {output}", err=True)

"""``truepath cafa check``: the mistakes of a submission, line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from truepath.cli.cafa.options import OntologyFile, Relations, open_ontology
from truepath.cli.shared.kinds import NAMES, in_range
from truepath.cli.shared.options import split_names
from truepath.english import counted
from truepath.parameters import DECIMALS


def check(
    submission: Annotated[Path, typer.Argument(help="A file of target<TAB>term<TAB>score.")],
    ontology: OntologyFile,
    targets: Annotated[Path | None, typer.Option(help="File of the targets to expect, one per line.")] = None,
    max_terms: Annotated[int, typer.Option(min=1, help="Largest number of terms per target.")] = 1500,
    decimals: Annotated[
        int, typer.Option(help="Largest number of decimals of a score.", parser=in_range(DECIMALS))
    ] = 3,
    propagated: Annotated[
        bool, typer.Option("--propagated", help="Require that no term scores above an ancestor.")
    ] = False,
    aspects: Annotated[str | None, typer.Option(help="Aspects to expect, separated by commas.", parser=NAMES)] = None,
    relations: Relations = "is_a,part_of",
) -> None:
    """Check a submission: every mistake with its line; the exit code says whether there are any."""
    from truepath.cafa import SubmissionRules, check_submission
    from truepath.cafa.tables.columns import read_ids

    found = check_submission(
        submission,
        open_ontology(ontology, relations),
        rules=SubmissionRules(max_terms=max_terms, decimals=decimals, propagated=propagated),
        targets=None if targets is None else read_ids(targets),
        aspects=split_names(aspects) or None,
    )
    for bad in found:
        typer.echo(str(bad))
    typer.echo(f"truepath: {submission}: {counted(len(found), 'mistake') if found else 'valid'}", err=True)
    if found:
        raise typer.Exit(1)

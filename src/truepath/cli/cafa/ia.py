"""``truepath cafa ia``: information accretion of the terms, counted in annotations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from truepath.cli.cafa.options import (
    Evidence,
    OntologyFile,
    Output,
    Relations,
    SkipBad,
    Taxa,
    Until,
    open_annotations,
    open_ontology,
)


def ia(
    annotations: Annotated[Path, typer.Argument(help="GAF, GPAD, HPO or target<TAB>term.")],
    ontology: OntologyFile,
    output: Output,
    no_dummy: Annotated[
        bool, typer.Option("--no-dummy", help="Do not add the made-up protein with all terms that CAFA adds.")
    ] = False,
    evidence: Evidence = None,
    taxa: Taxa = None,
    until: Until = None,
    relations: Relations = "is_a,part_of",
    skip_bad_lines: SkipBad = False,
) -> None:
    """Write how many bits each term adds once its parents are known."""
    from truepath.cafa import information_accretion, write_accretion
    from truepath.cli.shared.outputs import check_outputs

    check_outputs({"--output": output}, {"ANNOTATIONS": annotations, "--ontology": ontology})
    found = open_annotations(annotations, skip_bad=skip_bad_lines, evidence=evidence, taxa=taxa, until=until)
    accretion = information_accretion(found, open_ontology(ontology, relations), dummy=not no_dummy)
    typer.echo(str(write_accretion(accretion, output)))

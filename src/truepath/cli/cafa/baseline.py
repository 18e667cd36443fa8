"""``truepath cafa baseline``: predictions by frequency, or from similar proteins."""

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
from truepath.cli.shared.kinds import choice
from truepath.english import counted
from truepath.errors import TruePathError


def baseline(
    annotations: Annotated[Path, typer.Argument(help="What is known: GAF, GPAD, HPO or target<TAB>term.")],
    ontology: OntologyFile,
    output: Output,
    targets: Annotated[Path | None, typer.Option(help="File of the targets to predict, one per line.")] = None,
    hits: Annotated[
        Path | None,
        typer.Option(help="Hits of BLAST or DIAMOND (-outfmt 6); without them, terms get their frequency."),
    ] = None,
    how: Annotated[
        str,
        typer.Option(
            help="With --hits: weighted (by bit scores), or max (of identity).", parser=choice("weighted", "max")
        ),
    ] = "weighted",
    max_evalue: Annotated[float, typer.Option(min=0, help="With --hits: largest E-value of a hit.")] = 1e-3,
    evidence: Evidence = None,
    taxa: Taxa = None,
    until: Until = None,
    relations: Relations = "is_a,part_of",
    skip_bad_lines: SkipBad = False,
) -> None:
    """Predict terms by their frequency, or from similar proteins."""
    from truepath.cafa import predict_by_transfer, predict_naively, read_hits
    from truepath.cafa.tables.columns import read_ids
    from truepath.cli.shared.outputs import check_outputs

    if targets is None and hits is None:
        raise TruePathError("nothing to predict.", "Give --targets, --hits, or both.")
    inputs = {"ANNOTATIONS": annotations, "--ontology": ontology, "--targets": targets, "--hits": hits}
    check_outputs({"--output": output}, inputs)
    names = None if targets is None else read_ids(targets)
    terms = open_ontology(ontology, relations)
    known = open_annotations(annotations, skip_bad=skip_bad_lines, evidence=evidence, taxa=taxa, until=until)
    if hits is None:
        predicted = predict_naively(known, terms, names or [])
    else:
        similar = read_hits(hits, by="identity" if how == "max" else "bitscore", max_evalue=max_evalue)
        predicted = predict_by_transfer(similar, known, terms, how=how, targets=names)
    predicted.write(output)
    typer.echo(f"truepath: {counted(len(predicted.targets), 'target')} written to {output}", err=True)

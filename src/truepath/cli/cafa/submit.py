"""``truepath cafa submit``: predictions as a valid submission."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from truepath.cli.cafa.options import OntologyFile, Output, Relations, SkipBad, open_ontology, open_predictions
from truepath.cli.shared.kinds import in_range
from truepath.english import counted
from truepath.parameters import DECIMALS


def submit(
    predictions: Annotated[Path, typer.Argument(help="A file of target<TAB>term<TAB>score.")],
    ontology: OntologyFile,
    output: Output,
    max_terms: Annotated[int, typer.Option(min=1, help="Largest number of terms per target.")] = 1500,
    decimals: Annotated[int, typer.Option(help="Number of decimals of a score.", parser=in_range(DECIMALS))] = 3,
    split_aspects: Annotated[bool, typer.Option("--split-aspects", help="Write one file per aspect.")] = False,
    relations: Relations = "is_a,part_of",
    skip_bad_lines: SkipBad = False,
) -> None:
    """Write a submission: scores passed on to ancestors and rounded, only the best terms of each target."""
    from truepath.cafa import Predictions, SubmissionRules, write_submission
    from truepath.cli.shared.outputs import check_outputs

    check_outputs({"--output": output}, {"PREDICTIONS": predictions, "--ontology": ontology})
    table = open_predictions(predictions, skip_bad_lines)
    terms = open_ontology(ontology, relations)
    lost = terms.resolve(table.terms).lost
    if lost:
        typer.echo(f"truepath: {counted(len(lost), 'unknown term')} left out, such as {next(iter(lost))}", err=True)
    rules = SubmissionRules(max_terms=max_terms, decimals=decimals)
    for path in write_submission(Predictions.of(table, terms), output, rules=rules, split_aspects=split_aspects):
        typer.echo(str(path))

"""``truepath cafa cutoffs``: the threshold to trust in each aspect, with its interval."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from truepath.cli.cafa.options import (
    AsJson,
    OntologyFile,
    Relations,
    SkipBad,
    Truth,
    open_annotations,
    open_ontology,
    open_predictions,
    print_table,
)
from truepath.cli.shared.kinds import in_range
from truepath.cli.shared.options import Seed
from truepath.parameters import RESAMPLES


def cutoffs(
    predictions: Annotated[Path, typer.Argument(help="A file of target<TAB>term<TAB>score, of held-out targets.")],
    ontology: OntologyFile,
    truth: Truth,
    resamples: Annotated[int, typer.Option(help="Number of bootstrap resamples.", parser=in_range(RESAMPLES))] = 200,
    seed: Seed = 0,
    relations: Relations = "is_a,part_of",
    skip_bad_lines: SkipBad = False,
    as_json: AsJson = False,
) -> None:
    """Find the threshold with the best F in each aspect, with 95% intervals over proteins."""
    from truepath.cafa import find_cutoffs

    terms, true = open_ontology(ontology, relations), open_annotations(truth, skip_bad=skip_bad_lines)
    table = open_predictions(predictions, skip_bad_lines)
    found = find_cutoffs(true, table, terms, n_resamples=resamples, random_state=seed)
    print_table([{"aspect": aspect, **asdict(cutoff)} for aspect, cutoff in found.items()], as_json)

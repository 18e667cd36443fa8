"""``truepath cafa blend``: several files of predictions as one, with learned weights."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from truepath.cli.cafa.options import (
    AsJson,
    OntologyFile,
    Output,
    Relations,
    SkipBad,
    Truth,
    open_annotations,
    open_ontology,
    open_predictions,
    print_table,
)
from truepath.errors import TruePathError


def blend(
    learn: Annotated[list[Path], typer.Argument(help="Files of predictions for the targets of --truth.")],
    ontology: OntologyFile,
    truth: Truth,
    output: Output,
    apply: Annotated[
        list[Path] | None,
        typer.Option("--apply", help="The same methods' files for other targets, in the same order; repeat it."),
    ] = None,
    relations: Relations = "is_a,part_of",
    skip_bad_lines: SkipBad = False,
    as_json: AsJson = False,
) -> None:
    """Learn weights per aspect where the truth is known, and write the blend."""
    from truepath.cafa import learn_blend
    from truepath.cli.shared.outputs import check_outputs

    if apply and len(apply) != len(learn):
        raise TruePathError(f"{len(apply)} files to --apply to where {len(learn)} were learned from.", "Give as many.")
    inputs = {"--truth": truth, "--ontology": ontology} | {str(path): path for path in [*learn, *(apply or ())]}
    check_outputs({"--output": output}, inputs)
    terms, true = open_ontology(ontology, relations), open_annotations(truth, skip_bad=skip_bad_lines)
    tables = [open_predictions(path, skip_bad_lines) for path in learn]
    found = learn_blend(tables, true, terms)
    others = [open_predictions(path, skip_bad_lines) for path in apply] if apply else tables
    found.apply(others).write(output)
    records = [
        {"aspect": aspect} | {path.name: float(weight) for path, weight in zip(learn, weights)}
        for aspect, weights in found.weights.items()
    ]
    print_table(records, as_json)

"""``truepath cafa evaluate``: files of predictions against annotations, as CAFA does it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from truepath.cli.cafa.options import (
    AsJson,
    OntologyFile,
    Relations,
    SkipBad,
    Truth,
    list_predictions,
    open_annotations,
    open_ontology,
    open_predictions,
    print_table,
)
from truepath.cli.shared.kinds import NAMES, choice, choice_or_number
from truepath.cli.shared.options import split_names
from truepath.parameters import STEP


def evaluate(
    ontology: OntologyFile,
    truth: Truth,
    predictions: Annotated[
        list[Path],
        typer.Option("--predictions", "-p", help="A file of target<TAB>term<TAB>score, or a folder of such files."),
    ],
    ia: Annotated[Path | None, typer.Option("--ia", help="Information accretion: term<TAB>bits.")] = None,
    norm: Annotated[
        str, typer.Option(help="Averaging mode: cafa, pred or gt.", parser=choice("cafa", "pred", "gt"))
    ] = "cafa",
    prop: Annotated[
        str, typer.Option(help="How scores are passed on to ancestors: max or fill.", parser=choice("max", "fill"))
    ] = "max",
    no_orphans: Annotated[bool, typer.Option("--no-orphans", help="Leave out terms without parents.")] = False,
    grid: Annotated[
        str,
        typer.Option(
            help="Thresholds to try: cafa (as the official evaluator), exact (every score), or a step such as 0.01.",
            parser=choice_or_number(("cafa", "exact"), STEP, "a step"),
        ),
    ] = "cafa",
    max_terms: Annotated[
        int | None, typer.Option(min=1, help="Largest number of terms per target and aspect; the first are taken.")
    ] = None,
    known: Annotated[
        Path | None, typer.Option(help="Annotations known before, which count as neither true nor predicted.")
    ] = None,
    aspects: Annotated[str | None, typer.Option(help="Aspects to evaluate, separated by commas.", parser=NAMES)] = None,
    relations: Relations = "is_a,part_of",
    skip_bad_lines: SkipBad = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write all curves to this file, in the format of cafaeval's evaluation_all.tsv."
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a report to this file (.html), with one tab per aspect.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate predictions as CAFA does: Fmax, weighted Fmax, Smin and coverage of each aspect."""
    from truepath.cafa import evaluate_predictions, write_evaluation_report, write_evaluations
    from truepath.cli.shared.outputs import check_outputs
    from truepath.cli.shared.progress import progress

    files = list_predictions(predictions)
    inputs: dict[str, Any] = {"--ontology": ontology, "--truth": truth, "--ia": ia, "--known": known}
    check_outputs({"--output": output, "--report": report}, inputs | files)
    options: dict[str, Any] = {"thresholds": grid}
    terms, true = open_ontology(ontology, relations), open_annotations(truth, skip_bad=skip_bad_lines)
    before = None if known is None else open_annotations(known, skip_bad=skip_bad_lines)
    options |= {"ia": ia, "norm": norm, "prop": prop, "orphans": not no_orphans, "known": before}
    options |= {"max_terms": max_terms, "aspects": split_names(aspects) or None}
    found = {}
    wanted = true.table.targets
    with progress("evaluating") as show:
        for k, (name, file) in enumerate(files.items()):
            show(k, len(files), name)
            table = open_predictions(file, skip_bad_lines, wanted)
            found[name] = evaluate_predictions(true, table, terms, **options)
    for path, write in ((output, write_evaluations), (report, write_evaluation_report)):
        if path is not None:
            typer.echo(f"truepath: {write(found, path)} written", err=True)
    _report_counts(found)
    records = [{"file": name, **record} for name, evaluation in found.items() for record in evaluation.summary()]
    print_table(records if as_json else [_short(record) for record in records], as_json)


def _report_counts(found: dict[str, Any]) -> None:
    """Print how many terms were not used: those of the truth once, those of predictions for each file."""
    for k, (name, evaluation) in enumerate(found.items()):
        for what, n in evaluation.counts.items():
            is_loss = n and any(word in what for word in ("unknown", "obsolete", "without any term"))
            if is_loss and (k == 0 or not what.startswith("truth")):
                typer.echo(f"truepath: {'' if what.startswith('truth') else f'{name}: '}{what}: {n:,}", err=True)


def _short(record: dict[str, Any]) -> dict[str, Any]:
    """Leave out what a narrow table has no room for."""
    return {key: value for key, value in record.items() if key not in ("precision", "recall", "micro_fmax")}

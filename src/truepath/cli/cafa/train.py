"""``truepath cafa train``: embeddings and annotations to one model per aspect."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from truepath.cli.cafa.options import (
    Evidence,
    OntologyFile,
    Relations,
    SkipBad,
    Taxa,
    Until,
    open_annotations,
    open_ontology,
)
from truepath.cli.shared.kinds import NAMES, in_range
from truepath.cli.shared.options import NumberOfJobs, Seed, split_names
from truepath.english import counted
from truepath.parameters import ANY_SHARE


def train(
    embeddings: Annotated[Path, typer.Argument(help="Embeddings with ids: .npz, .npy (ids in .txt) or .parquet.")],
    annotations: Annotated[Path, typer.Argument(help="GAF, GPAD, HPO or target<TAB>term.")],
    ontology: OntologyFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for the models.")],
    head: Annotated[
        str,
        typer.Option(
            help="Learner on top of the embeddings: kernel-ridge, sparse-linear, network (needs PyTorch), ..."
        ),
    ] = "kernel-ridge",
    min_count: Annotated[int, typer.Option(min=1, help="Smallest number of proteins of a term that is learned.")] = 10,
    min_used: Annotated[
        float,
        typer.Option(
            help="Smallest share of the annotated proteins, and of lines, to train on; 0 takes what there is.",
            parser=in_range(ANY_SHARE),
        ),
    ] = 0.5,
    aspects: Annotated[str | None, typer.Option(help="Aspects to train, separated by commas.", parser=NAMES)] = None,
    evidence: Evidence = None,
    taxa: Taxa = None,
    until: Until = None,
    relations: Relations = "is_a,part_of",
    skip_bad_lines: SkipBad = False,
    seed: Seed = 0,
    n_jobs: NumberOfJobs = None,
) -> None:
    """Train one model per aspect on embeddings of proteins.

    Says what became of every line of the annotations. Training on less than half of them is refused: most often the
    ids of proteins are written in two ways (P12345 and sp|P12345|NAME), or the ontology is another one.
    """
    from truepath.cafa import read_embeddings, train_models
    from truepath.cli.shared.outputs import check_folder, check_outputs

    inputs = {"EMBEDDINGS": embeddings, "ANNOTATIONS": annotations, "--ontology": ontology}
    check_outputs({"--output": [output]}, inputs)
    check_folder("--output", output)
    found = open_annotations(annotations, skip_bad=skip_bad_lines, evidence=evidence, taxa=taxa, until=until)
    models = train_models(
        read_embeddings(embeddings),
        found,
        open_ontology(ontology, relations),
        head=head,
        aspects=split_names(aspects) or None,
        min_count=min_count,
        min_used=min_used,
        random_state=seed,
        n_jobs=n_jobs,
    )
    for said in models.account.describe() if models.account else ():
        typer.echo(f"truepath: {annotations}: {said}", err=True)
    models.save(output)
    for aspect, learned in models.account.aspects.items() if models.account else ():
        rare = (
            f"; {counted(learned.n_rare, 'term')} of fewer than {min_count} proteins not learned"
            if learned.n_rare
            else ""
        )
        where = f"{output / aspect}.tp" if aspect in models.models else f"{aspect}: no model"
        typer.echo(f"{where}: {counted(learned.n_terms, 'term')}, {counted(learned.n_proteins, 'protein')}{rare}")

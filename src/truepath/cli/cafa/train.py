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
from truepath.cli.shared.options import NumberOfJobs, Seed, split_names


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
    min_count: Annotated[int, typer.Option(help="Smallest number of proteins of a term that is learned.")] = 10,
    aspects: Annotated[str | None, typer.Option(help="Aspects to train, separated by commas.")] = None,
    evidence: Evidence = None,
    taxa: Taxa = None,
    until: Until = None,
    relations: Relations = "is_a,part_of",
    skip_bad_lines: SkipBad = False,
    seed: Seed = 0,
    n_jobs: NumberOfJobs = None,
) -> None:
    """Train one model per aspect on embeddings of proteins."""
    from truepath.cafa import read_embeddings, train_models

    found = open_annotations(annotations, skip_bad=skip_bad_lines, evidence=evidence, taxa=taxa, until=until)
    models = train_models(
        read_embeddings(embeddings),
        found,
        open_ontology(ontology, relations),
        head=head,
        aspects=split_names(aspects) or None,
        min_count=min_count,
        random_state=seed,
        n_jobs=n_jobs,
    )
    models.save(output)
    for aspect, model in models.models.items():
        typer.echo(f"{output / aspect}.tp: {model.hierarchy_.n_nodes} terms")

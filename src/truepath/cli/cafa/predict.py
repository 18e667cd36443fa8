"""``truepath cafa predict``: scores of proteins by the models of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from truepath.cli.cafa.options import OntologyFile, Output, Relations, open_ontology
from truepath.english import counted


def predict(
    models: Annotated[Path, typer.Argument(help="The folder that truepath cafa train wrote.")],
    embeddings: Annotated[Path, typer.Argument(help="Embeddings with ids: .npz, .npy (ids in .txt) or .parquet.")],
    ontology: OntologyFile,
    output: Output,
    max_terms: Annotated[int, typer.Option(min=1, help="Largest number of terms per target and aspect.")] = 1500,
    titles: Annotated[bool, typer.Option("--titles", help="Write the names of terms in a fourth column.")] = False,
    relations: Relations = "is_a,part_of",
) -> None:
    """Predict the terms of proteins from their embeddings."""
    from truepath.cafa import load_models, read_embeddings
    from truepath.cli.shared.outputs import check_outputs

    check_outputs({"--output": output}, {"EMBEDDINGS": embeddings, "--ontology": ontology})
    terms = open_ontology(ontology, relations)
    predicted = load_models(models).predict(read_embeddings(embeddings), terms, max_terms=max_terms)
    predicted.write(output, titles=titles)
    typer.echo(f"truepath: {counted(len(predicted.targets), 'target')} written to {output}", err=True)

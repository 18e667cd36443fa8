"""``truepath export``: a saved model as an ONNX file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from truepath.cli.steps import Trust

__all__ = ["export"]


def export(
    model: Annotated[Path, typer.Argument(help="A model that truepath fit saved.")],
    output: Annotated[Path, typer.Argument(help="The ONNX file to write, such as model.onnx.")],
    from_features: Annotated[
        bool,
        typer.Option(
            "--from-features",
            help="Start at the matrix that the learner gets, for models of texts and categories: the steps before it, "
            "such as TF-IDF weights, are left to the caller.",
        ),
    ] = False,
    trust: Trust = None,
) -> None:
    """Write a linear model, a forest or a network as ONNX: scores, thresholds and hierarchy in one graph."""
    from truepath.cli.fitting.trust import trusted_types_of
    from truepath.cli.steps import check_outputs
    from truepath.export import to_onnx
    from truepath.persistence import load

    check_outputs({"OUTPUT": output}, {"MODEL": model})
    fitted = load(model, trusted=trusted_types_of(model, trust or []))
    made = to_onnx(fitted, output, from_features=from_features)
    sizes = [value.type.tensor_type.shape.dim[1].dim_value for value in (*made.graph.input, *made.graph.output)]
    what = "features in, as the step before the learner makes them" if from_features else "columns in"
    typer.echo(f"{output}: {sizes[0]:,} {what}, scores and labels out, {sizes[1]:,} each")

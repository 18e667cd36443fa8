"""``truepath export``: a saved model as an ONNX file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from truepath.cli.shared.options import ModelFile, Trust


def export(
    model: ModelFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The ONNX file to write, such as model.onnx.")],
    from_features: Annotated[
        bool,
        typer.Option(
            "--from-features",
            help="Start at the matrix that the learner gets; the steps before it, such as TF-IDF weights, are left to "
            "the caller.",
        ),
    ] = False,
    trust: Trust = None,
) -> None:
    """Write a model as ONNX, for programs in other languages: features, scores, labels and hierarchy in one."""
    from truepath.cli.shared.outputs import check_outputs
    from truepath.export import to_onnx
    from truepath.persistence import load

    check_outputs({"--output": output}, {"MODEL": model})
    fitted = load(model, trusted=trust or [])
    made = to_onnx(fitted, output, from_features=from_features)
    inputs = [_describe(value) for value in made.graph.input]
    n_labels = made.graph.output[0].type.tensor_type.shape.dim[1].dim_value
    typer.echo(f"{output}: {', '.join(inputs)} in; scores and labels out, {n_labels:,} each")


def _describe(value: Any) -> str:
    """Return the name of an input, with the number of its columns if it is a matrix."""
    dimensions = value.type.tensor_type.shape.dim
    return f"{value.name} ({dimensions[1].dim_value:,} columns)" if len(dimensions) > 1 else str(value.name)

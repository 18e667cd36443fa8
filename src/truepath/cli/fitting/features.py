"""``truepath features``: the words or columns that matter most to each label of a saved model."""

from __future__ import annotations

from typing import Annotated

import typer

from truepath.cli.shared.kinds import choice
from truepath.cli.shared.options import ModelFile, Trust
from truepath.files.strict_json import dump_json


def features(
    model: ModelFile,
    n: Annotated[int, typer.Option("--number", "-n", help="How many features to list for each label.", min=1)] = 5,
    by: Annotated[
        str,
        typer.Option(
            help="List them for each label, or for each level of the hierarchy (label, level).",
            parser=choice("label", "level"),
        ),
    ] = "label",
    label: Annotated[
        list[str] | None, typer.Option(help="A label to list; may be repeated (default: all labels).")
    ] = None,
    trust: Trust = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the features as JSON.")] = False,
) -> None:
    """List the words or columns that matter most to each label, with their weights or shares."""
    from truepath.classifier import HierarchicalClassifier
    from truepath.learners import top_features

    fitted = HierarchicalClassifier.load(model, trusted=trust or [])
    found = top_features(fitted, n, by=by)
    for name in label or []:
        fitted.hierarchy_.index(name)  # an unknown one is refused, with the nearest
    found = {name: values for name, values in found.items() if not label or name in label}
    if as_json:
        typer.echo(dump_json(found, indent=2, ensure_ascii=False))
        return
    for name, values in found.items():
        shown = ", ".join(f"{feature} {value:.3g}" for feature, value in values)
        typer.echo(f"{name}: {shown or 'nothing'}")

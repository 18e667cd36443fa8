"""``truepath features``: the words or columns that matter most to each label of a saved model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from truepath.cli.steps import Trust

__all__ = ["features"]


def features(
    model: Annotated[Path, typer.Argument(help="A model that truepath fit saved: linear, or of trees.")],
    n: Annotated[int, typer.Option("--number", "-n", help="How many for each label.", min=1)] = 5,
    by: Annotated[str, typer.Option(help="For each 'label', or for each 'level' of the hierarchy.")] = "label",
    label: Annotated[list[str] | None, typer.Option(help="A label to show; may be repeated (default: all).")] = None,
    trust: Trust = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
) -> None:
    """List the words or columns that matter most to each label, with their weights or shares."""
    from truepath.classifier import HierarchicalClassifier
    from truepath.cli.fitting.trust import trusted_types_of
    from truepath.learners import top_features

    fitted = HierarchicalClassifier.load(model, trusted=trusted_types_of(model, trust or []))
    found = top_features(fitted, n, by=by)
    for name in label or []:
        fitted.hierarchy_.index(name)  # an unknown one is refused, with the nearest
    found = {name: values for name, values in found.items() if not label or name in label}
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    for name, values in found.items():
        shown = ", ".join(f"{feature} {value:.3g}" for feature, value in values)
        typer.echo(f"{name}: {shown or 'nothing'}")

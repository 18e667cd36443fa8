"""``truepath methods``: the presets, by name."""

from __future__ import annotations

import json
from typing import Annotated

import typer

__all__ = ["methods"]


def methods(as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False) -> None:
    """List the methods that fit and experiment know by name."""
    from truepath.classifier import get_preset, preset_names

    presets = [get_preset(name) for name in preset_names()]
    if as_json:
        rows = [{"name": p.name, "summary": p.summary, "reference": p.reference} for p in presets]
        typer.echo(json.dumps(rows, indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("method", style="bold", no_wrap=True)
    table.add_column("what it is")
    for preset in presets:
        source = f" [dim]({preset.reference})[/]" if preset.reference else ""
        table.add_row(preset.name, preset.summary + source)
    Console(highlight=False).print(table)

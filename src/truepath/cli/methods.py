"""``truepath methods``: the presets, and every learner, combiner, decoder, metric and reader by name."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from truepath.cli.shared.kinds import choice
from truepath.files.strict_json import dump_json
from truepath.registry import REGISTRIES

KINDS = ("presets", *REGISTRIES)


def methods(
    kind: Annotated[
        str,
        typer.Option("--kind", "-k", help=f"What to list: {', '.join(KINDS)}, or all.", parser=choice(*KINDS, "all")),
    ] = "presets",
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """List the methods that fit and experiment accept, and the parts that methods are made of."""
    kinds = KINDS if kind == "all" else (kind,)
    found = {each: list_members(each) for each in kinds}
    if as_json:
        typer.echo(dump_json(found if kind == "all" else found[kind], indent=2, ensure_ascii=False))
        return
    for each, rows in found.items():
        if kind == "all":
            typer.secho(f"\n{each}", bold=True)
        _print(rows)


def list_members(kind: str) -> list[dict[str, Any]]:
    """Return the presets, or the members of a registry, with their descriptions as plain values.

    >>> [row["name"] for row in list_members("combiners")][:2]
    ['bayesian-aggregation', 'blend']
    """
    if kind == "presets":
        from truepath.classifier import PRESETS

        wanted = ("name", "summary", "reference", "published", "differs")
        return [{key: getattr(preset, key) for key in wanted} for preset in PRESETS.members()]
    return REGISTRIES[kind].table()


def _print(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for row in rows:
        remarks = escape("; ".join(_remarks(row)))
        table.add_row(row["name"], escape(row["summary"]) + (f" [dim]({remarks})[/]" if remarks else ""))
    Console(highlight=False).print(table)


def _remarks(row: dict[str, Any]) -> list[str]:
    """Return the remarks in brackets after a summary."""
    forms = {
        "reference": "{}, as published" if row.get("published") else "{}",
        "differs": "differs: {}",
        "endings": "{}",
        "needs": "needs {}",
        "learns_from": "learns from {}",
    }
    values = {**row, "endings": " ".join(row.get("endings", ())), "needs": ", ".join(row.get("needs", ()))}
    return [form.format(values[key]) for key, form in forms.items() if values.get(key)]

"""The group ``truepath hierarchy``: one file per command."""

from __future__ import annotations

from collections.abc import Callable

import typer

from truepath.cli.taxonomy.diff import diff
from truepath.cli.taxonomy.edit import edit

HIERARCHY_COMMANDS: tuple[Callable[..., None], ...] = (edit, diff)

#: The group itself; :mod:`truepath.cli.app` enters the commands
hierarchy = typer.Typer(
    name="hierarchy",
    help="Hierarchies that change: edit one, and see what differs between two.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

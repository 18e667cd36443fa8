"""Help that ends with the members of a registry, looked up when the help is shown, not when the command line starts."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from typer.core import TyperCommand


def help_listing(where: str, title: str) -> type[TyperCommand]:
    """Return a kind of command whose help lists a registry: name and summary of each member.

    Parameters
    ----------
    where : str
        Module and name of the registry, such as ``"truepath.papers:PAPERS"``.
    title : str
        The line above the list.
    """

    class Listing(TyperCommand):
        def format_help(self, ctx: Any, formatter: Any) -> None:
            module, _, name = where.partition(":")
            members = getattr(import_module(module), name).members()
            self.epilog = "\n\n".join([title, *(f"{member.name}: {member.summary}" for member in members)])
            super().format_help(ctx, formatter)

    return Listing

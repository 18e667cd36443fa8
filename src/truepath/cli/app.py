"""The ``truepath`` command and what all its commands share: errors in one line, exit codes, results on stdout.

Set ``TRUEPATH_TRACEBACK=1`` to see where an error comes from.
"""

from __future__ import annotations

import os
import sys

import typer

from truepath import __version__
from truepath.cli.compare import compare
from truepath.cli.demo import demo
from truepath.cli.describe import describe
from truepath.cli.evaluate import evaluate
from truepath.cli.experiment import experiment
from truepath.cli.fit import fit
from truepath.cli.label import label
from truepath.cli.methods import methods
from truepath.cli.names import help_listing
from truepath.cli.predict import predict
from truepath.cli.report import report
from truepath.cli.reproduce import reproduce
from truepath.cli.strategies import StrategyCommand
from truepath.errors import explain

__all__ = ["app", "format_error", "main"]

BAD_INPUT = 1
INTERRUPTED = 130

app = typer.Typer(
    name="truepath",
    help="Hierarchical multi-label classification: label sets that live in a tree or a DAG and respect it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

COMMANDS = {
    "Start here": (demo, methods),
    "Your data": (describe, fit, predict, report),
    "Your scores and labels": (label, evaluate),
    "Methods side by side": (experiment, compare, reproduce),
}
#: Commands whose help ends with the members of a registry
LISTING = {
    "evaluate": help_listing("truepath.registry:METRICS", "Measures:"),
    "label": StrategyCommand,
    "reproduce": help_listing("truepath.papers:PAPERS", "Papers:"),
    **dict.fromkeys(("describe", "fit", "predict"), help_listing("truepath.registry:READERS", "Formats of data:")),
}
for panel, commands in COMMANDS.items():
    for command in commands:
        app.command(rich_help_panel=panel, cls=LISTING.get(command.__name__))(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"truepath {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: bool = typer.Option(False, "--version", help="Show the version and stop.", callback=_show_version),
) -> None:
    """Hierarchical multi-label classification: label sets that live in a tree or a DAG and respect it."""


def main() -> None:
    """Run the command line; an error in the user's input is one line on stderr, not a traceback."""
    try:
        app()
    except (ValueError, OSError, ImportError) as error:  # TruePathError is a ValueError
        if os.environ.get("TRUEPATH_TRACEBACK"):
            raise
        typer.echo(format_error(error), err=True)
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        typer.echo("truepath: interrupted", err=True)
        sys.exit(INTERRUPTED)


def format_error(error: Exception) -> str:
    """Return an error as one line: what is wrong and then what to do about it, dim on terminals that show it."""
    problem, remedy = (" ".join(part.split()) for part in explain(error))
    return f"truepath: {problem}" + (f" {typer.style(remedy, dim=True)}" if remedy else "")

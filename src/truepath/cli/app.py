"""The ``truepath`` command and what all its commands share: errors in one line, exit codes, results on stdout.

A terminal sends Ctrl-C to the worker processes too. They are started with it blocked, so that they do not each print a
traceback; the command ends them. Set ``TRUEPATH_TRACEBACK=1`` to see where an error comes from.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from typing import Any

import typer

from truepath import __version__
from truepath.cli.cafa.group import CAFA_COMMANDS, cafa
from truepath.cli.demo import demo
from truepath.cli.deploy.export import export
from truepath.cli.deploy.warmup import warmup
from truepath.cli.describe import describe
from truepath.cli.evaluate import evaluate
from truepath.cli.fetch import fetch
from truepath.cli.fit import fit
from truepath.cli.fitting.features import features
from truepath.cli.label import label
from truepath.cli.methods import methods
from truepath.cli.names import help_listing
from truepath.cli.predict import predict
from truepath.cli.report import report
from truepath.cli.serve import serve
from truepath.cli.shared.messages import INTERRUPTED, warnings_as_lines
from truepath.cli.strategies import StrategyCommand
from truepath.cli.studies.compare import compare
from truepath.cli.studies.experiment import experiment
from truepath.cli.studies.reproduce import reproduce
from truepath.cli.taxonomy.group import HIERARCHY_COMMANDS, hierarchy
from truepath.cli.taxonomy.update import update
from truepath.errors import explain

BAD_INPUT = 1
#: Processes that clean up after workers, of multiprocessing and of joblib
TRACKERS = ("multiprocessing.resource_tracker", "joblib.externals.loky.backend.resource_tracker")

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
    "Your data": (describe, fit, predict, features, update, report, serve),
    "Your scores and labels": (label, evaluate),
    "Methods side by side": (experiment, compare, reproduce, fetch),
    "Models elsewhere": (export, warmup),
}
#: Commands whose help ends with the members of a registry
LISTING: dict[Callable[..., None], Any] = {
    **dict.fromkeys((evaluate, compare), help_listing("truepath.registry:METRICS", "Measures:")),
    label: StrategyCommand,
    reproduce: help_listing("truepath.papers:PAPERS", "Papers:"),
    **dict.fromkeys((describe, fit, predict), help_listing("truepath.registry:READERS", "Formats of data:")),
}


def _in_one_line(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command print warnings about its input as lines, and end with one line after Ctrl-C."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            with warnings_as_lines():
                command(*args, **options)
        except KeyboardInterrupt:
            typer.echo("truepath: interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None

    return run


for group, panels in ((app, COMMANDS), (cafa, CAFA_COMMANDS), (hierarchy, {None: HIERARCHY_COMMANDS})):
    for panel, commands in panels.items():
        for command in commands:
            group.command(rich_help_panel=panel, cls=LISTING.get(command))(_in_one_line(command))
app.add_typer(cafa, rich_help_panel="Gene function")
app.add_typer(hierarchy, rich_help_panel="Your data")


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
    """Run the command line; an error is one line on stderr, not a traceback."""
    try:
        with _quiet_interrupts():
            code = app(standalone_mode=False)
            if code == INTERRUPTED:  # said by the command; its workers are still to be ended
                sys.exit(code)
    except (KeyboardInterrupt, typer.Abort):
        typer.echo("truepath: interrupted", err=True)
        sys.exit(INTERRUPTED)
    except Exception as error:
        if os.environ.get("TRUEPATH_TRACEBACK") and not hasattr(error, "format_message"):
            raise
        if type(error).__name__ == "NoArgsIsHelpError":  # nothing was typed: the message is the help
            error.show()  # type: ignore[attr-defined]
        else:
            typer.echo(format_error(error), err=True)
        code = getattr(error, "exit_code", BAD_INPUT)
    sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def _quiet_interrupts() -> Iterator[None]:
    """Keep Ctrl-C from worker processes that start in the block, and end them if it ends the block; print nothing."""
    start, report = BaseProcess.start, sys.unraisablehook

    def again(problem: Any) -> None:
        """Raise an interrupt once more that fell into a callback from C, where it would be lost."""
        interrupt_main() if problem.exc_type is KeyboardInterrupt else report(problem)

    BaseProcess.start = _start_blocked(start)  # type: ignore[method-assign,assignment]
    sys.unraisablehook = again
    # joblib's advice to those who stop taking results
    warnings.filterwarnings("ignore", r".*tasks (have been|which were)", UserWarning, r"joblib\.")
    try:
        yield
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) or getattr(error, "code", None) == INTERRUPTED:
            for worker in active_children():
                worker.terminate()
        raise
    finally:
        BaseProcess.start, sys.unraisablehook = start, report  # type: ignore[method-assign]


def _start_blocked(start: Callable[[BaseProcess], None]) -> Callable[[BaseProcess], None]:
    """Return a way to start processes with Ctrl-C blocked from their first moment, which they inherit."""

    def start_blocked(process: BaseProcess) -> None:
        for name in TRACKERS:  # starting the first worker starts these too, which lifts the block
            if name in sys.modules:
                sys.modules[name].ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            start(process)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    return start_blocked if hasattr(signal, "pthread_sigmask") else start  # Windows has other signals


def format_error(error: Exception) -> str:
    """Return an error as one line: what is wrong and then what to do about it, dim on terminals that show it.

    An error that is not about the input says how to see where it comes from.
    """
    problem, remedy = (" ".join(part.split()) for part in explain(error))
    if hasattr(error, "format_message"):  # of the parser: wrong or missing arguments and options
        problem = " ".join(error.format_message().split()).rstrip(".") + "."
        remedy = "--help lists arguments and options."
    elif not isinstance(error, ValueError | OSError | ImportError):  # TruePathError is a ValueError
        remedy = "If your input is right, this is a bug in truepath; TRUEPATH_TRACEBACK=1 shows where."
    return f"truepath: {problem}" + (f" {typer.style(remedy, dim=True)}" if remedy else "")

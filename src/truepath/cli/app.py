"""The ``truepath`` command and what all its commands share: errors in one line, exit codes, results on stdout.

A terminal sends Ctrl-C to the worker processes too. They are started with it blocked, so that they do not each print a
traceback; the command ends them, after Ctrl-C and after SIGTERM alike. Set ``TRUEPATH_TRACEBACK=1`` to see where an
error comes from.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import warnings
from _thread import interrupt_main
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
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
from truepath.cli.shared.kinds import list_declared, read_by_kind
from truepath.cli.shared.messages import INTERRUPTED, warnings_as_lines
from truepath.cli.shared.naming import name_option, with_option
from truepath.cli.shared.project import read_project
from truepath.cli.shared.streams import printing_what_is_possible
from truepath.cli.strategies import StrategyCommand, flag_of, typed_options
from truepath.cli.studies.compare import compare
from truepath.cli.studies.experiment import experiment
from truepath.cli.studies.reproduce import reproduce
from truepath.cli.taxonomy.group import HIERARCHY_COMMANDS, hierarchy
from truepath.cli.taxonomy.update import update
from truepath.dates import fixed_date
from truepath.errors import TruePathError, explain

BAD_INPUT = 1
#: In letters
LONGEST_ERROR = 2_000
#: Signals that end a program
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
#: Processes that clean up after workers, of multiprocessing and of joblib
TRACKERS = ("multiprocessing.resource_tracker", "joblib.externals.loky.backend.resource_tracker")

app = typer.Typer(
    name="truepath",
    help="Hierarchical multi-label classification: label sets that live in a tree or a DAG and respect it.",
    no_args_is_help=True,
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
    """Let a command read its options by their kinds, print warnings and errors as lines that name options, and end
    with one line after Ctrl-C.
    """
    names = {one.name: one.typed for one in list_declared(command) if one.is_option}
    signature_by_kind = read_by_kind(command)
    defaults = {name: one.default for name, one in signature_by_kind.parameters.items()}

    @wraps(command)
    def run(**options: Any) -> None:
        try:
            with warnings_as_lines():
                command(**options)
        except KeyboardInterrupt:
            typer.echo("truepath: interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            typed = {name: value for name, value in options.items() if value != defaults[name]}
            of_strategy = typed_options(typed["ctx"]) if "ctx" in typed else {}
            name_option(error, typed | of_strategy, names | {name: flag_of(name) for name in of_strategy})
            raise

    run.__signature__ = signature_by_kind  # type: ignore[attr-defined]
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
    ctx: typer.Context,
    version: bool = typer.Option(False, "--version", help="Show the version and stop.", callback=_show_version),
) -> None:
    """Hierarchical multi-label classification: label sets that live in a tree or a DAG and respect it."""
    fixed_date()  # a wrong one is refused by name, before NumPy reads it
    ctx.default_map = read_project(ctx.command, ctx.invoked_subcommand)


def run_command_line() -> None:
    """Run the command line; an error is one line on stderr, not a traceback."""
    try:
        code = _run()
        _interrupt_quietly()
    except (KeyboardInterrupt, typer.Abort):
        _interrupt_quietly()
        typer.echo("truepath: interrupted", err=True)
        code = INTERRUPTED
    sys.exit(code)


def _interrupt_quietly() -> None:
    """Let Ctrl-C end the process at once: the work is done, and while Python tidies up nobody would catch it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))


def _run() -> int:
    """Run a command; return the exit code."""
    try:
        with _quiet_interrupts(), printing_what_is_possible():
            code = app(standalone_mode=False)
            if code == INTERRUPTED:  # said by the command; its workers are still to be ended
                sys.exit(code)
    except BrokenPipeError:  # whoever read the output has seen enough
        code = BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        raise
    except Exception as error:
        if os.environ.get("TRUEPATH_TRACEBACK") and not hasattr(error, "format_message"):
            raise
        if type(error).__name__ == "NoArgsIsHelpError":  # nothing was typed: the message is the help
            error.show()  # type: ignore[attr-defined]
        else:
            typer.echo(format_error(error), err=True)
        code = getattr(error, "exit_code", BAD_INPUT)
    return code if isinstance(code, int) else 0


@contextmanager
def _quiet_interrupts() -> Iterator[None]:
    """Keep Ctrl-C from worker processes that start in the block, and end them if it ends the block; print nothing.

    SIGTERM, by which batch systems and containers stop a program, and SIGHUP of a terminal that is closed count as
    Ctrl-C, unless they are ignored, as under nohup.
    """
    start, report = BaseProcess.start, sys.unraisablehook
    before = {number: signal.getsignal(number) for number in ENDING}
    for number, handler in before.items():
        if handler is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)

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
        for number, handler in before.items():
            signal.signal(number, handler)


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


def _lacks_memory(error: BaseException | None) -> bool:
    """Say whether memory ran out; SciPy reports an index for which there is no memory as one that is wrong."""
    if isinstance(error, TruePathError):  # says what it is about
        return False
    if isinstance(error, ImportError) and "failed to map segment" in str(error):  # of a library that is to be loaded
        return True
    return error is not None and (isinstance(error, MemoryError) or _lacks_memory(error.__cause__))


def _lacks_files(error: BaseException | None) -> bool:
    """Say whether no more files can be opened; what joblib raises then may be another error, of the same moment."""
    numbers = (errno.EMFILE, errno.ENFILE)
    return error is not None and (getattr(error, "errno", None) in numbers or _lacks_files(error.__context__))


def _in_short(text: str) -> str:
    """Return a text without its middle if it is very long: it may hold a value of any length."""
    return text if len(text) <= LONGEST_ERROR else f"{text[: LONGEST_ERROR // 2]} ... {text[-LONGEST_ERROR // 4 :]}"


def format_error(error: Exception) -> str:
    """Return an error as one line: what is wrong and then what to do about it, dim on terminals that show it.

    An error that is not about the input says how to see where it comes from.
    """
    problem, remedy = (_in_short(" ".join(part.split())) for part in explain(error))
    problem = with_option(error, problem)
    if hasattr(error, "format_message"):  # of the parser: wrong or missing arguments and options
        problem = _in_short(" ".join(error.format_message().split()).rstrip(".")) + "."
        remedy = "--help lists arguments and options."
    elif isinstance(error, UnicodeEncodeError):
        problem = f"standard output is in {error.encoding}, which has no {error.object[error.start : error.end]!a}."
        remedy = "Set the environment variable PYTHONIOENCODING to utf-8, or name a file with --output."
    elif isinstance(error, BrokenExecutor) or _lacks_memory(error):  # the system ends workers when memory runs out
        what = "a worker process died" if isinstance(error, BrokenExecutor) else "there is not enough memory"
        problem, remedy = f"{what} ({problem}).", "Give fewer rows or columns, or run fewer jobs at the same time."
    elif _lacks_files(error):
        problem = "too many files are open at the same time."
        remedy = "Raise the limit (ulimit -n), or run fewer jobs at the same time."
    elif isinstance(error, FileNotFoundError) and error.filename is None:
        problem, remedy = "the folder that this command was started in is gone.", "Change to one that is there."
    elif not isinstance(error, ValueError | OSError | ImportError):  # TruePathError is a ValueError
        remedy = "If your input is right, this is a bug in truepath; TRUEPATH_TRACEBACK=1 shows where."
    return f"truepath: {problem}" + (f" {typer.style(remedy, dim=True)}" if remedy else "")

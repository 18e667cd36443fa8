"""Progress on stderr: a bar in a terminal, and elsewhere a line every ten seconds.

Every command shows progress in one way: the block gets a function ``show(done, total, what)``, which is what
:func:`truepath.adapters.on_progress` and the ``on_progress`` of experiments and papers call.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import TIMEOUT_MAX, Event, Thread
from typing import TYPE_CHECKING, Any

from truepath.errors import TruePathError

if TYPE_CHECKING:
    from rich.console import Console

#: ``show(done, total, what)``: how much of how much is finished, and in words what is being done; total may be unknown
Show = Callable[[float, float | None, str], None]
#: The variable that says how many seconds lie between two lines where stderr is not a terminal; 0 for none
PAUSE = "TRUEPATH_PROGRESS"
USUAL_PAUSE = 10.0


@contextmanager
def progress(description: str) -> Iterator[Show]:
    """Show how far the block is while it runs; yield ``show(done, total, what)``.

    It goes to stderr, so that results on stdout can be piped. A bar disappears when the block ends. Where stderr is not
    a terminal, such as in a log, a line is written after ten seconds, and then every ten.
    """
    from rich.console import Console

    console = Console(stderr=True)
    with _bar(description, console) if console.is_terminal else _lines(description) as show:
        yield show


@contextmanager
def _bar(description: str, console: Console) -> Iterator[Show]:
    """Show a bar, how much is done, what was done last, and an estimate of what is left."""
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from truepath.adapters.progress import format_left

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[share]}"),
        TimeElapsedColumn(),
        TextColumn("[dim]{task.fields[left]}{task.fields[what]}[/]"),
    )
    begun = time.monotonic()
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(description, total=None, share="", left="", what="")

        def show(done: float, total: float | None, what: str) -> None:
            left = format_left(time.monotonic() - begun, done, total)
            bar.update(
                task,
                completed=done,
                total=total,
                share=format_share(done, total),
                left=left and f"{left}, ",
                what=what,
            )

        yield show


@contextmanager
def _lines(description: str) -> Iterator[Show]:
    """Write a line now and then, from a thread of its own, since steps may take long."""
    import typer

    said: dict[str, Any] = {"done": 0, "total": None, "what": ""}
    begun, is_over = time.monotonic(), Event()

    def show(done: float, total: float | None, what: str) -> None:
        said.update(done=done, total=total, what=what)

    def write() -> None:
        while not is_over.wait(pause):
            typer.echo(format_line(description, time.monotonic() - begun, **said), err=True)

    pause = _pause()
    writer = Thread(target=write, name="truepath-progress", daemon=True)
    if pause > 0:
        writer.start()
    try:
        yield show
    finally:
        is_over.set()
        if pause > 0:
            writer.join()


def _pause() -> float:
    """Return the seconds between two lines."""
    given = os.environ.get(PAUSE, "").strip()
    try:
        pause = float(given or USUAL_PAUSE)
    except ValueError:
        pause = -1.0
    if not 0 <= pause < TIMEOUT_MAX:
        raise TruePathError(f"{PAUSE} must be a number of seconds >= 0; got {given!r:.40}.", "Correct or unset it.")
    return pause


def format_line(description: str, taken: float, done: float, total: float | None, what: str) -> str:
    """Return the line that says how far a command is.

    Examples
    --------
    >>> format_line("fitting", 30.2, 1, 4, "'forest' fitted on all rows")
    "truepath: fitting: 25 %, 30 s, about 91 s left ('forest' fitted on all rows)"
    >>> format_line("predicting", 10, 5000, None, "500 rows/s"), format_line("comparing", 20, 0, None, "")
    ('truepath: predicting: 5,000, 10 s (500 rows/s)', 'truepath: comparing: 20 s')
    """
    from truepath.adapters.progress import format_times

    parts = [part for part in (format_share(done, total), format_times(taken, done, total)) if part]
    return f"truepath: {description}: {', '.join(parts)}{f' ({what})' if what else ''}"


def format_share(done: float, total: float | None) -> str:
    """Return how much is done: of a known total in percent."""
    if total:
        return f"{100 * done / total:.0f} %"
    return f"{done:,.0f}" if done else ""

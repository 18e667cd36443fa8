"""A progress bar on stderr.

Every command shows progress in one way: the block gets a function ``show(done, total, what)``, which is what
:func:`truepath.adapters.on_progress` and the ``on_progress`` of experiments and papers call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: ``show(done, total, what)``: how much of how much is finished, and in words what is being done; total may be unknown
Show = Callable[[float, float | None, str], None]


@contextmanager
def progress(description: str) -> Iterator[Show]:
    """Show a bar while the block runs; yield ``show(done, total, what)``.

    The bar goes to stderr, so that results on stdout can be piped, and disappears when the block ends. Where stderr is
    not a terminal nothing is written.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:  # a bar that is switched off still ends with an empty line before rich 14.3
        yield lambda done, total, what: None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("[dim]{task.fields[what]}[/]"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(description, total=None, what="")

        def show(done: float, total: float | None, what: str) -> None:
            bar.update(task, completed=done, total=total, what=what)

        yield show

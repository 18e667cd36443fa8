"""Progress on long work: a bar with the time left on stderr when it is a terminal, silence when it is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["follow", "progress"]

Advance = Callable[..., None]


@contextmanager
def progress(description: str, total: float | None = None) -> Iterator[Advance]:
    """Show a bar while the block runs; yield ``advance(steps=1, note="", total=None)``.

    The bar goes to stderr, so that results on stdout can be piped, and disappears when the block ends.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("[dim]{task.fields[note]}[/]"),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(description, total=total, note="")

        def advance(steps: float = 1, note: str = "", total: float | None = None) -> None:
            bar.update(task, advance=steps, total=total, note=note)

        yield advance


def follow(advance: Advance) -> Callable[[float, float, str], None]:
    """Return what drives a bar by ``on_progress(done, total, what)``."""
    before = 0.0

    def on_progress(done: float, total: float, what: str) -> None:
        nonlocal before
        advance(done - before, note=what, total=total)
        before = done

    return on_progress

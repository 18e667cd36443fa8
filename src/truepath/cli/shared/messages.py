"""Messages on stderr: remarks and warnings about the input, a line each; and the exit code after Ctrl-C."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

#: The exit code after Ctrl-C
INTERRUPTED = 130


def say(text: str) -> None:
    """Print a remark on stderr."""
    typer.echo(f"truepath: {text}", err=True)


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Print warnings about the input on stderr, one line each, each of them once."""
    from truepath.errors import InputWarning

    said: set[str] = set()

    def show(message: Any, category: type[Warning], *place: Any) -> None:
        if not issubclass(category, InputWarning):
            usual(message, category, *place)
        elif str(message) not in said:
            said.add(str(message))
            say(str(message))

    with warnings.catch_warnings():
        usual = warnings.showwarning
        warnings.showwarning = show  # type: ignore[assignment]
        warnings.simplefilter("always", InputWarning)
        yield

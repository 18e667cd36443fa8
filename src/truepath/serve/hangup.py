"""SIGHUP: to a server it says that there may be new model files, to a program in a terminal that the terminal is gone.

A server that was started in a terminal which is closed ends, as other programs do; ``nohup`` and ``setsid`` prevent it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: None on Windows
SIGHUP: Any = getattr(signal, "SIGHUP", None)


class Terminal:
    """The terminal that this process was started in, if it is one whose end is to end the process."""

    def __init__(self) -> None:
        self.counts = SIGHUP is not None and signal.getsignal(SIGHUP) != signal.SIG_IGN and _is_there()

    def is_gone(self) -> bool:
        """Say whether the terminal was closed."""
        return self.counts and not _is_there()


def _is_there() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY))
    except OSError:
        return False
    return True


@contextmanager
def looking_again(ask: Callable[[], None]) -> Iterator[Terminal]:
    """Call ``ask`` at every SIGHUP in the block; end this process as SIGTERM does if its terminal was closed."""
    terminal = Terminal()
    if SIGHUP is None:
        yield terminal
        return
    before = signal.signal(SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM) if terminal.is_gone() else ask())
    try:
        yield terminal
    finally:
        signal.signal(SIGHUP, before)

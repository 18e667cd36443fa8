"""What a module promises says that it lives there: ``truepath.decoders.MAS``, whatever file it is written in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["publish"]


def publish(module: str, names: Iterable[str], namespace: dict[str, Any]) -> None:
    """Set ``__module__`` of the classes and functions a module exports, if they are written somewhere below it.

    Called at the end of a module's ``__init__``: ``publish(__name__, __all__, globals())``. Model files, pickles and
    tracebacks then hold public names only, and private files can move.
    """
    for name in names:
        value = namespace[name]
        if getattr(value, "__module__", "").startswith(f"{module}.") and hasattr(value, "__qualname__"):
            value.__module__ = module

"""Examples are collected from the file they are written in, whatever module their class says it lives in."""

from __future__ import annotations

import doctest
from types import ModuleType
from typing import Any

from truepath.public import written_in

_from_module = doctest.DocTestFinder._from_module  # type: ignore[attr-defined]


def _is_written_in(finder: doctest.DocTestFinder, module: ModuleType | None, value: Any) -> bool:
    """Say whether a class or function is the module's own; the finder alone would believe ``__module__``."""
    origin = written_in(value)
    if module is not None and origin != getattr(value, "__module__", origin):
        return module.__name__ == origin
    return bool(_from_module(finder, module, value))


doctest.DocTestFinder._from_module = _is_written_in  # type: ignore[attr-defined]

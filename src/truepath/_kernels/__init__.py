"""Compiled loops: arrays of fixed type in, arrays out. A module here is imported when first asked for.

``from truepath import _kernels`` costs nothing; ``_kernels.closure`` imports numba.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    if name.startswith("__") or find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")

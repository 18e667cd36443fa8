"""Modules that are imported when first asked for: numba is heavy, and most runs need few kernels."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def submodules_of(package: str) -> Callable[[str], ModuleType]:
    """Return the ``__getattr__`` of a package that imports its submodules on first use."""

    def load(name: str) -> ModuleType:
        if name.startswith("__") or find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return import_module(f"{package}.{name}")

    return load

"""Which types of other packages a model file may hold: those that the caller names, each exactly, and only types.

A type that is trusted can be filled with anything the file says; a function can be called with it. A package holds
functions that run code (``pandas.read_pickle``), and so do some types of Python itself (``functools.partial``,
``subprocess.Popen``). Only a class is therefore trusted by name, never a package, a module, a function or a method, and
of Python itself only what holds data.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from truepath.errors import TruePathError

#: Modules of Python whose types hold data, and such types of others
_PLAIN_MODULES = frozenset({"collections", "datetime", "decimal", "fractions", "pathlib", "uuid", "zoneinfo"})
_PLAIN_TYPES = frozenset({"builtins.complex", "builtins.frozenset", "builtins.range", "types.SimpleNamespace"})
#: What to do where a model holds a function
NO_FUNCTIONS = "Put a class with a method __call__ in its place: a file may name types, never what could be called."


def check_trusted(trusted: Sequence[str | type]) -> list[str]:
    """Return the full names of types that a caller trusts; raise TruePathError at what is not exactly a type.

    Examples
    --------
    >>> check_trusted(["collections.Counter"])
    ['collections.Counter']
    >>> check_trusted(["json"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    truepath.errors.TruePathError: 'json' cannot be trusted: it is a package or module. Name each type in full, ...
    """
    if isinstance(trusted, (str, type)) or not all(isinstance(item, (str, type)) for item in trusted):
        raise TypeError(f"trusted must be a list of types or of their full names; got {trusted!r}.")
    return sorted({name for item in trusted for name in _names(item)})


def _names(item: str | type) -> Iterator[str]:
    """Yield the name by which a model file holds a type, and the one that was given."""
    given, found = (item, _find(item)) if isinstance(item, str) else (_name(item), item)
    if not isinstance(found, type):
        raise _refusal(given, "it is a function, a method or another object that is no type", NO_FUNCTIONS)
    name = _name(found)
    package = name.partition(".")[0]
    if package in sys.stdlib_module_names and package not in _PLAIN_MODULES and name not in _PLAIN_TYPES:
        raise _refusal(given, "it belongs to Python itself and does more than hold data", NO_FUNCTIONS)
    yield from (given, name)


def _find(name: str) -> Any:
    """Import what the caller names; nothing is imported because a file names it."""
    if name in sys.modules or "." not in name:
        raise _refusal(name, "it is a package or module", "Name each type in full, such as lightgbm.LGBMClassifier.")
    if not all(part.isidentifier() for part in name.split(".")):
        raise _refusal(name, "it is not the name of a type", "Name each type in full, such as lightgbm.LGBMClassifier.")
    module, _, last = name.rpartition(".")
    try:
        return getattr(import_module(module), last)
    except (ImportError, AttributeError, ValueError) as problem:
        remedy = "Name a type in full, and install its package."
        raise _refusal(name, f"it cannot be imported ({problem})", remedy) from problem


def _name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__name__}"


def _refusal(name: str, why: str, remedy: str) -> TruePathError:
    return TruePathError(f"{name!r} cannot be trusted: {why}.", remedy)

"""A member in all its variants: the choices that its own docstring lists, so that a new member brings its own.

The types of a class's parameters are read as numpydoc writes them::

    per : {"row", "level", "label"}, default="row"
    single_path : bool, default=False
    k : None, int, array of int, "metalabeler" or MetaLabeler, default=None

One parameter at a time takes each quoted word, the other truth value, or a number where the default is not one.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from numpydoc.docscrape import ClassDoc

#: What is tried of a number that may be given instead of the default
NUMBERS = {"int": 2, "float": 0.5}


def variants(member: type) -> list[Any]:
    """Return a member as it is by default, and once for each other choice of a parameter."""
    return [member(), *(member(**{name: choice}) for name, choice in _choices(member))]


def _choices(member: type) -> Iterator[tuple[str, Any]]:
    defaults = {name: parameter.default for name, parameter in inspect.signature(member).parameters.items()}
    for parameter in ClassDoc(member)["Parameters"]:
        for name in parameter.name.split(", "):
            allowed = parameter.type.partition(", default=")[0]
            yield from ((name, choice) for choice in _other_choices(allowed, defaults[name]))


def _other_choices(allowed: str, default: Any) -> list[Any]:
    """Return what a parameter may be besides its default."""
    choices: list[Any] = [word for word in re.findall('"([^"]*)"', allowed) if word != default]
    if allowed == "bool":
        choices.append(not default)
    if default is None or isinstance(default, str):
        choices += [number for kind, number in NUMBERS.items() if re.search(rf"(^|, |or ){kind}\b", allowed)]
    return choices

"""Errors of functions name their arguments and the files they read; people typed options: say which option it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from typing import Any

#: Where an error keeps the option that it is about
OPTION = "truepath_option"


def name_option(error: Exception, typed: Mapping[str, Any], names: Mapping[str, str]) -> None:
    """Let an error know the option that it is about, if that can be seen and is not said already.

    Parameters
    ----------
    error : Exception
        Of a function of the library: it begins with the name of a parameter, is about a file, or quotes a value.
    typed : dict
        Values by the name of their parameter.
    names : dict of str to str
        The option of each parameter.

    Examples
    --------
    >>> error = ValueError("time_limit must be a number greater than 0; got 'abc'.")
    >>> name_option(error, {"time_limit": "abc"}, {"time_limit": "--time-limit"})
    >>> with_option(error, str(error))
    "--time-limit must be a number greater than 0; got 'abc'."
    """
    said = str(error)
    if any(re.search(rf"{option}(?![\w-])", said) for option in (names[name] for name in typed if name in names)):
        return
    for parameter, option in names.items():
        if said.startswith(f"{parameter} "):
            setattr(error, OPTION, (parameter, option))
            return
    file = str(getattr(error, "path", None) or getattr(error, "filename", None) or said)
    found = []
    for parameter, value in _single({name: typed[name] for name in typed if name in names}):
        if repr(value) in said:
            found.append((said.index(repr(value)), names[parameter]))  # the first that is quoted; others are listed
        elif re.match(rf"{re.escape(fspath(value))}(:|/| |$)", file):
            found.append((len(said), names[parameter]))
    if found:
        setattr(error, OPTION, ("", min(found)[1]))


def with_option(error: Exception, said: str) -> str:
    """Return what an error says, with the option that it is about."""
    parameter, option = getattr(error, OPTION, ("", ""))
    if parameter and said.startswith(parameter):
        return option + said.removeprefix(parameter)
    return f"{option}: {said}" if option else said


def _single(typed: Mapping[str, Any]) -> Iterator[tuple[str, str | PathLike[str]]]:
    """Yield each text and path that was typed, of options that are repeated as well."""
    for parameter, value in typed.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str | PathLike):
                yield parameter, one

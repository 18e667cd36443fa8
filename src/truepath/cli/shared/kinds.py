"""What options take: numbers of a range, one of a few words, names, days, texts and paths.

The table of all options is the signatures of the commands. An option's annotation with its ``min`` and ``max``, or a
kind of this module given as its ``parser``, says which values it takes, and :func:`read_by_kind` has all of them read
here. So whichever typer and click are installed, a value that an option does not take is refused before any work, in
the words that functions use in Python: ``--alpha must be a number between 0 and 1; got '2'.``
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from datetime import date
from functools import cache, partial
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_origin

import typer

from truepath.english import did_you_mean
from truepath.parameters import Range, wanted_choice

#: Where an option says nothing else, its numbers lie within this
MOST = 1_000_000_000
#: Of longer values the beginning is shown
SHOWN = 60
WHOLE = re.compile(r"[+-]?\d{1,20}", re.ASCII)
DIGITS_OF_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


class Refused(typer.BadParameter):
    """A value that an option does not take; the parser of the command line adds which option that is."""

    def format_message(self) -> str:
        """Return what is wrong, the option's name first."""
        return f"{_long_name(getattr(self.param, 'opts', None) or ['the value'])} {self.message}"


@dataclass(frozen=True)
class Kind:
    """Values of one kind. Called with what was typed it returns the value, or refuses it.

    Attributes
    ----------
    wanted : str
        What a value must be.
    shown : str
        What the help shows in the place of a value.
    read : callable
        Returns the value of a text; a ValueError or OSError says that it has none.
    allowed : Range or tuple of str, optional
        The numbers or words that there are.
    """

    wanted: str
    shown: str
    read: Callable[[str], Any]
    allowed: Range | tuple[str, ...] | None = None

    @property
    def __name__(self) -> str:
        return self.shown

    def __call__(self, typed: Any) -> Any:
        if not isinstance(typed, str):  # a default is a value already
            return typed
        try:
            return self.read(typed)
        except (ValueError, OSError):
            got = repr(typed if len(typed) <= SHOWN else f"{typed[:SHOWN]}...")
            way = did_you_mean(typed, self.allowed) if isinstance(self.allowed, tuple) else ""
            raise Refused(f"must be {self.wanted}; got {got}. {way}".rstrip()) from None


def _as_text(typed: str) -> str:
    if not typed or "\0" in typed:
        raise ValueError
    return typed


def _as_signs(typed: str) -> str:
    _as_text(typed).encode()  # refuses half a character
    return typed


def _as_path(typed: str) -> Path:
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError):  # the commands say more about these
        os.lstat(_as_text(typed))
    return Path(typed)


def _as_names(typed: str) -> str:
    if not any(name.strip() for name in _as_text(typed).split(",")):
        raise ValueError
    return typed


def _as_day(typed: str) -> str:
    if not DIGITS_OF_DAY.fullmatch(typed):  # newer Pythons read days in other forms too
        raise ValueError
    date.fromisoformat(typed)
    return typed


def _as_word(words: tuple[str, ...], typed: str) -> str:
    if typed not in words:
        raise ValueError
    return typed


def _as_number(allowed: Range, typed: str) -> Any:
    """Return a number in plain digits: what other programs do not read as one is none here."""
    is_whole = issubclass(allowed.kind, Integral)
    if not (WHOLE if is_whole else NUMBER).fullmatch(typed):
        raise ValueError
    number = int(typed) if is_whole else float(typed)
    if not allowed.holds(number):
        raise ValueError
    return number


TEXT = Kind("a text that is not empty", "TEXT", _as_text)
#: Characters to be written
SIGNS = Kind("one character or more", "TEXT", _as_signs)
#: A path to what is there, or to something new
PLACE = Kind("a path that the system can have", "PATH", _as_path)
#: Names that are separated by commas
NAMES = Kind("a name, or several separated by commas", "TEXT", _as_names)
DAY = Kind("a day such as 2024-01-31", "YYYY-MM-DD", _as_day)


def choice(*words: str) -> Kind:
    """Return the kind of one of a few words.

    Examples
    --------
    >>> choice("row", "level")("row")
    'row'
    """
    return Kind(wanted_choice(words), "|".join(words), partial(_as_word, words), words)


def in_range(allowed: Range) -> Kind:
    """Return the kind of the numbers of a range.

    Examples
    --------
    >>> in_range(Range(Real, 0, 1))("0.5")
    0.5
    """
    shown = "INTEGER" if issubclass(allowed.kind, Integral) else "NUMBER"
    return Kind(allowed.wanted, shown, partial(_as_number, allowed), allowed)


def choice_or_number(words: tuple[str, ...], allowed: Range, what: str) -> Kind:
    """Return the kind of a few words and the numbers of a range, which ``what`` describes.

    Examples
    --------
    >>> choice_or_number(("exact",), Range(Real, 0, 1), "a step").wanted
    "one of 'exact' or a step, a number from 0 to 1"
    """

    def read(typed: str) -> Any:
        return typed if typed in words else _as_number(allowed, typed)

    return Kind(f"{wanted_choice(words)} or {what}, {allowed.wanted}", "|".join([*words, "NUMBER"]), read, allowed)


# ------------------------------------------------------------------------------------- the table of options


class Declared(NamedTuple):
    """An option or argument of a command: the name of its parameter, the name that is typed, and what it takes."""

    name: str
    typed: str
    hint: Any
    info: Any
    kind: Kind | None  # none for an option that takes no value

    @property
    def is_option(self) -> bool:
        """Whether it has a name to be typed."""
        return self.typed.startswith("-")


@cache  # what takes most of the time before a command runs is done once
def _signature_of(command: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(command, eval_str=True)


@cache
def list_declared(command: Callable[..., Any]) -> tuple[Declared, ...]:
    """Return the options and arguments that the signature of a command declares."""
    found = []
    for name, parameter in _signature_of(command).parameters.items():
        if get_origin(parameter.annotation) is Annotated:
            hint, info = get_args(parameter.annotation)[:2]
            kind = info.parser or _kind_of(hint, info)
            found.append(Declared(name, _typed_name(name, info), hint, info, kind))
    return tuple(found)


def read_by_kind(command: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a command with a kind for each option and argument that takes a value."""
    found = {one.name: one for one in list_declared(command)}
    parameters = []
    for name, parameter in _signature_of(command).parameters.items():
        one = found.get(name)
        if one is not None and one.kind is not None:
            info = copy(one.info)
            info.parser = one.kind
            if isinstance(one.kind.allowed, tuple) and one.is_option:
                info.autocompletion = _completing(one.kind.allowed)
            info.metavar = info.metavar or (one.kind.shown if one.is_option else None)
            parameter = parameter.replace(annotation=Annotated[one.hint, info])
        parameters.append(parameter)
    return inspect.Signature(parameters)


def _completing(words: tuple[str, ...]) -> Callable[[str], list[str]]:
    """Return the function that lists the words which a shell may complete what was typed to."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete


def _kind_of(hint: Any, info: Any) -> Kind | None:
    """Return the kind of what an annotation says; none for truth values."""
    plain = [kind for kind in (hint, *get_args(hint), *sum(map(get_args, get_args(hint)), ())) if kind in _KINDS]
    return _KINDS[plain[0]](info) if plain else None


def _number_of(kind: type, info: Any) -> Kind:
    """Return the kind of numbers that ``min`` and ``max`` of an option say."""
    least, most = (-MOST if info.min is None else info.min), (MOST if info.max is None else info.max)
    return in_range(Range(kind, least, most))


_KINDS: dict[Any, Callable[[Any], Kind]] = {
    int: partial(_number_of, Integral),
    float: partial(_number_of, Real),
    str: lambda info: TEXT,
    Path: lambda info: PLACE,
}


def _typed_name(name: str, info: Any) -> str:
    """Return what is typed for a parameter: an option's long name, or an argument in capitals."""
    if not isinstance(info, typer.models.OptionInfo):
        return str(info.metavar or name.upper())
    names = [info.default, *(info.param_decls or ()), f"--{name.replace('_', '-')}"]  # so typer reads an annotation
    return _long_name([one.partition("/")[0] for one in names if isinstance(one, str)])


def _long_name(names: list[str]) -> str:
    return next((name for name in names if name.startswith("--")), names[0])

"""Parameters of estimators: choices and numbers, refused in the same words everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from numbers import Integral
from typing import Any


def check_choice(member: Any, name: str, choices: Iterable[Any]) -> None:
    """Refuse a parameter of a member that is not one of the choices."""
    value = getattr(member, name)
    if not any(value is choice or (isinstance(choice, str) and value == choice) for choice in choices):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}.")


def check_number(
    member: Any, name: str, kind: type, least: float, most: float = inf, *, above: bool = False, none: bool = False
) -> None:
    """Refuse a parameter that is not a number of this kind, or is out of range.

    Parameters
    ----------
    member : estimator
    name : str
        The parameter.
    kind : type
        ``numbers.Integral`` or ``numbers.Real``.
    least, most : float
        The range, both ends allowed.
    above : bool, default=False
        Whether the parameter must be above ``least``, and below ``most`` where that is finite.
    none : bool, default=False
        Whether None may stand for no number.

    Examples
    --------
    >>> from numbers import Real
    >>> from types import SimpleNamespace
    >>> check_number(SimpleNamespace(tol=2), "tol", Real, 0, 1, above=True)
    Traceback (most recent call last):
        ...
    ValueError: tol must be a number between 0 and 1; got 2.
    """
    value = getattr(member, name)
    if none and value is None:
        return
    if isinstance(value, kind) and not isinstance(value, bool):
        number: Any = value
        if (least < number < most) if above else (least <= number <= most):
            return
    wanted = "an integer" if kind is Integral else "a number"
    if most == inf:
        place = f"greater than {least}" if above else f">= {least}"
    else:
        place = f"between {least} and {most}" if above else f"from {least} to {most}"
    raise ValueError(f"{name} must be {'None or ' if none else ''}{wanted} {place}; got {value!r}.")

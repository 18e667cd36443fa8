"""Parameters of estimators, functions and commands: choices and numbers, refused in the same words everywhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import Any


@dataclass(frozen=True)
class Range:
    """The numbers that a parameter may be.

    Attributes
    ----------
    kind : type
        ``numbers.Integral`` or ``numbers.Real``.
    least, most : float
        Both ends belong to the range.
    above, below : bool
        Whether the number must be above ``least``, and below ``most``.
    zero : bool
        Whether it may be 0.

    Examples
    --------
    >>> SHARE.holds(0.5), SHARE.holds(1), SHARE.holds(True), SHARE.wanted
    (True, False, False, 'a number between 0 and 1')
    """

    kind: type
    least: float
    most: float = inf
    above: bool = False
    below: bool = False
    zero: bool = True

    def holds(self, value: Any) -> bool:
        """Say whether a value is such a number; a truth value is none, and neither is NaN."""
        if not isinstance(value, self.kind) or isinstance(value, bool) or not (self.zero or value):
            return False
        number: Any = value
        is_above = number > self.least if self.above else number >= self.least
        return bool(is_above and (number < self.most if self.below else number <= self.most))

    @property
    def wanted(self) -> str:
        """What the number must be."""
        what = "an integer" if issubclass(self.kind, Integral) else "a number"
        kind = what if self.zero else f"{what} other than 0,"
        if self.above and self.below:
            return f"{kind} between {self.least} and {self.most}"
        if self.most < inf and not (self.above or self.below):
            return f"{kind} from {self.least} to {self.most}"
        if self.least == -inf and self.most == inf:
            return kind
        start = f"{kind} {'greater than' if self.above else '>='} {self.least}"
        if self.most == inf:
            return f"{start}, and finite" if self.below else start
        return f"{start} and {'below' if self.below else '<='} {self.most}"


#: A probability or a share of which neither none nor all makes sense
SHARE = Range(Real, 0, 1, above=True, below=True)
#: A share that may be none, but not all
PART = Range(Real, 0, 1, below=True)
#: A share that may be none or all
ANY_SHARE = Range(Real, 0, 1)
#: Any number, infinity as well
NUMBER = Range(Real, -inf)
#: Workers at the same time; -1 means one for each core
JOBS = Range(Integral, -1_000, 1_000_000, zero=False)
#: How many of something that there must be one of; more than memory holds is a mistake
COUNT = Range(Integral, 1, 1_000_000_000)
#: Decimals of numbers, as far as they have any
DECIMALS = Range(Integral, 1, 15)
#: The step of thresholds between 0 and 1
STEP = Range(Real, 1e-6, 1, below=True)
#: Seconds, as a budget
SECONDS = Range(Real, 0, 1_000_000_000, above=True)
#: Resamples: more than these would take days
RESAMPLES = Range(Integral, 1, 1_000_000)
#: What NumPy's older generators take, and with them scikit-learn
SEED = Range(Integral, 0, 2**32 - 1)


def check_choice(member: Any, name: str, choices: Iterable[Any]) -> None:
    """Refuse a parameter of a member that is not one of the choices."""
    value = getattr(member, name)
    if not any(value is choice or (isinstance(choice, str) and value == choice) for choice in choices):
        raise ValueError(f"{name} must be {wanted_choice(choices)}; got {value!r}.")


def wanted_choice(choices: Iterable[Any]) -> str:
    """Say what a choice must be.

    Examples
    --------
    >>> wanted_choice(("row", "level"))
    "one of 'row', 'level'"
    """
    return f"one of {', '.join(map(repr, choices))}"


def check_flag(member: Any, name: str) -> None:
    """Refuse a parameter of a member that is neither true nor false."""
    value = getattr(member, name)
    if type(value).__name__ not in ("bool", "bool_"):  # Python's, and NumPy's
        raise ValueError(f"{name} must be True or False; got {value!r}.")


def check_seed(member: Any, name: str = "random_state") -> None:
    """Refuse a parameter of a member that is a number and no seed, or a text; generators are seeds too."""
    value = getattr(member, name)
    if value is None or hasattr(value, "permutation"):
        return
    check_in(name, value, SEED, none=True)


def check_number(
    member: Any, name: str, kind: type, least: float, most: float = inf, *, above: bool = False, none: bool = False
) -> None:
    """Refuse a parameter of a member that is not a number of this kind, or is out of range.

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
    >>> from types import SimpleNamespace
    >>> check_number(SimpleNamespace(tol=2), "tol", Real, 0, 1, above=True)
    Traceback (most recent call last):
        ...
    ValueError: tol must be a number between 0 and 1; got 2.
    """
    check_in(name, getattr(member, name), Range(kind, least, most, above, above and most < inf), none=none)


def check_in(name: str, value: Any, allowed: Range, *, none: bool = False) -> None:
    """Refuse an argument that is not in a range; None may stand for no number.

    Examples
    --------
    >>> check_in("n_resamples", 0, RESAMPLES)
    Traceback (most recent call last):
        ...
    ValueError: n_resamples must be an integer from 1 to 1000000; got 0.
    """
    if not ((none and value is None) or allowed.holds(value)):
        raise ValueError(f"{name} must be {'None or ' if none else ''}{allowed.wanted}; got {value!r}.")

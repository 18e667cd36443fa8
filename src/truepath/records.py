"""Records: what a fitted estimator keeps beside numbers, arrays and other estimators.

A model file may hold the estimators that the modules promise, and records. A class becomes a record by having
:class:`Record` as a base, or (named tuples, whose bases are fixed) by ``@Record.enter``. ``home`` is the public module
that has it: model files hold that name, so the file it is written in may move.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

__all__ = ["Record"]

_T = TypeVar("_T", bound=type)


class Record:
    """Base of the records; ``class LeafTree(Record, home="truepath.learners")``.

    Attributes
    ----------
    known : dict
        For every record, the file it is written in.
    """

    known: ClassVar[dict[type, str]] = {}

    def __init_subclass__(cls, home: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if home is not None:
            Record.enter(home)(cls)

    @staticmethod
    def enter(home: str) -> Callable[[_T], _T]:
        """Make a record of a class that cannot have the base, such as a named tuple."""

        def enter(cls: _T) -> _T:
            Record.known[cls] = cls.__module__
            cls.__module__ = home
            return cls

        return enter

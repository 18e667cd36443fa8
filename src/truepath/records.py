"""Records: what a fitted estimator keeps beside numbers, arrays and other estimators.

A model file may hold the estimators that the modules promise, and records. A class becomes a record by having
:class:`Record` as a base, or (named tuples, whose bases are fixed) by ``@Record.enter``. ``home`` is the public module
that exports it: model files hold that name, so the file it is written in may move.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

__all__ = ["Record"]

T = TypeVar("T", bound=type)


class Record:
    """Base of the records; ``class LeafTree(Record, home="truepath.learners")``."""

    known: ClassVar[list[type]] = []

    def __init_subclass__(cls, home: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if home is not None:
            Record.enter(cls, home=home)

    @staticmethod
    def enter(cls: T, *, home: str) -> T:
        """Enter a class that cannot have the base, such as a named tuple; return it."""
        cls.__module__ = home
        Record.known.append(cls)
        return cls

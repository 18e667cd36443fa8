"""The exceptions truepath raises by name; all are ``ValueError`` too, so plain handlers keep working.

Each has ``problem``, what is wrong, and ``remedy``, the way out; as text they are one after the other.

::

    TruePathError
    ├── HierarchyError          the label graph cannot be used as given
    │   ├── CycleError          it has a cycle (kept in ``.cycle``)
    │   └── UnknownLabelError   a name is not in it (kept in ``.unknown``)
    ├── ConstraintError         a matrix breaks the hierarchy: Y not closed, or S not coherent
    ├── UnknownDatasetError     no data set of that name is here
    ├── DataFormatError         a file cannot be read as what it claims to be (``.path``, ``.line``)
    └── ModelFileError          a model file is damaged, foreign, too new or not to be trusted (``.path``)
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

__all__ = [
    "ConstraintError",
    "CycleError",
    "DataFormatError",
    "HierarchyError",
    "ModelFileError",
    "TruePathError",
    "UnknownDatasetError",
    "UnknownLabelError",
]


class TruePathError(ValueError):
    """Anything truepath refuses: ``problem`` says what is wrong, ``remedy`` (may be empty) the way out."""

    def __init__(self, problem: str = "", remedy: str = ""):
        self.problem, self.remedy = problem, remedy
        super().__init__(f"{problem} {remedy}" if remedy else problem)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problem, self.remedy)


class HierarchyError(TruePathError):
    """The label graph cannot be used as given."""


class CycleError(HierarchyError):
    """The label graph has a cycle; ``cycle`` lists its names, the first repeated at the end."""

    def __init__(self, cycle: Sequence[str]):
        self.cycle = list(cycle)
        shown = self.cycle if len(self.cycle) <= 12 else [*self.cycle[:6], "…", *self.cycle[-5:]]
        super().__init__(
            f"the hierarchy has a cycle: {' -> '.join(shown)}.",
            "Remove one of these edges; a label cannot be its own ancestor.",
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.cycle,)


class UnknownLabelError(HierarchyError):
    """A name is not in the hierarchy; ``unknown`` lists the offenders."""

    def __init__(self, problem: str, unknown: Sequence[str] = (), remedy: str = ""):
        self.unknown = list(unknown)
        super().__init__(problem, remedy)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problem, self.unknown, self.remedy)


class ConstraintError(TruePathError):
    """A matrix breaks the hierarchy: a label without its ancestor, or a score above its parent's."""


class UnknownDatasetError(TruePathError):
    """No data set of that name is bundled, in the data folder, or on the mirror."""


class DataFormatError(TruePathError):
    """A file cannot be read as what it claims to be; ``path`` and ``line`` (from 1, or None) say where."""

    def __init__(
        self, problem: str, path: str | PathLike[str] | None = None, line: int | None = None, remedy: str = ""
    ):
        super().__init__(problem, remedy)
        self.path, self.line = path, line

    def __str__(self) -> str:
        where = "" if self.path is None else f"{self.path}"
        if self.line is not None:
            where += f"{':' if where else 'line '}{self.line}"
        said = super().__str__()
        return f"{where}: {said}" if where else said

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problem, self.path, self.line, self.remedy)


class ModelFileError(TruePathError):
    """A model cannot be saved to, or loaded from, a file; ``path`` names the file, ``problem`` says why."""

    def __init__(self, problem: str, path: str | PathLike[str] | None = None, remedy: str = ""):
        super().__init__(problem, remedy)
        self.path = path

    def __str__(self) -> str:
        return super().__str__() if self.path is None else f"{self.path}: {super().__str__()}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problem, self.path, self.remedy)

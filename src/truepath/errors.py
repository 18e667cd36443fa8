"""The exceptions truepath raises by name; all are ``ValueError`` too, so plain handlers keep working.

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
    """Anything truepath refuses, said in one sentence with the way out."""


class HierarchyError(TruePathError):
    """The label graph cannot be used as given."""


class CycleError(HierarchyError):
    """The label graph has a cycle; ``cycle`` lists its names, the first repeated at the end."""

    def __init__(self, cycle: Sequence[str]):
        self.cycle = list(cycle)
        shown = self.cycle if len(self.cycle) <= 12 else [*self.cycle[:6], "…", *self.cycle[-5:]]
        super().__init__(
            f"the hierarchy has a cycle: {' -> '.join(shown)}. Remove one of these edges; "
            "a label cannot be its own ancestor."
        )

    def __reduce__(self) -> tuple[type[CycleError], tuple[list[str]]]:
        return type(self), (self.cycle,)


class UnknownLabelError(HierarchyError):
    """A name is not in the hierarchy; ``unknown`` lists the offenders."""

    def __init__(self, message: str, unknown: Sequence[str] = ()):
        self.unknown = list(unknown)
        super().__init__(message)

    def __reduce__(self) -> tuple[type[UnknownLabelError], tuple[str, list[str]]]:
        return type(self), (str(self), self.unknown)


class ConstraintError(TruePathError):
    """A matrix breaks the hierarchy: a label without its ancestor, or a score above its parent's."""


class UnknownDatasetError(TruePathError):
    """No data set of that name is bundled, in the data folder, or on the mirror."""


class DataFormatError(TruePathError):
    """A file cannot be read as what it claims to be; ``path`` and ``line`` (from 1, or None) say where."""

    def __init__(self, problem: str, path: str | PathLike[str] | None = None, line: int | None = None):
        self.problem, self.path, self.line = problem, path, line
        where = "" if path is None else f"{path}"
        if line is not None:
            where += f"{':' if where else 'line '}{line}"
        super().__init__(f"{where}: {problem}" if where else problem)

    def __reduce__(self) -> tuple[type[DataFormatError], tuple[str, str | PathLike[str] | None, int | None]]:
        return type(self), (self.problem, self.path, self.line)


class ModelFileError(TruePathError):
    """A model cannot be saved to, or loaded from, a file; ``path`` names the file, ``problem`` says why."""

    def __init__(self, problem: str, path: str | PathLike[str] | None = None):
        self.problem, self.path = problem, path
        super().__init__(problem if path is None else f"{path}: {problem}")

    def __reduce__(self) -> tuple[type[ModelFileError], tuple[str, str | PathLike[str] | None]]:
        return type(self), (self.problem, self.path)

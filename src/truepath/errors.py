"""The exceptions truepath raises by name; all are ``ValueError`` too, so plain handlers keep working.

Each has ``problem``, what is wrong, and ``remedy``, the way out; ``where`` names the file it is about, if any. The
text of an error is the problem followed by the remedy. Code that passes an error on uses the fields and never cuts the
text.

::

    TruePathError
    ├── HierarchyError          the label graph cannot be used as given
    │   ├── CycleError          it has a cycle (kept in ``.cycle``)
    │   └── UnknownLabelError   a name is not in it (kept in ``.unknown``)
    ├── ConstraintError         a matrix breaks the hierarchy: Y not closed, or S not coherent
    ├── UnknownDatasetError     no data set of that name is here
    ├── CellError               a cell of X cannot be read as its column was (``.row``, ``.column``)
    ├── DataFormatError         a file cannot be read as what it claims to be (``.path``, ``.line``)
    ├── ModelFileError          a model file is damaged, foreign, too new or not to be trusted (``.path``)
    ├── CapabilityError         a part of a model cannot do what was asked (``.capability``, ``.others`` can)
    └── MissingExtraError       an optional package is not installed; also an ``ImportError``
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

__all__ = [
    "CapabilityError",
    "CellError",
    "ConstraintError",
    "CycleError",
    "DataFormatError",
    "FlatLabelsWarning",
    "GuessedEncodingWarning",
    "HierarchyError",
    "InputWarning",
    "JoinedLabelsWarning",
    "LeftOutWarning",
    "MissingExtraError",
    "ModelFileError",
    "RelatedRowsWarning",
    "TruePathError",
    "UnknownDatasetError",
    "UnknownLabelError",
    "explain",
]


class TruePathError(ValueError):
    """Anything truepath refuses: ``problem`` says what is wrong, ``remedy`` (may be empty) the way out."""

    def __init__(self, problem: str = "", remedy: str = ""):
        self.problem, self.remedy = problem, remedy
        super().__init__(problem, remedy)

    @property
    def where(self) -> str:
        """The file it is about, with the line if that is known; empty for errors that are about no file."""
        path, line = getattr(self, "path", None), getattr(self, "line", None)
        if path is None:
            return "" if line is None else f"line {line}"
        return str(path) if line is None else f"{path}:{line}"

    def __str__(self) -> str:
        said = f"{self.problem} {self.remedy}".strip()
        return f"{self.where}: {said}" if self.where else said

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (type(self), self.__dict__)  # by its fields, whatever its constructor takes


def _revive(kind: type[TruePathError], fields: dict[str, Any]) -> TruePathError:
    """Return an error as it was pickled, in a worker process for instance."""
    error = kind.__new__(kind, fields["problem"], fields["remedy"])
    error.__dict__.update(fields)
    return error


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


class UnknownLabelError(HierarchyError):
    """A name is not in the hierarchy; ``unknown`` lists the offenders."""

    def __init__(self, problem: str, unknown: Sequence[str] = (), remedy: str = ""):
        self.unknown = list(unknown)
        super().__init__(problem, remedy)


class ConstraintError(TruePathError):
    """A matrix breaks the hierarchy: a label without its ancestor, or a score above its parent's."""


class UnknownDatasetError(TruePathError):
    """No data set of that name is bundled, in the data folder, or on the mirror."""


class CellError(TruePathError):
    """A cell of X cannot be read as its column was when fitted; ``row`` and ``column`` (a name, or a number) say where,
    ``found`` what is wrong with it.
    """

    def __init__(self, row: int, column: Any, held: str, cell: str):
        self.row, self.column, self.found = row, column, f"held {held} when fitted, and has {cell[:40]!r}"
        self.held, self.cell = held, cell
        problem = f"column {column!r} of X held {held} when fitted; row {row} has {cell[:40]!r}."
        super().__init__(problem, "Correct the cell, or leave it empty if the value is not known.")

    def moved(self, rows: int, columns: Sequence[str]) -> CellError:
        """Return the error for a file that is read in blocks: with that many rows before, and named columns."""
        is_known = isinstance(self.column, int) and self.column < len(columns)
        return CellError(self.row + rows, columns[self.column] if is_known else self.column, self.held, self.cell)


class DataFormatError(TruePathError):
    """A file cannot be read as what it claims to be; ``path`` and ``line`` (from 1, or None) say where."""

    def __init__(
        self, problem: str, path: str | PathLike[str] | None = None, line: int | None = None, remedy: str = ""
    ):
        super().__init__(problem, remedy)
        self.path, self.line = path, line


class ModelFileError(TruePathError):
    """A model cannot be saved to, or loaded from, a file; ``path`` names the file, ``problem`` says why."""

    def __init__(self, problem: str, path: str | PathLike[str] | None = None, remedy: str = ""):
        super().__init__(problem, remedy)
        self.path = path


class CapabilityError(TruePathError):
    """A part of a model cannot do what was asked; ``capability`` says what, ``others`` names the classes that can."""

    def __init__(self, problem: str, capability: str = "", others: Sequence[str] = (), remedy: str = ""):
        self.capability, self.others = capability, list(others)
        super().__init__(problem, remedy or (f"{_listed(self.others)} can." if others else ""))


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


class MissingExtraError(TruePathError, ImportError):
    """A package that only an extra of truepath installs is not there; ``remedy`` names the extra."""


class InputWarning(UserWarning):
    """Something about the data was detected rather than given; the text says what, and how to set it explicitly."""


class FlatLabelsWarning(InputWarning):
    """Labels were read as flat, though they look like paths; the text says how to have them read as such."""


class JoinedLabelsWarning(InputWarning):
    """Labels were read as one each, though they look like several; the text says how to have them taken apart."""


class FoundSeparatorWarning(InputWarning):
    """Labels were read as paths by a separator that was found out; the text says which, and how to give another."""


class MissingLabelsWarning(InputWarning):
    """Labels are called as missing values are written; the text says how they were read, and how to change it."""


class SpellingsWarning(InputWarning):
    """Labels differ only in capitals, accents or blanks; the text names some, and how to make them one."""


class LeftOutWarning(InputWarning):
    """Columns were left out, since they name the rows and there is nothing to learn from them."""


class UnseenValuesWarning(InputWarning):
    """Most rows have values in a column that no training row had; the text says which, and what that means."""


class LabelsInRowsWarning(InputWarning):
    """A column of the rows holds the labels themselves, which new rows do not have."""


class RelatedRowsWarning(InputWarning):
    """Rows that belong together may be on both sides of a split, so that results look better than on new rows."""


class GuessedEncodingWarning(InputWarning):
    """A file is not in UTF-8 and was read as Latin-1, in which every byte is a letter."""


def explain(error: Exception) -> tuple[str, str]:
    """Return what is wrong and the way out: the fields of an error of ours, the text of any other and no way out.

    Examples
    --------
    >>> explain(TruePathError("a is missing.", "Give it."))
    ('a is missing.', 'Give it.')
    >>> explain(KeyError("a"))
    ("KeyError: 'a'", '')
    """
    if isinstance(error, TruePathError):
        return f"{error.where}: {error.problem}" if error.where else error.problem, error.remedy
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror, ""
    said = " ".join(str(error).split())
    tells_enough = isinstance(error, ValueError | ImportError | OSError) and said
    return (said if tells_enough else f"{type(error).__name__}: {said}"), ""

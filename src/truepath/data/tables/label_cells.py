"""Cells of labels, taken apart: several labels in a cell, and the ways in which people write that there is none."""

from __future__ import annotations

import re
import warnings
from ast import literal_eval
from collections import Counter
from collections.abc import Container, Sequence
from html import unescape
from typing import Any

import numpy as np

from truepath.data.parts import list_values
from truepath.english import counted
from truepath.errors import FoundSeparatorWarning, JoinedLabelsWarning, MissingLabelsWarning
from truepath.hierarchy.build import is_missing
from truepath.hierarchy.flatness import MISSING

#: Signs as HTML writes them; their semicolon separates nothing
_ENTITY = re.compile(r"&(amp|gt|lt|quot|apos|nbsp|raquo|rsaquo|#\d{1,6});")


def split_labels(cell: Any, between: str) -> list[str]:
    """Return the labels in a cell, text or a list; none for a missing one."""
    if is_missing(cell):
        return []
    parts = cell if isinstance(cell, (list, tuple, np.ndarray)) else str(cell).split(between)
    found = (str(part).strip() for part in parts if not is_missing(part))
    return [_QUOTED.sub(r"\1", label) for label in found if label]


#: A label in quotation marks of its own
_QUOTED = re.compile(r'^"([^"]+)"$')


def whole_numbers(column: Sequence[Any]) -> Sequence[Any]:
    """Return a column of labels with fractions that are all whole, as a missing value makes them, as whole numbers."""
    numbers = [cell for cell in column if isinstance(cell, float) and cell == cell]
    if not numbers or not all(number.is_integer() for number in numbers):
        return column
    return [int(cell) if isinstance(cell, float) and cell == cell else cell for cell in column]


def _written_list(cell: str) -> list[Any] | None:
    """Return the labels of a cell that is a list as JSON or Python writes one."""
    text = cell.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        found = literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return found if isinstance(found, list) and all(isinstance(one, str) for one in found) else None


class LabelCells:
    """Takes the cells of one column of labels apart, and counts what was written for missing ones.

    Parameters
    ----------
    between : str
        Separator of the labels in a cell.
    known : container of str, optional
        Names that are labels, however they look: those of a hierarchy that was given.

    Examples
    --------
    >>> cells = LabelCells(";")
    >>> cells.split("a;b"), cells.split("N/A"), cells.cut(["a", "nan"])
    (['a', 'b'], [], ['a'])
    """

    def __init__(self, between: str, known: Container[str] = ()):
        self.between, self.known = between, known
        self.missing: Counter[str] = Counter()
        self.printed = self.escaped = ""  # a cell with each of the notations
        self._seen: dict[str, tuple[list[str], list[str]]] = {}  # most cells occur many times

    def split(self, cell: Any) -> list[str]:
        """Return the labels of a cell, the same list for equal cells."""
        is_text = isinstance(cell, str)
        found = self._seen.get(cell) if is_text else None
        if found is None:
            written = split_labels(self._plain(cell) if is_text else cell, self.between)
            kept = [name for name in written if not self._is_none(name)]
            found = kept, [name for name in written if self._is_none(name)]
            if is_text:
                self._seen[cell] = found
        self.missing.update(found[1])
        return found[0]

    def cut(self, parts: Sequence[str], sep: str = "/", n_rows: int = 1) -> list[str]:
        """Return the parts of a path without missing ones at its end, as where a lower level was left open."""
        kept = list(parts)
        while len(kept) > 1:
            for n in (1, 2):  # N/A is two parts where a slash separates them
                end = sep.join(kept[-n:])
                if len(kept) > n and self._is_none(end):
                    self.missing[end] += n_rows
                    del kept[-n:]
                    break
            else:
                break
        return kept

    def _plain(self, cell: str) -> Any:
        """Return a cell without the marks of another notation: a list as it is printed, signs as HTML writes them."""
        listed = _written_list(cell)
        if listed is not None:
            self.printed = self.printed or cell
            return listed
        if _ENTITY.search(cell) and cell not in self.known:
            self.escaped = self.escaped or cell
            return unescape(cell)
        return cell

    def _is_none(self, name: str) -> bool:
        return name in MISSING and name not in self.known

    def warn(self, column: str) -> None:
        """Say what was read as missing, with a count, and which notations were read."""
        if self.printed:
            said = f"cells of column {column!r} are lists, such as {self.printed[:60]!r}: read as several labels each."
            warnings.warn(f"{said} For the levels of one path write them as a/b.", JoinedLabelsWarning, stacklevel=3)
        if self.escaped:
            said = (
                f"column {column!r} holds signs as HTML writes them, such as {self.escaped[:60]!r}: read as the signs."
            )
            warnings.warn(said, FoundSeparatorWarning, stacklevel=3)
        if not self.missing:
            return
        n = sum(self.missing.values())
        warnings.warn(
            f"{counted(n, 'label')} in column {column!r} {'is' if n == 1 else 'are'} written as missing: "
            f"{list_values(self.missing.elements())}. Read as no label. If such a name is a label, give a "
            "hierarchy that has it (hierarchy=, --hierarchy).",
            MissingLabelsWarning,
            stacklevel=3,
        )

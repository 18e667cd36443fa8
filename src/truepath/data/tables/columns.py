"""A table column by column: as cells, as texts, as numbers, or as categories with their codes."""

from __future__ import annotations

import re
import warnings
from collections import UserDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath.data.tables.cut import Cut
from truepath.english import nearest
from truepath.errors import DataFormatError, InputWarning
from truepath.hierarchy.build import is_missing

#: What may separate cells, the usual one first
DELIMITERS = (",", ";", "\t", "|")


#: Digits in groups of three, before decimals: 1.234,5 and 1,234.5
_GROUPED = {
    ",": re.compile(r"\s*[-+]?\d{1,3}(\.\d{3})+,\d*\s*"),
    ".": re.compile(r"\s*[-+]?\d{1,3}(,\d{3})+\.\d*\s*"),
}
#: The same without decimals, which may be a fraction
_GROUPED_WHOLE = re.compile(r"\s*[-+]?[1-9]\d{0,2}(\.\d{3})+\s*")
_DECIMAL_COMMA = re.compile(r"\s*[-+]?(\d+,\d*|,\d+)([eE][-+]?\d+)?\s*")

#: A vector as Python and NumPy print it
_VECTOR = re.compile(r"\s*\[\s*[-+]?\d[^a-df-zA-DF-Z]*[,\s][^a-df-zA-DF-Z]*\]\s*")

_QUOTED = re.compile(r'"(?:[^"]|"")*"')


def guess_delimiter(lines: Sequence[str]) -> str:
    r"""Return what separates the cells of a table: the character that occurs equally often in its first lines.

    It must occur in the first line, outside quotes. A comma is taken before the others, also where nothing is clear.

    Parameters
    ----------
    lines : sequence of str
        The first lines of the file, that of the column names first.

    Examples
    --------
    >>> guess_delimiter(["id;x;labels", "1;0,5;a/1"]), guess_delimiter(["id,labels", "1,a;b"])
    (';', ',')
    """
    bare = [_QUOTED.sub("", line) for line in lines if line.strip()]
    first = [sign for sign in DELIMITERS if bare and sign in bare[0]]
    below = bare[1:] or bare
    alike = [sign for sign in first if len({line.count(sign) for line in bare}) == 1]
    found = [sign for sign in first if any(sign in line for line in below)]
    return next(iter([*alike, *(found if "," not in first else []), ","]))


def with_point(cell: str, delimiter: str) -> str:
    """Return a number written with a decimal comma with a point; any other cell, and any between commas, as it is.

    Groups of three digits are put together where decimals show what separates them.

    >>> with_point("-0,5e3", ";"), with_point("1,2,3", ";"), with_point("1,234", ",")
    ('-0.5e3', '1,2,3', '1,234')
    >>> with_point("1.234,5", ";"), with_point("1,234.5", ","), with_point("1.234", ";")
    ('1234.5', '1234.5', '1.234')
    """
    if "," not in cell:
        return cell
    if _GROUPED["."].fullmatch(cell):
        return cell.replace(",", "")
    if delimiter == ",":
        return cell
    if _GROUPED[","].fullmatch(cell):
        return cell.replace(".", "").replace(",", ".")
    return cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell


@dataclass(frozen=True)
class Columns:
    """A table, column by column; ``lines`` are the line numbers of its rows in a text file.

    Numbers may have decimal commas where ``delimiter``, what separates the cells of the file, is another character.
    """

    data: Mapping[str, Sequence[Any]]
    path: str | None = None
    lines: Any = field(default=(), repr=False)
    delimiter: str = field(default=",", repr=False)

    @property
    def names(self) -> list[str]:
        """The column names."""
        return list(self.data)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self.data.values())))

    def error(self, problem: str, row: int | None = None) -> DataFormatError:
        """Make the error for a problem in this table; a row without a line is named in the text."""
        if row is None or len(self.lines):
            return DataFormatError(problem, self.path, None if row is None else int(self.lines[row]))
        return DataFormatError(f"row {row}: {problem}", self.path)

    def check(self, names: Sequence[str]) -> None:
        """Refuse names that are not columns."""
        missing = [name for name in names if name not in self.data]
        if missing:
            raise self.error(no_column(missing[0], self.names), None)

    def _refuse_lists(self, name: str) -> None:
        """Refuse a column of lists: a feature is a number, a category or a text."""
        column = self.data[name]
        lists = (row for row, cell in enumerate(column) if isinstance(cell, (list, tuple, dict, np.ndarray)))
        row = next(lists, None)
        if (
            row is None
            and len(column)
            and all(isinstance(cell, str) and _VECTOR.fullmatch(cell) for cell in column[:5])
        ):
            row = 0
        if row is not None:
            problem = f"column {name!r} holds lists, and a feature is a number, a category or a text."
            way = "Write a vector as columns of numbers, or as the matrix X of a .npz file beside ids and labels."
            raise self.error(f"{problem} {way}", row)

    def _plain(self, cell: Any) -> Any:
        return with_point(cell, self.delimiter) if isinstance(cell, str) else cell

    def warn_about_groups(self, names: Sequence[str]) -> None:
        """Warn about columns with decimal commas in which a point may separate thousands: 1.250 beside 950,5."""
        for name in names if self.delimiter != "," else ():
            cells = [cell for cell in self.data[name] if isinstance(cell, str)]
            comma = next((cell for cell in cells if "," in cell and with_point(cell, ";") != cell), None)
            group = next((cell for cell in cells if "." in cell and _GROUPED_WHOLE.fullmatch(cell)), None)
            if comma is not None and group is not None:
                said = f"column {name!r} has {group!r} beside {comma!r}: read as {float(group):g}."
                warnings.warn(f"{said} Write thousands without a point, if it is one.", InputWarning, stacklevel=4)

    def texts(self, name: str) -> NDArray[np.object_]:
        """Give a column as strings, a missing value as the empty string."""
        return np.array(["" if is_missing(cell) else str(cell) for cell in self.data[name]], dtype=object)

    def joined_texts(self, names: Sequence[str]) -> NDArray[np.object_]:
        """Give columns of texts as one, the texts of a row below each other."""
        columns = [self.texts(name).tolist() for name in names]
        return np.array([join_texts(row) for row in zip(*columns)], dtype=object)

    def cells(self, names: Sequence[str]) -> NDArray[np.object_]:
        """Give some columns as they are written, side by side, an empty string where a cell is missing."""
        X = np.empty((self.n_rows, len(names)), dtype=object)
        for j, name in enumerate(names):
            self._refuse_lists(name)
            X[:, j] = ["" if is_missing(cell) else self._plain(cell) for cell in self.data[name]]
        return X

    def numbers(self, names: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Give columns as numbers, NaN where empty, and which of them hold nothing else."""
        X, is_number = np.full((self.n_rows, len(names)), np.nan), np.ones(len(names), bool)
        for k, name in enumerate(names):
            self._refuse_lists(name)
            try:
                X[:, k] = [read_cell(self._plain(cell)) for cell in self.data[name]]
            except (ValueError, TypeError):
                is_number[k] = False
        return X, is_number

    def codes(self, names: Sequence[str]) -> tuple[NDArray[np.float64], list[tuple[str, ...]]]:
        """Give columns as categories: each cell's place among the texts found, sorted, NaN where empty; and these."""
        X, words = np.empty((self.n_rows, len(names))), []
        for k, name in enumerate(names):
            cells = self.texts(name).tolist()
            words.append(_order(cells))
            place = {word: float(p) for p, word in enumerate(words[-1])}
            X[:, k] = [place.get(cell, np.nan) for cell in cells]
        return X, words


def join_texts(texts: Iterable[str]) -> str:
    r"""Put the texts of a row below each other, empty ones left out.

    >>> join_texts(["A title", "", "and a story"])
    'A title\nand a story'
    """
    return "\n".join(text for text in texts if text)


class LazyColumns(UserDict[str, Any]):
    """Columns by name that are made when first asked for, not when their names are looked for."""

    def __init__(self, names: Sequence[str], make: Callable[[str], Sequence[Any]]):
        super().__init__(dict.fromkeys(names))
        self._make = make

    def __getitem__(self, name: str) -> Sequence[Any]:
        if self.data[name] is None:
            self.data[name] = self._make(name)
        return self.data[name]


@dataclass(frozen=True)
class CutColumns(Columns):
    """A large text table, cut into cells; strings are made only of the columns that are asked for as such."""

    cut: Cut = field(kw_only=True)

    @classmethod
    def of(cls, header: Sequence[str], cut: Cut, path: str, delimiter: str = ",") -> CutColumns:
        """Name the columns of a cut text."""
        place = {name: j for j, name in enumerate(header)}
        return cls(LazyColumns(header, lambda name: cut.texts(place[name])), path, cut.lines, delimiter, cut=cut)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.cut.n_rows

    def numbers(self, names: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Read all columns in one pass over the text."""

        def read(i: int, k: int, cell: str) -> float | None:
            try:
                return read_cell(self._plain(cell))
            except ValueError:
                return None

        X = np.empty((self.n_rows, len(names)))
        return X, self.cut.numbers(self._places(names), X, read)

    def codes(self, names: Sequence[str]) -> tuple[NDArray[np.float64], list[tuple[str, ...]]]:
        """Number the different texts of all columns in one pass over the text."""
        X = np.empty((self.n_rows, len(names)))
        return X, self.cut.codes(self._places(names), X, _order)

    def _places(self, names: Sequence[str]) -> list[int]:
        place = {name: j for j, name in enumerate(self.data)}
        return [place[name] for name in names]


@dataclass(frozen=True)
class StackedColumns(Columns):
    """Tables below each other; an error names the file and line that its row came from."""

    parts: Sequence[Columns] = field(default=(), repr=False)

    @property
    def n_rows(self) -> int:
        """The number of rows of all tables."""
        return sum(part.n_rows for part in self.parts)

    def numbers(self, names: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Give columns as numbers if they are numbers in every table."""
        found = [part.numbers(names) for part in self.parts]
        return np.vstack([X for X, _ in found]), np.all([is_number for _, is_number in found], axis=0)

    def codes(self, names: Sequence[str]) -> tuple[NDArray[np.float64], list[tuple[str, ...]]]:
        """Give columns as categories, sorted over all tables."""
        found = [part.codes(names) for part in self.parts]
        words = [_order([word for part in column for word in part]) for column in zip(*(part for _, part in found))]
        for X, own in found:
            for k, column in enumerate(own):
                place = {word: float(p) for p, word in enumerate(words[k])}
                table = np.array([*(place[word] for word in column), np.nan])
                X[:, k] = table[np.where(np.isnan(X[:, k]), -1, X[:, k]).astype(np.int64)]
        return np.vstack([X for X, _ in found]), words

    def error(self, problem: str, row: int | None = None) -> DataFormatError:
        """Make the error for a problem in the table that the row belongs to."""
        if row is None:
            return self.parts[0].error(problem)
        starts = np.cumsum([0, *(part.n_rows for part in self.parts)])
        k = int(np.searchsorted(starts, row, side="right")) - 1
        return self.parts[k].error(problem, row - int(starts[k]))


def stack_columns(parts: Sequence[Columns]) -> Columns:
    """Put tables with the same columns below each other."""
    for part in parts:
        part.check(parts[0].names)
        if len(part.names) > len(parts[0].names):
            extra = next(name for name in part.names if name not in parts[0].data)
            raise part.error(f"column {extra!r} is not in {parts[0].path}; the splits must have the same columns.")
    data = LazyColumns(parts[0].names, lambda name: [cell for part in parts for cell in part.data[name]])
    return StackedColumns(data, parts[0].path, parts=parts)


def _order(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(set(words) - {""}))


def no_column(name: str, names: Sequence[str]) -> str:
    """Describe a column that is not there: the nearest of the names, or all of them.

    >>> no_column("lables", ["id", "labels"])
    "no column 'lables'; did you mean 'labels'? The columns are 'id', 'labels'."
    """
    near = nearest(name, names, 1)
    shown = ", ".join(map(repr, names[:12])) + (", …" if len(names) > 12 else "")
    meant = f"did you mean {near[0]!r}? The" if near else "the"
    return f"no column {name!r}; {meant} columns are {shown}."


def read_cell(cell: Any) -> float:
    """Read a number, NaN for an empty cell or a missing value."""
    if isinstance(cell, str):
        if not cell.strip():
            return float("nan")
        if "_" in cell or not cell.isascii():
            raise ValueError(cell)
    return float("nan") if is_missing(cell) else float(cell)

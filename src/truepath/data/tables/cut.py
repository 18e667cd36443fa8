"""Large text tables, cut into cells by compiled loops; numbers and texts are read from there without Python strings.

Compiled code takes a second or more to load, so only texts from :data:`LARGE` characters on are cut this way, and
whatever is unusual in one is left to the plain readers, which also name what is wrong. Both give the same bits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truepath import _kernels

#: Texts of this many characters or more are read by compiled loops
LARGE = 1 << 24

_CELLS = 1 << 18  # of a block: its text and its cells stay near the processor
_ODD = 2
_FEW_WORDS = 1 << 10
_FEW_SLOTS = 1 << 8

IntArray = NDArray[np.int64]


class CannotReadQuickly(Exception):  # noqa: N818 - a change of method, not an error
    """Fast reading met something unusual; careful reading decides what it is."""


@dataclass(frozen=True)
class Cut:
    """Rows of a table: where each cell starts and ends in the text, its kind, and the lines of the rows."""

    raw: bytes
    starts: NDArray[np.integer[Any]]
    ends: NDArray[np.integer[Any]]
    kinds: NDArray[np.uint8]
    lines: IntArray
    plain: Callable[[str], str]  # what an odd cell says

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.starts.shape[0]

    @property
    def cells(self) -> tuple[Any, ...]:
        """What kernels take."""
        return np.frombuffer(self.raw, np.uint8), self.starts, self.ends, self.kinds

    @property
    def eights(self) -> NDArray[np.uint64]:
        """The eight bytes from each place on, as one number."""
        return eights_of(self.raw)

    def cell(self, i: int, j: int) -> str:
        """Return one cell as a string."""
        said = self.raw[self.starts[i, j] : self.ends[i, j]].decode()
        return self.plain(said) if self.kinds[i, j] == _ODD else said

    def texts(self, j: int) -> list[str]:
        """Return a column as strings."""
        codes = np.empty((self.n_rows, 1))
        (firsts,), (size,) = self._number([j], _FEW_WORDS, codes)
        if size >= 0:  # most columns have few words: each is made once
            words = np.array(self._words(j, firsts[:size]), object)
            repeated: list[str] = words[codes[:, 0].astype(np.int64)].tolist()
            return repeated
        raw, ends = self.raw, self.ends[:, j].tolist()
        found = [raw[start:end].decode() for start, end in zip(self.starts[:, j].tolist(), ends)]
        for i in np.flatnonzero(self.kinds[:, j] == _ODD).tolist():
            found[i] = self.plain(found[i])
        return found

    def numbered(self, j: int) -> tuple[IntArray, list[str]]:
        """Return a column as codes of its different texts, and these in the order in which they appear."""
        codes = np.empty((self.n_rows, 1))
        (firsts,), (size,) = self._number([j], max(self.n_rows, 1), codes)
        return codes[:, 0].astype(np.int64), self._words(j, firsts[:size])

    def _words(self, j: int, rows: IntArray) -> list[str]:
        return [self.cell(i, j) for i in rows.tolist()]

    def numbers(
        self,
        columns: Sequence[int],
        values: NDArray[np.float64],
        read: Callable[[int, int, str], float | None],
        wanted: NDArray[np.bool_] | None = None,
        missing: str | None = "",
    ) -> NDArray[np.bool_]:
        """Read columns of numbers into ``values``; return which of them are numbers throughout.

        ``read(i, k, cell)`` reads a cell that the compiled loop does not; None gives the column up. ``missing`` is the
        cell that means NaN, the empty one or one character.
        """
        wanted = np.ones(len(columns), bool) if wanted is None else wanted.copy()
        if not len(columns):
            return wanted
        chosen, at, n_cells = np.array(columns, np.int64), 0, self.n_rows * len(columns)
        loop, cells = _kernels.data.numbers.read_numbers, self.cells
        sign = -1 if missing is None else ord(missing or "\0")
        while (at := loop(*cells, chosen, wanted, at, values, sign)) < n_cells:
            i, k = divmod(at, len(columns))
            found = read(i, k, self.cell(i, columns[k]))
            wanted[k] = found is not None
            values[i, k] = np.nan if found is None else found
            at = at + 1 if wanted.any() else n_cells
        return wanted

    def look_up(
        self, columns: Sequence[int], values: NDArray[np.float64], words: Words, read: Callable[[int, int, str], float]
    ) -> None:
        """Read columns of declared texts into ``values``, as their places; ``read`` as in :meth:`numbers`."""
        chosen, at, n_cells = np.array(columns, np.int64), 0, self.n_rows * len(columns)
        loop, cells = _kernels.data.words.find_words, self.cells
        while (at := loop(*cells, self.eights, chosen, words.wanted, at, values, words.tables)) < n_cells:
            i, k = divmod(at, len(columns))
            values[i, k] = read(i, k, self.cell(i, columns[k]))
            at += 1

    def codes(
        self, columns: Sequence[int], values: NDArray[np.float64], order: Callable[[list[str]], tuple[str, ...]]
    ) -> list[tuple[str, ...]]:
        """Read columns of texts into ``values``, as their places among those that ``order`` makes of the ones found.

        A text that ``order`` leaves out becomes NaN. Returns the texts of each column.
        """
        firsts, sizes = self._number(columns, _FEW_WORDS, values)
        tables, found = np.full((len(columns), _FEW_WORDS), np.nan), []
        for k, j in enumerate(columns):
            has_few = sizes[k] >= 0
            own, words = ((), self._words(j, firsts[k, : sizes[k]])) if has_few else self.numbered(j)
            found.append(order(words))
            place = {word: float(p) for p, word in enumerate(found[-1])}
            table = np.array([place.get(word, np.nan) for word in words])
            if has_few:
                tables[k, : sizes[k]] = table
            else:
                values[:, k] = table[own]
        _kernels.data.words.translate(values, tables, sizes >= 0)
        return found

    def _number(self, columns: Sequence[int], n_words: int, codes: NDArray[np.float64]) -> tuple[IntArray, IntArray]:
        """Number the texts of columns in ``codes``; return the rows of the first of each, and how many there are."""
        slots = np.full((len(columns), 2 << (n_words - 1).bit_length()), -1, np.int32)
        keys, sizes = np.empty(slots.shape, np.uint64), np.zeros(len(columns), np.int64)
        firsts = np.empty((len(columns), n_words), np.int64)
        chosen = np.array(columns, np.int64)
        _kernels.data.words.number_words(*self.cells, self.eights, chosen, slots, keys, firsts, sizes, codes)
        return firsts, sizes


def eights_of(raw: bytes) -> NDArray[np.uint64]:
    """Return the eight bytes from each place on, as one number."""
    return np.ndarray(max(len(raw) - 7, 0), np.uint64, raw if len(raw) > 7 else bytes(8), strides=(1,))


def cut_rows(
    raw: bytes, at: int, line: int, width: int, delimiter: str, rules: str, plain: Callable[[str], str], *, whole: bool
) -> Iterator[Cut]:
    """Cut a text into rows of ``width`` cells from ``at`` on, in one piece or block by block.

    Parameters
    ----------
    raw : bytes
        UTF-8 with line feeds only, and one at the end, as :func:`truepath.files.utf8.read_utf8` gives it.
    at, line : int
        Where the first row starts, and the number of its line.
    width : int
    delimiter : str
    rules : {"csv", "arff"}
    plain : callable
        What a cell with escapes says, by the same rules.
    whole : bool
        Whether all rows come in one piece, with arrays of their own; the arrays of a block are used again.

    Raises
    ------
    CannotReadQuickly
        At a row with another number of cells, or with something unusual.
    """
    if len(delimiter) != 1 or not delimiter.isascii() or width == 0 or sys.byteorder != "little":
        raise CannotReadQuickly
    most = raw.count(b"\n", at)
    n_rows = max(most, 1) if whole else max(1, min(most, _CELLS // width))
    kind = np.int32 if len(raw) < 2**31 else np.int64
    starts, ends = np.empty((n_rows, width), kind), np.empty((n_rows, width), kind)
    kinds, lines = np.empty((n_rows, width), np.uint8), np.empty(n_rows, np.int64)
    text, eights, loop = np.frombuffer(raw, np.uint8), eights_of(raw), _kernels.data.cells.cut_cells
    is_arff = rules == "arff"
    while at < len(raw):
        at, line, found, is_well = loop(text, eights, at, line, ord(delimiter), is_arff, starts, ends, kinds, lines)
        if not is_well:
            raise CannotReadQuickly
        if found:
            yield Cut(raw, starts[:found], ends[:found], kinds[:found], lines[:found], plain)


def _n_slots(n_words: int) -> int:
    """Return a power of two: with few texts there is room for many slots, so that hardly two want the same."""
    return (16 if n_words < _FEW_SLOTS else 2) << max(n_words, 1).bit_length()


@dataclass(frozen=True)
class Words:
    """The declared texts of some columns, in hash tables."""

    wanted: NDArray[np.bool_]
    tables: tuple[Any, ...]


def declare(columns: Sequence[Sequence[str]]) -> Words:
    """Put the texts of each column into hash tables; a column without any is not looked up."""
    words = [word.encode() for column in columns for word in column]
    ends = np.cumsum([len(word) for word in words], dtype=np.int64)
    starts = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    first_word = np.cumsum([0, *map(len, columns)], dtype=np.int64)
    first_slot = np.cumsum([0, *(_n_slots(len(column)) for column in columns)], dtype=np.int64)
    slots = np.full(first_slot[-1], -1, np.int64)
    keys, pool = np.empty(slots.size, np.uint64), np.frombuffer(b"".join(words) or b" ", np.uint8)
    tables = (pool, starts, ends, first_word, first_slot, slots, keys)
    _kernels.data.words.declare_words(*tables)
    return Words(np.array([len(column) > 0 for column in columns]), tables)

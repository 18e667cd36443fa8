"""Sparse rows, ``{3 1.5,7 red}``: index and value of what is not zero (or not the first declared value).

MULAN and MEKA count columns from 0, CLUS from 1. As with dense rows, fast reading is tried first; if it fails,
careful reading follows, which names the line at fault.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.data.readers.arff.cells import MISSING, NAN, ArffTable, read_number
from truepath.data.readers.arff.header import Arff, split_cells
from truepath.data.tables.cut import CannotReadQuickly


def read_sparse(arff: Arff, columns: tuple[int, ...], first_index: int) -> ArffTable:
    """Read sparse rows; ``columns`` are the attributes that become numbers, the first numbered ``first_index``."""
    for line, number in zip(arff.lines, arff.numbers):
        if line[0] != "{" or line[-1] != "}":
            raise arff.error(f"a sparse row must be in braces, {{index value, ...}}, not {line[:30]!r}.", number)
    try:
        counts, indices, cells = _entries_quickly(arff, first_index)
    except (CannotReadQuickly, ValueError, OverflowError):
        counts, indices, cells = _entries_carefully(arff, first_index)
    rows = np.repeat(np.arange(len(arff.lines)), counts)
    _refuse_bad_indices(arff, rows, indices, first_index)
    return _table_of_entries(arff, columns, rows, indices, cells)


def _entries_quickly(arff: Arff, first_index: int) -> tuple[list[int], NDArray[np.int64], list[str]]:
    """Read ``{3 1.5,7 red}`` as tokens in pairs: exactly one blank inside an entry and none around."""
    bodies = [line[1:-1] for line in arff.lines]
    counts = [body.count(",") + 1 if body else 0 for body in bodies]
    joined = ",".join(body for body in bodies if body)
    if "'" in joined or '"' in joined or joined.count(" ") != sum(counts) or "\t" in joined or not joined.isascii():
        raise CannotReadQuickly
    if not all(" " in entry for entry in joined.split(",") if joined):
        raise CannotReadQuickly
    tokens = joined.replace(" ", ",").split(",") if joined else []
    if not all(tokens) or not all(map(str.isdigit, tokens[0::2])):
        raise CannotReadQuickly
    return counts, np.array(tokens[0::2], dtype=np.int64) - first_index, tokens[1::2]


def _entries_carefully(arff: Arff, first_index: int) -> tuple[list[int], NDArray[np.int64], list[str]]:
    counts, indices, cells = [], [], []
    for line, number in zip(arff.lines, arff.numbers):
        body = line[1:-1].strip()
        entries = [_cut_entry(entry, arff, number) for entry in _raw_entries(body)] if body else []
        counts.append(len(entries))
        indices += [index - first_index for index, _ in entries]
        cells += [cell for _, cell in entries]
    return counts, np.array(indices, dtype=np.int64), cells


def _raw_entries(body: str) -> list[str]:
    if "'" not in body and '"' not in body:
        return body.split(",")
    entries: list[str] = []
    for piece in body.split(","):  # a comma inside quotes does not end an entry
        unfinished = entries and (entries[-1].count("'") % 2 or entries[-1].count('"') % 2)
        if unfinished:
            entries[-1] += "," + piece
        else:
            entries.append(piece)
    return entries


def _cut_entry(entry: str, arff: Arff, number: int) -> tuple[int, str]:
    parts = entry.split(None, 1)
    if len(parts) != 2 or not (parts[0].isascii() and parts[0].isdigit()) or len(parts[0]) > 9:
        raise arff.error(f"{entry.strip()[:40]!r} is not an 'index value' pair of a sparse row.", number)
    return int(parts[0]), split_cells(parts[1])[0] if parts[1][0] in "'\"" else parts[1].strip()


def _refuse_bad_indices(arff: Arff, rows: NDArray[np.int64], indices: NDArray[np.int64], first_index: int) -> None:
    width = len(arff.attributes)
    outside = np.flatnonzero((indices < 0) | (indices >= width))
    if outside.size:
        at = outside[0]
        raise arff.error(
            f"index {indices[at] + first_index} in a sparse row; {width} attributes are numbered "
            f"{first_index} to {first_index + width - 1}.",
            arff.numbers[rows[at]],
        )
    keys = np.sort(rows * width + indices)
    twice = keys[1:][keys[1:] == keys[:-1]]
    if twice.size:
        row, index = divmod(int(twice[0]), width)
        raise arff.error(f"index {index + first_index} occurs twice in this sparse row.", arff.numbers[row])


def _table_of_entries(
    arff: Arff, columns: tuple[int, ...], rows: NDArray[np.int64], indices: NDArray[np.int64], cells: list[str]
) -> ArffTable:
    place = np.full(len(arff.attributes), -1)
    place[list(columns)] = np.arange(len(columns))
    texts = {j: [""] * len(arff.lines) for j in range(len(arff.attributes)) if place[j] < 0}
    for at in np.flatnonzero(place[indices] < 0) if texts else ():
        texts[int(indices[at])][rows[at]] = cells[at]
    kept = np.flatnonzero(place[indices] >= 0)
    data = _entry_values(arff, rows, indices, cells)[kept]
    shape = (len(arff.lines), len(columns))
    values = sparse.csr_array((data, (rows[kept], place[indices[kept]])), shape=shape, dtype=np.float64)
    values.eliminate_zeros()  # a zero written out means the same as one left out
    values.sort_indices()
    return ArffTable(columns, values, texts)


def _entry_values(
    arff: Arff, rows: NDArray[np.int64], indices: NDArray[np.int64], cells: list[str]
) -> NDArray[np.float64]:
    """Read the value of every entry; entries of text columns come out as NaN and are not used."""
    numbers = _Numbers({MISSING: NAN})
    nothing: dict[str, float] = defaultdict(lambda: NAN)
    readers = [
        {MISSING: NAN, **a.codes} if a.kind == "nominal" else numbers if a.kind == "numeric" else nothing
        for a in arff.attributes
    ]
    try:
        return np.array([readers[j][cell] for j, cell in zip(indices.tolist(), cells)], dtype=np.float64)
    except (KeyError, ValueError):
        for i, j, cell in zip(rows.tolist(), indices.tolist(), cells):
            if readers[j] is not nothing:
                read_number(cell, arff.attributes[j], arff, arff.numbers[i])  # says what is wrong, and where
        raise


class _Numbers(dict[str, float]):
    """A memory of the numbers read so far, shared by all numeric columns."""

    def __missing__(self, cell: str) -> float:
        if "_" in cell or not cell.isascii():
            raise ValueError(cell)
        self[cell] = number = float(cell)
        return number

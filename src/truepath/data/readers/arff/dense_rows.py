"""Dense rows, one cell per attribute: large tables by compiled loops, others by splitting lines.

Whatever is unusual is read once more with care, cell by cell, which names the line at fault.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truepath.data.readers.arff.cells import MISSING, NAN, ArffTable, read_number
from truepath.data.readers.arff.header import Arff, Attribute, split_cells, unquote
from truepath.data.tables import cut

__all__ = ["read_dense"]


def read_dense(arff: Arff, columns: tuple[int, ...]) -> ArffTable:
    """Read dense rows; ``columns`` are the attributes that become numbers."""
    try:
        return _dense_compiled(arff, columns) if len(arff.body) >= cut.LARGE else _dense_quickly(arff, columns)
    except (cut.CannotReadQuickly, ValueError, KeyError):
        return _dense_carefully(arff, columns)


def _dense_compiled(arff: Arff, columns: tuple[int, ...]) -> ArffTable:
    """Read a large table by compiled loops, a block of rows at a time."""
    attributes, raw, start = arff.attributes, arff.body.raw, arff.body.start
    is_number = np.array([attributes[j].kind == "numeric" for j in columns])
    words = cut.declare([attributes[j].values for j in columns])
    texts: dict[int, list[str]] = {j: [] for j in range(len(attributes)) if j not in set(columns)}
    values, done = np.empty((raw.count(b"\n", start), len(columns))), 0
    for block in cut.cut_rows(raw, start, arff.first_line, len(attributes), ",", "cut_arff", unquote, whole=False):
        part, lines = values[done : done + block.n_rows], block.lines

        def read(i: int, k: int, cell: str, lines: cut.IntArray = lines) -> float:
            return read_number(cell, attributes[columns[k]], arff, int(lines[i]))

        if is_number.any():
            block.numbers(columns, part, read, is_number, missing=MISSING)
        if words.wanted.any():
            block.look_up(columns, part, words, read)
        for j, column in texts.items():
            column += block.texts(j)
        done += block.n_rows
    return ArffTable(columns, values[:done], texts)


def _dense_quickly(arff: Arff, columns: tuple[int, ...]) -> ArffTable:
    lines, width = arff.lines, len(arff.attributes)
    if set(map(_count_commas, lines)) != {width - 1} or any("'" in line or '"' in line for line in lines):
        raise cut.CannotReadQuickly
    values = np.empty((len(lines), len(columns)))
    numeric = [k for k, j in enumerate(columns) if arff.attributes[j].kind == "numeric"]
    if numeric:
        values[:, numeric] = _numbers(lines, [columns[k] for k in numeric])
    others = [j for j, a in enumerate(arff.attributes) if a.kind != "numeric"]
    if others == [width - 1]:  # only the class line at the end: no need to cut the rest
        return ArffTable(columns, values, _last_column(arff, values))
    cells = ",".join(lines).split(",")
    for k, j in enumerate(columns):
        if arff.attributes[j].kind == "nominal":
            values[:, k] = _codes(cells[j::width], arff.attributes[j])
    return ArffTable(columns, values, {j: cells[j::width] for j in others if j not in columns})


def _last_column(arff: Arff, values: NDArray[np.float64]) -> dict[int, list[str]]:
    last, cells = len(arff.attributes) - 1, [line[line.rfind(",") + 1 :] for line in arff.lines]
    if arff.attributes[last].kind != "nominal":
        return {last: cells}
    values[:, -1] = _codes(cells, arff.attributes[last])
    return {}


def _count_commas(line: str) -> int:
    return line.count(",")


def _numbers(lines: list[str], columns: list[int]) -> NDArray[np.float64]:
    # ",?" -> ",nan" leaves a cell such as "?x" unreadable, as it should be
    named = [line.replace(",?", ",nan") if line[0] != "?" else "nan" + line[1:].replace(",?", ",nan") for line in lines]
    return np.loadtxt(named, delimiter=",", usecols=columns, comments=None, ndmin=2)


def _codes(cells: list[str], attribute: Attribute) -> list[float]:
    codes: dict[str, float] = {MISSING: NAN, **attribute.codes}
    return [codes[cell] for cell in cells]


def _dense_carefully(arff: Arff, columns: tuple[int, ...]) -> ArffTable:
    texts: dict[int, list[str]] = {j: [] for j in range(len(arff.attributes)) if j not in columns}
    values = np.empty((len(arff.lines), len(columns)))
    for i, (line, number) in enumerate(zip(arff.lines, arff.numbers)):
        cells = split_cells(line)
        if line[0] == "{" or len(cells) != len(arff.attributes):
            raise arff.error(
                f"a sparse row among dense ones: {line[:30]!r}."
                if line[0] == "{"
                else f"{len(cells)} values in this row, {len(arff.attributes)} attributes in the header.",
                number,
            )
        values[i] = [read_number(cells[j], arff.attributes[j], arff, number) for j in columns]
        for j, column in texts.items():
            column.append(cells[j])
    return ArffTable(columns, values, texts)

"""Dense rows, ``1.5,?,red``.

There are two ways: a quick one that turns whole blocks into numbers, and a careful one, cell by cell, which is
asked only when the quick one stumbles and which either reads the rows (quotes, blanks) or says where and why they
cannot be read.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truepath.data.readers.arff.cells import MISSING, NAN, ArffTable, CannotReadQuickly, read_number
from truepath.data.readers.arff.header import Arff, Attribute, split_cells

__all__ = ["read_dense"]


def read_dense(arff: Arff, columns: tuple[int, ...]) -> ArffTable:
    """Read dense rows; ``columns`` are the attributes that become numbers."""
    try:
        return _dense_quickly(arff, columns)
    except (CannotReadQuickly, ValueError, KeyError):
        return _dense_carefully(arff, columns)


def _dense_quickly(arff: Arff, columns: tuple[int, ...]) -> ArffTable:
    lines, width = arff.lines, len(arff.attributes)
    if set(map(_count_commas, lines)) != {width - 1} or any("'" in line or '"' in line for line in lines):
        raise CannotReadQuickly
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

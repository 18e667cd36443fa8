"""A slow, obvious reader of unquoted ARFF files, to hold the real one against."""

from __future__ import annotations

import lzma
import math
from pathlib import Path


def read_plainly(path: Path, first_index: int) -> tuple[list[list[str]], list[list[object]]]:
    """Give the attributes as [name, type] and every row as a full list of numbers, codes and texts."""
    lines = [line.strip() for line in lzma.decompress(path.read_bytes()).decode().split("\n")]
    at = next(i for i, line in enumerate(lines) if line.lower() == "@data")
    attributes = [line.split(None, 2)[1:] for line in lines[:at] if line.lower().startswith("@attribute")]
    rows = [line for line in lines[at + 1 :] if line and not line.startswith("%")]
    return attributes, [_row(line, attributes, first_index) for line in rows]


def _row(line: str, attributes: list[list[str]], first_index: int) -> list[object]:
    if not line.startswith("{"):
        return [_value(cell, kind) for cell, (_, kind) in zip(line.split(","), attributes, strict=True)]
    cells: list[object] = [0.0] * len(attributes)
    for entry in filter(None, line[1:-1].split(",")):
        index, cell = entry.split()
        place = int(index) - first_index
        cells[place] = _value(cell, attributes[place][1])
    return cells


def _value(cell: str, kind: str) -> object:
    if cell == "?":
        return math.nan
    if kind.startswith("{"):
        return float([value.strip() for value in kind[1 : kind.rindex("}")].split(",")].index(cell))
    return float(cell) if kind.lower() == "numeric" else cell

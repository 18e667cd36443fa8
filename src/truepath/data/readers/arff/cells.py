"""One cell of an ARFF row, and the table that all cells make.

Nominal values become their codes (0 for the first declared value), as floats; missing values (``?``) are NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.data.readers.arff.header import Arff, Attribute

MISSING = "?"
NAN = float("nan")


@dataclass(frozen=True)
class ArffTable:
    """The columns of numbers and codes, and beside them the columns that stay text."""

    columns: tuple[int, ...]  # which attributes the columns of ``values`` are
    values: NDArray[np.float64] | sparse.csr_array[Any]
    texts: dict[int, list[str]]


def read_number(cell: str, attribute: Attribute, arff: Arff, line: int) -> float:
    """Read one cell: a number, the code of a nominal value, or NaN for ``?``."""
    if cell == MISSING:
        return NAN
    if attribute.kind == "nominal":
        if cell not in attribute.codes:
            known = ", ".join(attribute.values[:8]) + (", …" if len(attribute.values) > 8 else "")
            raise arff.error(f"{cell[:40]!r} is not a declared value of {attribute.name!r} ({known}).", line)
        return attribute.codes[cell]
    try:
        if "_" in cell or not cell.isascii():  # float() also accepts 1_000 and non-ASCII digits
            raise ValueError
        return float(cell)
    except ValueError:
        raise arff.error(f"{cell[:40]!r} is not a number (attribute {attribute.name!r}).", line) from None

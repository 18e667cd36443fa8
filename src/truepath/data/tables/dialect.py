"""How a text table is written: what separates its cells, found from its first lines, and decimal commas."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["DELIMITERS", "guess_delimiter", "with_point"]

#: What may separate cells, the usual one first
DELIMITERS = (",", ";", "\t", "|")

_DECIMAL_COMMA = re.compile(r"\s*[-+]?(\d+,\d*|,\d+)([eE][-+]?\d+)?\s*")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


def guess_delimiter(lines: Sequence[str]) -> str:
    r"""Return what separates the cells of a table: the sign that its first lines have equally often.

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

    >>> with_point("-0,5e3", ";"), with_point("1,2,3", ";"), with_point("1,234", ",")
    ('-0.5e3', '1,2,3', '1,234')
    """
    return cell.replace(",", ".") if delimiter != "," and _DECIMAL_COMMA.fullmatch(cell) else cell

"""Lines with tabs to cells: no quotes, no escapes, and lines may be longer or shorter than expected."""

from __future__ import annotations

import numpy as np

from truepath._kernels.data.cells import find_end
from truepath._kernels.jit import kernel

_LINE, _RETURN = 10, 13
_ONES = np.uint64(0x0101010101010101)


@kernel
def cut_tabs(text, eights, at, line, delimiter, comment, starts, ends, widths, lines):
    """Cut rows from ``at`` on until the arrays are full; return the next position and line, rows, and lines skipped.

    Empty lines and those that begin with the character ``comment`` are skipped. ``widths`` are the numbers of cells of
    each row, of which the first ``starts.shape[1]`` are written; cells that a row lacks are empty.
    """
    size, width = text.size, starts.shape[1]
    delimiters, row, skipped = np.uint64(delimiter) * _ONES, 0, 0
    while at < size and row < starts.shape[0]:
        if text[at] == _LINE or text[at] == comment or (text[at] == _RETURN and text[at + 1] == _LINE):
            while text[at] != _LINE:
                at += 1
            skipped += 1
        else:
            column = 0
            while True:
                start = at
                at = find_end(text, eights, at, delimiters)
                is_last = text[at] == _LINE
                if column < width:
                    end = at - 1 if is_last and at > start and text[at - 1] == _RETURN else at
                    starts[row, column], ends[row, column] = start, end
                column += 1
                if is_last:
                    break
                at += 1
            for k in range(column, width):
                starts[row, k], ends[row, k] = at, at
            widths[row], lines[row] = column, line
            row += 1
        at += 1
        line += 1
    return at, line, row, skipped

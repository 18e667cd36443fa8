"""Text to cells: where each cell of a table starts and ends, by the rules of CSV and of ARFF.

The text is UTF-8 with line feeds only, and ends with one; ``eights[at]`` are the eight bytes from ``at`` on. A cell is
*plain*, or *quoted* (its ends lie inside the quotes), or *odd*: it has escapes in it, or blanks beyond ASCII around it,
and is left to Python. Rows are cut until the arrays are full or the text ends; at a row that is not as expected cutting
stops.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner, kernel, part

PLAIN, QUOTED, ODD = 0, 1, 2

_LINE, _QUOTE, _APOSTROPHE, _BLANK, _TAB = 10, 34, 39, 32, 9
_BACKSLASH, _PERCENT, _BRACE = 92, 37, 123

_ONE, _ONES, _TOPS = np.uint64(1), np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_LINES = np.uint64(_LINE) * _ONES
_UNIQUE, _HIGH = np.uint64(0x4080C14181C1), np.uint64(61)  # the eight top bits, times this, differ in three bits
_PLACES = np.zeros(8, np.int64)
for _byte in range(8):
    _PLACES[(((1 << (8 * _byte + 7)) * int(_UNIQUE)) % 2**64) >> 61] = _byte


@kernel
def cut_cells(text, eights, at, line, delimiter, is_arff, starts, ends, kinds, lines):
    """Cut rows from ``at`` on; return the next position, the next line, the number of rows, and whether all was well.

    By the rules of CSV, lines without a character are skipped; by those of ARFF blank lines and comments (``%``), and
    a row in braces is not as expected.
    """
    size, width = text.size, starts.shape[1]
    delimiters, row = np.uint64(delimiter) * _ONES, 0
    while at < size and row < starts.shape[0]:
        begin, first = at, line
        if is_arff:
            at = _skip_blanks(text, at)
        if text[at] == _LINE or (is_arff and text[at] == _PERCENT):
            while text[at] != _LINE:
                at += 1
            at += 1
            line += 1
            continue
        if is_arff and (text[at] == _BRACE or _may_be_blank(text, at)):
            return begin, first, row, False
        column, is_open = 0, True
        while is_open and column < width:
            if is_arff:
                start, end, at, kind = _cut_arff_cell(text, eights, at, delimiter, delimiters)
            else:
                start, end, at, line, kind = _cut_csv_cell(text, eights, at, line, delimiter, delimiters)
            if kind < 0:
                return begin, first, row, False
            starts[row, column], ends[row, column], kinds[row, column] = start, end, kind
            column += 1
            is_open = text[at] != _LINE
            at += 1
        if is_open or column != width:
            return begin, first, row, False
        lines[row] = first
        row += 1
        line += 1
    return at, line, row, True


@part
def _cut_csv_cell(text, eights, at, line, delimiter, delimiters):
    """Return where a cell starts and ends without quotes, the delimiter or line feed after it, the line, its kind.

    A quote opens a cell only as its first character; a doubled one in it stands for itself.
    """
    if text[at] != _QUOTE:
        end = find_end(text, eights, at, delimiters)
        return at, end, end, line, PLAIN
    end, line, kind = _close_quote(text, at, line)
    if kind >= 0 and text[end + 1] != delimiter and text[end + 1] != _LINE:
        kind = -1
    return at + 1, end, end + 1, line, kind


@inner
def _close_quote(text, at, line):
    """Return where a quoted cell closes, the line there, and its kind; -1 if it does not close."""
    kind = QUOTED
    at += 1
    while at < text.size:
        if text[at] == _QUOTE:
            if at + 1 < text.size and text[at + 1] == _QUOTE:
                kind = ODD
                at += 1
            else:
                return at, line, kind if at + 1 < text.size else -1
        elif text[at] == _LINE:
            line += 1
        at += 1
    return at, line, -1


@inner
def _cut_arff_cell(text, eights, at, delimiter, delimiters):
    """Return where a cell starts and ends without blanks and quotes, the delimiter or line feed after it, its kind.

    A quote opens a cell as its first character and closes at the next of its kind; a backslash in it makes it odd.
    """
    at = _skip_blanks(text, at)
    start, kind = at, PLAIN
    if text[at] == _QUOTE or text[at] == _APOSTROPHE:
        close = at + 1
        while text[close] != text[at] and text[close] != _LINE:
            if text[close] == _BACKSLASH:
                kind = ODD
                if text[close + 1] != _LINE:
                    close += 1
            close += 1
        if kind == ODD and text[close] == _LINE:
            return start, close, close, -1  # whether the backslash or the quote counts is not decided here
        if text[close] == text[at]:
            after = _skip_blanks(text, close + 1)
            if kind == PLAIN and (text[after] == delimiter or text[after] == _LINE):
                return start + 1, close, after, QUOTED
            at = close + 1
        kind = ODD  # something follows the quote, or it does not close
    at = find_end(text, eights, at, delimiters)
    end = at
    while end > start and (text[end - 1] == _BLANK or text[end - 1] == _TAB):
        end -= 1
    if end > start and (_may_be_blank(text, start) or _may_end_blank(text, start, end)):
        kind = ODD
    return start, end, at, kind


@inner
def find_end(text, eights, at, delimiters):
    """Return the next delimiter or line feed from ``at`` on, eight bytes at a time as long as there are eight.

    A byte of ``x`` is zero where the sign is; the lowest of the top bits of ``(x - 1) & ~x`` stands in the first one.
    """
    while at < eights.size:
        signs, ends = eights[at] ^ delimiters, eights[at] ^ _LINES
        found = (((signs - _ONES) & ~signs) | ((ends - _ONES) & ~ends)) & _TOPS
        if found:
            return at + _PLACES[((found & (~found + _ONE)) * _UNIQUE) >> _HIGH]
        at += 8
    delimiter = np.uint8(delimiters & np.uint64(255))
    while text[at] != delimiter and text[at] != _LINE:
        at += 1
    return at


@inner
def _skip_blanks(text, at):
    while text[at] == _BLANK or text[at] == _TAB:
        at += 1
    return at


@inner
def _may_be_blank(text, at):
    """Whether a character may be a blank of Unicode or a rare one of ASCII."""
    c = text[at]
    return c == 11 or c == 12 or (28 <= c <= 31) or c == 0xC2 or (0xE1 <= c <= 0xE3)


@inner
def _may_end_blank(text, start, end):
    """Whether the last character of a cell may be such a blank."""
    c = text[end - 1]
    if c < 0x80:
        return c == 11 or c == 12 or (28 <= c <= 31)
    return (end - start >= 2 and text[end - 2] == 0xC2) or (end - start >= 3 and 0xE1 <= text[end - 3] <= 0xE3)

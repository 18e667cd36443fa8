"""Decimal text to the nearest double, as Python's ``float`` reads it, bit for bit.

Up to 19 digits ``w`` and a power of ten ``q`` are read. If both are small, ``w * 10**q`` is exact in one operation
(W. Clinger, PLDI 1990). Otherwise the product of ``w`` and a 128-bit power of five decides (D. Lemire, "Number parsing
at a gigabyte per second", Software: Practice and Experience 51(8), 2021, algorithm 1). What neither decides, numbers
with more digits, subnormals and overflow are left to Python.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner, kernel

NUMBER_READ, NUMBER_MISSING, NUMBER_ODD = 0, 1, 2

_LEAST, _MOST = -342, 308  # powers of ten that the table holds


def _power_of_five(q: int) -> int:
    """Return the 128 leading bits of 5**q, rounded up for a reciprocal."""
    if q >= 0:
        power = 5**q
        shift = power.bit_length() - 128
        return power >> shift if shift > 0 else power << -shift
    power = 5**-q
    bits = power.bit_length()
    bits -= power == 1 << (bits - 1)  # the least z with 2**z >= power
    found = 2 ** (bits + 127 if q >= -27 else 2 * bits + 128) // power + 1
    return found >> max(found.bit_length() - 128, 0)


_POWERS = [_power_of_five(q) for q in range(_LEAST, _MOST + 1)]
_HIGH = np.array([power >> 64 for power in _POWERS], np.uint64)
_LOW = np.array([power & (2**64 - 1) for power in _POWERS], np.uint64)
_TENS = np.array([10.0**k for k in range(23)])  # exact

_ONE, _TWO, _THREE = np.uint64(1), np.uint64(2), np.uint64(3)
_HALF, _LAST = np.uint64(32), np.uint64(63)
_HALF_MASK, _ALL = np.uint64(2**32 - 1), np.uint64(2**64 - 1)
_UNSURE = np.uint64(2**9 - 1)  # bits below the 55 that are needed
_NINE, _TOP, _BELOW_TOP = np.uint64(9), np.uint64(2**53), np.uint64(2**52 - 1)
_HIDDEN, _FRACTION = np.uint64(2**52), np.uint64(52)
_SHIFTS = np.array([32, 16, 8, 4, 2, 1], np.uint64)
_ALL_DIGITS = 19

_BLANK, _TAB, _PLUS, _MINUS, _POINT, _ZERO, _DIGIT_9 = 32, 9, 43, 45, 46, 48, 57


@inner
def _multiply(a, b):
    """Return the high and the low half of a product of 64-bit numbers."""
    a0, a1, b0, b1 = a & _HALF_MASK, a >> _HALF, b & _HALF_MASK, b >> _HALF
    low, middle = a0 * b0, a1 * b0
    middle += low >> _HALF  # cannot overflow: (2**32 - 1)**2 + 2**32 - 1 < 2**64
    other = a0 * b1 + (middle & _HALF_MASK)
    return a1 * b1 + (middle >> _HALF) + (other >> _HALF), a * b


@inner
def _to_bits(w, q):
    """Return the bits of the double nearest to w * 10**q, and whether that is certain; w is not 0."""
    zeros = np.uint64(0)
    for shift in _SHIFTS:
        if w >> (np.uint64(64) - shift) == 0:
            w = w << shift
            zeros += shift
    high, low = _multiply(w, _HIGH[q - _LEAST])
    if high & _UNSURE == _UNSURE:
        more, _ = _multiply(w, _LOW[q - _LEAST])
        low = low + more
        if more > low:
            high += _ONE
        if low == _ALL and not -27 <= q <= 55:
            return np.uint64(0), False
    upper = high >> _LAST
    cut = upper + _NINE
    mantissa = high >> cut
    power = (((152170 + 65536) * q) >> 16) + 63 + np.int64(upper) - np.int64(zeros) + 1023
    if power <= 0 or power >= 2046:  # subnormal, or near overflow
        return np.uint64(0), False
    if low <= _ONE and -4 <= q <= 23 and mantissa & _THREE == _ONE and mantissa << cut == high:
        mantissa = mantissa - _ONE  # a tie: to even
    mantissa = (mantissa + (mantissa & _ONE)) >> _ONE
    if mantissa >= _TOP:
        mantissa = _HIDDEN
        power += 1
    return (mantissa & _BELOW_TOP) | (np.uint64(power) << _FRACTION), True


@inner
def _read_digits(text, at, end):
    """Read digits with a point among them; return position, digits as a number, power of ten, digits seen and used."""
    w, q, n_seen, n_used = np.uint64(0), 0, 0, 0
    after_point = 0
    while at < end:
        c = text[at]
        if _ZERO <= c <= _DIGIT_9:
            n_seen += 1
            if n_used or c != _ZERO:
                n_used += 1
                if n_used <= _ALL_DIGITS:
                    w = w * np.uint64(10) + np.uint64(c - _ZERO)
            q -= after_point
        elif c == _POINT and not after_point:
            after_point = 1
        else:
            break
        at += 1
    return at, w, q, n_seen, n_used


@inner
def _read_exponent(text, at, end):
    """Read what follows an e; return position and exponent, or -1 if there are no digits or very many."""
    sign = 1
    if at < end and (text[at] == _PLUS or text[at] == _MINUS):
        sign = -1 if text[at] == _MINUS else 1
        at += 1
    exponent, first = 0, at
    while at < end and _ZERO <= text[at] <= _DIGIT_9 and at - first < 6:
        exponent = exponent * 10 + np.int64(text[at] - _ZERO)
        at += 1
    return at if at > first else -1, sign * exponent


@inner
def _is_nan(text, at, end):
    return end - at == 3 and text[at] | 32 == 110 and text[at + 1] | 32 == 97 and text[at + 2] | 32 == 110


@inner
def read_number(text, start, end, bits):
    """Read the number in ``text[start:end]`` into ``bits[0]``; return whether it is read, missing or odd."""
    while start < end and (text[start] == _BLANK or text[start] == _TAB):
        start += 1
    while start < end and (text[end - 1] == _BLANK or text[end - 1] == _TAB):
        end -= 1
    if start == end:
        return NUMBER_MISSING
    at, sign = start, np.uint64(0)
    if text[at] == _PLUS or text[at] == _MINUS:
        sign = np.uint64(text[at] == _MINUS)
        at += 1
    at, w, q, n_seen, n_used = _read_digits(text, at, end)
    if n_seen == 0:
        bits[0] = np.uint64(0x7FF8000000000000)
        return NUMBER_READ if _is_nan(text, start, end) else NUMBER_ODD
    if at < end and text[at] | 32 == 101:
        at, exponent = _read_exponent(text, at + 1, end)
        q += exponent
    if at != end or n_used > _ALL_DIGITS:
        return NUMBER_ODD
    return _round(w, q, sign, bits)


@inner
def _round(w, q, sign, bits):
    """Put the double nearest to ``w * 10**q`` into ``bits[0]``."""
    if w == 0:
        bits[0] = sign << _LAST
        return NUMBER_READ
    if w < _TOP and -22 <= q <= 22:
        number = np.float64(w)
        number = number * _TENS[q] if q >= 0 else number / _TENS[-q]
        bits.view(np.float64)[0] = number
        bits[0] |= sign << _LAST
        return NUMBER_READ
    if q < _LEAST or q > _MOST:
        return NUMBER_ODD
    found, is_certain = _to_bits(w, q)
    bits[0] = found | sign << _LAST
    return NUMBER_READ if is_certain else NUMBER_ODD


@kernel
def read_numbers(text, starts, ends, kinds, columns, wanted, at, values, missing):
    """Read the cells of the wanted columns from cell ``at`` on, row by row; stop at a cell that Python has to read.

    Returns the number of that cell, or of all; ``values[i, k]`` is cell (i, columns[k]). ``missing`` is the character
    that alone means NaN; 0 if an empty cell does, and -1 if nothing does.
    """
    bits = np.empty(1, np.uint64)
    number = bits.view(np.float64)
    width = columns.size
    i, k = at // width, at % width
    while i < starts.shape[0]:
        j = columns[k]
        if wanted[k]:
            found = NUMBER_ODD
            if kinds[i, j] != 2:
                found = read_number(text, starts[i, j], ends[i, j], bits)
            is_sign = missing > 0 and ends[i, j] == starts[i, j] + 1 and text[starts[i, j]] == missing
            if found == NUMBER_READ:
                values[i, k] = number[0]
            elif is_sign or (found == NUMBER_MISSING and missing == 0):
                values[i, k] = np.nan
            else:
                return i * width + k
        k += 1
        if k == width:
            i, k = i + 1, 0
    return i * width

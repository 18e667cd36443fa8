"""Packed numbers come back as they were."""

from __future__ import annotations

import base64

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from truepath.report.explorer.packing import pack_counts, pack_numbers, pack_rows, pack_shares


def unpack(text):
    """Read numbers one byte after the other, as the page's script does."""
    numbers, value, shift = [], 0, 0
    for byte in base64.b64decode(text):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    return numbers


@given(st.lists(st.integers(0, 2**40)))
def test_numbers_come_back(numbers):
    assert unpack(pack_numbers(numbers)) == numbers


@given(st.lists(st.sets(st.integers(0, 300)), max_size=6))
def test_rows_come_back(rows):
    indptr = np.cumsum([0, *map(len, rows)])
    packed = pack_rows(indptr, np.array([v for row in rows for v in sorted(row)], np.int32))
    steps, found = iter(unpack(packed["steps"])), []
    for size in unpack(packed["sizes"]):
        found.append(np.cumsum([next(steps) for _ in range(size)]).tolist())
    assert found == [sorted(row) for row in rows]


def test_counts_and_shares():
    counts = np.array([[0, 3, 0], [200, 0, 1]])
    packed = pack_counts(counts)
    flat = np.zeros(6, int)
    flat[np.cumsum(unpack(packed["steps"]))] = unpack(packed["counts"])
    assert flat.tolist() == counts.ravel().tolist()
    shares = np.frombuffer(base64.b64decode(pack_shares(np.array([-1.0, 0.25, 3.0]), -1, 3)), "<u2")
    assert shares.tolist() == [0, 20480, 65535]

"""Walks over dense label matrices, 64 rows at a time: a node's labels in them are the bits of one word."""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner, kernel

WORD = 64


@kernel
def raise_flags(Y, parent_ptr, parent_idx):
    """In place: every label gets its ancestors. O(n_samples * n_nodes), the walk itself a 64th of it."""
    words = np.empty(Y.shape[1], np.uint64)
    for start in range(0, Y.shape[0], WORD):
        rows = Y[start : start + WORD]
        _pack(rows, words)
        for v in range(words.size - 1, -1, -1):  # children before parents
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                words[parent_idx[k]] |= words[v]
        _unpack(words, rows)


@kernel
def cap_flags(Y, parent_ptr, parent_idx):
    """In place: labels without all of their ancestors are dropped."""
    words = np.empty(Y.shape[1], np.uint64)
    for start in range(0, Y.shape[0], WORD):
        rows = Y[start : start + WORD]
        _pack(rows, words)
        for v in range(words.size):  # parents before children
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                words[v] &= words[parent_idx[k]]
        _unpack(words, rows)


@inner
def _pack(rows, words):
    """Make bit i of a node's word the label of row i; whatever is not 0 is a label."""
    words[:] = 0
    for i in range(rows.shape[0]):
        row, shift = rows[i], np.uint64(i)
        for v in range(words.size):
            words[v] |= np.uint64(row[v] != 0) << shift


@inner
def _unpack(words, rows):
    """Write the bits back as 0 and 1."""
    for i in range(rows.shape[0]):
        row, shift = rows[i], np.uint64(i)
        for v in range(words.size):
            row[v] = np.uint8((words[v] >> shift) & np.uint64(1))

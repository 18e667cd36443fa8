"""Co-occurrence counts of 0/1 columns kept as bit-sets: one bit per row, 64 rows per word, one popcount per pair.

A column of ``n`` rows takes ``ceil(n / 64)`` words, so a count of "both set, within this slice of the data" reads
``3 n / 64`` words. The arrays are ``(n_columns, n_words)`` of uint64; bits beyond row ``n`` are zero.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.cutset.popcount import popcount
from truepath._kernels.jit import kernel


@kernel
def pack_columns(Z):
    """Return the bit-sets of the columns of a uint8 matrix of 0 and 1."""
    n_rows, n_columns = Z.shape
    bits = np.zeros((n_columns, (n_rows + 63) // 64), np.uint64)
    for i in range(n_rows):
        word, bit = i // 64, np.uint64(i % 64)
        for j in range(n_columns):
            bits[j, word] |= np.uint64(Z[i, j]) << bit
    return bits


@kernel
def count_columns(bits, mask):
    """Return, for every column, how many rows of the slice ``mask`` have it set."""
    counts = np.empty(bits.shape[0], np.int64)
    for j in range(bits.shape[0]):
        total = np.uint64(0)
        for w in range(mask.size):
            total += popcount(bits[j, w] & mask[w])
        counts[j] = total
    return counts


@kernel
def count_pairs(bits, mask, n_first, counts):
    """Fill ``counts[a, b]``: rows of the slice with columns ``a < n_first`` and ``b`` both set; O(pairs * rows / 64).

    Only pairs with ``a < n_first`` are counted, each once; the square block of the first columns is mirrored.
    """
    n_columns, n_words = bits.shape
    masked = np.empty(n_words, np.uint64)
    for a in range(n_first):
        for w in range(n_words):
            masked[w] = bits[a, w] & mask[w]
        for b in range(a, n_columns):
            total = np.uint64(0)
            for w in range(n_words):
                total += popcount(masked[w] & bits[b, w])
            counts[a, b] = total
            if b < n_first:
                counts[b, a] = total

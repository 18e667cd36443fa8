"""Words of a table to small numbers: by a list of declared ones, or in the order in which they appear.

Each column has a hash table of its own, with open addressing: a slot holds the number of a word, or -1, and its key.
The key of a word of up to seven bytes is these bytes, which are not zero: most words are the same if their keys are.
The keys of longer words, and of words with escapes, have the top bit set, and the words themselves are compared.
``eights[at]`` are the eight bytes of a text from ``at`` on, the first of them the least.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner, kernel

_SEED, _PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)  # FNV-1a
_SPREAD, _BYTE, _HALF, _LAST = np.uint64(11400714819323198485), np.uint64(8), np.uint64(32), np.uint64(63)
_TOP = np.uint64(2**63)
_MASKS = np.array([256**size - 1 for size in range(8)], np.uint64)
_QUESTION = 63


@inner
def _key(text, start, end):
    if end - start <= 7:
        key = np.uint64(0)
        for at in range(end - 1, start - 1, -1):
            key = key << _BYTE | np.uint64(text[at])
        return key
    key, shift = _SEED, np.uint64(0)
    for at in range(start, end):
        key ^= np.uint64(text[at]) << shift
        shift = (shift + _BYTE) & _LAST
        if shift == 0:
            key = _mix(key)
    return _mix(key) | _TOP


@inner
def _mix(key):
    key *= _PRIME
    return key ^ key >> _HALF


@inner
def _key_at_once(text, eights, start, end):
    """Return the same key, eight bytes at a time; near the end of the text there are no eight."""
    if end >= eights.size:
        return _key(text, start, end)
    if end - start <= 7:
        return eights[start] & _MASKS[end - start]
    key = _SEED
    while start + 8 <= end:
        key = _mix(key ^ eights[start])
        start += 8
    return _mix(key ^ (eights[start] & _MASKS[end - start])) | _TOP


@inner
def _slot(key, mask):
    return np.int64((key * _SPREAD) >> _HALF) & mask


@inner
def _is_same(text, start, end, other, other_start, other_end):
    if end - start != other_end - other_start:
        return False
    for k in range(end - start):  # noqa: SIM110 - numba compiles no generators
        if text[start + k] != other[other_start + k]:
            return False
    return True


@kernel
def declare_words(pool, word_starts, word_ends, first_word, first_slot, slots, keys):
    """Fill the hash tables of all columns; column k has the words ``first_word[k]:first_word[k + 1]`` of the pool.

    Its slots are ``first_slot[k]:first_slot[k + 1]``, a power of two of them. Of a repeated word the first counts.
    """
    for k in range(first_word.size - 1):
        mask = first_slot[k + 1] - first_slot[k] - 1
        for word in range(first_word[k], first_word[k + 1]):
            start, end = word_starts[word], word_ends[word]
            key = _key(pool, start, end)
            place = _slot(key, mask)
            while True:
                slot = first_slot[k] + place
                other = slots[slot]
                if other < 0:
                    slots[slot], keys[slot] = word, key
                    break
                if keys[slot] == key and _is_same(pool, start, end, pool, word_starts[other], word_ends[other]):
                    break
                place = (place + 1) & mask


@kernel
def find_words(text, starts, ends, kinds, eights, columns, wanted, at, values, words):
    """Look the cells of the wanted columns up from cell ``at`` on, row by row; stop at one that is not found.

    Returns the number of that cell, or of all; ``values[i, k]`` becomes the place of cell (i, columns[k]) among the
    words of column k, NaN for a question mark. ``words`` are the arguments of :func:`declare_words`, which filled them.
    """
    pool, word_starts, word_ends, first_word, first_slot, slots, keys = words
    width = columns.size
    i, k = at // width, at % width
    while i < starts.shape[0]:
        if wanted[k]:
            j = columns[k]
            start, end = starts[i, j], ends[i, j]
            if kinds[i, j] == 2:
                return i * width + k
            if end - start == 1 and text[start] == _QUESTION:
                values[i, k] = np.nan
            else:
                first, mask = first_slot[k], first_slot[k + 1] - first_slot[k] - 1
                key = _key_at_once(text, eights, start, end)
                slot = first + _slot(key, mask)
                word = slots[slot]
                while word >= 0 and not (
                    keys[slot] == key
                    and (key < _TOP or _is_same(text, start, end, pool, word_starts[word], word_ends[word]))
                ):
                    slot = first + ((slot - first + 1) & mask)
                    word = slots[slot]
                if word < 0:
                    return i * width + k
                values[i, k] = word - first_word[k]
        k += 1
        if k == width:
            i, k = i + 1, 0
    return i * width


@kernel
def number_words(text, starts, ends, kinds, eights, columns, slots, keys, firsts, n_words, codes):
    """Number the words of each column as they appear; ``codes[i, k]`` is that of cell (i, columns[k]).

    ``firsts[k]`` are the rows of the first appearances. A column with more words than there is room for is given up:
    ``n_words[k]`` becomes -1. Two cells with the same characters differ if only one of them has escapes.
    """
    mask = slots.shape[1] - 1
    for i in range(starts.shape[0]):
        for k in range(columns.size):
            if n_words[k] < 0:
                continue
            j = columns[k]
            start, end, is_odd = starts[i, j], ends[i, j], kinds[i, j] == 2
            key = _key_at_once(text, eights, start, end)
            if is_odd:
                key |= _TOP
            slot = _slot(key, mask)
            word = slots[k, slot]
            while word >= 0:
                if keys[k, slot] == key:
                    if key < _TOP:
                        break
                    first = firsts[k, word]
                    if is_odd == (kinds[first, j] == 2) and _is_same(
                        text, start, end, text, starts[first, j], ends[first, j]
                    ):
                        break
                slot = (slot + 1) & mask
                word = slots[k, slot]
            if word < 0:
                word = n_words[k]
                if word == firsts.shape[1]:
                    n_words[k] = -1
                    continue
                slots[k, slot], keys[k, slot] = word, key
                firsts[k, word] = i
                n_words[k] = word + 1
            codes[i, k] = word


@kernel
def translate(values, tables, wanted):
    """Replace ``values[i, k]`` by the entry of row k of the tables that it is the place of, in the wanted columns."""
    for i in range(values.shape[0]):
        for k in range(values.shape[1]):
            if wanted[k]:
                values[i, k] = tables[k, np.int64(values[i, k])]

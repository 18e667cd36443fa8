"""Walks over label graphs: ancestors of label sets, and the first place where a matrix breaks the hierarchy."""

from __future__ import annotations

import numpy as np

from truepath._kernels.arrays import copy_first, sort_numbers
from truepath._kernels.hierarchy.propagate import SIDE, set_side_by_side
from truepath._kernels.jit import inner, kernel

# A row with fewer labels than n_nodes / SCAN_WORDS is sorted; a fuller one is read off the flags, eight at a time
SCAN_WORDS = 64


@kernel
def close_rows(indptr, indices, parent_ptr, parent_idx):
    """Return CSR arrays of the rows with all ancestors added, sorted. O(edges above the labels) per row."""
    n_rows, n_nodes = indptr.size - 1, parent_ptr.size - 1
    closed_indptr = np.zeros(n_rows + 1, np.int64)
    closed = np.empty(max(indices.size * 4, n_nodes), np.int32)
    words = np.zeros((n_nodes + 7) // 8, np.uint64)
    marked = words.view(np.uint8)  # one flag per node
    for i in range(n_rows):
        start = closed_indptr[i]
        if closed.size < start + n_nodes:
            closed = _grow(closed, start, n_nodes)
        row = closed[start : start + n_nodes]
        size = _mark_ancestors(indices[indptr[i] : indptr[i + 1]], parent_ptr, parent_idx, marked, row)
        if size * SCAN_WORDS < n_nodes:
            sort_numbers(row[:size])
            for j in range(size):
                marked[row[j]] = 0
        else:
            _read_off(words, marked, row)
        closed_indptr[i + 1] = start + size
    return closed_indptr, closed[: closed_indptr[n_rows]].copy()


@kernel
def _grow(buffer, used, more):
    """Return a buffer of at least twice the size with the first `used` entries kept."""
    larger = np.empty(2 * (used + more), buffer.dtype)
    copy_first(buffer, used, larger)
    return larger


@inner
def _mark_ancestors(labels, parent_ptr, parent_idx, marked, queue):
    """Flag the labels and all their ancestors, list them in `queue`, and return their number."""
    size = 0
    for v in labels:
        if not marked[v]:
            marked[v] = 1
            queue[size] = v
            size += 1
    done = 0
    while done < size:
        v = queue[done]
        done += 1
        for k in range(parent_ptr[v], parent_ptr[v + 1]):
            u = parent_idx[k]
            if not marked[u]:
                marked[u] = 1
                queue[size] = u
                size += 1
    return size


@inner
def _read_off(words, marked, row):
    """Write the flagged nodes to `row` in ascending order and clear the flags."""
    size = 0
    for w in range(words.size):
        if words[w]:
            for v in range(8 * w, 8 * w + 8):
                if marked[v]:
                    row[size] = v
                    size += 1
            words[w] = 0


@kernel
def find_unclosed_dense(Y, parent_ptr, parent_idx):
    """Return (rows broken, first row, its label, the missing parent); zeros and -1 when all is closed."""
    broken, row, child, parent = 0, -1, -1, -1
    for i in range(Y.shape[0]):
        is_broken = False
        for v in range(Y.shape[1]):
            if Y[i, v]:
                for k in range(parent_ptr[v], parent_ptr[v + 1]):
                    if not Y[i, parent_idx[k]]:
                        if broken == 0 and not is_broken:
                            row, child, parent = i, v, parent_idx[k]
                        is_broken = True
        broken += is_broken
    return broken, row, child, parent


@kernel
def find_unclosed_rows(indptr, indices, parent_ptr, parent_idx):
    """Return the same as :func:`find_unclosed_dense`, for the rows of a CSR matrix."""
    seen = np.full(parent_ptr.size - 1, -1, np.int64)
    broken, row, child, parent = 0, -1, -1, -1
    for i in range(indptr.size - 1):
        is_broken = False
        for k in range(indptr[i], indptr[i + 1]):
            seen[indices[k]] = i
        for k in range(indptr[i], indptr[i + 1]):
            v = indices[k]
            for p in range(parent_ptr[v], parent_ptr[v + 1]):
                if seen[parent_idx[p]] != i:
                    if broken == 0 and not is_broken:
                        row, child, parent = i, v, parent_idx[p]
                    is_broken = True
        broken += is_broken
    return broken, row, child, parent


@kernel
def find_incoherent_dense(S, parent_ptr, parent_idx, tolerance):
    """Return (rows broken, first row, node, parent) where a score exceeds its parent's by more than `tolerance`."""
    broken, row, child, parent = 0, -1, -1, -1
    block, is_broken = np.empty((S.shape[1], SIDE), S.dtype), np.empty(SIDE, np.bool_)
    for start in range(0, S.shape[0], SIDE):
        rows = S[start : start + SIDE]
        n_side = rows.shape[0]
        set_side_by_side(rows, block)
        is_broken[:] = False
        for v in range(S.shape[1]):
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                own, above = block[v], block[parent_idx[k]]
                for j in range(n_side):
                    is_broken[j] |= own[j] > above[j] + tolerance
        for j in range(n_side):
            if is_broken[j] and broken == 0:
                row = start + j
                child, parent = _first_incoherent(S[row], parent_ptr, parent_idx, tolerance)
            broken += is_broken[j]
    return broken, row, child, parent


@inner
def _first_incoherent(scores, parent_ptr, parent_idx, tolerance):
    """Return the first node of a row with a score above a parent's, and that parent."""
    for v in range(scores.size):
        for k in range(parent_ptr[v], parent_ptr[v + 1]):
            if scores[v] > scores[parent_idx[k]] + tolerance:
                return v, parent_idx[k]
    return -1, -1


@kernel
def mark_incoherent(S, parent_ptr, parent_idx, tolerance, is_broken):
    """Set for each row whether a score exceeds its parent's by more than `tolerance`."""
    block = np.empty((S.shape[1], SIDE), S.dtype)
    is_broken[:] = False
    for start in range(0, S.shape[0], SIDE):
        rows, found = S[start : start + SIDE], is_broken[start : start + SIDE]
        set_side_by_side(rows, block)
        for v in range(S.shape[1]):
            for k in range(parent_ptr[v], parent_ptr[v + 1]):
                own, above = block[v], block[parent_idx[k]]
                for j in range(found.size):
                    found[j] |= own[j] - above[j] > tolerance


@kernel
def find_incoherent_rows(indptr, indices, data, parent_ptr, parent_idx, tolerance):
    """Return the same as :func:`find_incoherent_dense`, for the rows of a CSR matrix (absent = 0)."""
    n_nodes = parent_ptr.size - 1
    value = np.zeros(n_nodes, data.dtype)
    broken, row, child, parent = 0, -1, -1, -1
    for i in range(indptr.size - 1):
        is_broken = False
        for k in range(indptr[i], indptr[i + 1]):
            value[indices[k]] = data[k]
        for k in range(indptr[i], indptr[i + 1]):
            v = indices[k]
            for p in range(parent_ptr[v], parent_ptr[v + 1]):
                if data[k] > value[parent_idx[p]] + tolerance:
                    if broken == 0 and not is_broken:
                        row, child, parent = i, v, parent_idx[p]
                    is_broken = True
        for k in range(indptr[i], indptr[i + 1]):
            value[indices[k]] = 0
        broken += is_broken
    return broken, row, child, parent

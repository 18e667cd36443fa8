"""Scores of labels by the linear classifiers of their columns: all of them, or the best few by best-first search.

``X`` is (data, indices, indptr) of CSR rows. ``W`` is (ptr, columns, values, intercept): the weights of feature f are
those from ptr[f] to ptr[f + 1], columns ascending. ``parents`` is (ptr, idx) of columns; parents come before children.
A column's score is its own classifier's, multiplied by the least score of a parent (``multiplies``) or capped by it.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.arrays import copy_first
from truepath._kernels.jit import inner, kernel
from truepath._kernels.linear.node_models import LOGISTIC


@inner
def _probability(z, loss):
    """Return the sigmoid of a logistic score, or exp(-loss) of a squared hinge (Prabhu et al. 2018)."""
    if loss == LOGISTIC:
        return 1.0 / (1.0 + np.exp(-z))
    gap = max(0.0, 1.0 - z)
    return np.exp(-gap * gap)


@inner
def _under_parents(own, c, parents, scores, multiplies):
    """Return a column's score, given its own probability and the scores of its parents."""
    most = 1.0
    for p in range(parents[0][c], parents[0][c + 1]):
        most = min(most, scores[parents[1][p]])
    return own * most if multiplies else min(own, most)


@kernel
def score_rows(X, W, parents, node_of, loss, multiplies, out):
    """Set out[i, v] to the score of label v in row i. O(weights of the features that each row has + columns)."""
    data, indices, indptr = X
    ptr, columns, values, intercept = W
    scores = np.empty(intercept.size)
    for i in range(indptr.size - 1):
        copy_first(intercept, intercept.size, scores)
        for e in range(indptr[i], indptr[i + 1]):
            x, start, stop = np.float64(data[e]), ptr[indices[e]], ptr[indices[e] + 1]
            if stop - start == intercept.size:  # the same sums, several columns at a time
                for c in range(intercept.size):
                    scores[c] += x * values[start + c]
                continue
            for t in range(start, stop):
                scores[columns[t]] += x * values[t]
        for c in range(intercept.size):
            scores[c] = _under_parents(_probability(scores[c], loss), c, parents, scores, multiplies)
            if node_of[c] >= 0:
                out[i, node_of[c]] = scores[c]


@inner
def _comes_first(a, b, scores, node_of):
    """Say whether column a is taken before b: by its score, then by its label's number."""
    return scores[a] > scores[b] or (scores[a] == scores[b] and node_of[a] < node_of[b])


@inner
def _push(heap, size, c, scores, node_of):
    """Put a column on the heap; return its new size."""
    at = size
    while at > 0 and _comes_first(c, heap[(at - 1) // 2], scores, node_of):
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = c
    return size + 1


@inner
def _pop(heap, size, scores, node_of):
    """Take the first column from the heap, which becomes one smaller; return it."""
    top, last = heap[0], heap[size - 1]
    at, n = 0, size - 1
    while 2 * at + 1 < n:
        below = 2 * at + 1
        if below + 1 < n and _comes_first(heap[below + 1], heap[below], scores, node_of):
            below += 1
        if not _comes_first(heap[below], last, scores, node_of):
            break
        heap[at] = heap[below]
        at = below
    heap[at] = last
    return top


@inner
def _first_at_least(columns, low, high, c):
    """Return the first place from low to high whose column is c or above."""
    while low < high:
        middle = (low + high) // 2
        if columns[middle] < c:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def _score_range(X, i, W, first, last, loss, own):
    """Set the own probabilities of the columns from first to last in row i."""
    data, indices, indptr = X
    ptr, columns, values, intercept = W
    for c in range(first, last):
        own[c] = intercept[c]
    for e in range(indptr[i], indptr[i + 1]):
        stop = ptr[indices[e] + 1]
        x = np.float64(data[e])
        t = _first_at_least(columns, ptr[indices[e]], stop, first)
        while t < stop and columns[t] < last:
            own[columns[t]] += x * values[t]
            t += 1
    for c in range(first, last):
        own[c] = _probability(own[c], loss)


@inner
def _open_children(u, children, parents, loss_of, own, scores, waiting, node_of, heap, size):
    """Push the children of u whose parents have all been taken; return the heap's new size."""
    for e in range(children[0][u], children[0][u + 1]):
        c = children[1][e]
        waiting[c] -= 1
        if waiting[c] == 0:
            scores[c] = _under_parents(own[c], c, parents, scores, loss_of)
            if scores[c] > 0.0:
                size = _push(heap, size, c, scores, node_of)
    return size


@kernel
def find_best(X, W, parents, children, ranges, depth, node_of, wanted, k, beam, loss, multiplies):
    """Return how many labels each row gets, their numbers and scores, best first: the k best that are ``wanted``.

    A column is scored when its home is taken from the queue, and taken when no column with a better score is left, so
    that nothing below a label is scored before the label is due. At most ``beam`` columns of a depth are looked below.
    Entry 0 of ``ranges`` and of ``children`` is about the top, entry c + 1 about column c.
    """
    n_samples, n_columns = X[2].size - 1, node_of.size
    found, labels = np.zeros(n_samples, np.int64), np.empty(n_samples * k, np.int32)
    values = np.empty(n_samples * k)
    own, scores, heap = np.empty(n_columns), np.empty(n_columns), np.empty(n_columns, np.int32)
    waiting, n_parents, deepest = np.empty(n_columns, np.int32), np.empty(n_columns, np.int32), 0
    for c in range(n_columns):
        waiting[c] = n_parents[c] = max(parents[0][c + 1] - parents[0][c], 1)
        deepest = max(deepest, depth[c])
    looked, touched = np.zeros(deepest + 2, np.int64), np.empty(n_columns + 1, np.int32)
    end = 0
    for i in range(n_samples):
        looked[:] = 0
        n_touched, size, u = 0, np.int64(0), -1
        while True:
            level = depth[u] + 1 if u >= 0 else 0
            if looked[level] < beam and children[0][u + 1] < children[0][u + 2]:
                looked[level] += 1
                touched[n_touched] = u + 1
                n_touched += 1
                _score_range(X, i, W, ranges[u + 1], ranges[u + 2], loss, own)
                size = _open_children(u + 1, children, parents, multiplies, own, scores, waiting, node_of, heap, size)
            if size == 0 or found[i] == k:
                break
            u = _pop(heap, size, scores, node_of)
            size -= 1
            if node_of[u] >= 0 and wanted[node_of[u]]:
                labels[end], values[end] = node_of[u], scores[u]
                found[i] += 1
                end += 1
        for t in range(n_touched):
            for e in range(children[0][touched[t]], children[0][touched[t] + 1]):
                waiting[children[1][e]] = n_parents[children[1][e]]
    return found, labels[:end].copy(), values[:end].copy()

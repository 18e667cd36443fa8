"""What a round does to the probabilities of all labels: sums over leaves, steps, and the sketch of what is left.

Probabilities are kept as they are, float32, and moved by factors: where the odds of a label are multiplied by f, its
probability p becomes p f / (1 + p (f - 1)). That is one division a cell, no exponential.

A *sketch* (Iosipoi & Vakhrushev, 2022) is a few numbers per row that stand for its gradients y - p of all labels: each
label is added, with a random sign and the root of its weight, to a random one of a few cells. Sums of squares over
cells are, on average over the draws, the weighted sums of squares over labels: all that the search for a split asks.
Labels are first added up ``FOLDED`` apart, which processors do several at a time, then the folds are dealt to cells.

Labels come in blocks of a multiple of ``FOLDED``, filled up with labels of probability and weight zero. Where a row
does not train a label, its probability is zero too: it adds nothing to any sum, and no step moves it.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner, kernel, vector

#: Numbers per row: cells of the sketch, and last the row's weight; as many as a processor adds at once
LANES = 8
#: Labels this far apart are added up first
FOLDED = 64
#: Rows added up in single precision, before the sum is kept in double
ROWS_AT_A_TIME = 64
ONE = np.float32(1.0)
#: Probabilities stay this far from 0 and 1: no label is given up for good
LEAST = np.float32(1e-7)
MOST = np.float32(1.0 - 1e-6)


@vector
def _fold(p, signs, folds):
    """In place: folds[q] += the signed probabilities of labels q, q + FOLDED, ..."""
    for first in range(0, p.size, FOLDED):
        for q in range(FOLDED):
            folds[q] += signs[first + q] * p[first + q]


@vector
def _move(p, factors):
    """In place: multiply the odds of a row's labels; a probability of zero stays zero."""
    for j in range(p.size):
        moved = p[j] * factors[j]
        p[j] = min(max(moved / (ONE - p[j] + moved), min(p[j], LEAST)), MOST)


@inner
def _deal(folds, cell_of, weight, sketch):
    """In place: take the folds of a row away from its cells."""
    for q in range(FOLDED):
        sketch[cell_of[q]] -= weight * folds[q]


@kernel
def sketch_rows(P, weight, signs, cell_of, sketch):
    """In place: sketch[i] -= the sketch of the probabilities of row i, times its weight."""
    folds = np.empty(FOLDED, np.float32)
    for i in range(len(P)):
        folds[:] = 0
        _fold(P[i], signs, folds)
        _deal(folds, cell_of, weight[i], sketch[i])


@kernel
def move_rows(P, leaf_of, factors, weight, signs, cell_of, sketch):
    """In place: multiply the odds of each row by its leaf's factors; sketch what comes of it as :func:`sketch_rows`."""
    folds = np.empty(FOLDED, np.float32)
    for i in range(len(P)):
        _move(P[i], factors[leaf_of[i]])
        folds[:] = 0
        _fold(P[i], signs, folds)
        _deal(folds, cell_of, weight[i], sketch[i])


@kernel
def sketch_labels(indptr, indices, weight, signs, cell_of, sketch):
    """In place: sketch[i] += the sketch of the labels that row i has, times its weight."""
    for i in range(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):
            v = indices[k]
            sketch[i, cell_of[v % FOLDED]] += weight[i] * signs[v]


@vector
def _add_row(p, weight, sums, curvatures):
    """In place: add a row's probabilities, and p (1 - p), times its weight."""
    for j in range(p.size):
        sums[j] += weight * p[j]
        curvatures[j] += weight * p[j] * (ONE - p[j])


@kernel
def sum_leaves(P, weight, order, start, sums, curvatures):
    """In place: add the weighted sums of p and p (1 - p) over the rows of each leaf: order[start[t]:start[t + 1]]."""
    width = P.shape[1]
    some, some_curved = np.empty(width, np.float32), np.empty(width, np.float32)
    for t in range(start.size - 1):
        for first in range(start[t], start[t + 1], ROWS_AT_A_TIME):
            some[:] = 0
            some_curved[:] = 0
            for k in range(first, min(first + ROWS_AT_A_TIME, start[t + 1])):
                _add_row(P[order[k]], weight[order[k]], some, some_curved)
            for j in range(width):
                sums[t, j] += some[j]
                curvatures[t, j] += some_curved[j]


@kernel
def count_labels(indptr, indices, weight, leaf_of, counts):
    """In place: add the weight of the rows of each leaf that have each label."""
    for i in range(indptr.size - 1):
        for k in range(indptr[i], indptr[i + 1]):
            counts[leaf_of[i], indices[k]] += weight[i]

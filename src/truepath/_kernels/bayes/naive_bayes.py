"""Log-likelihoods of naive Bayes, node by node; a missing value adds nothing."""

from __future__ import annotations

import math

from truepath._kernels.jit import kernel


@kernel
def sum_gaussian(X, columns, weights, members, count, total, squares):
    """Add up, for each node and listed column, the weight, the sum and the sum of squares of the rows that belong.

    `members` is the label matrix. The results have the shape (n_nodes, n_columns).
    """
    for i in range(X.shape[0]):
        for v in range(members.shape[1]):
            if members[i, v]:
                for k in range(columns.size):
                    x = X[i, columns[k]]
                    if not math.isnan(x):
                        count[v, k] += weights[i]
                        total[v, k] += weights[i] * x
                        squares[v, k] += weights[i] * x * x


@kernel
def add_gaussian(X, columns, mean, precision, constant, S):
    """Add sum over features of log N(x; mean, 1/precision) to S; `constant` is half the log of precision / 2 pi."""
    for i in range(X.shape[0]):
        for v in range(S.shape[1]):
            of_cell = 0.0
            for k in range(columns.size):
                x = X[i, columns[k]]
                if not math.isnan(x):
                    off = x - mean[v, k]
                    of_cell += constant[v, k] - 0.5 * off * off * precision[v, k]
            S[i, v] += of_cell


@kernel
def count_categories(codes, weights, members, offsets, counts):
    """Count each category (numbered through all features from `offsets`) in each node; -1 is missing."""
    for i in range(codes.shape[0]):
        for k in range(codes.shape[1]):
            if codes[i, k] >= 0:
                row = offsets[k] + codes[i, k]
                for v in range(members.shape[1]):
                    if members[i, v]:
                        counts[row, v] += weights[i]


@kernel
def add_categories(codes, offsets, log_share, S):
    """Add the log-probabilities of the categories to S."""
    for i in range(codes.shape[0]):
        for k in range(codes.shape[1]):
            if codes[i, k] >= 0:
                row = offsets[k] + codes[i, k]
                for v in range(S.shape[1]):
                    S[i, v] += log_share[row, v]

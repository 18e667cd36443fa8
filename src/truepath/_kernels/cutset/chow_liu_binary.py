"""Chow-Liu trees of binary variables: the case of the cutset paper, with loops that run several lanes at once.

A variable owns one column, or none if it has one state only, so ``pairs[a, b]`` and ``columns[b]`` are counts of "both
one" and "one". Probabilities are made where they are needed: (count + strength * prior) / (n_rows + strength). Inner
loops start at 0: otherwise an index might be negative, and what the compiler adds for that case stops the lanes.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.cutset.logarithm import log_or_zero, xlogx
from truepath._kernels.jit import vector


@vector
def smooth_columns(columns, prior, n_rows, strength, p, entropy):
    """Write P(column is one) and its entropy."""
    for b in range(columns.size):
        p[b] = (columns[b] + strength * prior[b]) / (n_rows + strength)
    for b in range(columns.size):
        entropy[b] = -xlogx(p[b]) - xlogx(1.0 - p[b])


@vector
def fill_row(pairs, prior, n_rows, strength, p_a, entropy_a, p, entropy, information):
    """Write the mutual information of one column ``a`` with those that the arrays speak of."""
    for b in range(information.size):
        p11 = (pairs[b] + strength * prior[b]) / (n_rows + strength)
        p10, p01 = p_a - p11, p[b] - p11
        h = xlogx(p11) + xlogx(p10) + xlogx(p01) + xlogx(1.0 - p11 - p10 - p01)
        information[b] = entropy_a + entropy[b] + h


@vector
def fill_information(pairs, prior, n_rows, strength, p, entropy, information):
    """Write the mutual information of the first columns, the rows of ``pairs``, with all later ones; mirrored."""
    for a in range(pairs.shape[0]):
        information[a, a] = 0.0
        for b in range(a):
            information[a, b] = information[b, a]
        fill_row(
            pairs[a, a + 1 :], prior[a, a + 1 :], n_rows, strength, p[a], entropy[a], p[a + 1 :], entropy[a + 1 :],
            information[a, a + 1 :],
        )  # fmt: skip


@vector
def spread(found, offset, n_first):
    """Return the information of variables from that of columns; a variable without a column has none."""
    n_variables = offset.size - 1
    information = np.zeros((n_first, n_variables))
    for u in range(n_first):
        for v in range(n_variables):
            if offset[u] < offset[u + 1] and offset[v] < offset[v + 1]:
                information[u, v] = found[offset[u], offset[v]]
    return information


@vector
def learn_information(pairs, columns, n_rows, prior_pairs, prior_columns, strength, offset, n_first, p):
    """Return the mutual information of the first variables with all; write the smoothed P(column is one)."""
    entropy, found = np.empty(p.size), np.empty(pairs.shape)
    smooth_columns(columns, prior_columns, n_rows, strength, p, entropy)
    fill_information(pairs, prior_pairs, n_rows, strength, p, entropy, found)
    return found if p.size == offset.size - 1 else spread(found, offset, n_first)


@vector
def gather_edges(parent, order, size, pairs, columns, n_rows, prior, strength, offset, p, counts, shares):
    """Write for every edge u -> v how often, and how probably, both are one, u is and v is; return how many edges.

    A root, and a child of a variable of one state, count as the child of one that is always one.
    """
    n_edges = 0
    for i in range(size):
        v = order[i]
        u = parent[v]
        b = offset[v]
        if offset[v + 1] == b:  # one state: nothing to learn
            continue
        counts[2, n_edges], shares[2, n_edges] = columns[b], p[b]
        if u < 0 or offset[u] == offset[u + 1]:
            counts[0, n_edges], counts[1, n_edges] = columns[b], n_rows
            shares[0, n_edges], shares[1, n_edges] = p[b], 1.0
        else:
            a = offset[u]
            counts[0, n_edges], counts[1, n_edges] = pairs[a, b], columns[a]
            shares[0, n_edges], shares[1, n_edges] = (pairs[a, b] + strength * prior[a, b]) / (n_rows + strength), p[a]
        n_edges += 1
    return n_edges


@vector
def fill_terms(n_both, n_u, n_v, p_both, p_u, p_v, n_rows, terms):
    """Write the log-likelihood of v given u of every edge."""
    for i in range(terms.size):
        n11, p11 = n_both[i], p_both[i]
        n10, p10 = n_u[i] - n11, p_u[i] - p11
        n01, p01 = n_v[i] - n11, p_v[i] - p11
        joint = n11 * log_or_zero(p11) + n10 * log_or_zero(p10) + n01 * log_or_zero(p01)
        joint += (n_rows - n11 - n10 - n01) * log_or_zero(1.0 - p11 - p10 - p01)
        terms[i] = joint - n_u[i] * log_or_zero(p_u[i]) - (n_rows - n_u[i]) * log_or_zero(1.0 - p_u[i])


@vector
def tree_log_likelihood(parent, order, size, pairs, columns, n_rows, prior, strength, offset, p):
    """Return the log-likelihood of the counted rows under the tree with smoothed parameters."""
    counts, shares, terms = np.empty((3, size)), np.empty((3, size)), np.empty(size)
    n_edges = gather_edges(
        parent, order, size, pairs, columns, n_rows, prior, strength, offset, p, counts, shares
    )  # fmt: skip
    fill_terms(counts[0], counts[1], counts[2], shares[0], shares[1], shares[2], n_rows, terms[:n_edges])
    total = 0.0
    for i in range(n_edges):
        total += terms[i]
    return total

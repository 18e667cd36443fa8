"""How likely each label is true among how many: sums over label sets, as polynomials in the number of labels.

A polynomial is held by its values at points on the unit circle, real parts in [0, q] and imaginary ones in [1, q].
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner, kernel


@inner
def keep_labels(x, parent_ptr, parent_idx, least, s, node, place, up):
    """Return how many labels of a row score at least `least`; they get places in order of their numbers.

    node[j] <- the label at place j, s[j] <- its score, no higher than its parents', up[j] <- the place of its least
    likely parent, -1 on top; place[v] <- the place of label v, -1 where it is left out.
    """
    m = 0
    for v in range(x.size):
        score, above = min(x[v], 1.0), -1
        for e in range(parent_ptr[v], parent_ptr[v + 1]):
            u = place[parent_idx[e]]
            if u < 0:
                score = 0.0
            elif above < 0 or s[u] < s[above]:
                above = u
        if above >= 0:
            score = min(score, s[above])
        place[v] = -1
        if score >= least:
            node[m], s[m], up[m], place[v] = v, score, above, m
            m += 1
    return m


@inner
def multiply_up(m, s, up, cos, sin, below, later):
    """below[j] <- E[z^(labels below j) | j is true], in the last entry that of all labels; later[j] <- what its later
    siblings give of it. Children of one parent are independent given the parent.
    """
    n_points = cos.size
    below[:m, 0], below[:m, 1] = 1.0, 0.0
    below[-1, 0], below[-1, 1] = 1.0, 0.0
    for j in range(m - 1, -1, -1):
        u = up[j]
        p = s[j] / s[u] if u >= 0 else s[j]
        for q in range(n_points):
            a, b = below[u, 0, q], below[u, 1, q]
            later[j, 0, q], later[j, 1, q] = a, b
            c, d = below[j, 0, q], below[j, 1, q]
            re = 1.0 - p + p * (c * cos[q] - d * sin[q])
            im = p * (c * sin[q] + d * cos[q])
            below[u, 0, q], below[u, 1, q] = a * re - b * im, a * im + b * re


@inner
def multiply_down(m, s, up, cos, sin, below, before, mass):
    """mass[j] <- E[z^(number of labels); j is true]; it holds what later siblings give, from `multiply_up`."""
    n_points = cos.size
    before[-1, 0], before[-1, 1] = 1.0, 0.0
    for j in range(m):
        u = up[j]
        p = s[j] / s[u] if u >= 0 else s[j]
        for q in range(n_points):
            a, b = before[u, 0, q], before[u, 1, q]
            c, d = mass[j, 0, q], mass[j, 1, q]
            re, im = p * (a * c - b * d), p * (a * d + b * c)
            re, im = re * cos[q] - im * sin[q], re * sin[q] + im * cos[q]
            before[j, 0, q], before[j, 1, q] = re, im
            c, d = below[j, 0, q], below[j, 1, q]
            mass[j, 0, q], mass[j, 1, q] = re * c - im * d, re * d + im * c
            re = 1.0 - p + p * (c * cos[q] - d * sin[q])
            im = p * (c * sin[q] + d * cos[q])
            before[u, 0, q], before[u, 1, q] = a * re - b * im, a * im + b * re
    for q in range(n_points):
        mass[-1, 0, q], mass[-1, 1, q] = below[-1, 0, q], below[-1, 1, q]


@inner
def add_ends(m, s, node, place, path_ptr, path_idx, may_end, cos, sin, below, mass):
    """mass[j] <- E[z^(number of labels); j is true] where a row is one label with its ancestors.

    A label's score is what ends at it and below it. cos and sin go round the circle.
    """
    n_points = mass.shape[2]
    mass[:m] = 0.0
    mass[-1] = 0.0
    for j in range(m):
        below[j, 0, 0] = 0.0
    rest = 1.0
    for j in range(m - 1, -1, -1):
        v = node[j]
        ends = s[j] - below[j, 0, 0]
        if not may_end[v] or ends <= 0.0:
            continue
        rest -= ends
        size = path_ptr[v + 1] - path_ptr[v]
        for e in range(path_ptr[v], path_ptr[v + 1]):
            u = place[path_idx[e]]
            below[u, 0, 0] += ends
            for q in range(n_points):
                mass[u, 0, q] += ends * cos[(q * size) % cos.size]
                mass[u, 1, q] += ends * sin[(q * size) % cos.size]
        for q in range(n_points):
            mass[-1, 0, q] += ends * cos[(q * size) % cos.size]
            mass[-1, 1, q] += ends * sin[(q * size) % cos.size]
    for j in range(m):
        s[j] = below[j, 0, 0]
    for q in range(n_points):
        mass[-1, 0, q] += max(rest, 0.0)


@kernel
def find_lengths(S, parent_ptr, parent_idx, least, bases, log_tail, lengths):
    """lengths[i] <- a number of labels that row i reaches with a probability of at most exp(log_tail).

    By P(|Y| >= T) <= E[b^|Y|] / b^T for some bases b, or the number of labels kept, and one. O(n_nodes) per row.
    """
    n_nodes = S.shape[1]
    s, node = np.empty(n_nodes), np.empty(n_nodes, np.int64)
    place, up = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64)
    grown = np.empty(n_nodes + 1)
    for i in range(S.shape[0]):
        m = keep_labels(S[i], parent_ptr, parent_idx, least, s, node, place, up)
        lengths[i] = m + 1
        for base in bases:
            grown[:m] = 0.0
            grown[-1] = 0.0
            for j in range(m - 1, -1, -1):  # logarithms: of many sure labels the power overflows
                u = up[j]
                p = s[j] / s[u] if u >= 0 else s[j]
                inside = grown[j] + np.log(base)
                grown[u] += inside + np.log(p) if inside > 500.0 else np.log1p(p * np.expm1(inside))
            lengths[i] = min(lengths[i], max(1, int(np.ceil((grown[-1] - log_tail) / np.log(base)))))


@kernel
def spread_sizes(S, parent_ptr, parent_idx, path_ptr, path_idx, may_end, many, least, cos, sin, out):
    """out[i] <- E[z^(number of labels)] of row i, at half the circle."""
    n_nodes, n_points = S.shape[1], out.shape[2]
    s, node = np.empty(n_nodes), np.empty(n_nodes, np.int64)
    place, up = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64)
    below, mass = np.empty((n_nodes + 1, 2, n_points)), np.empty((n_nodes + 1, 2, n_points))
    for i in range(S.shape[0]):
        m = keep_labels(S[i], parent_ptr, parent_idx, least, s, node, place, up)
        if many:
            multiply_up(m, s, up, cos[:n_points], sin[:n_points], below, mass)
            out[i] = below[-1]
        else:
            add_ends(m, s, node, place, path_ptr, path_idx, may_end, cos, sin, below, mass)
            out[i] = mass[-1]

"""How likely each label is true among how many: sums over label sets, as polynomials in the number of labels.

A polynomial is held by its values at points on the upper half of the unit circle, real parts in [0, q] and imaginary
ones in [1, q]; those on the lower half are their conjugates.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.jit import inner, kernel

#: A branch is divided out where the square of its value is above this
SMALL = 1e-8


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
def multiply_up(m, s, up, cos, sin, below):
    """below[j] <- E[z^(labels below j) | j is true], in the last entry that of all labels.

    Children of one parent are independent given the parent.
    """
    below[:m, 0], below[:m, 1] = 1.0, 0.0
    below[-1, 0], below[-1, 1] = 1.0, 0.0
    for j in range(m - 1, -1, -1):
        u = up[j]
        p = s[j] / s[u] if u >= 0 else s[j]
        _multiply(below[u, 0], below[u, 1], p, below[j, 0], below[j, 1], cos, sin)


@inner
def _multiply(re, im, p, below_re, below_im, cos, sin):
    """Multiply numbers at the points by E[z^(labels of a branch)], whose top is true with probability p."""
    for q in range(cos.size):
        a, b = re[q], im[q]
        c = 1.0 - p + p * (below_re[q] * cos[q] - below_im[q] * sin[q])
        d = p * (below_re[q] * sin[q] + below_im[q] * cos[q])
        re[q], im[q] = a * c - b * d, a * d + b * c


@inner
def find_mass(j, m, s, up, cos, sin, below, mass):
    """mass[j] <- E[z^(number of labels); j is true], from that of its parent by dividing the branch out."""
    u = up[j]
    p = s[j] / s[u] if u >= 0 else s[j]
    least = _divide(mass[u, 0], mass[u, 1], p, below[j, 0], below[j, 1], cos, sin, mass[j, 0], mass[j, 1])
    if least <= SMALL:
        for q in range(cos.size):
            mass[j, 0, q], mass[j, 1, q] = _multiply_out(j, q, m, s, up, cos, sin, below)


@inner
def _divide(above_re, above_im, p, below_re, below_im, cos, sin, re, im):
    """Fill in what find_mass finds; return the least square of what was divided by."""
    least = 1.0
    for q in range(cos.size):
        on_re = p * (below_re[q] * cos[q] - below_im[q] * sin[q])
        on_im = p * (below_re[q] * sin[q] + below_im[q] * cos[q])
        c = 1.0 - p + on_re
        size = c * c + on_im * on_im
        least = min(least, size)
        inverse = 1.0 / max(size, SMALL)
        a, b = (on_re * c + on_im * on_im) * inverse, (on_im * c - on_re * on_im) * inverse
        re[q], im[q] = a * above_re[q] - b * above_im[q], a * above_im[q] + b * above_re[q]
    return least


@inner
def _multiply_out(j, q, m, s, up, cos, sin, below):
    """Return mass[j] at one point without a division: for the points where the branch of j has the value 0."""
    re, im = below[j, 0, q], below[j, 1, q]
    on = j
    while on >= 0:
        u = up[on]
        p = s[on] / s[u] if u >= 0 else s[on]
        re, im = p * (re * cos[q] - im * sin[q]), p * (re * sin[q] + im * cos[q])
        for w in range(m):
            if up[w] == u and w != on:
                p = s[w] / s[u] if u >= 0 else s[w]
                c = 1.0 - p + p * (below[w, 0, q] * cos[q] - below[w, 1, q] * sin[q])
                d = p * (below[w, 0, q] * sin[q] + below[w, 1, q] * cos[q])
                re, im = re * c - im * d, re * d + im * c
        on = u
    return re, im


@inner
def add_ends(m, s, node, place, path_ptr, path_idx, may_end, cos, sin, below, mass):
    """mass[j] <- E[z^(number of labels); j is true] where a row is one label with its ancestors; the last, of all.

    A label's score is what ends at it and below it; s[j] <- that sum, more than the score where those below have more.
    cos and sin go round the circle in half steps; points are at the odd ones.
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
        for q in range(n_points):
            at = (2 * q + 1) * size % cos.size
            mass[-1, 0, q] += ends * cos[at]
            mass[-1, 1, q] += ends * sin[at]
        for e in range(path_ptr[v], path_ptr[v + 1]):
            u = place[path_idx[e]]
            below[u, 0, 0] += ends
            for q in range(n_points):
                at = (2 * q + 1) * size % cos.size
                mass[u, 0, q] += ends * cos[at]
                mass[u, 1, q] += ends * sin[at]
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
            grown[:m] = base
            grown[-1] = 1.0
            for j in range(m - 1, -1, -1):
                u = up[j]
                grown[u] *= 1.0 + (s[j] / s[u] if u >= 0 else s[j]) * (grown[j] - 1.0)
            bound = (np.log(grown[-1]) - log_tail) / np.log(base)
            if bound < lengths[i]:  # a power that overflows says nothing
                lengths[i] = max(1, int(np.ceil(bound)))


@inner
def count_kept(S, least):
    """Return the largest number of labels that a row keeps."""
    most = 0
    for i in range(S.shape[0]):
        kept = 0
        for v in range(S.shape[1]):
            kept += S[i, v] >= least
        most = max(most, kept)
    return most


@kernel
def spread_sizes(S, parent_ptr, parent_idx, path_ptr, path_idx, may_end, many, least, cos, sin, out):
    """out[i] <- E[z^(number of labels)] of row i at the points."""
    n_nodes, n_points = S.shape[1], out.shape[2]
    s, node = np.empty(n_nodes), np.empty(n_nodes, np.int64)
    place, up = np.empty(n_nodes, np.int64), np.empty(n_nodes, np.int64)
    shape = (count_kept(S, least) + 1, 2, n_points)
    below, mass = np.empty(shape), np.empty(shape)
    at_cos, at_sin = cos[1 : 2 * n_points : 2].copy(), sin[1 : 2 * n_points : 2].copy()
    for i in range(S.shape[0]):
        m = keep_labels(S[i], parent_ptr, parent_idx, least, s, node, place, up)
        if many:
            multiply_up(m, s, up, at_cos, at_sin, below)
            out[i] = below[-1]
        else:
            add_ends(m, s, node, place, path_ptr, path_idx, may_end, cos, sin, below, mass)
            out[i] = mass[-1]

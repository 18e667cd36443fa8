"""Chow-Liu trees from pair counts: entropies, mutual information, maximum spanning tree, log-likelihood, best split.

A variable ``v`` with ``k`` states owns the ``k - 1`` columns ``offset[v] : offset[v + 1]``, the indicators of its
states 1, 2, ...; state 0 follows by subtraction. ``pairs[a, b]`` is a count or a probability of "columns a and b both
set", ``columns[b]`` of "column b set", ``total`` of anything at all (the number of rows, or 1). ``a`` runs over the
columns of the first variables only: the labels for the restricted tree, everything for the free one.
"""

from __future__ import annotations

import numpy as np

from truepath._kernels.arrays import copy_first
from truepath._kernels.cutset import chow_liu_binary as binary
from truepath._kernels.cutset.logarithm import TINIEST, xlogx
from truepath._kernels.cutset.pair_counts import count_columns, count_pairs
from truepath._kernels.jit import inner, kernel


def make_tables(offset):
    """Return room for two joint tables; None, so that only half is compiled, if every variable is binary."""
    widest = int(np.diff(offset).max(initial=0)) + 1
    return np.empty((2, widest, widest)) if widest > 2 else None


@kernel
def fill_table(u, v, pairs, columns, total, offset, table):
    """Write the joint table of the states of ``u`` (rows; one of the first variables) and ``v`` (columns)."""
    a, b = offset[u], offset[v]
    k_u, k_v = offset[u + 1] - a + 1, offset[v + 1] - b + 1
    table[0, 0] = total
    for t in range(1, k_v):
        table[0, t] = columns[b + t - 1]
        table[0, 0] -= columns[b + t - 1]
    for s in range(1, k_u):
        table[s, 0] = columns[a + s - 1]
        table[0, 0] -= columns[a + s - 1]
        for t in range(1, k_v):
            joint = pairs[a + s - 1, b + t - 1]
            table[s, t] = joint
            table[s, 0] -= joint
            table[0, t] -= joint
            table[0, 0] += joint
    return k_u, k_v


@kernel
def smooth(pairs, columns, n_rows, prior_pairs, prior_columns, strength):
    """Return counts shrunk to probabilities: (count + strength * prior) / (n_rows + strength)."""
    smooth_pairs, smooth_columns, whole = np.empty(pairs.shape), np.empty(columns.size), n_rows + strength
    for b in range(columns.size):
        smooth_columns[b] = (columns[b] + strength * prior_columns[b]) / whole
    for a in range(pairs.shape[0]):
        for b in range(pairs.shape[1]):
            smooth_pairs[a, b] = (pairs[a, b] + strength * prior_pairs[a, b]) / whole
    return smooth_pairs, smooth_columns


@inner
def _fill_entropies(columns, offset, entropy):
    """Write the entropy of every variable, from probabilities."""
    for v in range(entropy.size):
        rest, h = 1.0, 0.0
        for b in range(offset[v], offset[v + 1]):
            h -= xlogx(columns[b])
            rest -= columns[b]
        entropy[v] = h - xlogx(rest)


@kernel
def share_information(pairs, columns, offset, n_first, skip, table):
    """Return the mutual information of the first variables with all later ones (and mirrored); ``skip`` is left out.

    From probabilities; ``table`` is room for a joint table.
    """
    n_variables = offset.size - 1
    entropy, information = np.empty(n_variables), np.zeros((n_first, n_variables))
    _fill_entropies(columns, offset, entropy)
    for u in range(n_first):
        a = offset[u]
        u_is_binary = offset[u + 1] - a == 1
        for v in range(u + 1, n_variables):
            if u == skip or v == skip:
                continue
            b = offset[v]
            if u_is_binary and offset[v + 1] - b == 1:
                p11 = pairs[a, b]
                p10, p01 = columns[a] - p11, columns[b] - p11
                h = xlogx(p11) + xlogx(p10) + xlogx(p01) + xlogx(1.0 - p11 - p10 - p01)
            else:
                k_u, k_v = fill_table(u, v, pairs, columns, 1.0, offset, table)
                h = 0.0
                for s in range(k_u):
                    for t in range(k_v):
                        h += xlogx(table[s, t])
            information[u, v] = entropy[u] + entropy[v] + h
            if v < n_first:
                information[v, u] = information[u, v]
    return information


@kernel
def span(information, n_first, skip, parent, order):
    """Write parents (-1 for the root) and a parents-first order of a maximum spanning tree; return its size.

    Prim's algorithm over the first variables, the lowest the root; every other variable then hangs from the first
    variable it shares most information with. Ties go to the smaller number.
    """
    n_variables = parent.size
    gain = np.full(n_first, -np.inf)
    is_done = np.zeros(n_first, np.bool_)
    parent[:] = -1
    n_done = 0
    for _ in range(n_first - (1 if 0 <= skip < n_first else 0)):
        v = -1
        for w in range(n_first):
            if not is_done[w] and w != skip and (v < 0 or gain[w] > gain[v]):
                v = w
        is_done[v] = True
        order[n_done] = v
        n_done += 1
        for w in range(n_first):
            if not is_done[w] and information[v, w] > gain[w]:
                gain[w], parent[w] = information[v, w], v
    most = np.full(n_variables, -np.inf)
    for u in range(n_first):
        if u == skip:
            continue
        for v in range(n_first, n_variables):
            if information[u, v] > most[v]:
                most[v], parent[v] = information[u, v], u
    for v in range(n_first, n_variables):
        if v != skip:
            order[n_done] = v
            n_done += 1
    return n_done


@kernel
def tree_log_likelihood(parent, order, size, pairs, columns, n_rows, smooth_pairs, smooth_columns, offset, tables):
    """Return the log-likelihood of the counted rows under the tree with smoothed parameters."""
    counts, probabilities = tables[0], tables[1]
    total = 0.0
    for i in range(size):
        v = np.int64(order[i])
        u = np.int64(parent[v])
        if u < 0:
            rest_count, rest = float(n_rows), 1.0
            for b in range(offset[v], offset[v + 1]):
                if columns[b] > 0:
                    total += columns[b] * np.log(smooth_columns[b])
                rest_count -= columns[b]
                rest -= smooth_columns[b]
            if rest_count > 0:
                total += rest_count * np.log(rest)
            continue
        k_u, k_v = fill_table(u, v, pairs, columns, n_rows, offset, counts)
        fill_table(u, v, smooth_pairs, smooth_columns, 1.0, offset, probabilities)
        for s in range(k_u):
            row_count, row = 0.0, 0.0
            for t in range(k_v):
                row_count += counts[s, t]
                row += probabilities[s, t]
                if counts[s, t] > 0.5:
                    total += counts[s, t] * np.log(probabilities[s, t])
            if row_count > 0.5:
                total -= row_count * np.log(row)
    return total


@kernel
def learn_tree(
    pairs, columns, n_rows, prior_pairs, prior_columns, strength, offset, n_first, skip, parent, order, tables
):
    """Write the tree of one slice; return its size and its log-likelihood on the slice.

    ``tables`` is that of :func:`make_tables`.
    """
    if tables is None:
        p = np.empty(columns.size)
        counted = pairs, columns, n_rows, prior_pairs
        information = binary.learn_information(*counted, prior_columns, strength, offset, n_first, p)
        size = span(information, n_first, skip, parent, order)
        return size, binary.tree_log_likelihood(parent, order, size, *counted, strength, offset, p)
    smooth_pairs, smooth_columns = smooth(pairs, columns, n_rows, prior_pairs, prior_columns, strength)
    information = share_information(smooth_pairs, smooth_columns, offset, n_first, skip, tables[0])
    size = span(information, n_first, skip, parent, order)
    likelihood = tree_log_likelihood(
        parent, order, size, pairs, columns, n_rows, smooth_pairs, smooth_columns, offset, tables
    )
    return size, likelihood


@inner
def copy_counts(pairs, columns, to_pairs, to_columns):
    """Write the counts of one slice to another's."""
    copy_first(columns, columns.size, to_columns)
    for a in range(pairs.shape[0]):
        copy_first(pairs[a], columns.size, to_pairs[a])


@inner
def take_away(pairs, columns, from_pairs, from_columns):
    """Subtract the counts of one slice from another's."""
    for b in range(columns.size):
        from_columns[b] -= columns[b]
    for a in range(pairs.shape[0]):
        for b in range(columns.size):
            from_pairs[a, b] -= pairs[a, b]


@kernel
def score_splits(
    bits, offset, n_first, n_rows, pairs, columns, prior_pairs, prior_columns, fixed, per_row, candidates, tables
):
    """Return the log-likelihood after splitting the slice on each candidate; -inf where a side would be empty.

    Every state but 0 is counted; the counts of state 0 are what remains of the slice's. The prior of a side of n rows
    weighs fixed + per_row * n rows.
    """
    n_columns = columns.size
    n_variables = offset.size - 1
    scores = np.full(candidates.size, -np.inf)
    one_pairs, one_columns = np.zeros(pairs.shape, np.int32), np.empty(n_columns, np.int64)
    rest_pairs, rest_columns = np.empty(pairs.shape, np.int32), np.empty(n_columns, np.int64)
    parent, order = np.empty(n_variables, np.int32), np.empty(n_variables, np.int32)
    n_counted = offset[n_first]
    for c in range(candidates.size):
        f = candidates[c]
        score, rest = 0.0, n_rows
        copy_counts(pairs, columns, rest_pairs, rest_columns)
        for b in range(offset[f], offset[f + 1] + 1):
            is_rest = b == offset[f + 1]
            size = rest if is_rest else columns[b]
            if size == 0:
                score = -np.inf
                break
            if is_rest:
                copy_counts(rest_pairs, rest_columns, one_pairs, one_columns)
            else:
                count_pairs(bits, bits[b], n_counted, one_pairs)
                copy_first(count_columns(bits, bits[b]), n_columns, one_columns)
                take_away(one_pairs, one_columns, rest_pairs, rest_columns)
                rest -= size
            _, likelihood = learn_tree(
                one_pairs, one_columns, size, prior_pairs, prior_columns, fixed + per_row * size, offset, n_first, f,
                parent, order, tables,
            )  # fmt: skip
            score += likelihood + size * np.log(size / n_rows)  # eq. of section 2.2: M_j log w_j + l(D_j)
        scores[c] = score
    return scores


@kernel
def fill_factors(parent, pairs, columns, n_rows, prior_pairs, prior_columns, strength, offset, factors):
    """Write ``factors[v, s, t]`` = log P(v = t | parent = s) of a tree, from smoothed counts; row 0 for the root."""
    smooth_pairs, smooth_columns = smooth(pairs, columns, n_rows, prior_pairs, prior_columns, strength)
    widest = factors.shape[1]
    table = np.empty((widest, widest))
    for v in range(parent.size):
        u = np.int64(parent[v])
        if u < 0:
            k_u, k_v = 1, offset[v + 1] - offset[v] + 1
            table[0, 0] = 1.0
            for t in range(1, k_v):
                table[0, t] = smooth_columns[offset[v] + t - 1]
                table[0, 0] -= table[0, t]
        else:
            k_u, k_v = fill_table(u, v, smooth_pairs, smooth_columns, 1.0, offset, table)
        for s in range(k_u):
            row = 0.0
            for t in range(k_v):
                table[s, t] = max(table[s, t], TINIEST)  # a subtraction may round to zero: nothing is impossible
                row += table[s, t]
            for t in range(k_v):
                factors[v, s, t] = np.log(table[s, t]) - np.log(row)


@kernel
def information_of(pairs, columns, n_rows, prior_pairs, prior_columns, strength, offset, tables):
    """Return the mutual information of all pairs of variables, from smoothed counts; ``tables`` as above."""
    n_variables = offset.size - 1
    if tables is None:
        return binary.learn_information(
            pairs, columns, n_rows, prior_pairs, prior_columns, strength, offset, n_variables, np.empty(columns.size)
        )
    smooth_pairs, smooth_columns = smooth(pairs, columns, n_rows, prior_pairs, prior_columns, strength)
    return share_information(smooth_pairs, smooth_columns, offset, n_variables, -1, tables[0])

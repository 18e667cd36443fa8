"""Grow one predictive clustering tree, depth first, from rank-coded columns and label lists."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from truepath._kernels.jit import inner, kernel, once
from truepath._kernels.trees.arrays import (
    CATEGORY_START,
    FEATURE,
    GAIN,
    IS_STRAIGHT,
    LEAF_START,
    LEAF_STOP,
    LEFT,
    RIGHT,
    SHARE,
    SURROGATE,
    SURROGATE_CUT,
    THRESHOLD,
    WEIGHT,
)
from truepath._kernels.trees.columns import IS_NOMINAL, N_VALUES
from truepath._kernels.trees.labels import (
    PAD,
    STOP,
    SUM_L,
    SUM_T,
    SUM_W,
    B,
    condense,
    is_worth_condensing,
    renumber,
    weigh,
)
from truepath._kernels.trees.nominal import BEST, PLACE
from truepath._kernels.trees.part import LEARNED, SHARE_OUT, part_rows, write_values
from truepath._kernels.trees.random_cut import pack_rows, random_split
from truepath._kernels.trees.rng import draw_below
from truepath._kernels.trees.scan import NO_SPLIT, Node
from truepath._kernels.trees.seats import NO_ROOM, Used, take_seats
from truepath._kernels.trees.split import best_split, no_split

# What stops growth and steers the search: weights and gains as they are in one tree; f_critical[n] is the least F
# statistic of a split of a node of weight n (0 everywhere: no test)
Rules = namedtuple("Rules", "max_depth min_leaf_weight min_gain max_features is_random missing f_critical")
# An open node: its number, rows[start:end], its depth, the labels in play, the rows when the lists were last condensed
Task = namedtuple("Task", "t start end depth n_labels n_condensed")
N_TASK = 8  # its fields, and what is in use when its turn comes (see seats.py)
CONDENSE_AT = 4  # lists are condensed again once a node has a fourth of the rows it had then: more often pays less
PURE = 1e-12  # a node whose weighted variance is smaller than this share of sum w T is not split


@kernel
def build_tree(columns, lists, buffers, random, awkward, tree, seats, indptr, indices, n_roots, features, rules, rng):
    """Grow a tree on the first n_roots of the rows into the arrays of ``tree``; return its numbers of nodes, category
    words and leaf values, or NO_ROOM and zeros if the arrays are too small (never, unless rows go both ways).

    ``features`` are the columns to draw from (reordered in place), ``rules`` says what stops growth and steers the
    search, ``rng`` is the state of the generator. ``random`` is None unless cuts are random, ``awkward`` if no column
    is nominal or lacks values: numba drops the branches of arguments that are None before it compiles, so that a tree
    pays for no more than it needs.
    """
    link, number = tree.link, tree.number
    stack = np.empty((n_roots + 2, N_TASK), np.int64)
    used = Used(np.int64(indptr.size - 1), np.int64(lists.span[indptr.size - 2, STOP] + PAD))
    _push(stack, np.int64(0), Task(0, 0, n_roots, 0, lists.marks.shape[0], CONDENSE_AT * n_roots), used)
    n_open, n_nodes, n_words, n_values, tick = np.int64(1), np.int64(1), np.int64(0), np.int64(0), np.int64(0)
    while n_open:
        n_open -= 1
        task, used = _pop(stack, n_open)
        t = task.t
        if awkward is not None and rules.missing == SHARE_OUT:
            take_seats(seats, task.start, task.end)
        split, N, gain, task, tick = _find_split(
            columns, seats, lists, buffers, random, awkward, task, tick, features, rules, rng
        )
        number[t, WEIGHT], number[t, GAIN] = N, gain
        link[t, FEATURE], link[t, LEAF_START] = split.feature, n_values
        if split.feature < 0:
            n_values = _write_leaf(tree, n_values, lists, seats, task.start, task.end, indptr, indices, N)
            if n_values == NO_ROOM:
                return np.int64(NO_ROOM), n_words, n_values
            link[t, LEAF_STOP] = n_values
            continue
        parts = part_rows(
            columns, seats, lists, buffers, random, awkward, split, task.start, task.end, features, rules, used, rng
        )
        if parts.left == NO_ROOM or n_nodes + 2 > link.shape[0]:
            return np.int64(NO_ROOM), n_words, n_values
        n_words = _write_split(columns, awkward, tree, t, split, parts, n_words)
        link[t, LEFT], link[t, RIGHT], link[t, LEAF_STOP] = n_nodes, n_nodes + 1, n_values
        depth, n_labels, n_condensed = task.depth + 1, task.n_labels, task.n_condensed
        right = Task(n_nodes + 1, parts.right, parts.right_end, depth, n_labels, n_condensed)
        left = Task(n_nodes, parts.left, parts.left_end, depth, n_labels, n_condensed)
        _push(stack, n_open, right, used)  # copies made on the left are gone when it is its turn
        _push(stack, n_open + 1, left, parts.used)
        n_open, n_nodes = n_open + 2, n_nodes + 2
    return n_nodes, n_words, n_values


@once
def _write_split(columns, awkward, tree, t, split, parts, n_words):
    """Write what a node needs to send rows on. Return the next free word of categories."""
    link, number, surrogate = tree.link, tree.number, parts.surrogate
    number[t, THRESHOLD], number[t, SHARE], number[t, SURROGATE_CUT] = parts.threshold, parts.share, surrogate.threshold
    link[t, SURROGATE], link[t, IS_STRAIGHT] = surrogate.feature, surrogate.is_straight
    if awkward is not None and columns.info[split.feature, IS_NOMINAL]:
        link[t, CATEGORY_START] = n_words
        n_values = columns.info[split.feature, N_VALUES]
        is_left_larger = parts.left_end - parts.left >= parts.right_end - parts.right
        n_words = write_values(tree.categories, n_words, awkward.order, split.cut, n_values, is_left_larger)
    return n_words


@once
def _find_split(columns, seats, lists, buffers, random, awkward, task, tick, features, rules, rng):
    """Return the split of a node (feature -1: make it a leaf), its weight, the gain, the task after condensing, and
    the next tick.
    """
    rows_here, leaf, N = seats.rows[task.start : task.end], no_split(-1), 0.0
    for i in rows_here:
        N += lists.stat[i, B]
    if task.depth >= rules.max_depth or N < 2.0 * rules.min_leaf_weight:
        return leaf, N, 0.0, task, tick
    if CONDENSE_AT * rows_here.size <= task.n_condensed:
        if task.t == 0 or (random is None and is_worth_condensing(lists.span, rows_here)):
            n_labels, tick = condense(lists.span, lists.label, lists.weight, lists.stat, lists.marks, rows_here, tick)
        else:
            n_labels, tick = renumber(lists.span, lists.label, lists.marks, rows_here, tick)
        task = Task(task.t, task.start, task.end, task.depth, n_labels, rows_here.size)
    if random is not None:
        U, C = pack_rows(random.packed, lists, rows_here, task.n_labels)
    else:
        T, W = lists.sums[SUM_T], lists.sums[SUM_W]
        U, C = weigh(lists.span, lists.label, lists.weight, lists.stat, T, W, rows_here, task.n_labels)
    variance, slack = U - C / N, PURE * U  # sum over labels of w (T - T^2 / N)
    if variance <= slack:
        return leaf, N, 0.0, task, tick
    only_known, heaviest = rules.missing != LEARNED, 0.0
    for i in rows_here:
        heaviest = max(heaviest, lists.stat[i, B])
    n_rows, least = rows_here.size, rules.min_leaf_weight
    node = Node(task.start, task.end, n_rows, task.n_labels, N, C, least, only_known, heaviest)
    best = _search(columns, seats, lists, buffers, random, awkward, node, features, rules, rng)
    gain = best.gain
    F = max(gain, 0.0) * max(N - 2.0, 0.0) / max(variance - gain, slack)  # of two groups against one, 1 and N - 2 d.f.
    F_least = rules.f_critical[min(np.int64(N), rules.f_critical.size - 1)]
    if gain == NO_SPLIT or gain < rules.min_gain - slack or F < F_least:
        return leaf, N, 0.0, task, tick
    return best, N, max(gain, 0.0), task, tick


@once
def _search(columns, seats, lists, buffers, random, awkward, node, features, rules, rng):
    """Return the best split over features drawn without replacement until max_features were not constant."""
    best = no_split(-1)
    n_tried = 0
    is_drawn = rules.max_features < features.size  # otherwise in order, so that ties go to the first feature
    for k in range(features.size):
        if n_tried == rules.max_features:
            break
        if is_drawn:
            other = k + draw_below(rng, features.size - k)
            features[k], features[other] = features[other], features[k]
        j = features[k]
        if random is not None:
            split = random_split(columns, j, seats, lists, node, buffers, random, awkward, rng)
        else:
            split = best_split(columns, j, seats, lists, node, buffers, awkward)
        n_tried += split.feature >= 0
        if split.gain > best.gain:
            best = split
            if awkward is not None and columns.info[j, IS_NOMINAL]:
                for value in range(columns.info[j, N_VALUES]):
                    awkward.order[BEST, value] = awkward.order[PLACE, value]
    return best


@once
def _write_leaf(tree, n_values, lists, seats, start, end, indptr, indices, N):
    """Write the mean label vector of the rows, labels as they are met. Return the next free entry (NO_ROOM: full)."""
    first, sums, stat = n_values, lists.sums[SUM_L], lists.stat
    for k in range(start, end):
        b, origin = stat[seats.rows[k], B], seats.origins[k]
        for e in range(indptr[origin], indptr[origin + 1]):
            v = indices[e]
            if sums[v] == 0.0:
                if n_values == tree.leaf_label.size:
                    return np.int64(NO_ROOM)
                tree.leaf_label[n_values] = v
                n_values += 1
            sums[v] += b
    for k in range(first, n_values):
        v = tree.leaf_label[k]
        tree.leaf_value[k] = sums[v] / N  # N was summed over the same rows in the same order: a label of all has 1
        sums[v] = 0.0
    return n_values


@inner
def _push(stack, k, task, used):
    stack[k, 0], stack[k, 1], stack[k, 2] = task.t, task.start, task.end
    stack[k, 3], stack[k, 4], stack[k, 5] = task.depth, task.n_labels, task.n_condensed
    stack[k, 6], stack[k, 7] = used.copies, used.entries


@inner
def _pop(stack, k):
    task = Task(stack[k, 0], stack[k, 1], stack[k, 2], stack[k, 3], stack[k, 4], stack[k, 5])
    return task, Used(stack[k, 6], stack[k, 7])

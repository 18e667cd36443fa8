"""Part the rows of a node by a split: who goes left, where missing values go, and the threshold to keep."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from truepath._kernels.jit import inner, once
from truepath._kernels.trees.columns import IS_NOMINAL, MODE, N_VALUES, halfway, read_column
from truepath._kernels.trees.labels import B
from truepath._kernels.trees.nominal import BEST
from truepath._kernels.trees.rng import draw_unit
from truepath._kernels.trees.seats import UNKNOWN, deal_both_ways
from truepath._kernels.trees.sort import ROW_MASK
from truepath._kernels.trees.surrogate import NO_SURROGATE, find_surrogate, follow_surrogate

LEARNED, SHARE_OUT, ASK_SURROGATE = 0, 1, 2  # what becomes of rows with a missing value
FEWEST_ASKED, SHARE_ASKED = 8, 8  # with random cuts, an eighth of the features tried, 8 at least, may be surrogates
# Where the rows of the left and the right side stand, the threshold, the share of a row with a missing value that goes
# left, the surrogate that is asked before, and what is in use (see seats.py)
Parts = namedtuple("Parts", "left left_end right right_end threshold share surrogate used")


@inner
def part_rows(columns, seats, lists, buffers, random, awkward, split, start, end, features, rules, used, rng):
    """Bring the rows of either side together, in order. Return where they are, and what the tree keeps of the split."""
    info = columns.info[split.feature]
    keys, missing, side, rows = buffers.keys, buffers.missing, buffers.side, seats.rows
    n_keys, n_missing = read_column(info, columns.dense, columns.sparse, seats, start, end, keys, missing)
    for k in range(end - start):
        side[k] = info[MODE] <= split.cut  # the rows on the mode, which are not listed
    has_mode = n_keys + n_missing < end - start
    below, above = _mark_sides(info, seats.place, keys, n_keys, awkward, side, split.cut, start, has_mode)
    threshold = split.threshold
    if np.isnan(threshold):
        threshold = _threshold(info, columns.values, below, above)
    share, surrogate = 0.5, NO_SURROGATE
    if awkward is not None:
        for k in range(n_missing):
            side[seats.place[missing[k]] - start] = UNKNOWN
        if n_missing or rules.missing == SHARE_OUT:
            share = _share_left(rows, lists.stat, side, split, start, end, rules.missing)
        if rules.missing == SHARE_OUT:
            middle, last, used = deal_both_ways(seats, lists, buffers, share, start, end, used)
            return Parts(middle, last, start, middle, threshold, share, surrogate, used)
        if n_missing:
            n_asked = _count_asked(features, rules, random)
            surrogate = _place_unknown(
                columns, seats, lists.stat, buffers, split, start, end, features, n_asked, share, rng
            )
    middle = _reorder(rows, seats.place, side, missing, start, end)
    if share == 0.5:  # later rows without value go where more are
        share = 1.0 if middle - start >= end - middle else 0.0
    return Parts(start, middle, middle, end, threshold, share, surrogate, used)


@inner
def _count_asked(features, rules, random):
    """Return how many of the features tried may be surrogates."""
    if rules.missing != ASK_SURROGATE:
        return np.int64(0)
    n_tried = min(rules.max_features, features.size)
    if random is not None:  # many features are tried quickly there: to ask all of them would take longer than that
        n_tried = min(n_tried, max(FEWEST_ASKED, n_tried // SHARE_ASKED))
    return n_tried


@inner
def _place_unknown(columns, seats, stat, buffers, split, start, end, features, n_asked, share, rng):
    """Send the rows of unknown side where the surrogate says, which is returned, or as ``share`` (0 or 1) does."""
    surrogate = find_surrogate(columns, features, n_asked, split.feature, seats, stat, buffers, start, end)
    if surrogate.feature >= 0:
        follow_surrogate(columns, surrogate, seats, buffers, start, end, share == 1.0)
    for k in range(end - start):
        if buffers.side[k] == UNKNOWN:
            buffers.side[k] = draw_unit(rng) < share
    return surrogate


@inner
def _share_left(rows, stat, side, split, start, end, rule):
    """Return which share of a row with a missing value goes left: where the split says; with the larger side; or,
    shared out, by the odds of the rows whose value is known.
    """
    n_left, n_known = 0.0, 0.0
    for k in range(end - start):
        if side[k] != UNKNOWN:
            n_left += stat[rows[start + k], B] * side[k]
            n_known += stat[rows[start + k], B]
    if rule == SHARE_OUT:
        return n_left / n_known
    if rule == LEARNED:
        return 1.0 if split.missing_left else 0.0
    return 1.0 if 2.0 * n_left >= n_known else 0.0


@once
def _mark_sides(info, place, keys, n_keys, awkward, is_left, cut, start, has_mode):
    """Mark, by place in the node, which of the rows listed go left. Return the nearest ranks around the cut."""
    below, above = np.int64(-1), info[N_VALUES]
    if has_mode and info[MODE] <= cut:
        below = info[MODE]
    elif has_mode:
        above = info[MODE]
    for k in range(n_keys):
        rank = keys[k] >> 32
        goes_left = rank <= cut
        if awkward is not None:
            goes_left = (awkward.order[BEST, rank] if info[IS_NOMINAL] else rank) <= cut
        is_left[place[keys[k] & ROW_MASK] - start] = goes_left
        below = max(below, rank if goes_left else np.int64(-1))  # no branches: which way a row goes cannot be guessed
        above = min(above, info[N_VALUES] if goes_left else rank)
    return below, above


@once
def _reorder(rows, place, is_left, spare, start, end):
    """Part rows[start:end] by the marks, both sides in order. Return where the right side begins."""
    n_left, n_right = np.int64(0), np.int64(0)
    for k in range(end - start):
        i = rows[start + k]
        rows[start + n_left] = i  # written to both, kept on one side: cheaper than a branch
        spare[n_right] = i
        n_left += is_left[k]
        n_right += 1 - is_left[k]
    for k in range(n_right):
        rows[start + n_left + k] = spare[k]
    for k in range(start, end):
        place[rows[k]] = k
    return start + n_left


@once
def _threshold(info, values, below, above):
    """Return the number halfway between two ranks of a column; infinite where one side has no value at all."""
    if below < 0:
        return -np.inf
    if above == info[N_VALUES]:
        return np.inf
    return halfway(values, info, below, above)


@inner
def write_values(categories, n_words, order, cut, n_values, absent_left):
    """Write the set of values that go left as bits; values absent from the node go with the larger side."""
    for value in range(n_values):
        is_absent = order[BEST, value] == n_values
        if (is_absent and absent_left) or order[BEST, value] <= cut:
            categories[n_words + value // 64] |= np.uint64(1) << np.uint64(value % 64)
    return n_words + (n_values + 63) // 64

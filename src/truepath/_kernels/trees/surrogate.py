"""Surrogate splits: where a row with a missing value goes is asked of another feature (Breiman et al., 1984, 5.3).

Among the features drawn at the node, the surrogate is the one with the cut that most often sends the rows whose value
is known to the same side as the split itself. It must do better than sending all of them to the larger side.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from truepath._kernels.jit import inner
from truepath._kernels.trees.columns import IS_NOMINAL, MODE, N_VALUES, halfway, read_column
from truepath._kernels.trees.labels import B
from truepath._kernels.trees.seats import UNKNOWN
from truepath._kernels.trees.sort import ROW_MASK, sort_keys

# Rows of this feature with rank <= cut (value <= threshold) go left if is_straight, else right; -1: no surrogate
Surrogate = namedtuple("Surrogate", "feature cut threshold is_straight")
NO_SURROGATE = Surrogate(-1, -1, 0.0, True)


@inner
def find_surrogate(columns, features, n_tried, j, seats, stat, buffers, start, end):
    """Return the best surrogate among the first n_tried features for the split on feature j marked in buffers.side."""
    best, found = 0.0, NO_SURROGATE
    for k in range(n_tried):
        s = features[k]
        if s != j and not columns.info[s, IS_NOMINAL]:
            gained, surrogate = _best_cut(columns, s, seats, stat, buffers, start, end)
            if gained > best:
                best, found = gained, surrogate
    return found


@inner
def _best_cut(columns, s, seats, stat, buffers, start, end):
    """Return the cut of feature s that agrees best with the sides, and the weight it gains over the larger side."""
    info, side, keys, rows, place = columns.info[s], buffers.side, buffers.keys, seats.rows, seats.place
    n_keys, n_missing = read_column(info, columns.dense, columns.sparse, seats, start, end, keys, buffers.missing)
    n_left, n_right = 0.0, 0.0
    for k in range(end - start):
        n_left += stat[rows[start + k], B] * (side[k] == 1)
        n_right += stat[rows[start + k], B] * (side[k] == 0)
    for k in range(n_missing):
        i = buffers.missing[k]
        n_left -= stat[i, B] * (side[place[i] - start] == 1)
        n_right -= stat[i, B] * (side[place[i] - start] == 0)
    on_mode = n_left - n_right
    for k in range(n_keys):
        i = keys[k] & ROW_MASK
        on_mode -= _pull(side[place[i] - start], stat[i, B])
    if n_keys + n_missing < end - start:  # one key stands for all rows on the mode
        keys[n_keys] = (info[MODE] << 32) | ROW_MASK
        n_keys += 1
    if sort_keys(keys, buffers.spare, n_keys, info[N_VALUES], buffers.counts):
        keys = buffers.spare
    best, at, is_straight, balance = 0.0, -1, True, 0.0  # balance: left less right, up to the cut
    for k in range(n_keys - 1):
        i = keys[k] & ROW_MASK
        balance += on_mode if i == ROW_MASK else _pull(side[place[i] - start], stat[i, B])
        if keys[k] >> 32 == keys[k + 1] >> 32:
            continue
        gained = max(n_right + balance, n_left - balance) - max(n_left, n_right)
        if gained > best:
            best, at, is_straight = gained, k, n_right + balance >= n_left - balance
    if at < 0:
        return 0.0, NO_SURROGATE
    cut, above = keys[at] >> 32, keys[at + 1] >> 32
    return best, Surrogate(np.int64(s), cut, halfway(columns.values, info, cut, above), is_straight)


@inner
def _pull(side, b):
    return b if side == 1 else (-b if side == 0 else 0.0)


@inner
def follow_surrogate(columns, surrogate, seats, buffers, start, end, otherwise):
    """Give every row of unknown side the surrogate's, or ``otherwise`` where its value is missing too."""
    info, side, keys, missing = columns.info[surrogate.feature], buffers.side, buffers.keys, buffers.missing
    place = seats.place
    n_keys, n_missing = read_column(info, columns.dense, columns.sparse, seats, start, end, keys, missing)
    for k in range(n_missing):
        p = place[missing[k]] - start
        if side[p] == UNKNOWN:
            side[p] = otherwise
    for k in range(n_keys):
        p = place[keys[k] & ROW_MASK] - start
        if side[p] == UNKNOWN:
            side[p] = (keys[k] >> 32 <= surrogate.cut) == surrogate.is_straight
    for k in range(end - start):  # those left are on the mode
        if side[k] == UNKNOWN:
            side[k] = (info[MODE] <= surrogate.cut) == surrogate.is_straight

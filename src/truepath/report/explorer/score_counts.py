"""Scores counted at many thresholds: what the page needs to say what another threshold would give.

A label is predicted when its score exceeds the threshold. For each label and each of some 200 thresholds the page knows
how many rows of four kinds exceed it, so that at these thresholds its numbers are exact:

``true``
    rows that have the label: true positives;
``false``
    rows without it: false alarms;
``near``
    rows without it that have all its parents: false alarms that the H-loss charges;
``reached``
    rows that have the label, by the lowest score of its parents: those at most can be charged as missed.

With coherent scores and thresholds that never fall from parent to child, a false alarm is charged if the parents are
true (they are predicted, having higher scores), and a miss if all parents are predicted. So the H-loss is the sum over
labels of c_v (reached[v] at its parents' threshold - true[v] + near[v]) / n_samples. In a DAG that is exact where a
label's parents share one threshold.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.hierarchy import Hierarchy, raise_up
from truepath.hierarchy.matrices import dense_blocks
from truepath.hierarchy.propagation import find_incoherent
from truepath.report.explorer.packing import pack_counts, pack_numbers

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

#: Labels times thresholds that a page stores at most, and how many thresholds it has
MOST_COUNTS = 500_000
N_THRESHOLDS = (200, 100, 50)
N_DIGITS = 6


class ScoreCounts(NamedTuple):
    """Rows of each label by how many thresholds their score exceeds: tables of shape (n_nodes, n_thresholds + 1)."""

    thresholds: Floats
    true: Counts
    false: Counts
    near: Counts
    reached: Counts


def as_coherent(S: Any, hierarchy: Hierarchy) -> tuple[Any, bool]:
    """Return scores of which none exceeds its parents', and whether parents' scores had to be raised for that."""
    if find_incoherent(S, hierarchy) is None:
        return S, False
    return raise_up(S, hierarchy), True


def choose_thresholds(truth: Any, S: Any, wanted: Floats) -> Floats:
    """Return the thresholds to count at: half of them evenly spread, half where true labels score, and those wanted."""
    n_thresholds = next((n for n in N_THRESHOLDS if n * truth.shape[1] <= MOST_COUNTS), N_THRESHOLDS[-1])
    low, high, positives = 0.0, 1.0, [np.zeros(0)]
    for _, (true, scores) in dense_blocks(truth, S):
        low, high = min(low, float(scores.min())), max(high, float(scores.max()))
        positives.append(scores[true].astype(np.float64))
    spread = np.linspace(low, high, n_thresholds // 2 + 1)
    scored = np.concatenate(positives)
    if scored.size:
        scored = np.quantile(scored, np.linspace(0, 1, n_thresholds // 2 + 1)[:-1])
    finite = wanted[np.isfinite(wanted)]
    found = np.unique(np.concatenate([np.round(np.concatenate([spread, scored]), N_DIGITS), finite]))
    return np.asarray(found[(found >= low) & (found <= high)], np.float64)


def count_at_thresholds(truth: Any, S: Any, hierarchy: Hierarchy, thresholds: Floats) -> ScoreCounts:
    """Count the rows of each label by how many thresholds their score exceeds; scores are coherent.

    Notes
    -----
    One search per cell, in blocks of rows: O(n_samples n_nodes log n_thresholds).
    """
    n_nodes, n_bins = hierarchy.n_nodes, thresholds.size + 1
    parents, has_parent = _parent_table(hierarchy)
    start = n_bins * np.arange(n_nodes)
    tables = np.zeros((4, n_nodes * n_bins), np.int64)
    for _, (true, scores) in dense_blocks(truth, S):
        place = np.searchsorted(thresholds, scores, side="left")
        lowest, known = place[:, parents[0]], true[:, parents[0]]
        for others in parents[1:]:
            lowest = np.minimum(lowest, place[:, others])
            known &= true[:, others]
        cell = place + start
        chosen = (true, ~true, ~true & known & has_parent, true & has_parent)
        for k, (cells, part) in enumerate(zip((cell, cell, cell, lowest + start), chosen)):
            tables[k] += np.bincount(cells[part], minlength=n_nodes * n_bins)
    return ScoreCounts(thresholds, *tables.reshape(4, n_nodes, n_bins))


def _parent_table(hierarchy: Hierarchy) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the k-th parent of every node in row k, the first again where there are fewer, and who has any."""
    n_parents = np.diff(hierarchy.parent_ptr)
    table = np.zeros((max(1, int(n_parents.max(initial=0))), hierarchy.n_nodes), np.int64)
    for k in range(table.shape[0]):
        here = n_parents > 0
        place = hierarchy.parent_ptr[:-1][here] + np.minimum(k, n_parents[here] - 1)
        table[k, here] = hierarchy.parent_idx[place]
    return table, n_parents > 0


def score_table(counts: ScoreCounts) -> dict[str, Any]:
    """Return the counts ready for JSON; scores that exceed no threshold are left out, as support says how many."""
    parts = {name: pack_counts(getattr(counts, name)[:, 1:]) for name in ("true", "false", "near", "reached")}
    return {"thresholds": counts.thresholds.tolist(), **parts}


def positions(thresholds: Floats, values: Any) -> str:
    """Write for each value how many thresholds are at most that high, to the nearest one; 0 is below all of them."""
    nearest = np.searchsorted((thresholds[1:] + thresholds[:-1]) / 2, values, side="left") + 1
    place = np.where(np.isneginf(values), 0, np.where(np.isposinf(values), thresholds.size, nearest))
    return pack_numbers(place)

"""One tree, grown level by level on the sketch of the gradients.

At each level the histograms of all drawn columns are added up for the smaller of two children; the larger one's is
what is left of the parent's. The nodes that gain most are split until the tree has its leaves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath import _kernels
from truepath.adapters.parallel import count_workers, run_parallel
from truepath.learners.boosted.bins import NO_ROW, BinnedTable

#: Rows' weight added to both sides of a cut when its gain is computed
ROWS_ADDED = 5.0
#: Levels of a tree
DEEPEST = 32
#: Rows times columns at one level below which threads cost more than they save
LEAST_WORK = 2_000_000
NO_SPLIT = -1
#: Gains that differ by this share are equal: sums of single precision are rounded
ROUNDING = 1e-5


class Rules(NamedTuple):
    """When a node is split."""

    max_leaves: int
    least_weight: float


class GrownTree(NamedTuple):
    """Nodes, parents before children; ``column`` is NO_SPLIT in leaves. ``leaf_of`` is the leaf of every row."""

    column: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    gain: NDArray[np.float64]
    is_left: NDArray[np.bool_]  # of each node, which bins go left
    leaf_of: NDArray[np.int32]


class _Nodes:
    """The nodes of a tree while it grows."""

    def __init__(self, max_leaves: int):
        most = 2 * max_leaves - 1
        self.n = 1
        self.column = np.full(most, NO_SPLIT)
        self.left, self.right = np.zeros((2, most), np.int64)
        self.gain = np.zeros(most)
        self.is_left = np.zeros((most, 256), bool)

    def split(self, node: int, column: int, gain: float, is_left: NDArray[np.bool_]) -> None:
        """Turn a leaf into a question with two leaves."""
        self.column[node], self.gain[node], self.is_left[node] = column, gain, is_left
        self.left[node], self.right[node] = self.n, self.n + 1
        self.n += 2


def grow_levels(
    table: BinnedTable,
    sketch: NDArray[np.float32],
    rows: NDArray[np.int32],
    columns: NDArray[np.int64],
    rules: Rules,
    n_jobs: int | None,
) -> GrownTree:
    """Grow a tree.

    Parameters
    ----------
    table : BinnedTable
    sketch : ndarray of float32, shape (n_rows, LANES)
    rows : ndarray of int32
        The rows that splits are searched on, ascending; all rows are sent down to the leaves.
    columns : ndarray of int
        The columns that are tried, ascending.
    rules : Rules
    n_jobs : int, optional
        Threads, over columns: the sums are the same for any number.
    """
    nodes, node_of = _Nodes(rules.max_leaves), np.zeros(table.n_rows, np.int32)
    frontier, n_leaves = np.zeros(1, np.int64), 1
    level = _search(table, columns, rules, n_jobs, _Small(table, sketch, rows, np.zeros(rows.size, np.int64), 1))
    for _ in range(DEEPEST):
        chosen = _choose(level, rules.max_leaves - n_leaves)
        if not chosen:
            break
        for cut in chosen:
            nodes.split(int(frontier[cut.slot]), int(columns[cut.column]), cut.gain, _mark_left(table, level, cut))
        n_leaves += len(chosen)
        slots = np.array([cut.slot for cut in chosen])
        split = frontier[slots]
        _send_down(table, nodes, split, node_of)
        if n_leaves == rules.max_leaves:
            break
        family, small = _find_small(table, sketch, nodes, slots, split, node_of, rows)
        level = _search(table, columns, rules, n_jobs, small, family, level)
        frontier = np.column_stack([nodes.left[split], nodes.right[split]]).ravel()
    n = nodes.n
    return GrownTree(nodes.column[:n], nodes.left[:n], nodes.right[:n], nodes.gain[:n], nodes.is_left[:n], node_of)


# ------------------------------------------------------------------------------------------------ the search


class _Found(NamedTuple):
    """Of one tried column: the histograms of the nodes of a level, and the best cut of each."""

    column: int
    histograms: NDArray[np.float32]  # (n_nodes, n_bins, LANES)
    gain: NDArray[np.float64]
    n_left: NDArray[np.int64]
    with_missing: NDArray[np.bool_]


class _Cut(NamedTuple):
    """The best cut of a node, among the tried columns."""

    slot: int
    column: int
    gain: float


class _Family(NamedTuple):
    """Which nodes of the level before were split, and which child of each is the smaller one."""

    parents: NDArray[np.int64]
    left_is_small: NDArray[np.bool_]


class _Small:
    """Rows whose sketches are added up: each belongs to one of some slots."""

    def __init__(self, table: BinnedTable, sketch: Any, rows: NDArray[np.int32], slots: NDArray[Any], n_slots: int):
        self.rows, self.slots, self.n_slots, self.sketch = rows, slots, n_slots, sketch[rows]
        if table.dense.shape[0] < len(table.columns):  # some are listed
            self.totals = np.zeros((n_slots, sketch.shape[1]), np.float32)
            no_bins = np.zeros(table.n_rows, np.uint8)
            _kernels.boosted.histograms.add_up(no_bins, rows, slots, self.sketch, 1, self.totals)
            self.slot_of, self.place_of = np.full((2, table.n_rows), -1, np.int32)
            self.slot_of[rows], self.place_of[rows] = slots, np.arange(rows.size)


def _search(
    table: BinnedTable,
    columns: NDArray[np.int64],
    rules: Rules,
    n_jobs: int | None,
    small: _Small,
    family: _Family | None = None,
    before: list[_Found] | None = None,
) -> list[_Found]:
    """Return what is found in each of the tried columns, in threads where that is worth it."""
    common = (table, rules, small, family)
    cases = [(column, None if before is None else before[j].histograms) for j, column in enumerate(columns.tolist())]
    if small.rows.size * columns.size < LEAST_WORK or count_workers(n_jobs, shared_memory=True) == 1:
        return [_search_column(*common, *case) for case in cases]
    return run_parallel(_search_column, cases, common=common, n_jobs=n_jobs, shared_memory=True)


def _search_column(table: BinnedTable, rules: Rules, small: _Small, family: _Family | None, j: int, before: Any) -> Any:
    """Add up the histograms of one column and find the best cuts there."""
    kernels = _kernels.boosted.histograms
    shape = (small.n_slots, int(table.n_bins[j]), small.sketch.shape[1])
    found = np.zeros(shape, np.float32)
    flat, n_bins = found.reshape(-1, shape[2]), shape[1]
    if table.row_of[j] == NO_ROW:
        own = table.columns[j]
        places = (small.slot_of, small.place_of, small.sketch, small.totals)
        kernels.add_up_listed(own.rows, own.bins, own.usual, *places, n_bins, flat)
    else:
        kernels.add_up(table.dense[table.row_of[j]], small.rows, small.slots, small.sketch, n_bins, flat)
    if family is not None:
        children = np.empty((2 * shape[0], *shape[1:]), np.float32)
        kernels.add_children(before, family.parents, family.left_is_small, found, children)
        found = children
    best = _Found(j, found, np.empty(len(found)), np.empty(len(found), np.int64), np.empty(len(found), bool))
    limits = (rules.least_weight * (1.0 - ROUNDING), ROWS_ADDED)
    kernels.find_cuts(found, table.is_nominal[j], *limits, best.gain, best.n_left, best.with_missing)
    return best


def _choose(level: list[_Found], n_most: int) -> list[_Cut]:
    """Return the cuts that gain most, at most as many as leaves may still be added, in the order of their nodes."""
    gains = np.array([found.gain for found in level])
    best = (gains >= gains.max(axis=0) * (1.0 - ROUNDING)).argmax(axis=0)  # of equal ones, the first
    gain = gains[best, np.arange(best.size)]
    chosen = np.sort(np.argsort(-gain, kind="stable")[:n_most])
    return [_Cut(int(t), int(best[t]), float(gain[t])) for t in chosen if gain[t] > 0]


def _mark_left(table: BinnedTable, level: list[_Found], cut: _Cut) -> NDArray[np.bool_]:
    """Return which bins of the column of a cut go left."""
    found, t, is_left = level[cut.column], cut.slot, np.empty(256, bool)
    _kernels.boosted.histograms.mark_left(
        found.histograms[t], table.is_nominal[found.column], found.n_left[t], found.with_missing[t], is_left
    )
    return is_left


def _find_small(
    table: BinnedTable,
    sketch: NDArray[np.float32],
    nodes: _Nodes,
    slots: NDArray[np.int64],
    split: NDArray[np.int64],
    node_of: NDArray[np.int32],
    rows: NDArray[np.int32],
) -> tuple[_Family, _Small]:
    """Return the smaller child of each node that was split, and its rows."""
    here = node_of[rows]
    count = np.bincount(here, minlength=nodes.n)
    left, right = nodes.left[split], nodes.right[split]
    left_is_small = count[left] <= count[right]
    slot_of = np.full(nodes.n, -1)
    slot_of[np.where(left_is_small, left, right)] = np.arange(split.size)
    own = slot_of[here]
    some = own >= 0
    return _Family(slots, left_is_small), _Small(table, sketch, rows[some], own[some], split.size)


# ------------------------------------------------------------------------------------------------ the way down


def _send_down(table: BinnedTable, nodes: _Nodes, split: NDArray[np.int64], node_of: NDArray[np.int32]) -> None:
    """In place: the node of each row becomes a child of the nodes that were just split."""
    kernels, side = _kernels.boosted.routes, np.zeros(table.n_rows, bool)
    column_of = np.full(nodes.n, NO_SPLIT)
    column_of[split] = nodes.column[split]
    kernels.find_sides(table.dense, table.row_of, table.usual, column_of, nodes.is_left, node_of, side)
    for node in split.tolist():
        column = nodes.column[node]
        if table.row_of[column] == NO_ROW:
            listed = table.columns[column]
            kernels.mend_sides(listed.rows, listed.bins, node, nodes.is_left[node], node_of, side)
    kernels.step_down(column_of, nodes.left, nodes.right, side, node_of)

"""The rounds of boosting: sketch, tree, steps of all labels in its leaves.

Symbols: p probabilities, y labels, w weights of rows. A leaf moves the log-odds of a label by
``learning_rate * clip(G / (H + l2))`` with G = sum of w (y - p) and H = sum of w p (1 - p) over those of its rows that
train the label (:mod:`truepath.learners.boosted.targets`): one Newton step. Steps that hardly lower the loss are left
out: nine in ten, late in a fit, most of them of labels that no row of the leaf has. That saves most of a model's size,
and such steps are mostly chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath import _kernels
from truepath.adapters.parallel import count_workers, run_parallel
from truepath.learners.boosted.bins import BinnedTable
from truepath.learners.boosted.growth import GrownTree, Rules, grow_levels
from truepath.learners.boosted.targets import TrainedOn

#: No log-odds move by more than this times the learning rate in a round
LONGEST_STEP = 4.0
#: Steps whose G ** 2 / (H + l2), twice what they lower the loss by, is less than this are not taken
LEAST_GAIN = 0.02
#: Labels of a block; a block is what one thread works on
BLOCK = 256
#: Cells below which threads cost more than they save
LEAST_WORK = 1_000_000


@dataclass(frozen=True)
class RoundSettings:
    """What a round depends on, resolved."""

    learning_rate: float
    l2: float
    subsample: float
    n_columns: int
    n_sketch: int
    max_bins: int
    rules: Rules
    n_jobs: int | None


class Round(NamedTuple):
    """A grown tree and the steps of its leaves, one row per node of the tree."""

    tree: GrownTree
    steps: NDArray[np.float32]


class Rounds:
    """Probabilities of the training rows, and how a round moves them.

    Parameters
    ----------
    table : BinnedTable, optional
        None where trees stand already.
    Y : csr_array of bool, shape (n_rows, n_labels)
    trains : TrainedOn
        Which rows train each label; a row has no label that it does not train.
    weight : ndarray, shape (n_rows,)
    importance : ndarray, shape (n_labels,)
        The weights of labels in the search for splits.
    base : ndarray, shape (n_labels,)
        The log-odds that rows start from.
    settings : RoundSettings
    rng : Generator
    """

    def __init__(
        self,
        table: BinnedTable | None,
        Y: sparse.csr_array,
        trains: TrainedOn,
        weight: NDArray[np.float64],
        importance: NDArray[np.float64],
        base: NDArray[np.float64],
        settings: RoundSettings,
        rng: np.random.Generator,
    ):
        self.table, self.settings, self.rng, self.n_rows = table, settings, rng, Y.shape[0]
        self.indptr, self.indices = Y.indptr.astype(np.int64), Y.indices.astype(np.int32)
        self.weight = weight.astype(np.float32)
        self.root = np.sqrt(importance).astype(np.float32)
        blocks = (slice(first, min(first + BLOCK, base.size)) for first in range(0, base.size, BLOCK))
        self.blocks = [_start(base[labels], trains, labels, Y.shape[0]) for labels in blocks]
        self.n_labels = base.size
        self.signs = self.cell_of = np.empty(0)
        self.sketch = self._sketch_anew()

    def run(self, n_rounds: int) -> Iterator[Round]:
        """Yield round after round; the probabilities are those after it."""
        assert self.table is not None
        n_columns, rules, n_jobs = len(self.table.columns), self.settings.rules, self.settings.n_jobs
        for _ in range(n_rounds):
            rows, columns = self._draw_rows(), self._draw_columns(n_columns)
            tree = grow_levels(self.table, self.sketch, rows, columns, rules, n_jobs)
            yield Round(tree, self.move(tree.leaf_of, tree.column.size))

    def _draw_rows(self) -> NDArray[np.int32]:
        n = self.n_rows
        n_drawn = max(1, round(self.settings.subsample * n))
        drawn = np.arange(n) if n_drawn == n else np.sort(self.rng.permutation(n)[:n_drawn])
        return drawn.astype(np.int32)

    def _draw_columns(self, n: int) -> NDArray[np.int64]:
        return np.sort(self.rng.permutation(n)[: self.settings.n_columns])

    def _draw_signs(self) -> None:
        """Draw to which cell each label is added, and with which sign."""
        width = sum(P.shape[1] for P in self.blocks)
        cells = _kernels.boosted.cells
        self.signs = np.zeros(width, np.float32)
        self.signs[: self.n_labels] = self.root * self.rng.choice(np.array([-1, 1], np.float32), self.n_labels)
        self.cell_of = self.rng.permutation(cells.FOLDED) % self.settings.n_sketch

    def _empty_sketch(self) -> NDArray[np.float32]:
        """Return a sketch of the labels that rows have; the last number is their weight."""
        cells = _kernels.boosted.cells
        sketch = np.zeros((self.n_rows, cells.LANES), np.float32)
        cells.sketch_labels(self.indptr, self.indices, self.weight, self.signs, self.cell_of, sketch)
        sketch[:, -1] = self.weight
        return sketch

    def _sketch_anew(self) -> NDArray[np.float32]:
        self._draw_signs()
        sketch, end = self._empty_sketch(), 0
        for P in self.blocks:
            start, end = end, end + P.shape[1]
            _kernels.boosted.cells.sketch_rows(P, self.weight, self.signs[start:end], self.cell_of, sketch)
        return sketch

    def move(self, leaf_of: NDArray[np.int32], n_places: int) -> NDArray[np.float32]:
        """Take the steps of a tree's leaves, sketch what is left, and return the steps, a row per node of the tree."""
        order = np.argsort(leaf_of, kind="stable").astype(np.int32)
        start = np.append(0, np.cumsum(np.bincount(leaf_of, minlength=n_places)))
        counts = np.zeros((n_places, self.signs.size))
        _kernels.boosted.cells.count_labels(self.indptr, self.indices, self.weight, leaf_of, counts)
        self._draw_signs()
        sketch = self._empty_sketch()
        common = (self.weight, self.cell_of, sketch.shape, self.settings, leaf_of, order, start)
        steps = []
        for found, part in self._move_blocks(common, counts):
            steps.append(found)
            sketch += part
        self.sketch = sketch
        return np.hstack(steps)[:, : self.n_labels]

    def _move_blocks(self, common: tuple[Any, ...], counts: NDArray[np.float64]) -> list[Any]:
        """Return the steps and the sketch of each block of labels, in threads where that is worth it."""
        cases: list[tuple[Any, ...]] = []
        end = 0
        for P in self.blocks:
            first, end = end, end + P.shape[1]
            cases.append((P, self.signs[first:end], counts[:, first:end]))
        n_jobs, n_cells = self.settings.n_jobs, self.n_rows * self.signs.size
        if n_cells < LEAST_WORK or len(cases) == 1 or count_workers(n_jobs, shared_memory=True) == 1:
            return [_move_block(*common, *case) for case in cases]
        return run_parallel(_move_block, cases, common=common, n_jobs=n_jobs, shared_memory=True)


def _start(base: NDArray[np.float64], trains: TrainedOn, labels: slice, n_rows: int) -> NDArray[np.float32]:
    """Return the first probabilities of a block of labels, filled up to a whole number of folds."""
    folded = _kernels.boosted.cells.FOLDED
    P = np.zeros((n_rows, -(-base.size // folded) * folded), np.float32)
    trains.fill(P, labels, 1.0 / (1.0 + np.exp(-base)))
    return P


def _move_block(
    weight: Any,
    cell_of: Any,
    shape: tuple[int, int],
    settings: RoundSettings,
    leaf_of: Any,
    order: Any,
    start: Any,
    P: Any,
    signs: Any,
    counts: Any,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the steps of a block of labels and what is taken away from the sketch; moves the block, which is its own.

    Each block is handed to one thread of this process, and a copy would take as much memory again.
    """
    cells = _kernels.boosted.cells
    sums, curvatures = np.zeros(counts.shape), np.zeros(counts.shape)
    cells.sum_leaves(P, weight, order, start, sums, curvatures)
    steps = (find_steps(counts - sums, curvatures, settings.l2) * settings.learning_rate).astype(np.float32)
    sketch = np.zeros(shape, np.float32)
    cells.move_rows(P, leaf_of, np.exp(steps), weight, signs, cell_of, sketch)
    return steps, sketch


def find_steps(gradient: NDArray[np.float64], curvature: NDArray[np.float64], l2: float) -> NDArray[np.float64]:
    """Return Newton steps, those too long cut and those that gain too little left out.

    Examples
    --------
    >>> find_steps(np.array([-0.001, 0.5, 90.0]), np.array([0.2, 0.9, 10.0]), 0.1).tolist()
    [0.0, 0.5, 4.0]
    """
    step = gradient / (curvature + l2)
    return np.where(gradient * step < LEAST_GAIN, 0.0, np.clip(step, -LONGEST_STEP, LONGEST_STEP))

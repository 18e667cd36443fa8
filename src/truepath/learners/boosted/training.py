"""From checked rows to trees: all rounds, early stopping, leaves found again, and scores of rows left out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from truepath.adapters.varying import constant_scores
from truepath.errors import TruePathError
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.propagation import multiply_down
from truepath.learners.boosted.bins import BinnedTable, bin_table
from truepath.learners.boosted.rounds import Rounds, RoundSettings
from truepath.learners.boosted.targets import TrainedOn
from truepath.learners.boosted.trees import keep_tree, put_steps, sum_steps
from truepath.learners.trees.leaves import find_leaves
from truepath.metrics import auprc
from truepath.resampling import count_groups, deal_folds, deal_rows, draw_some, split_folds

#: Parts for scores of rows left out, and the number of scores beyond which only one part has them
N_PARTS, MOST_SCORES = 5, 20_000_000
#: Early stopping looks after so many rounds, at as many scores
ROUNDS_BETWEEN, CELLS_JUDGED = 20, 2_000_000
#: Added to both sides of the odds that rows start from
PRIOR = 0.5
BYTES = 4


@dataclass(frozen=True)
class CheckedRows:
    """Checked rows to learn from, of positive weight; with ``parents_of``, each label from those of its parents."""

    X: Any
    Y: sparse.csr_array
    weight: NDArray[np.float64]
    importance: NDArray[np.float64]
    categories: dict[int, NDArray[Any]]
    groups: NDArray[np.int64] | None
    entropy: int
    parents_of: Hierarchy | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.Y.shape[0])

    def take(self, rows: NDArray[np.int64]) -> CheckedRows:
        """Return some of the rows."""
        groups = None if self.groups is None else self.groups[rows]
        return replace(self, X=self.X[rows], Y=self.Y[rows], weight=self.weight[rows], groups=groups)

    def draw(self, n_most: int | None) -> CheckedRows:
        """Return no more rows than that, drawn at random."""
        if n_most is None or n_most >= self.n_rows:
            return self
        return self.take(draw_some(self.n_rows, n_most, self.entropy))

    def trains(self) -> TrainedOn:
        """Return which rows train each label."""
        if self.parents_of is None:
            return TrainedOn.all_of(self.Y)
        return TrainedOn.of_parents(self.Y, self.parents_of)

    def constant(self) -> NDArray[np.float64]:
        """Return the value that all rows that train a label share, 0 where there are none; NaN for other labels."""
        n_rows = self.trains().weigh(np.ones(self.n_rows))
        return constant_scores(self.Y.T @ np.ones(self.n_rows), np.maximum(n_rows, 1))

    def base(self) -> NDArray[np.float64]:
        """Return the log-odds that rows start from: those of the labels' shares in the rows that train them."""
        has = self.Y.T @ self.weight
        base: NDArray[np.float64] = np.log((has + PRIOR) / (self.trains().weigh(self.weight) - has + PRIOR))
        return base

    def rank(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what orders labels of rows as their scores do."""
        return margins if self.parents_of is None else multiply_down(expit(margins), self.parents_of)

    def rounds(self, table: BinnedTable | None, settings: RoundSettings, base: NDArray[np.float64]) -> Rounds:
        """Return the rounds of boosting on these rows; ``table`` is None where trees stand already."""
        rng = np.random.default_rng(self.entropy)
        return Rounds(table, self.Y, self.trains(), self.weight, self.importance, base, settings, rng)


@dataclass(frozen=True)
class Stopping:
    """How many rounds there are: ``n_rounds``, or fewer if rows left out say so; and how many rows are learned from."""

    n_rounds: int
    patience: int | None
    share: float
    max_rows: int | None


class Boosted(NamedTuple):
    """Trees, the log-odds that rows start from, and the rows left out to find the number of rounds."""

    trees: list[Any]
    base: NDArray[np.float64]
    left_out: NDArray[np.int64]


def check_memory(n_rows: int, n_nodes: int) -> None:
    """Refuse a table whose probabilities do not fit into memory."""
    needed = n_rows * n_nodes * BYTES
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on every system
        return
    if needed > there:
        raise TruePathError(
            f"BoostedTrees keeps a probability for each of {n_rows:,} rows and {n_nodes:,} labels: "
            f"{needed / 1e9:.0f} GB, and this machine has {there / 1e9:.0f}.",
            "Fit on a part of the rows, or take SparseLinear or PCTForest, which keep labels sparse.",
        )


def leave_rows_out(given: CheckedRows, stopping: Stopping) -> tuple[CheckedRows, NDArray[np.int64]]:
    """Return the rows to learn from, and the numbers of those that are left out to find the number of rounds."""
    if stopping.patience is None:
        return given.draw(stopping.max_rows), np.empty(0, np.int64)
    if given.groups is None:
        left_out = draw_some(given.n_rows, max(1, round(stopping.share * given.n_rows)), given.entropy)
    else:
        n_parts = min(max(2, round(1 / stopping.share)), count_groups(given.groups))
        left_out = np.flatnonzero(deal_rows(given.n_rows, n_parts, given.entropy, given.groups) == 0)
    train = np.setdiff1d(np.arange(given.n_rows), left_out)
    if not train.size:
        raise ValueError("n_iter_no_change leaves out some rows, and none are left to learn from. Leave it None.")
    return given.take(train).draw(stopping.max_rows), left_out


def grow_trees(given: CheckedRows, settings: RoundSettings, stopping: Stopping) -> Boosted:
    """Return the trees of all rounds, or of those that are best for rows left out."""
    learned, left_out = leave_rows_out(given, stopping)
    if stopping.patience is None:
        base = learned.base()
        return Boosted(list(_grow(learned, settings, base, stopping.n_rounds)), base, left_out)
    some = left_out[draw_some(left_out.size, max(1, CELLS_JUDGED // given.Y.shape[1]), given.entropy)]
    trees, base = _stop_early(learned, given.take(some), settings, stopping.n_rounds, stopping.patience)
    return Boosted(trees, base, left_out)


def _grow(given: CheckedRows, settings: RoundSettings, base: NDArray[np.float64], n_rounds: int) -> Iterator[Any]:
    """Yield the trees of round after round."""
    table = bin_table(given.X, given.categories, given.weight, settings.max_bins, settings.n_jobs)
    for grown in given.rounds(table, settings, base).run(n_rounds):
        yield keep_tree(table, grown, given.weight)


def _stop_early(
    given: CheckedRows, judged: CheckedRows, settings: RoundSettings, n_rounds: int, patience: int
) -> tuple[list[Any], NDArray[np.float64]]:
    """Return the trees up to the round after which the rows judged were scored best."""
    base = given.base()
    margins = np.tile(base, (judged.n_rows, 1))
    trees: list[Any] = []
    best, n_best = -np.inf, 0
    grown = _grow(given, settings, base, n_rounds)
    while some := list(islice(grown, ROUNDS_BETWEEN)):
        trees += some
        margins += sum_steps(some, judged.X, given.categories, np.zeros_like(base), settings.n_jobs)
        score = float(auprc(judged.Y, judged.rank(margins))) if judged.Y.nnz else -np.inf
        if score > best or not n_best:
            best, n_best = score, len(trees)
        if len(trees) - n_best >= patience:
            break
    return trees[:n_best], base


def refit_leaves(
    trees: list[Any], given: CheckedRows, settings: RoundSettings
) -> tuple[list[Any], NDArray[np.float64]]:
    """Return trees of the same questions whose leaves hold the steps of other labels, and the new start."""
    base, found = given.base(), []
    rounds = given.rounds(None, settings, base)
    for tree in trees:
        leaves = find_leaves(tree, given.X, given.categories)
        found.append(put_steps(tree, rounds.move(leaves, len(tree.link))))
    return found, base


def score_unseen(
    given: CheckedRows, boosted: Boosted, settings: RoundSettings, stopping: Stopping
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Yield row numbers and the log-odds of these rows by trees that did not see them.

    The trees are those of the fit if it left rows out; else those of fits on other parts of the rows, of one part alone
    if there are many scores.
    """
    if boosted.left_out.size:
        yield boosted.left_out, _score(boosted, given, boosted.left_out, settings)
        return
    splits = split_folds(deal_folds(given.Y, min(N_PARTS, given.n_rows), given.entropy, given.groups))
    for train, left_out in splits[: count_parts(given.n_rows, given.n_rows * given.Y.shape[1])]:
        yield left_out, _score(grow_trees(given.take(train), settings, stopping), given, left_out, settings)


def count_parts(n_rows: int, n_scores: int) -> int:
    """Return how many parts of the rows get scores by fits on the others."""
    return min(N_PARTS, n_rows) if n_scores <= MOST_SCORES else 1


def _score(
    boosted: Boosted, given: CheckedRows, rows: NDArray[np.int64], settings: RoundSettings
) -> NDArray[np.float64]:
    """Return the log-odds of some rows."""
    return sum_steps(boosted.trees, given.X[rows], given.categories, boosted.base, settings.n_jobs)

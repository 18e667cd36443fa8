"""Scores of positives and of negatives as one ranking, and what is counted as a threshold falls over it.

Recall moves only where the threshold passes a positive, so an area needs one step per distinct score of a
positive. Step j leads from (tp_a, fp_a), all scores above it predicted, to (tp_b, fp_b), that score predicted
too; positives and negatives that tie come together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath import _kernels
from truepath.hierarchy.matrices import CELLS_AT_A_TIME, as_dense
from truepath.metrics.inputs import Pair

Floats = NDArray[np.float64]


class Ranking(NamedTuple):
    """Scores of positives and of negatives; weights None mean one each."""

    positives: NDArray[Any]
    negatives: NDArray[Any]
    positive_weight: Floats | None = None
    negative_weight: Floats | None = None


class Steps(NamedTuple):
    """The curve's steps from the highest score of a positive down: counts before and after each."""

    tp_before: Floats
    tp_after: Floats
    fp_before: Floats
    fp_after: Floats


def pool(pair: Pair) -> Ranking:
    """Gather all counted cells, as one ranking."""
    true, scores = pair.counted()
    if sparse.issparse(scores):
        return _pool_sparse(true, scores, pair.weight)
    if pair.weight is None:
        return Ranking(scores[true], scores[~true])
    weight = np.broadcast_to(pair.weight[:, None], true.shape)
    return Ranking(scores[true], scores[~true], weight[true], weight[~true])


def _pool_sparse(true: sparse.csr_array, scores: sparse.csr_array, weight: Floats | None) -> Ranking:
    """Gather stored scores, and all cells without one as a single weighted score 0 on each side."""
    n_rows, n_columns = scores.shape
    weight = np.ones(n_rows) if weight is None else weight
    true_cells, cells = _cell_numbers(true), _cell_numbers(scores)
    is_positive, is_stored = np.isin(cells, true_cells), np.isin(true_cells, cells)
    cell_weight, silent = weight[cells // n_columns], true_cells[~is_stored] // n_columns
    n_silent = n_columns - np.diff(scores.indptr) - np.bincount(silent, minlength=n_rows)
    zero = np.zeros(1, scores.dtype)
    return Ranking(
        np.concatenate([scores.data[is_positive], zero[: silent.size]]),
        np.concatenate([scores.data[~is_positive], zero[: n_silent.sum()]]),
        np.concatenate([cell_weight[is_positive], [weight[silent].sum()][: silent.size]]),
        np.concatenate([cell_weight[~is_positive], [n_silent @ weight][: n_silent.sum()]]),
    )


def _cell_numbers(matrix: sparse.csr_array) -> NDArray[np.int64]:
    """Number the stored cells row by row."""
    rows = np.repeat(np.arange(matrix.shape[0], dtype=np.int64), np.diff(matrix.indptr))
    return rows * matrix.shape[1] + matrix.indices


def rank_classes(pair: Pair) -> Iterator[Ranking]:
    """Yield each counted class's ranking; columns are made contiguous in blocks of a bounded number of cells."""
    true, scores = (M.tocsc() if sparse.issparse(M) else M for M in pair.counted())
    step = max(1, CELLS_AT_A_TIME // true.shape[0])
    for start in range(0, true.shape[1], step):
        for is_positive, score in zip(*(_as_rows(M[:, start : start + step]) for M in (true, scores))):
            weights = () if pair.weight is None else (pair.weight[is_positive], pair.weight[~is_positive])
            yield Ranking(score[is_positive], score[~is_positive], *weights)


def _as_rows(columns: Any) -> NDArray[Any]:
    """Return columns as the contiguous rows of a dense array."""
    return np.ascontiguousarray(as_dense(columns).T)


def count_at_or_above(ranking: Ranking) -> tuple[NDArray[Any], Floats, Floats]:
    """Return the distinct scores, and the weight of the positives and of the negatives from each of them on."""
    scores = np.concatenate([ranking.positives, ranking.negatives])
    if ranking.positive_weight is None:  # a plain sort of the scores is much faster than one with their places
        thresholds, counts = np.unique(scores, return_counts=True)
        tp = _at_or_above(np.searchsorted(thresholds, ranking.positives), None, thresholds.size)
        return thresholds, tp, np.cumsum(counts[::-1], dtype=np.float64)[::-1] - tp
    thresholds, place = np.unique(scores, return_inverse=True)
    split = ranking.positives.size
    tp = _at_or_above(place[:split], ranking.positive_weight, thresholds.size)
    return thresholds, tp, _at_or_above(place[split:], ranking.negative_weight, thresholds.size)


def _at_or_above(place: NDArray[np.intp], weight: Floats | None, size: int) -> Floats:
    """Return the weight of the entries whose place is j or higher, for every j."""
    return np.cumsum(np.bincount(place, weights=weight, minlength=size)[::-1], dtype=np.float64)[::-1]


def take_steps(ranking: Ranking) -> Steps:
    """Count the steps of a ranking."""
    return _sort_steps(ranking) if ranking.positive_weight is None else _bin_steps(ranking)


def _sort_steps(ranking: Ranking) -> Steps:
    """Sort positives and negatives apart and merge: two plain sorts are much faster than one argsort."""
    points, n_tied = np.unique(ranking.positives, return_counts=True)
    negatives = np.sort(ranking.negatives)
    fp_before = negatives.size - np.searchsorted(negatives, points, side="right")
    fp_after = negatives.size - np.searchsorted(negatives, points, side="left")
    return _from_the_top(np.cumsum(n_tied[::-1])[::-1], fp_before, fp_after)


def _bin_steps(ranking: Ranking) -> Steps:
    """Sort the positives only, and count each weighted negative between them."""
    points, place = np.unique(ranking.positives, return_inverse=True)
    tied, between = np.zeros(points.size), np.zeros(points.size + 1)
    _kernels.metrics.ranking.bin_scores(points, ranking.negatives, ranking.negative_weight, tied, between)
    above = np.cumsum(between[:0:-1])[::-1] + np.append(np.cumsum(tied[:0:-1])[::-1], 0.0)[: points.size]
    return _from_the_top(_at_or_above(place, ranking.positive_weight, points.size), above, above + tied)


def _from_the_top(tp: NDArray[Any], fp_before: NDArray[Any], fp_after: NDArray[Any]) -> Steps:
    """Turn counts at ascending points into steps from the highest point down."""
    tp_after = tp[::-1].astype(np.float64)
    tp_before = np.concatenate([[0.0], tp_after[:-1]])[: tp_after.size]
    return Steps(tp_before, tp_after, fp_before[::-1].astype(np.float64), fp_after[::-1].astype(np.float64))

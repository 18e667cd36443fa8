"""All thresholds of a score matrix in one pass over its rows: the sums that CAFA's measures are made of.

Each row adds what changes at the thresholds that its own scores reach; running sums from the highest threshold down
then give the totals at each. :mod:`truepath.metrics.cafa` and the evaluation of :mod:`truepath.cafa` share this.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath import _kernels

Floats = NDArray[np.float64]

#: More thresholds than this are swept in the order of the scores: to look each score up among them takes longer
MANY = 1 << 14


def sweep_scores(
    true: sparse.csr_array,
    scores: sparse.csr_array,
    mass: Floats,
    cuts: NDArray[Any],
    *,
    scored: Floats,
    weight: Floats,
    order: NDArray[np.int64] | None = None,
) -> Floats:
    """Return, for each of the ascending thresholds, five sums over rows.

    Parameters
    ----------
    true, scores : csr_array, shape (n_samples, n_nodes)
    mass : ndarray, shape (n_nodes,)
        What each label counts; 0 leaves it out.
    cuts : ndarray
        Thresholds above 0, ascending; a score of at least the threshold is a prediction.
    scored, weight : ndarray, shape (n_samples,)
        What each row counts in precision and recall, and in the masses.
    order : ndarray, optional
        The stored scores in falling order, where that is known already.

    Returns
    -------
    sums : ndarray, shape (n_cuts, 5)
        Precision, rows with a prediction, recall, mass of true labels predicted, mass of all labels predicted.
    """
    changes = np.zeros((cuts.size, 5))
    add_sweep(changes, true, scores, mass, cuts, scored=scored, weight=weight, order=order)
    return total_sweep(changes)


def add_sweep(
    changes: Floats,
    true: sparse.csr_array,
    scores: sparse.csr_array,
    mass: Floats,
    cuts: NDArray[Any],
    *,
    scored: Floats,
    weight: Floats,
    order: NDArray[np.int64] | None = None,
) -> None:
    """Add some rows to ``changes``, which :func:`total_sweep` turns into sums; matrices may come in blocks of rows."""
    mass = np.ascontiguousarray(mass, np.float64)
    rows = np.asarray(scored, np.float64), np.asarray(weight, np.float64)
    where, truth = (scores.indptr, scores.indices), (true.indptr, true.indices)
    if cuts.size <= MANY:
        _kernels.metrics.ranking.sweep_rows(*where, scores.data, *truth, mass, cuts, *rows, changes)
        return
    falling = np.argsort(scores.data)[::-1] if order is None else order
    is_true = np.zeros(scores.data.size, bool)
    _kernels.metrics.ranking.mark_true(*where, *truth, mass.size, is_true)
    row_of = np.repeat(np.arange(scores.shape[0], dtype=np.int32), np.diff(scores.indptr))
    cells = row_of, mass[scores.indices], scores.data, is_true, np.asarray(true @ mass, np.float64)
    _kernels.metrics.ranking.sweep_sorted(falling, *cells, cuts, *rows, changes)


def total_sweep(changes: Floats) -> Floats:
    """Sum the changes from the highest threshold down."""
    return np.cumsum(changes[::-1], axis=0)[::-1]


def every_score(scores: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the different scores above 0, ascending, and the order in which all fall."""
    order = np.argsort(scores)[::-1]
    falling = scores[order]
    falling = falling[falling > 0]
    is_last = np.append(np.diff(falling) != 0, True)[: falling.size]
    return falling[is_last][::-1].copy(), order


def check_thresholds(thresholds: ArrayLike, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return thresholds, ascending, in the scores' own type."""
    rising = np.unique(np.asarray(thresholds, dtype))
    if rising.size == 0 or not rising[0] > 0 or not np.isfinite(rising[-1]):
        raise ValueError("thresholds must be numbers above 0; a score of 0 is not a prediction.")
    return rising

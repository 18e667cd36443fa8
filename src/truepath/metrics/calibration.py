"""Whether scores are probabilities: expected calibration error, Brier score and log-loss, over all cells or by level.

The three want scores from 0 to 1, which not every model gives: :func:`truepath.metrics.evaluate` computes them if they
are asked for by name.

References
----------
Brier, G. W. (1950). Verification of forecasts expressed in terms of probability. Monthly Weather Review 78, 1-3.
Naeini, M. P., Cooper, G. & Hauskrecht, M. (2015). Obtaining well calibrated probabilities using Bayesian binning. AAAI.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.checks import as_probabilities
from truepath.hierarchy.matrices import dense_blocks
from truepath.metrics.base import register
from truepath.metrics.inputs import Pair, check_label_scores, divide
from truepath.metrics.score_bins import bin_scores

Floats = NDArray[np.float64]

#: Scores are taken no closer to a wrong answer than this, so that one mistake cannot make log-loss infinite
LEAST = 1e-7


@register(
    needs="scores",
    label="ECE",
    meaning="how far scores above 0.1 are from the share of true labels among them, on average over 15 bins",
    greater_is_better=False,
    number=float,
)
def expected_calibration_error(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    n_bins: int = 15,
    min_score: float = 0.1,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean distance of scores from the share of true labels among them.

    Parameters
    ----------
    y_score : array-like or sparse matrix of float in [0, 1], shape (n_samples, n_nodes)
    n_bins : int, default=15
        The bins of equal width from 0 to 1; each counts by its number of scores.
    min_score : float, default=0.1
        Only scores above this are counted: with many labels nearly all scores are nearly 0, and those are right however
        bad the others are.

    Returns
    -------
    error : float
        0 where no score is above ``min_score``.

    Examples
    --------
    >>> from truepath.metrics import expected_calibration_error
    >>> round(expected_calibration_error([[1], [1], [1], [0]], [[0.8], [0.8], [0.8], [0.8]]), 3)
    0.05
    """
    pair = _check(y_true, y_score, hierarchy, nodes, sample_weight)
    return _calibration_error(_bin_cells(pair, n_bins, min_score).sum(axis=1))


@register(
    needs="scores",
    label="level ECE",
    meaning="the expected calibration error of each level, averaged over levels",
    greater_is_better=False,
    needs_hierarchy=True,
    number=lambda result: float(np.mean(result)),
    like=expected_calibration_error,
)
def level_calibration_error(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    n_bins: int = 15,
    min_score: float = 0.1,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Floats:
    """Return the expected calibration error of the labels of each level.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        None takes the labels as flat: one level.

    Returns
    -------
    errors : ndarray of float64, shape (height,)
        ``errors[d - 1]`` is that of depth d; as a scorer the mean over levels.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.metrics import level_calibration_error
    >>> h = Hierarchy.from_paths(["a/1"])
    >>> level_calibration_error([[1, 0], [1, 1]], [[1.0, 0.25], [1.0, 0.25]], h).tolist()
    [0.0, 0.25]
    """
    pair = _check(y_true, y_score, hierarchy, nodes, sample_weight)
    counts = _bin_cells(pair, n_bins, min_score)
    return np.array([_calibration_error(counts[:, level].sum(axis=1)) for level in pair.hierarchy.levels])


@register(
    needs="scores",
    label="Brier score",
    meaning="mean squared distance of scores from 1 where the label is true and 0 where it is not",
    digits=4,
    greater_is_better=False,
    number=float,
    like=expected_calibration_error,
)
def brier_score(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean squared distance of scores from the truth, over all cells.

    With ``nodes=hierarchy.levels[0]`` it is that of the first level.

    Examples
    --------
    >>> from truepath.metrics import brier_score
    >>> brier_score([[1, 0], [1, 1]], [[1.0, 0.5], [1.0, 0.5]])
    0.125
    """
    pair = _check(y_true, y_score, hierarchy, nodes, sample_weight)
    return _mean_of_cells(pair, lambda true, scores: (scores - true) ** 2)


@register(
    needs="scores",
    label="log-loss",
    meaning="mean of minus the logarithm of the probability that scores gave to the truth",
    digits=4,
    greater_is_better=False,
    bounds=(0.0, np.inf),
    number=float,
    like=expected_calibration_error,
)
def score_log_loss(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the mean logarithmic loss of scores, over all cells.

    With ``nodes=hierarchy.levels[0]`` it is that of the first level.

    Notes
    -----
    A cell costs at most about 16: the truth is taken to have had a probability of at least 1e-7.

    Examples
    --------
    >>> from truepath.metrics import score_log_loss
    >>> round(score_log_loss([[1, 0]], [[0.5, 0.5]]), 3)
    0.693
    """
    pair = _check(y_true, y_score, hierarchy, nodes, sample_weight)
    return _mean_of_cells(pair, lambda true, scores: -np.log(np.maximum(np.where(true, scores, 1 - scores), LEAST)))


def _check(y_true: Any, y_score: Any, hierarchy: Hierarchy | None, nodes: Any, sample_weight: Any) -> Pair:
    """Return truth and scores, which must be probabilities."""
    pair = check_label_scores(y_true, y_score, hierarchy, nodes, sample_weight)
    return pair._replace(pred=as_probabilities(pair.pred, "y_score"))


def _mean_of_cells(pair: Pair, loss: Any) -> float:
    true, scores = pair.counted()
    rows = [loss(y, s.astype(np.float64)).mean(axis=1) for _, (y, s) in dense_blocks(true, scores)]
    return pair.mean_over_rows(np.concatenate(rows))


def _bin_cells(pair: Pair, n_bins: int, min_score: float) -> Floats:
    """Return the counts of the scores of each label."""
    return bin_scores(pair.true, pair.pred, n_bins, min_score=min_score, weight=pair.weight, nodes=pair.nodes)


def _calibration_error(counts: Floats) -> float:
    """Return the error of bins: the weight of the scores in each, of those that are true, and their sum."""
    n, k, total = counts
    return float(np.abs(divide(k, n, 0.0) - divide(total, n, 0.0)) @ n / max(n.sum(), LEAST))

"""Accuracies of Chelmis & Qi: at each level of the hierarchy, and among the k highest scores.

References
----------
C. Chelmis, W. Qi. Hierarchical multiclass AdaBoost. IEEE Big Data 2021, section IV.D.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import dense_blocks
from truepath.metrics.base import register
from truepath.metrics.inputs import (
    check_label_pair,
    check_label_scores,
    divide,
    find_mistakes,
    has_any,
    mean_of_defined,
    take_columns,
)
from truepath.metrics.rows import each_row

__all__ = ["level_accuracy", "top_k_accuracy"]


@register(
    needs="labels",
    label="level accuracy",
    meaning="share of rows with every label of a level right, averaged over levels",
    needs_hierarchy=True,
    number=lambda result: float(np.nanmean(result)),
)
def level_accuracy(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy | None = None,
    *,
    rows: Literal["all", "labelled"] = "all",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return, for each level, the share of rows whose labels on that level are exactly right.

    Parameters
    ----------
    y_true, y_pred : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
    hierarchy : Hierarchy, optional
        None takes the labels as flat: one level.
    rows : {"all", "labelled"}, default="all"
        Which rows a level counts: all of them (a row that stops above the level is right when nothing is
        predicted there), or those with a true label on it.
    nodes : sequence of names or numbers, optional
        The classes counted, all by default.
    sample_weight : array-like, shape (n_samples,), optional

    Returns
    -------
    accuracy : ndarray of float64, shape (height,)
        ``accuracy[d - 1]`` is that of depth d (longest path from the root). NaN for a level without counted
        classes, or without rows to count. As a scorer: the mean over levels.

    Notes
    -----
    Chelmis & Qi (H-Ada.MH, Fig. 6) show per-level accuracy without defining it; with one path to a leaf per row,
    their setting, both choices of ``rows`` mean that the class of the level is right.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.metrics import level_accuracy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> truth, predicted = h.encode([["a/1"], ["b/1"]]), h.encode([["a/2"], ["b/1"]])
    >>> level_accuracy(truth, predicted, h).tolist()
    [1.0, 0.5]
    """
    if rows not in ("all", "labelled"):
        raise ValueError(f"rows must be 'all' or 'labelled'; got {rows!r}.")
    pair = check_label_pair(y_true, y_pred, hierarchy, nodes, sample_weight)
    mistakes = find_mistakes(pair.true, pair.pred)
    weight = np.ones(pair.true.shape[0]) if pair.weight is None else pair.weight
    accuracy = np.full(pair.hierarchy.height, np.nan)
    for d, level in enumerate(pair.hierarchy.levels):
        level = level if pair.nodes is None else np.intersect1d(level, pair.nodes)
        counted = weight * has_any(take_columns(pair.true, level)) if rows == "labelled" else weight
        if level.size and counted.sum() > 0:
            accuracy[d] = np.average(~has_any(take_columns(mistakes, level)), weights=counted)
    return accuracy


@register(
    needs="scores",
    label="top-k accuracy",
    meaning="share of true labels among a row's k best scored, k being the hierarchy's height",
    needs_hierarchy=True,
    row_terms=each_row,
)
def top_k_accuracy(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    k: int | None = None,
    out_of: Literal["k", "attainable"] = "k",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = 0.0,
) -> float:
    """Return the mean over rows of the true labels among the k best scored, divided by k.

    Parameters
    ----------
    y_true : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
    y_score : array-like or sparse matrix of float, shape (n_samples, n_nodes)
        Ties go to the smaller node number.
    hierarchy : Hierarchy, optional
        None takes the labels as flat.
    k : int, optional
        By default the hierarchy's height, as in Chelmis & Qi (or the number of counted classes, if that is smaller).
    out_of : {"k", "attainable"}, default="k"
        What hits are divided by: k, as in the paper, where every row has one path of k labels; or the smaller of
        k and the number of true labels, so that a perfect ranking scores 1 on rows with fewer.
    nodes : sequence of names or numbers, optional
        The classes counted, all by default.
    sample_weight : array-like, shape (n_samples,), optional
    zero_division : float, default=0.0
        The value of a row without true labels with ``out_of="attainable"``; ``np.nan`` leaves it out.

    References
    ----------
    C. Chelmis, W. Qi. Hierarchical multiclass AdaBoost. IEEE Big Data 2021, section IV.D.

    Notes
    -----
    O(n_samples * n_nodes) by selection, not sorting; a bounded number of rows at a time.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.metrics import top_k_accuracy
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> top_k_accuracy(h.encode([["a/1"]]), [[0.9, 0.2, 0.6, 0.1, 0.0]], h)  # a and a/2 lead: one of two
    0.5
    """
    if out_of not in ("k", "attainable"):
        raise ValueError(f"out_of must be 'k' or 'attainable'; got {out_of!r}.")
    pair = check_label_scores(y_true, y_score, hierarchy, nodes, sample_weight)
    k = min(pair.hierarchy.height, pair.n_counted) if k is None else k
    if not 1 <= k <= pair.n_counted:
        raise ValueError(f"k must be from 1 to {pair.n_counted}, the number of counted classes; got {k}.")
    hits, attainable = np.zeros(pair.true.shape[0]), np.full(pair.true.shape[0], k)
    for rows, (true, scores) in dense_blocks(*pair.counted()):
        hits[rows] = (true & _is_top(scores, k)).sum(axis=1)
        if out_of == "attainable":
            attainable[rows] = np.minimum(k, true.sum(axis=1))
    return mean_of_defined(divide(hits, attainable, zero_division), pair.weight)


def _is_top(scores: NDArray[Any], k: int) -> NDArray[np.bool_]:
    """Mark the k highest scores of each row; of those tied at the k-th place, the first ones."""
    edge = np.partition(scores, -k, axis=1)[:, -k, None]
    above, tied = scores > edge, scores == edge
    room = k - above.sum(axis=1, keepdims=True)
    return above | (tied & (np.cumsum(tied, axis=1) <= room))

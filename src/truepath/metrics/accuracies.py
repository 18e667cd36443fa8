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
from truepath.metrics.base import get_metric, register
from truepath.metrics.inputs import (
    check_label_pair,
    check_label_scores,
    find_mistakes,
    has_any,
    take_columns,
)
from truepath.metrics.ranking.at_k import precision_at_k
from truepath.metrics.rows import each_row

__all__ = ["by_level", "level_accuracy", "top_k_accuracy"]


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
    pair = check_label_scores(y_true, y_score, hierarchy, nodes)
    k = min(pair.hierarchy.height, pair.n_counted) if k is None else k
    if not 1 <= k <= pair.n_counted:
        raise ValueError(f"k must be from 1 to {pair.n_counted}, the number of counted classes; got {k}.")
    options: dict[str, Any] = {"nodes": nodes, "sample_weight": sample_weight, "zero_division": zero_division}
    return precision_at_k(y_true, y_score, hierarchy, k=k, out_of=out_of, **options)


def by_level(
    metric: str,
    y_true: Any,
    predicted: Any,
    hierarchy: Hierarchy,
    *,
    sample_weight: ArrayLike | None = None,
    **options: Any,
) -> NDArray[np.float64]:
    """Compute a metric on each level of the hierarchy alone, over the rows that have a true label there.

    Parameters
    ----------
    metric : str
        A name of :func:`list_metrics`, such as ``"precision_at_k"``.
    y_true : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
    predicted : array-like or sparse matrix, shape (n_samples, n_nodes)
        Labels or scores, as the metric needs.
    hierarchy : Hierarchy
    sample_weight : array-like, shape (n_samples,), optional
    **options
        Passed on to the metric, such as ``k``.

    Returns
    -------
    values : ndarray of float64, shape (height,)
        Entry ``d - 1`` is about depth d (longest path from the root); NaN where no row has a label.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.metrics import by_level
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> truth, S = h.encode([["a/1"], ["b"]]), [[0.9, 0.2, 0.4, 0.1, 0.0], [0.1, 0.0, 0.0, 0.8, 0.5]]
    >>> by_level("precision_at_k", truth, S, h, k=1).tolist()
    [1.0, 0.0]
    """
    record = get_metric(metric)
    check = check_label_pair if record.needs == "labels" else check_label_scores
    pair = check(y_true, predicted, hierarchy, None, sample_weight)
    values = np.full(hierarchy.height, np.nan)
    for d, level in enumerate(hierarchy.levels):
        rows = np.flatnonzero(has_any(take_columns(pair.true, level)))
        if rows.size:
            weight = None if pair.weight is None else pair.weight[rows]
            options_here = {**options, "nodes": level, "sample_weight": weight}
            values[d] = record(pair.true[rows], pair.pred[rows], hierarchy, **options_here)
    return values

"""Measures of each level of the hierarchy: the accuracy of Chelmis & Qi, and any metric on a level alone.

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
    rows: Literal["all", "labeled"] = "all",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """Return, for each level, the share of rows whose labels on that level are exactly right.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        None takes the labels as flat: one level.
    rows : {"all", "labeled"}, default="all"
        Which rows a level counts: all of them (a row that stops above the level is right when nothing is
        predicted there), or those with a true label on it.

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
    if rows not in ("all", "labeled"):
        raise ValueError(f"rows must be 'all' or 'labeled'; got {rows!r}.")
    pair = check_label_pair(y_true, y_pred, hierarchy, nodes, sample_weight)
    mistakes = find_mistakes(pair.true, pair.pred)
    weight = pair.row_weight
    accuracy = np.full(pair.hierarchy.height, np.nan)
    for d, level in enumerate(pair.hierarchy.levels):
        level = level if pair.nodes is None else np.intersect1d(level, pair.nodes)
        counted = weight * has_any(take_columns(pair.true, level)) if rows == "labeled" else weight
        if level.size and counted.sum() > 0:
            accuracy[d] = np.average(~has_any(take_columns(mistakes, level)), weights=counted)
    return accuracy


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

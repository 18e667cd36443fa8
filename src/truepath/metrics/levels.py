"""Accuracy at each level of the hierarchy."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truepath.hierarchy import Hierarchy
from truepath.metrics.base import register
from truepath.metrics.counts import find_mistakes, has_any
from truepath.metrics.inputs import check_label_pair, take_columns

__all__ = ["level_accuracy"]


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

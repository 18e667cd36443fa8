"""Precision and recall as a threshold falls over the scores."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truepath.hierarchy import Hierarchy
from truepath.metrics.base import register
from truepath.metrics.inputs import check_label_scores
from truepath.metrics.rankings import count_at_or_above, pool

Floats = NDArray[np.float64]


class PrecisionRecallCurve(NamedTuple):
    """Points of a curve, thresholds ascending; a last point (1, 0) without threshold, as in scikit-learn."""

    precision: Floats
    recall: Floats
    thresholds: NDArray[Any]


def _area_under(curve: PrecisionRecallCurve) -> float:
    """Return the curve's average precision."""
    return float(-np.diff(curve.recall) @ curve.precision[:-1])


@register(
    needs="scores",
    label="PR curve",
    meaning="area under the pooled precision-recall curve, as average precision",
    number=_area_under,
)
def precision_recall_curve(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    node: int | str | None = None,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> PrecisionRecallCurve:
    """Return precision and recall at every distinct score, all classes pooled or for one of them.

    Parameters
    ----------
    hierarchy : Hierarchy, optional
        Only to name ``node`` and ``nodes``.
    node : int or str, optional
        Draw the curve of this class. By default all counted classes are pooled.
    nodes : sequence of names or numbers, optional
        The classes pooled, all by default.

    Returns
    -------
    curve : PrecisionRecallCurve
        ``(precision, recall, thresholds)`` where cells with score >= threshold are predicted.

    Notes
    -----
    The registry's number for it is its average precision, :func:`auprc`. Without any positive there is no
    curve, which is an error.

    Examples
    --------
    >>> from truepath.metrics import precision_recall_curve
    >>> curve = precision_recall_curve([[1, 0], [1, 0]], [[0.9, 0.6], [0.3, 0.1]])
    >>> curve.thresholds.tolist(), curve.recall.tolist()
    ([0.1, 0.3, 0.6, 0.9], [1.0, 1.0, 0.5, 0.5, 0.0])
    """
    if node is not None and nodes is not None:
        raise ValueError("give node (one class) or nodes (several, pooled), not both.")
    chosen = nodes if node is None else [node]
    ranking = pool(check_label_scores(y_true, y_score, hierarchy, chosen, sample_weight))
    thresholds, tp, fp = count_at_or_above(ranking)
    if tp.size == 0 or tp[0] == 0:
        raise ValueError("y_true has no positive in the chosen classes; a curve needs one.")
    n_predicted = np.maximum(tp + fp, np.finfo(float).tiny)  # only weights of zero can make it 0
    return PrecisionRecallCurve(np.append(tp / n_predicted, 1.0), np.append(tp / tp[0], 0.0), thresholds)

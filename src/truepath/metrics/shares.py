"""What a prediction looks like by itself: rows without labels, rows that break the hierarchy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from truepath import _kernels
from truepath.hierarchy import Hierarchy, check_weight
from truepath.hierarchy.checks import as_labels, as_scores
from truepath.hierarchy.matrices import by_name, dense_blocks
from truepath.metrics.base import register
from truepath.metrics.inputs import (
    check_nodes,
    check_rows,
    has_any,
    take_columns,
)
from truepath.metrics.rows import each_row


@register(
    needs="labels",
    label="unlabeled",
    meaning="share of rows that got no label",
    greater_is_better=False,
    uses_truth=False,
    row_terms=each_row,
)
def unlabeled_share(
    y_pred: Any,
    hierarchy: Hierarchy | None = None,
    *,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the share of rows without any predicted label.

    Examples
    --------
    >>> from truepath.metrics import unlabeled_share
    >>> unlabeled_share([[1, 0], [0, 0]])
    0.5
    """
    labels = as_labels(by_name(y_pred, hierarchy, "y_pred"), "y_pred")
    check_rows(labels, hierarchy, "y_pred")
    counted, weight = check_nodes(nodes, hierarchy, labels.shape[1]), check_weight(sample_weight, labels.shape[0])
    return float(np.average(~has_any(labels if counted is None else take_columns(labels, counted)), weights=weight))


@register(
    needs="labels",
    label="incoherent",
    meaning="share of rows that break the hierarchy",
    greater_is_better=False,
    needs_hierarchy=True,
    uses_truth=False,
    row_terms=each_row,
)
def incoherent_share(
    predicted: Any,
    hierarchy: Hierarchy | None = None,
    *,
    tolerance: float = 0.0,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the share of rows that break the hierarchy somewhere.

    Parameters
    ----------
    predicted : array-like or sparse matrix, shape (n_samples, n_nodes)
        Labels, where a row breaks the hierarchy if it has a label without its parent; or scores, where it does if
        a score is above its parent's.
    hierarchy : Hierarchy, optional
        None takes the labels as flat: nothing can be broken.
    tolerance : float, default=0.0
        By how much a score may exceed its parent's.
    nodes : sequence of names or numbers, optional
        The classes counted, all by default; each is then compared with its nearest counted ancestors.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.metrics import incoherent_share
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> incoherent_share([[0, 1, 0, 0, 0], [1, 1, 0, 0, 0]], h)
    0.5
    >>> incoherent_share([[0.9, 0.8, 0.1, 0.2, 0.3]], h)
    1.0
    """
    scores = as_scores(
        by_name(predicted, hierarchy, "predicted"), "predicted", labels=getattr(hierarchy, "names", None)
    )
    check_rows(scores, hierarchy, "predicted")
    counted, weight = check_nodes(nodes, hierarchy, scores.shape[1]), check_weight(sample_weight, scores.shape[0])
    if hierarchy is None:
        return 0.0
    if counted is not None:
        hierarchy = (whole := hierarchy).subgraph(counted)
        scores = take_columns(scores, whole.indices(hierarchy.names))
    broken = np.zeros(scores.shape[0], bool)
    for rows, (block,) in dense_blocks(scores):
        _kernels.hierarchy.closure.mark_incoherent(
            block, hierarchy.parent_ptr, hierarchy.parent_idx, float(tolerance), broken[rows]
        )
    return float(np.average(broken, weights=weight))

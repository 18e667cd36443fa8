"""Hierarchical top-k accuracy: how many of the k highest scores belong to true labels."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import dense_blocks
from truepath.metrics.base import register
from truepath.metrics.counts import divide, mean_of_defined
from truepath.metrics.inputs import check_label_scores

__all__ = ["top_k_accuracy"]


@register(
    needs="scores",
    label="top-k accuracy",
    meaning="share of true labels among a row's k best scored, k being the hierarchy's height",
    needs_hierarchy=True,
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
        The hierarchy's height by default, as Chelmis & Qi have it (or the number of counted classes, if fewer).
    out_of : {"k", "attainable"}, default="k"
        What hits are divided by: k, as in the paper, where every row has one path of k labels; or the smaller of
        k and the number of true labels, so that a perfect ranking scores 1 on rows with fewer.
    nodes : sequence of names or numbers, optional
        The classes counted, all by default.
    sample_weight : array-like, shape (n_samples,), optional
    zero_division : float, default=0.0
        What a row without true labels is worth when dividing by what is attainable; ``np.nan`` leaves it out.

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
    """Mark the k highest scores of each row; of those tied at the edge, the first ones."""
    edge = np.partition(scores, -k, axis=1)[:, -k, None]
    above, tied = scores > edge, scores == edge
    room = k - above.sum(axis=1, keepdims=True)
    return above | (tied & (np.cumsum(tied, axis=1) <= room))

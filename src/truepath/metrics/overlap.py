r"""Measures of one instance's label set against another, without the hierarchy.

Di Mauro et al. use three, all averages over instances: the Hamming score, the share of right cells; exact match,
the share of rows right in every cell; and accuracy, |T & P| / |T or P|, known as the Jaccard index. On flat label
sets they have their usual meaning; on a hierarchy, label sets are closed, so the cells of a path count together.

References
----------
N. Di Mauro, A. Vergari, F. Esposito. Multi-label classification with cutset networks. PGM 2016, section 5.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from truepath.hierarchy import Hierarchy
from truepath.metrics.base import register
from truepath.metrics.inputs import check_label_pair, count_each_row, divide, find_mistakes, has_any, mean_of_defined
from truepath.metrics.rows import each_row


@register(
    needs="labels",
    label="Hamming score",
    meaning="share of all cells, one per row and label, that are right",
    digits=4,
    row_terms=each_row,
)
def hamming_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy | None = None,
    *,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the share of cells that are right, one minus the Hamming loss.

    Examples
    --------
    >>> from truepath.metrics import hamming_score
    >>> hamming_score([[1, 0, 1, 0]], [[1, 0, 0, 0]])
    0.75
    """
    pair = check_label_pair(y_true, y_pred, hierarchy, nodes, sample_weight)
    wrong = find_mistakes(*pair.counted()).sum(axis=1)
    return 1.0 - pair.mean_over_rows(wrong) / pair.n_counted


@register(needs="labels", label="exact", meaning="share of rows with every label right", row_terms=each_row)
def exact_match(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy | None = None,
    *,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the share of rows that are right in every counted class.

    Examples
    --------
    >>> from truepath.metrics import exact_match
    >>> exact_match([[1, 0], [1, 1]], [[1, 0], [1, 0]])
    0.5
    """
    pair = check_label_pair(y_true, y_pred, hierarchy, nodes, sample_weight)
    return pair.mean_over_rows(~has_any(find_mistakes(*pair.counted())))


@register(
    needs="labels", label="Jaccard", meaning="mean overlap of a row's true and predicted label sets", row_terms=each_row
)
def jaccard_score(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy | None = None,
    *,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = 0.0,
) -> float:
    """Return the mean over rows of ``|T & P| / |T or P|`` (the accuracy of Di Mauro et al.).

    Parameters
    ----------
    zero_division : float, default=0.0
        The value of a row without true and without predicted labels: 0 as in scikit-learn, 1 because the two
        sets are equal, ``np.nan`` to leave it out (NaN if none is left).

    Examples
    --------
    >>> from truepath.metrics import jaccard_score
    >>> jaccard_score([[1, 1, 0], [1, 0, 0]], [[1, 0, 1], [1, 0, 0]])
    0.6666666666666666
    """
    pair = check_label_pair(y_true, y_pred, hierarchy, nodes, sample_weight)
    hits, true, predicted = count_each_row(pair)
    return mean_of_defined(divide(hits, true + predicted - hits, zero_division), pair.weight)

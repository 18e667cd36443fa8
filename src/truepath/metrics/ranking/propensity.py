"""Precision that counts rare labels more: the truth of large label sets lacks them most often.

References
----------
H. Jain, Y. Prabhu, M. Varma. Extreme multi-label loss functions for recommendation, tagging, ranking and other missing
label applications. KDD 2016.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.checks import as_labels, flat_like, weight_or_ones
from truepath.hierarchy.matrices import by_name
from truepath.metrics.base import register
from truepath.metrics.inputs import check_label_scores, check_per_node, divide
from truepath.metrics.ranking.at_k import best_columns, precision_at_k, rank_labels

Floats = NDArray[np.float64]

#: The constants of Jain et al. for most data sets
A, B = 0.55, 1.5


@register(
    needs="scores",
    label="PSP@5",
    meaning="true labels among a row's 5 best scored, rare ones counting more, out of the best possible",
    like=precision_at_k,
)
def psp_at_k(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    k: int = 5,
    propensities: ArrayLike | None = None,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = 0.0,
) -> float:
    """Return propensity-scored precision at k, out of that of a perfect ranking.

    A true label among the k best scored counts 1 / p_v: frequent labels are seldom missing from the truth, rare ones
    often. The sum over rows is divided by the largest that any ranking could have, as published tables do.

    Parameters
    ----------
    propensities : array-like, shape (n_nodes,), optional
        The p_v, such as :func:`label_propensities` of the training labels. By default those of ``y_true``.
    zero_division : float, default=0.0
        The value where no row has a true label.

    Notes
    -----
    What is best in expectation is to rank labels by their probability divided by p_v; ``predict_top`` of a classifier
    does so given ``propensities``. Coherent scores rank every ancestor ahead of a label, and so seldom have a rare one
    among the first k.

    References
    ----------
    H. Jain, Y. Prabhu, M. Varma. Extreme multi-label loss functions for recommendation, tagging, ranking and other
    missing label applications. KDD 2016.

    Examples
    --------
    >>> from truepath.metrics import psp_at_k
    >>> psp_at_k([[1, 1], [1, 0]], [[0.9, 0.8], [0.2, 0.7]], k=1, propensities=[1.0, 0.5])
    0.3333333333333333
    """
    pair = check_label_scores(y_true, y_score, hierarchy, nodes, sample_weight)
    given = label_propensities(pair.true, sample_weight=pair.weight) if propensities is None else propensities
    worth = 1.0 / pair.of_counted(check_propensities(given, pair.true.shape[1]))
    ranked = rank_labels(pair, k)
    got = (ranked.hits * worth[ranked.columns]).sum(axis=1)
    best = _largest_sums(pair.counted()[0], worth, ranked.columns.shape[1])
    got, best = pair.row_weight @ got, pair.row_weight @ best
    return min(float(divide(got, best, zero_division)), 1.0)  # two sums of the same may differ


def check_propensities(propensities: ArrayLike, n_nodes: int) -> Floats:
    """Return one propensity per label; refuse other numbers of them, and what is not above 0."""
    p = check_per_node(propensities, n_nodes, "propensities")
    if not (p > 0).all():
        raise ValueError("propensities must be greater than 0.")
    return p


def _largest_sums(true: Any, worth: Floats, k: int) -> Floats:
    """Return the sum of the k largest worths among each row's labels."""
    rows = sparse.csr_array(true)
    rows = sparse.csr_array((worth[rows.indices], rows.indices, rows.indptr), shape=rows.shape)
    best = best_columns(rows, k)
    cells = rows[np.repeat(np.arange(best.shape[0]), k), best.ravel()]
    return np.asarray(cells, np.float64).reshape(best.shape).sum(axis=1)


def label_propensities(
    y_train: Any,
    *,
    hierarchy: Hierarchy | None = None,
    a: float = A,
    b: float = B,
    sample_weight: ArrayLike | None = None,
) -> Floats:
    """Return each label's propensity, the probability that it is marked where it is right, by how often it is seen.

    p_v = 1 / (1 + C (N_v + b)^-a) with C = (ln N - 1) (b + 1)^a, for N_v of N rows (Jain et al. 2016).

    Parameters
    ----------
    y_train : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
    hierarchy : Hierarchy, optional
        For labels given as a data frame or by name.
    a, b : float, default=0.55 and 1.5
        The authors' for most data sets; .5 and .4 for Wikipedia, .6 and 2.6 for Amazon.
    sample_weight : array-like, shape (n_samples,), optional
        How often each row counts.

    Examples
    --------
    >>> from truepath.metrics import label_propensities
    >>> label_propensities([[1, 0]] * 90 + [[1, 1]] * 10).round(3).tolist()
    [0.68, 0.391]
    """
    Y = as_labels(by_name(y_train, hierarchy or flat_like(y_train), "y_train"), "y_train")
    weight = weight_or_ones(sample_weight, Y.shape[0])
    counts = np.asarray(sparse.csr_array(Y).T @ weight, np.float64)
    scale = max(np.log(max(weight.sum(), 1.0)) - 1.0, 0.0) * (b + 1.0) ** a
    return np.asarray(1.0 / (1.0 + scale * (counts + b) ** -a))

"""How good the best labels of each row are: what is reported where labels are many and a few are shown.

Of each row the k labels with the highest scores count, ties going to the smaller node number. Scores may be sparse,
such as the k labels that ``predict_top`` finds: what is not stored scores 0.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath import _kernels
from truepath.hierarchy import Hierarchy
from truepath.metrics.base import register
from truepath.metrics.inputs import Pair, check_label_scores, divide, mean_of_defined
from truepath.metrics.rows import RowTerms, mean_of_rows

Floats = NDArray[np.float64]


class Ranked(NamedTuple):
    """The best columns of each row among those counted, whether they are true, and how many of the row's are."""

    columns: NDArray[np.int64]
    hits: NDArray[np.bool_]
    n_true: NDArray[np.int64]


def rank_labels(pair: Pair, k: int | None) -> Ranked:
    """Rank the counted classes of each row, the first k; None ranks as many as any row has labels."""
    if k is not None and (not isinstance(k, Integral) or isinstance(k, bool) or k < 1):
        raise ValueError(f"k must be an integer >= 1; got {k!r}.")
    true, scores = pair.counted()
    n_true = np.asarray(true.sum(axis=1), np.int64)
    k = max(int(n_true.max()), 1) if k is None else min(int(k), pair.n_counted)
    best = best_columns(scores, k)
    if not sparse.issparse(true):
        return Ranked(best, np.take_along_axis(true, best, axis=1), n_true)
    rows = np.repeat(np.arange(best.shape[0]), k)
    return Ranked(best, np.asarray(true[rows, best.ravel()]).reshape(best.shape).astype(bool), n_true)


def best_columns(scores: Any, k: int) -> NDArray[np.int64]:
    """Return the k columns with the highest scores of each row, best first."""
    best = np.empty((scores.shape[0], k), np.int64)
    if not sparse.issparse(scores):
        _kernels.metrics.best_labels.best_of_dense_rows(np.ascontiguousarray(scores), best)
        return best
    rows = scores if scores.has_sorted_indices else scores.sorted_indices()
    parts = (rows.data, rows.indices, rows.indptr)
    _kernels.metrics.best_labels.best_of_sparse_rows(*parts, rows.shape[1], best)
    return best


def _mean_of(rows: Callable[..., Floats]) -> Callable[..., RowTerms]:
    """Return what gives the terms of the mean over rows of ``rows(pair, **options)``."""

    def row_terms(metric: Any, y_true: Any, y_score: Any, hierarchy: Any, *, nodes: Any = None, **options: Any) -> Any:
        return mean_of_rows(rows(check_label_scores(y_true, y_score, hierarchy, nodes), **options))

    return row_terms


def _precisions(pair: Pair, k: int = 5, out_of: str = "k", zero_division: float = 0.0) -> Floats:
    if out_of not in ("k", "attainable"):
        raise ValueError(f"out_of must be 'k' or 'attainable'; got {out_of!r}.")
    ranked = rank_labels(pair, k)
    k = ranked.columns.shape[1]
    below = np.full(ranked.n_true.size, k) if out_of == "k" else np.minimum(k, ranked.n_true)
    return divide(ranked.hits.sum(axis=1), below, zero_division)


def _gains(pair: Pair, k: int = 5, zero_division: float = 0.0) -> Floats:
    ranked = rank_labels(pair, k)
    discount = 1.0 / np.log2(np.arange(2, ranked.columns.shape[1] + 2))
    ideal = np.concatenate([[0.0], np.cumsum(discount)])[np.minimum(ranked.n_true, discount.size)]
    return divide(ranked.hits @ discount, ideal, zero_division)


def _r_precisions(pair: Pair, zero_division: float = 0.0) -> Floats:
    ranked = rank_labels(pair, None)
    within = np.arange(ranked.columns.shape[1]) < ranked.n_true[:, None]
    return divide((ranked.hits & within).sum(axis=1), ranked.n_true, zero_division)


@register(
    needs="scores",
    label="P@5",
    meaning="share of true labels among a row's 5 best scored",
    row_terms=_mean_of(_precisions),
)
def precision_at_k(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    k: int = 5,
    out_of: Literal["k", "attainable"] = "k",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = 0.0,
) -> float:
    """Return precision at k: the mean over rows of the true labels among the k best scored, divided by k.

    Parameters
    ----------
    y_score : array-like or sparse matrix of float, shape (n_samples, n_nodes)
        Ties go to the smaller node number. Of sparse scores, what is not stored is 0.
    k : int, default=5
        Cut to the number of counted classes, if that is smaller.
    out_of : {"k", "attainable"}, default="k"
        What hits are divided by: k; or the smaller of k and the number of true labels, so that a perfect ranking
        scores 1 on rows with fewer.
    nodes : sequence of names or numbers, optional
        The classes counted, all by default. For one level of a hierarchy: ``hierarchy.levels[d]``, or
        :func:`by_level` for all of them.
    zero_division : float, default=0.0
        The value of a row without true labels with ``out_of="attainable"``; ``np.nan`` leaves it out.

    Examples
    --------
    >>> from truepath.metrics import precision_at_k
    >>> precision_at_k([[1, 0, 1], [0, 1, 0]], [[0.9, 0.8, 0.1], [0.2, 0.7, 0.1]], k=2)
    0.5
    """
    pair = check_label_scores(y_true, y_score, hierarchy, nodes, sample_weight)
    return mean_of_defined(_precisions(pair, k, out_of, zero_division), pair.weight)


@register(
    needs="scores",
    label="nDCG@5",
    meaning="gain of true labels among a row's 5 best scored, less the later they come, out of the best possible",
    row_terms=_mean_of(_gains),
    like=precision_at_k,
)
def ndcg_at_k(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    k: int = 5,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = 0.0,
) -> float:
    """Return normalised discounted cumulative gain at k, the mean over rows.

    A true label at place j counts 1 / log2(j + 1); the sum over the first k places is divided by that of a perfect
    ranking.

    Parameters
    ----------
    zero_division : float, default=0.0
        The value of a row without true labels; ``np.nan`` leaves it out.

    Examples
    --------
    >>> from truepath.metrics import ndcg_at_k
    >>> round(ndcg_at_k([[1, 0, 1]], [[0.9, 0.8, 0.1]], k=2), 3)
    0.613
    """
    pair = check_label_scores(y_true, y_score, hierarchy, nodes, sample_weight)
    return mean_of_defined(_gains(pair, k, zero_division), pair.weight)


@register(
    needs="scores",
    label="R-precision",
    meaning="share of true labels among a row's best scored, as many as it has labels",
    row_terms=_mean_of(_r_precisions),
    like=precision_at_k,
)
def r_precision(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = 0.0,
) -> float:
    """Return R-precision: precision at k with k the number of true labels of each row, the mean over rows.

    Parameters
    ----------
    zero_division : float, default=0.0
        The value of a row without true labels; ``np.nan`` leaves it out.

    Examples
    --------
    >>> from truepath.metrics import r_precision
    >>> r_precision([[1, 0, 1], [0, 1, 0]], [[0.9, 0.8, 0.1], [0.2, 0.7, 0.1]])
    0.75
    """
    pair = check_label_scores(y_true, y_score, hierarchy, nodes, sample_weight)
    return mean_of_defined(_r_precisions(pair, zero_division), pair.weight)

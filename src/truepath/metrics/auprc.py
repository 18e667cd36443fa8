"""Areas under precision-recall curves: of the pooled curve, or averaged over classes.

In the terms of CLUS: AU(PRC with a bar), the area under the average curve, is ``average="pooled"``; the average
area under the classes' curves is ``"macro"``; the same weighted by class frequency is ``"weighted"``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import CELLS_AT_A_TIME, as_dense
from truepath.metrics.base import register
from truepath.metrics.curves import Ranking, Steps, average_precision, davis_goadrich, pool, take_steps
from truepath.metrics.inputs import Pair, check_label_scores, mean_of_defined

__all__ = ["auprc", "average_auprc"]

Method = Literal["average_precision", "davis_goadrich"]

_AREAS: dict[str, Callable[[Steps], float]] = {
    "average_precision": average_precision,
    "davis_goadrich": davis_goadrich,
}


@register(
    needs="scores",
    label="AU(PRC)",
    meaning="area under the precision-recall curve of all labels pooled: how well the scores rank",
)
def auprc(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    average: Literal["pooled", "macro", "weighted", "per_class"] = "pooled",
    method: Method = "average_precision",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = float("nan"),
) -> Any:
    """Return the area under the precision-recall curve.

    Parameters
    ----------
    y_true : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
    y_score : array-like or sparse matrix of float, shape (n_samples, n_nodes)
        float32 scores are compared as float32. Cells that a sparse matrix does not store score 0.
    hierarchy : Hierarchy, optional
        Only to name ``nodes``.
    average : {"pooled", "macro", "weighted", "per_class"}, default="pooled"
        One curve of all cells together (scikit-learn's "micro"); the mean of the classes' areas; the mean
        weighted by the classes' numbers of positives; or the array of the classes' areas.
    method : {"average_precision", "davis_goadrich"}, default="average_precision"
        A sum of rectangles, scikit-learn's ``average_precision_score``; or Davis & Goadrich's interpolation,
        integrated exactly, which CLUS uses.
    nodes : sequence of names or numbers, optional
        The classes counted, all by default; the tables on GO leave out the three top terms.
    sample_weight : array-like, shape (n_samples,), optional
    zero_division : float, default=np.nan
        The area of a class without positives. NaN leaves such classes out of the mean; 0 counts them as
        scikit-learn does. Also the result when there is no positive at all.

    Returns
    -------
    area : float, or ndarray of float64 for ``"per_class"``

    See Also
    --------
    precision_recall_curve : the curve itself.

    Notes
    -----
    Equal scores move together, so the order of cells never matters. Pooled: two sorts, of the positives and of
    the negatives, O(cells log cells); with weights or sparse scores O(cells log positives).

    Examples
    --------
    >>> from truepath.metrics import auprc
    >>> Y, S = [[1, 0, 1], [1, 1, 0]], [[0.9, 0.8, 0.3], [0.7, 0.2, 0.1]]
    >>> round(auprc(Y, S), 4)
    0.8042
    >>> round(auprc(Y, S, method="davis_goadrich"), 4)
    0.7709
    >>> auprc(Y, S, average="macro")
    0.8333333333333334
    """
    if method not in _AREAS:
        raise ValueError(f"method must be 'average_precision' or 'davis_goadrich'; got {method!r}.")
    if average not in ("pooled", "macro", "weighted", "per_class"):
        raise ValueError(f"average must be 'pooled', 'macro', 'weighted' or 'per_class'; got {average!r}.")
    pair = check_label_scores(y_true, y_score, hierarchy, nodes, sample_weight)

    def area_of(ranking: Ranking) -> float:
        area = _AREAS[method](take_steps(ranking))
        return zero_division if np.isnan(area) else area

    if average == "pooled":
        return area_of(pool(pair))
    areas = np.array([area_of(ranking) for ranking in _rank_classes(pair)])
    if average == "per_class":
        return areas
    return mean_of_defined(areas, _n_positives(pair) if average == "weighted" else None)


@register(
    needs="scores",
    label="mean AU(PRC)",
    meaning="mean over labels of the area under each label's own precision-recall curve",
)
def average_auprc(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    weights: Literal["frequency"] | None = None,
    method: Method = "average_precision",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = float("nan"),
) -> float:
    """Return the mean area under the classes' precision-recall curves.

    The same as :func:`auprc` with ``average="macro"``, or ``"weighted"`` when ``weights="frequency"``; the other
    parameters are its parameters.

    Examples
    --------
    >>> from truepath.metrics import average_auprc
    >>> average_auprc([[1, 0], [0, 0]], [[0.2, 0.5], [0.4, 0.1]])  # the second class has no positives
    0.5
    """
    if weights not in (None, "frequency"):
        raise ValueError(f"weights must be None or 'frequency'; got {weights!r}.")
    options: Any = {"nodes": nodes, "sample_weight": sample_weight, "zero_division": zero_division}
    return auprc(y_true, y_score, hierarchy, average="weighted" if weights else "macro", method=method, **options)


def _rank_classes(pair: Pair) -> Iterator[Ranking]:
    """Yield each counted class's ranking; columns are made contiguous a bounded number of cells at a time."""
    true, scores = (M.tocsc() if sparse.issparse(M) else M for M in pair.counted())
    step = max(1, CELLS_AT_A_TIME // true.shape[0])
    for start in range(0, true.shape[1], step):
        for is_positive, score in zip(*(_as_rows(M[:, start : start + step]) for M in (true, scores))):
            weights = () if pair.weight is None else (pair.weight[is_positive], pair.weight[~is_positive])
            yield Ranking(score[is_positive], score[~is_positive], *weights)


def _as_rows(columns: Any) -> NDArray[Any]:
    """Return columns as the contiguous rows of a dense array."""
    return np.ascontiguousarray(as_dense(columns).T)


def _n_positives(pair: Pair) -> NDArray[np.float64]:
    """Return the weighted number of positives of each counted class."""
    true, _ = pair.counted()
    weight = np.ones(true.shape[0]) if pair.weight is None else pair.weight
    return np.asarray(true.T @ weight, np.float64)

"""Precision and recall as a threshold falls over the scores: the curve, and the areas under it.

Recall moves only where the threshold passes a positive, so the area needs one step per distinct score of a
positive. Step j leads from (tp_a, fp_a), all scores above it predicted, to (tp_b, fp_b), that score predicted
too; positives and negatives that tie come together. Two areas are in use:

* *average precision*: sum of (tp_b - tp_a) / n_pos * precision at the step's end;
* *Davis & Goadrich*: within a step false positives grow in proportion to true ones (k to one), which bends the
  line between the two points. With N = tp + fp, a = 1 + k and b = fp_a - k tp_a the area of the step is, exactly::

      (1 / n_pos) * integral of t / (a t + b) dt  =  [(tp_b - tp_a) / a - b / a^2 * ln(N_b / N_a)] / n_pos

In the terms of CLUS: AU(PRC with a bar), the area under the average curve, is ``average="pooled"``; the average
area under the classes' curves is ``"macro"``; the same weighted by class frequency is ``"weighted"``.

References
----------
J. Davis, M. Goadrich. The relationship between precision-recall and ROC curves. ICML 2006.

C. Vens, J. Struyf, L. Schietgat, S. Dzeroski, H. Blockeel. Decision trees for hierarchical multi-label
classification. Machine Learning 73, 2008 (the pooled curve).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath import _kernels
from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import CELLS_AT_A_TIME, as_dense
from truepath.metrics.base import register
from truepath.metrics.inputs import Pair, check_label_scores, mean_of_defined

__all__ = [
    "PrecisionRecallCurve",
    "Ranking",
    "Steps",
    "auprc",
    "average_auprc",
    "average_precision",
    "davis_goadrich",
    "precision_recall_curve",
]


Floats = NDArray[np.float64]


class Ranking(NamedTuple):
    """Scores of positives and of negatives; weights None mean one each."""

    positives: NDArray[Any]
    negatives: NDArray[Any]
    positive_weight: Floats | None = None
    negative_weight: Floats | None = None


class Steps(NamedTuple):
    """The curve's steps from the highest score of a positive down: counts before and after each."""

    tp_before: Floats
    tp_after: Floats
    fp_before: Floats
    fp_after: Floats


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
    y_true : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
    y_score : array-like or sparse matrix of float, shape (n_samples, n_nodes)
    hierarchy : Hierarchy, optional
        Only to name ``node`` and ``nodes``.
    node : int or str, optional
        Draw the curve of this class. By default all counted classes are pooled.
    nodes : sequence of names or numbers, optional
        The classes pooled, all by default.
    sample_weight : array-like, shape (n_samples,), optional

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
    thresholds, tp, fp = _count_at_or_above(ranking)
    if tp.size == 0 or tp[0] == 0:
        raise ValueError("y_true has no positive in the chosen classes; a curve needs one.")
    n_predicted = np.maximum(tp + fp, np.finfo(float).tiny)  # only weights of zero can make it 0
    return PrecisionRecallCurve(np.append(tp / n_predicted, 1.0), np.append(tp / tp[0], 0.0), thresholds)


def _count_at_or_above(ranking: Ranking) -> tuple[NDArray[Any], Floats, Floats]:
    """Return the distinct scores, and the weight of the positives and of the negatives from each of them on."""
    scores = np.concatenate([ranking.positives, ranking.negatives])
    if ranking.positive_weight is None:  # a plain sort of the scores is much faster than one with their places
        thresholds, counts = np.unique(scores, return_counts=True)
        tp = _at_or_above(np.searchsorted(thresholds, ranking.positives), None, thresholds.size)
        return thresholds, tp, np.cumsum(counts[::-1], dtype=np.float64)[::-1] - tp
    thresholds, place = np.unique(scores, return_inverse=True)
    split = ranking.positives.size
    tp = _at_or_above(place[:split], ranking.positive_weight, thresholds.size)
    return thresholds, tp, _at_or_above(place[split:], ranking.negative_weight, thresholds.size)


def _at_or_above(place: NDArray[np.intp], weight: Floats | None, size: int) -> Floats:
    """Return the weight of the entries whose place is j or higher, for every j."""
    return np.cumsum(np.bincount(place, weights=weight, minlength=size)[::-1], dtype=np.float64)[::-1]


def pool(pair: Pair) -> Ranking:
    """Gather all counted cells, as one ranking."""
    true, scores = pair.counted()
    if sparse.issparse(scores):
        return _pool_sparse(true, scores, pair.weight)
    if pair.weight is None:
        return Ranking(scores[true], scores[~true])
    weight = np.broadcast_to(pair.weight[:, None], true.shape)
    return Ranking(scores[true], scores[~true], weight[true], weight[~true])


def _pool_sparse(true: sparse.csr_array, scores: sparse.csr_array, weight: Floats | None) -> Ranking:
    """Gather stored scores, and all cells without one as a single weighted score 0 on each side."""
    n_rows, n_columns = scores.shape
    weight = np.ones(n_rows) if weight is None else weight
    true_cells, cells = _cell_numbers(true), _cell_numbers(scores)
    is_positive, is_stored = np.isin(cells, true_cells), np.isin(true_cells, cells)
    cell_weight, silent = weight[cells // n_columns], true_cells[~is_stored] // n_columns
    n_silent = n_columns - np.diff(scores.indptr) - np.bincount(silent, minlength=n_rows)
    zero = np.zeros(1, scores.dtype)
    return Ranking(
        np.concatenate([scores.data[is_positive], zero[: silent.size]]),
        np.concatenate([scores.data[~is_positive], zero[: n_silent.sum()]]),
        np.concatenate([cell_weight[is_positive], [weight[silent].sum()][: silent.size]]),
        np.concatenate([cell_weight[~is_positive], [n_silent @ weight][: n_silent.sum()]]),
    )


def _cell_numbers(matrix: sparse.csr_array) -> NDArray[np.int64]:
    """Number the stored cells row by row."""
    rows = np.repeat(np.arange(matrix.shape[0], dtype=np.int64), np.diff(matrix.indptr))
    return rows * matrix.shape[1] + matrix.indices


def take_steps(ranking: Ranking) -> Steps:
    """Count the steps of a ranking."""
    return _sort_steps(ranking) if ranking.positive_weight is None else _bin_steps(ranking)


def _sort_steps(ranking: Ranking) -> Steps:
    """Sort positives and negatives apart and merge: two plain sorts are much faster than one argsort."""
    points, n_tied = np.unique(ranking.positives, return_counts=True)
    negatives = np.sort(ranking.negatives)
    fp_before = negatives.size - np.searchsorted(negatives, points, side="right")
    fp_after = negatives.size - np.searchsorted(negatives, points, side="left")
    return _from_the_top(np.cumsum(n_tied[::-1])[::-1], fp_before, fp_after)


def _bin_steps(ranking: Ranking) -> Steps:
    """Sort the positives only, and count each weighted negative between them."""
    points, place = np.unique(ranking.positives, return_inverse=True)
    tied, between = np.zeros(points.size), np.zeros(points.size + 1)
    _kernels.metrics.ranking.bin_scores(points, ranking.negatives, ranking.negative_weight, tied, between)
    above = np.cumsum(between[:0:-1])[::-1] + np.append(np.cumsum(tied[:0:-1])[::-1], 0.0)[: points.size]
    return _from_the_top(_at_or_above(place, ranking.positive_weight, points.size), above, above + tied)


def _from_the_top(tp: NDArray[Any], fp_before: NDArray[Any], fp_after: NDArray[Any]) -> Steps:
    """Turn counts at ascending points into steps from the highest point down."""
    tp_after = tp[::-1].astype(np.float64)
    tp_before = np.concatenate([[0.0], tp_after[:-1]])[: tp_after.size]
    return Steps(tp_before, tp_after, fp_before[::-1].astype(np.float64), fp_after[::-1].astype(np.float64))


def average_precision(steps: Steps) -> float:
    """Return the sum over steps of recall gained times the precision at the step's end; NaN without positives."""
    moving = steps.tp_after > steps.tp_before
    before, after, fp = steps.tp_before[moving], steps.tp_after[moving], steps.fp_after[moving]
    return float((after - before) @ (after / (after + fp)) / after[-1]) if after.size else float("nan")


def davis_goadrich(steps: Steps) -> float:
    """Return the area with Davis & Goadrich's interpolation, in closed form; NaN without positives."""
    moving = steps.tp_after > steps.tp_before
    if not moving.any():
        return float("nan")
    tp_a, tp_b, fp_a, fp_b = (counts[moving] for counts in steps)
    gain, n_a = tp_b - tp_a, tp_a + fp_a
    k = (fp_b - fp_a) / gain
    a, b = 1 + k, fp_a - k * tp_a
    grown = np.divide(a * gain, n_a, out=np.zeros_like(gain), where=n_a > 0)  # N_b / N_a - 1; from (0, 0) b is 0
    return float((gain / a - b / a**2 * np.log1p(grown)).sum() / tp_b[-1])


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
    parameters are the same.

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
    """Yield each counted class's ranking; columns are made contiguous in blocks of a bounded number of cells."""
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

"""Areas under precision-recall curves. Each step of a ranking adds to them; two ways are in use:

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

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from truepath.hierarchy import Hierarchy
from truepath.metrics.base import register
from truepath.metrics.inputs import check_label_scores, mean_of_defined
from truepath.metrics.rankings import Ranking, Steps, pool, rank_classes, take_steps


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
    y_score : array-like or sparse matrix of float, shape (n_samples, n_nodes)
        float32 scores are compared as float32. Cells that a sparse matrix does not store score 0.
    average : {"pooled", "macro", "weighted", "per_class"}, default="pooled"
        One curve of all cells together (scikit-learn's "micro"); the mean of the classes' areas; the mean
        weighted by the classes' numbers of positives; or the array of the classes' areas.
    method : {"average_precision", "davis_goadrich"}, default="average_precision"
        A sum of rectangles, scikit-learn's ``average_precision_score``; or Davis & Goadrich's interpolation,
        integrated exactly, which CLUS uses.
    nodes : sequence of names or numbers, optional
        The classes counted, all by default; the tables on GO leave out the three top terms.
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
    areas = np.array([area_of(ranking) for ranking in rank_classes(pair)])
    if average == "per_class":
        return areas
    if average == "macro":
        return mean_of_defined(areas)
    n_positives = pair.counted()[0].T @ pair.row_weight
    return mean_of_defined(areas, np.asarray(n_positives, np.float64))

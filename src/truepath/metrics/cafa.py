r"""The protein-centric measures of CAFA: Fmax, weighted Fmax and Smin.

At a threshold t, row i has the predicted labels P_i(t) = {v: S[i, v] >= t}. With ic the weight of a label::

    pr(t) = mean over rows with a prediction of  ic(P_i & T_i) / ic(P_i)
    rc(t) = mean over rows of                    ic(P_i & T_i) / ic(T_i)        Fmax = max_t 2 pr rc / (pr + rc)
    ru(t) = mean over rows of ic(T_i - P_i),  mi(t) = mean of ic(P_i - T_i)     Smin = min_t sqrt(ru^2 + mi^2)

A score of 0 (or less) is not a prediction. All thresholds are visited in one sweep over the sorted scores.

References
----------
P. Radivojac et al. A large-scale evaluation of computational protein function prediction. Nature Methods 10, 2013.

Y. Jiang et al. An expanded evaluation of protein function prediction methods shows an improvement in accuracy.
Genome Biology 17, 2016.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from truepath.hierarchy import Hierarchy
from truepath.metrics.base import register
from truepath.metrics.information import information_content
from truepath.metrics.inputs import Pair, check_label_scores, check_per_node, divide
from truepath.metrics.sweep import check_thresholds, every_score, sweep_scores

Floats = NDArray[np.float64]

GRID = np.arange(1, 101) / 100  # CAFA's thresholds


class CafaCurve(NamedTuple):
    """CAFA's quantities at each threshold, from the highest down."""

    thresholds: Floats
    precision: Floats
    recall: Floats
    remaining_uncertainty: Floats
    misinformation: Floats


def cafa_curve(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    ic: ArrayLike | None = None,
    thresholds: str | ArrayLike = "exact",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> CafaCurve:
    """Return precision, recall, remaining uncertainty and misinformation at each threshold.

    Parameters
    ----------
    y_true : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
    y_score : array-like or sparse matrix of float, shape (n_samples, n_nodes)
        0 or less means not predicted.
    hierarchy : Hierarchy, optional
        To name ``nodes``, and for the information content.
    ic : array-like of shape (n_nodes,), optional
        The weight of each label; 1 by default.
    thresholds : {"exact", "grid"} or array-like, default="exact"
        Every distinct score, CAFA's 0.01, 0.02, ..., 1.00, or given ones (above 0). They are compared in the
        type of ``y_score``.
    nodes : sequence of names or numbers, optional
        The classes counted, all by default; CAFA leaves out the top terms.
    sample_weight : array-like, shape (n_samples,), optional

    Returns
    -------
    curve : CafaCurve

    Notes
    -----
    0/0: precision is averaged over rows whose predictions weigh more than 0, and is 0 when there is none; rows
    whose true labels weigh nothing are left out of precision and recall, but count in the other two.
    O(cells log cells), cells being those that score above 0.

    Examples
    --------
    >>> from truepath.metrics import cafa_curve
    >>> curve = cafa_curve([[1, 0], [1, 1]], [[0.9, 0.5], [0.7, 0.0]])
    >>> curve.thresholds.tolist(), curve.precision.tolist(), curve.recall.tolist()
    ([0.9, 0.7, 0.5], [1.0, 1.0, 0.75], [0.5, 0.75, 0.75])
    """
    pair = check_label_scores(y_true, y_score, hierarchy, nodes, sample_weight)
    content = np.ones(pair.true.shape[1]) if ic is None else check_per_node(ic, pair.true.shape[1], "ic")
    return _sweep(pair, content, thresholds)


@register(
    needs="scores",
    label="Fmax",
    meaning="best F1 over all thresholds, precision and recall averaged over rows (CAFA)",
    like=cafa_curve,
)
def fmax(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    thresholds: str | ArrayLike = "exact",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return CAFA's Fmax, the best F1 of averaged precision and recall over all thresholds.

    It is 0 when nothing is predicted.

    Examples
    --------
    >>> from truepath.metrics import fmax
    >>> round(fmax([[1, 0], [1, 1]], [[0.9, 0.5], [0.7, 0.0]]), 4)
    0.8571
    """
    options: Any = {"thresholds": thresholds, "nodes": nodes, "sample_weight": sample_weight}
    return _best_f1(cafa_curve(y_true, y_score, hierarchy, **options))


@register(
    needs="scores",
    label="weighted Fmax",
    meaning="Fmax with each label weighted by its information content (CAFA)",
    needs_hierarchy=True,
    like=cafa_curve,
)
def wfmax(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    ic: ArrayLike | None = None,
    thresholds: str | ArrayLike = "exact",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return Fmax with labels weighted by their information content.

    Parameters
    ----------
    ic : array-like of shape (n_nodes,), optional
        The weight of each label, by default its :func:`information_content` in ``y_true``; give that of the training
        set for a fair comparison.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.metrics import wfmax
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> truth = h.encode([["a/1"], ["a/2"], ["b/1"]])
    >>> wfmax(truth, truth.astype(float), h)
    1.0
    """
    pair = check_label_scores(y_true, y_score, hierarchy, nodes, sample_weight)
    return _best_f1(_sweep(pair, _content(ic, pair), thresholds))


@register(
    needs="scores",
    label="Smin",
    meaning="least information missed and wrongly predicted over all thresholds, in bits (CAFA)",
    greater_is_better=False,
    bounds=(0.0, float("inf")),
    needs_hierarchy=True,
    like=wfmax,
)
def smin(
    y_true: Any,
    y_score: Any,
    hierarchy: Hierarchy | None = None,
    *,
    ic: ArrayLike | None = None,
    thresholds: str | ArrayLike = "exact",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return CAFA's Smin, the smallest semantic distance over all thresholds, in bits.

    With ``thresholds="exact"`` predicting nothing at all is a candidate too: a threshold above every score.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.metrics import smin
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> truth = h.encode([["a/1"], ["a/2"], ["b/1"]])
    >>> smin(truth, truth.astype(float), h)
    0.0
    """
    pair = check_label_scores(y_true, y_score, hierarchy, nodes, sample_weight)
    content = _content(ic, pair)
    curve = _sweep(pair, content, thresholds)
    distances = np.hypot(curve.remaining_uncertainty, curve.misinformation)
    if isinstance(thresholds, str) and thresholds == "exact":
        distances = np.append(distances, pair.mean_over_rows(_true_mass(pair, content)))
    return max(float(distances.min()), 0.0)


def _content(ic: ArrayLike | None, pair: Pair) -> Floats:
    """Return the labels' weights: given, or counted on the truth."""
    if ic is not None:
        return check_per_node(ic, pair.true.shape[1], "ic")
    return information_content(pair.true, pair.hierarchy, sample_weight=pair.weight)


def _best_f1(curve: CafaCurve) -> float:
    """Return the largest harmonic mean; 0 where both are 0."""
    total = curve.precision + curve.recall
    f1 = np.divide(2 * curve.precision * curve.recall, total, out=np.zeros_like(total), where=total > 0)
    return min(float(f1.max(initial=0.0)), 1.0)


def _true_mass(pair: Pair, content: Floats) -> Floats:
    """Return the weight of each row's true labels."""
    true, _ = pair.counted()
    return np.asarray(true @ pair.of_counted(content), np.float64)


def _sweep(pair: Pair, content: Floats, thresholds: str | ArrayLike) -> CafaCurve:
    """Return the curve; rows whose true labels weigh nothing are left out of precision and recall."""
    true, scores = (sparse.csr_array(matrix) for matrix in pair.counted())
    cuts, order = _cuts(scores.data, thresholds)
    weight = pair.row_weight
    true_mass = _true_mass(pair, content)
    scored = np.where(true_mass > 0, weight, 0.0)
    sums = sweep_scores(true, scores, pair.of_counted(content), cuts, scored=scored, weight=weight, order=order)[::-1]
    precision = divide(sums[:, 0], sums[:, 1], 0.0)
    recall = divide(sums[:, 2], np.full(cuts.size, scored.sum()), 0.0)
    hit, predicted = sums[:, 3], sums[:, 4]
    missed, false = np.maximum(weight @ true_mass - hit, 0.0), np.maximum(predicted - hit, 0.0)
    falling = cuts[::-1].astype(np.float64)
    return CafaCurve(falling, precision, recall, missed / weight.sum(), false / weight.sum())


def _cuts(scores: NDArray[Any], thresholds: str | ArrayLike) -> tuple[NDArray[Any], NDArray[np.int64] | None]:
    """Return ascending thresholds in the type of the scores: every score above 0, CAFA's, or given ones.

    With the first comes the order of the scores.
    """
    if isinstance(thresholds, str) and thresholds == "exact":
        return every_score(scores)
    if isinstance(thresholds, str) and thresholds != "grid":
        raise ValueError(f"thresholds must be 'exact', 'grid' or an array; got {thresholds!r}.")
    return check_thresholds(GRID if isinstance(thresholds, str) else thresholds, scores.dtype), None

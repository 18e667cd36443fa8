r"""Hierarchical precision, recall and F1.

Kiritchenko et al. complete the true set T_i and the predicted set P_i of every instance with all ancestors and
count over everything::

    hP = sum_i |P_i & T_i| / sum_i |P_i|      hR = sum_i |P_i & T_i| / sum_i |T_i|      hF = 2 hP hR / (hP + hR)

On closed label sets that is the micro-average over all cells (Triguero & Vens, eq. (4)). The other averages take
the same three ratios within each class, instance or level first, and then the mean.

References
----------
S. Kiritchenko, S. Matwin, R. Nock, A. F. Famili. Learning and evaluation in the presence of class hierarchies:
application to text categorization. Canadian AI 2006.

I. Triguero, C. Vens. Labelling strategies for hierarchical multi-label classification techniques. Pattern
Recognition 56, 2016, section 2.2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, Literal, NamedTuple, ParamSpec

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truepath.hierarchy import Hierarchy
from truepath.metrics.base import register
from truepath.metrics.inputs import (
    Counts,
    Pair,
    check_label_pair,
    count_classes,
    count_each_row,
    divide,
    mean_of_defined,
)
from truepath.metrics.rows import RowTerms

P = ParamSpec("P")
Average = Literal["micro", "macro", "samples", "levels", "per_class", "per_level"]


class PrecisionRecallF1(NamedTuple):
    """Precision, recall and F1: floats, or arrays for ``per_class`` and ``per_level``."""

    precision: Any
    recall: Any
    f1: Any


def _counting(part: str, *, is_closed: bool = True) -> Callable[..., RowTerms | None]:
    """Return what gives the counts of each row, from whose sums the ratio follows; other averages have none."""

    def row_terms(
        metric: Callable[..., float],
        y_true: Any,
        y_pred: Any,
        hierarchy: Hierarchy | None,
        *,
        average: Average = "micro",
        nodes: Any = None,
        zero_division: float = 0.0,
    ) -> RowTerms | None:
        if average != "micro":
            return None
        pair = check_label_pair(y_true, y_pred, hierarchy, nodes)
        counts = np.column_stack(count_each_row(_close(pair) if is_closed else pair)).astype(np.float64)
        return RowTerms(counts, lambda sums: getattr(_ratios(Counts(*np.moveaxis(sums, -1, 0)), zero_division), part))

    return row_terms


@register(
    needs="labels",
    label="hP, hR, hF1",
    meaning="hierarchical precision, recall and F1 together; as one number, F1",
    needs_hierarchy=True,
    number=lambda result: result.f1,
    row_terms=_counting("f1"),
)
def hierarchical_precision_recall_f1(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy | None = None,
    *,
    average: Average = "micro",
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = 0.0,
) -> PrecisionRecallF1:
    """Return hierarchical precision, recall and F1.

    Parameters
    ----------
    y_true, y_pred : array-like or sparse matrix of 0 and 1, shape (n_samples, n_nodes)
        With a hierarchy, missing ancestors are added to both first, as the definition asks.
    average : {"micro", "macro", "samples", "levels", "per_class", "per_level"}, default="micro"
        Over all cells (Kiritchenko et al.); the mean over classes, over instances, or over the levels of the
        hierarchy (cells pooled within a level); or the arrays by class or by level, not averaged. In every mean
        F1 is the mean of the F1s, as in scikit-learn, not the F1 of the means.
    nodes : sequence of names or numbers, optional
        The classes counted, all by default. ``"per_class"`` arrays hold these only, in ascending order.
    zero_division : float, default=0.0
        The value of ``0 / 0``: precision where nothing is predicted, recall where nothing is true, F1 where
        neither is. ``np.nan`` leaves such a class, instance or level out of the mean (NaN if none is left).

    Returns
    -------
    result : PrecisionRecallF1
        A named tuple ``(precision, recall, f1)``.

    Notes
    -----
    O(n_samples * (nodes + edges)) on dense matrices, and what is stored on sparse ones. A level without counted
    classes is NaN in ``"per_level"`` and left out of ``"levels"``.

    Examples
    --------
    >>> from truepath import Hierarchy
    >>> from truepath.metrics import hierarchical_precision_recall_f1
    >>> h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    >>> truth, predicted = h.encode([["a/1"], ["b/1"]]), h.encode([["a/2"], ["b"]])
    >>> precision, recall, f1 = hierarchical_precision_recall_f1(truth, predicted, h)
    >>> round(precision, 3), recall, round(f1, 3)
    (0.667, 0.5, 0.571)
    >>> hierarchical_precision_recall_f1(truth, predicted, h, average="per_level").recall.tolist()
    [1.0, 0.0]
    """
    if average not in _GROUPINGS:
        raise ValueError(f"average must be one of {', '.join(map(repr, _GROUPINGS))}; got {average!r}.")
    return _measure(_close(check_label_pair(y_true, y_pred, hierarchy, nodes, sample_weight)), average, zero_division)


def _measure(pair: Pair, average: Average, zero_division: float) -> PrecisionRecallF1:
    """Return the ratios of a pair as it is, averaged."""
    ratios = _ratios(_GROUPINGS[average](pair), zero_division)
    if average.startswith("per_"):
        return ratios
    weight = pair.weight if average == "samples" else None
    return PrecisionRecallF1(*(mean_of_defined(values, weight) for values in ratios))


def _part_of(three: Callable[P, PrecisionRecallF1], part: str) -> Callable[[Callable[[], Any]], Callable[P, Any]]:
    """Let a function with only a name and a docstring return one part of another's result, with the same arguments."""

    def take_over(named: Callable[[], Any]) -> Callable[P, Any]:
        @wraps(named)
        def measure(*args: P.args, **options: P.kwargs) -> Any:
            return getattr(three(*args, **options), part)

        measure.__signature__ = signature(three).replace(return_annotation="Any")  # type: ignore[attr-defined]
        return measure

    return take_over


@register(
    needs="labels",
    label="hP",
    meaning="share of the predicted labels that are right, ancestors included",
    needs_hierarchy=True,
    row_terms=_counting("precision"),
    like=hierarchical_precision_recall_f1,
)
@_part_of(hierarchical_precision_recall_f1, "precision")
def hierarchical_precision() -> Any:
    """Return hierarchical precision.

    Examples
    --------
    >>> from truepath.metrics import hierarchical_precision
    >>> hierarchical_precision([[1, 1, 0]], [[1, 0, 1]])
    0.5
    """


@register(
    needs="labels",
    label="hR",
    meaning="share of the true labels that are found, ancestors included",
    needs_hierarchy=True,
    row_terms=_counting("recall"),
    like=hierarchical_precision_recall_f1,
)
@_part_of(hierarchical_precision_recall_f1, "recall")
def hierarchical_recall() -> Any:
    """Return hierarchical recall.

    Examples
    --------
    >>> from truepath.metrics import hierarchical_recall
    >>> hierarchical_recall([[1, 1, 0, 0]], [[1, 0, 0, 0]])
    0.5
    """


@register(
    needs="labels",
    label="hF1",
    meaning="balance of precision and recall over all labels, ancestors included",
    needs_hierarchy=True,
    row_terms=_counting("f1"),
    like=hierarchical_precision_recall_f1,
)
@_part_of(hierarchical_precision_recall_f1, "f1")
def hierarchical_f1() -> Any:
    """Return the hierarchical F1: :func:`micro_f1` of label sets completed with their ancestors.

    Examples
    --------
    >>> from truepath.metrics import hierarchical_f1
    >>> hierarchical_f1([[1, 1, 0]], [[1, 0, 1]])
    0.5
    """


@register(
    needs="labels",
    label="micro-F1",
    meaning="F1 over all labels of all rows, without adding ancestors",
    row_terms=_counting("f1", is_closed=False),
)
def micro_f1(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy | None = None,
    *,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = 0.0,
) -> float:
    """Return F1 over all cells, matrices counted as they are (Triguero & Vens, eq. (4)).

    No ancestors are added, so on closed matrices this is :func:`hierarchical_f1`.

    Parameters
    ----------
    zero_division : float, default=0.0
        The value where nothing is true and nothing is predicted.

    Examples
    --------
    >>> from truepath.metrics import micro_f1
    >>> micro_f1([[1, 0, 1], [1, 1, 0]], [[1, 0, 0], [1, 0, 0]])
    0.6666666666666666
    """
    pair = check_label_pair(y_true, y_pred, hierarchy, nodes, sample_weight)
    return float(_measure(pair, "micro", zero_division).f1)


@register(
    needs="labels", label="macro-F1", meaning="mean F1 of all labels, rare or common; one that never occurs counts 0"
)
def macro_f1(
    y_true: Any,
    y_pred: Any,
    hierarchy: Hierarchy | None = None,
    *,
    nodes: Any = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float = 0.0,
) -> float:
    """Return the mean over classes of F1, matrices counted as they are.

    Parameters
    ----------
    zero_division : float, default=0.0
        The value of a class that is neither true nor predicted anywhere; ``np.nan`` leaves it out of the mean.

    Examples
    --------
    >>> from truepath.metrics import macro_f1
    >>> macro_f1([[1, 0], [1, 1]], [[1, 0], [1, 0]])
    0.5
    """
    pair = check_label_pair(y_true, y_pred, hierarchy, nodes, sample_weight)
    return float(_measure(pair, "macro", zero_division).f1)


def _close(pair: Pair) -> Pair:
    """Return the pair with missing ancestors; a matrix without any missing, or without a hierarchy, as it is."""
    if (h := pair.given) is None:
        return pair
    true, pred = (Y if h.is_closed(Y) else h.close(Y) for Y in (pair.true, pair.pred))
    return pair._replace(true=true, pred=pred)


def _ratios(counts: Counts, zero_division: float) -> PrecisionRecallF1:
    """Return precision, recall and F1 of each group; groups with NaN counts have none."""
    hits, true, predicted = counts
    absent = np.isnan(true)
    ratios = ((hits, predicted), (hits, true), (2 * hits, true + predicted))
    return PrecisionRecallF1(*(np.where(absent, np.nan, divide(a, b, zero_division)) for a, b in ratios))


def _everything(pair: Pair) -> Counts:
    """Count all cells as one group, rows weighted."""
    return Counts(*(np.array([pair.row_weight @ counted]) for counted in count_each_row(pair)))


def _by_level(pair: Pair) -> Counts:
    """Count the cells of each level; NaN for a level without counted classes."""
    depth = pair.of_counted(pair.hierarchy.depth)
    height = pair.hierarchy.height
    present = np.bincount(depth - 1, minlength=height) > 0

    def gather(counted: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(present, np.bincount(depth - 1, weights=counted, minlength=height), np.nan)

    return Counts(*map(gather, count_classes(pair)))


_GROUPINGS: dict[str, Callable[[Pair], Counts]] = {
    "micro": _everything,
    "macro": count_classes,
    "samples": count_each_row,
    "levels": _by_level,
    "per_class": count_classes,
    "per_level": _by_level,
}

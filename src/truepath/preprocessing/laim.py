r"""LAIM: cut a numeric feature where the labels of its intervals differ most.

Label-attribute interdependence maximisation extends CAIM to label sets. Let ``q[l, r]`` be the number of rows of
interval ``r`` that have label ``l`` (the quanta matrix), ``max_r`` its largest entry in column ``r`` and ``M_r`` the
column's sum, all labels counted. A scheme of ``n`` intervals scores

.. math:: \mathrm{LAIM} = \frac{1}{n} \sum_{r=1}^{n} \frac{\max_r^2}{M_r}

and is grown greedily: the cut that raises the score most is added, cuts lying halfway between neighbouring values.

References
----------
A. Cano, J. M. Luna, E. L. Gibaja, S. Ventura. LAIM discretization for multi-label data. Information Sciences 330, 2016.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from truepath.held import each, holds, numbers, size
from truepath.hierarchy.matrices import as_dense, dense_column
from truepath.preprocessing.cut_points import cut_between
from truepath.public import Documented

if TYPE_CHECKING:
    from typing import Self  # Python 3.11


@holds(n_features_in_=size("n_features"), cuts_=each(numbers(None), "n_features", of=list))
class LAIM(Documented, TransformerMixin, BaseEstimator):
    """Discretise numeric features by the labels: interval numbers 0, 1, ... instead of values.

    Parameters
    ----------
    max_intervals : int or None, default=2
        The largest number of intervals of a feature. With 2 the cut points are those of the data published with
        Di Mauro et al.; with None cuts are added as long as the score rises.

    Attributes
    ----------
    cuts_ : list of ndarray
        For each feature its cut points, ascending; none where the feature is constant. A value on a cut point belongs
        to the lower interval.

    Notes
    -----
    The first cut is made even where it lowers the score (two intervals halve it unless they are pure), as in CAIM,
    whose schemes have at least two intervals. Intervals without any label score nothing. Ties go to the smaller cut.
    Missing values are left out of the counting and stay missing. Time O(n_features * n_samples * (log n_samples +
    n_labels)) for each level of cuts, memory O(n_samples * n_labels).

    The criterion is the one that the published discretisation follows: with two intervals it returns those files
    exactly (tested on emotions and yeast).

    Fit it on training rows only, in a pipeline: fitted on all rows, test labels leak into the cut points.

    Examples
    --------
    >>> X = np.array([[0.1], [0.2], [0.8], [0.9]])
    >>> Y = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> laim = LAIM().fit(X, Y)
    >>> laim.cuts_
    [array([0.5])]
    >>> laim.transform([[0.5], [0.6]])
    array([[0.],
           [1.]])
    """

    def __init__(self, max_intervals: int | None = 2):
        self.max_intervals = max_intervals

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the cut points of every feature.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_features)
        y : 0/1 label matrix, shape (n_samples, n_labels), dense or sparse
        """
        if self.max_intervals is not None and self.max_intervals < 1:
            raise ValueError(f"max_intervals must be at least 1, or None for no limit; got {self.max_intervals!r}.")
        X = validate_data(self, X, accept_sparse="csc", dtype=np.float64, ensure_all_finite="allow-nan")
        labels = _label_matrix(y, X.shape[0])
        self.cuts_ = [find_cuts(dense_column(X, j), labels, self.max_intervals) for j in range(X.shape[1])]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return interval numbers, NaN where a value is missing.

        Returns
        -------
        X : ndarray of float64, shape (n_samples, n_features)
        """
        check_is_fitted(self, "cuts_")
        X = validate_data(self, X, accept_sparse="csc", dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        found = np.empty(X.shape)
        for j, cuts in enumerate(self.cuts_):
            column = dense_column(X, j)
            found[:, j] = np.where(np.isnan(column), np.nan, np.searchsorted(cuts, column))
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags


def find_cuts(values: np.ndarray, Y: np.ndarray, max_intervals: int | None) -> np.ndarray:
    """Return the cut points of one feature, greedily.

    A cut changes the terms of its own interval only, so the best cut of each interval is found once and kept.
    """
    known = ~np.isnan(values)
    order = np.argsort(values[known], kind="stable")
    ordered = values[known][order]
    sums = np.vstack([np.zeros(Y.shape[1], np.int64), np.cumsum(Y[known][order], axis=0)])
    total, n, cuts = _term(sums[-1:] - sums[:1])[0], 1, []
    waiting = [_best_cut(ordered, sums, 0, ordered.size)]  # of (-gain, cut, start, position, stop)
    while waiting and (max_intervals is None or n < max_intervals):
        gain, _, start, position, stop = heapq.heappop(waiting)
        if position < 0 or (n > 1 and (total - gain) / (n + 1) <= total / n):
            break
        total, n = total - gain, n + 1
        cuts.append(cut_between(ordered[position - 1], ordered[position]))
        heapq.heappush(waiting, _best_cut(ordered, sums, start, position))
        heapq.heappush(waiting, _best_cut(ordered, sums, position, stop))
    return np.sort(np.array(cuts, float))


def _best_cut(ordered: np.ndarray, sums: np.ndarray, start: int, stop: int) -> tuple[float, float, int, int, int]:
    """Return (-gain, cut value, start, position, stop) of the best cut of an interval; position -1 for none."""
    inner = ordered[start:stop]
    positions = start + 1 + np.flatnonzero(inner[1:] > inner[:-1])
    if positions.size == 0:
        return np.inf, np.inf, start, -1, stop
    left = _term(sums[positions] - sums[start])
    right = _term(sums[stop] - sums[positions])
    gains = left + right - _term(sums[stop : stop + 1] - sums[start])[0]
    best = int(np.argmax(gains))
    position = int(positions[best])
    return -float(gains[best]), float(ordered[position]), start, position, stop


def _term(quanta: np.ndarray) -> np.ndarray:
    """Return max^2 / sum of each row of label counts, 0 for no labels."""
    size = quanta.sum(axis=1)
    return np.divide(quanta.max(axis=1) ** 2, size, out=np.zeros(size.size), where=size > 0)


def _label_matrix(y: Any, n_samples: int) -> np.ndarray:
    """Return labels as a dense integer matrix; one column of classes becomes its indicators."""
    if y is None:
        raise ValueError("LAIM requires y to be passed, but the target y is None: give the label matrix.")
    labels = as_dense(y)
    if labels.ndim == 1:
        labels = labels[:, None] == np.unique(labels)
    if labels.shape[0] != n_samples:
        raise ValueError(f"X has {n_samples} rows but y has {labels.shape[0]}; they must describe the same instances.")
    if not np.isin(labels, (0, 1)).all():
        raise ValueError("y must be a matrix of 0 and 1, one column per label.")
    return labels.astype(np.int64)

"""Measures that are known from sums over rows: resampling then needs no more than adding up, for all resamples at once.

The mean of a number per row is such a measure, and so is a ratio of counts such as the F1 over all cells. A measure
says so where it is registered; others (areas under curves, means over classes) are computed anew for each resample.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class RowTerms(NamedTuple):
    """What each row adds to some sums, and the measure as a function of them.

    Attributes
    ----------
    terms : ndarray of float64, shape (n_samples, n_terms)
    value : callable
        ``value(sums)``: the measure for sums of terms over rows, an array whose last axis is that of the terms.
    """

    terms: Floats
    value: Callable[[Floats], Floats]


def each_row(metric: Callable[..., float], y_true: Any, predicted: Any, hierarchy: Any, **options: Any) -> RowTerms:
    """Measure each row by itself: for measures that are the mean of a number per row.

    A row whose number is NaN does not count.
    """
    rows = range(predicted.shape[0])
    values = np.array([metric(y_true[i : i + 1], predicted[i : i + 1], hierarchy, **options) for i in rows])
    return mean_of_rows(values)


def mean_of_rows(values: Floats) -> RowTerms:
    """Return the terms of the mean of a number per row, leaving out rows whose number is NaN."""
    defined = ~np.isnan(values)
    return RowTerms(np.column_stack([np.where(defined, values, 0.0), defined]), _mean)


def _mean(sums: Floats) -> Floats:
    total, n_rows = sums[..., 0], sums[..., 1]
    return np.divide(total, n_rows, out=np.full(np.shape(n_rows), np.nan), where=n_rows > 0)

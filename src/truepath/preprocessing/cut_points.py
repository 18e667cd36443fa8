"""Cut points of a numeric feature: where a value counts as above them, and those at equal shares of the rows."""

from __future__ import annotations

import numpy as np


def cut_between(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return cut points halfway between values: ``low <= cut < high`` also where the two are neighbouring numbers.

    Examples
    --------
    >>> cut_between(np.array([1.0, 1e308]), np.array([4.0, 1.5e308]))
    array([2.50e+000, 1.25e+308])
    """
    return np.clip(low / 2 + high / 2, low, np.nextafter(high, -np.inf))


def find_quantile_cuts(values: np.ndarray, n_intervals: int) -> np.ndarray:
    """Return at most ``n_intervals - 1`` cut points that leave about the same number of values in every interval.

    Equal values stay together, so there are fewer cuts where some values are frequent; values that differ at all get
    one cut or more.

    Examples
    --------
    >>> find_quantile_cuts(np.array([1.0, 2, 3, 4, 5, 6]), 3)
    array([2.5, 4.5])
    >>> find_quantile_cuts(np.array([0.0, 0, 0, 0, 0, 7]), 3)
    array([3.5])
    """
    distinct = np.unique(values)
    if distinct.size < 2:
        return np.empty(0)
    shares = np.arange(1, n_intervals) / n_intervals
    last = np.searchsorted(distinct, np.quantile(values, shares, method="inverted_cdf"))  # of each interval but the top
    last = np.unique(np.minimum(last, distinct.size - 2))
    return cut_between(distinct[last], distinct[last + 1])

"""Bootstrap intervals: how much a metric's value depends on the rows that it was computed on.

Rows are drawn with replacement, the metric is computed on each draw. The percentile interval takes quantiles of
those values; BCa shifts the quantiles for bias of the median and skewness, both estimated from the data. Both hold the
value: what drawing itself changes on average, such as labels that a draw lacks, is taken out first
(:mod:`truepath.resampling`).

References
----------
B. Efron. Better bootstrap confidence intervals. JASA 82, 1987.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.checks import flat_like
from truepath.hierarchy.matrices import as_matrix, by_name
from truepath.metrics.base import get_metric
from truepath.resampling import centre_draws, check_resampling, draw_bootstraps, interval_of

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """A metric's value on all rows, the ends of its interval, and the standard deviation over resamples."""

    value: float
    low: float
    high: float
    standard_error: float


def bootstrap_interval(
    metric: str | Callable[..., float],
    y_true: Any,
    predicted: Any,
    hierarchy: Hierarchy | None = None,
    *,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    method: Literal["percentile", "bca"] = "percentile",
    random_state: Any = None,
    sample_weight: Any = None,
    **options: Any,
) -> Interval:
    """Return a metric with a bootstrap interval over rows.

    Parameters
    ----------
    metric : str or callable
        A registered name, or ``metric(y_true, predicted, hierarchy, **options) -> float``.
    y_true : array-like or sparse matrix, shape (n_samples, n_nodes)
    predicted : array-like or sparse matrix, shape (n_samples, n_nodes)
        Labels or scores, whichever the metric needs.
    hierarchy : Hierarchy, optional
    n_resamples : int, default=1000
    confidence : float, default=0.95
    method : {"percentile", "bca"}, default="percentile"
        BCa computes the metric ``n_samples`` times more, for the jackknife.
    random_state : int, numpy Generator or RandomState, optional
        The same seed gives the same bits.
    sample_weight : array-like, shape (n_samples,), optional
        Drawn along with the rows.
    **options
        Passed on to the metric, such as ``nodes`` or ``average``.

    Returns
    -------
    interval : Interval
        ``(value, low, high, standard_error)``, with low <= value <= high. Resamples on which the metric is NaN are left
        out. About ``confidence`` of such intervals hold the mean of the metric over other samples of as many rows.

    Notes
    -----
    A draw lacks about a third of the rows, so some rare labels do not occur in it, and for that reason alone a
    macro-average is smaller there than on all rows. Where the draws' mean differs from the value by more than chance,
    they are moved until it does not (:mod:`truepath.resampling`): the interval takes its width from the draws and its
    place from the value.

    Examples
    --------
    >>> from truepath.metrics import bootstrap_interval
    >>> Y, P = [[1, 0], [1, 1], [1, 0], [0, 1]], [[1, 0], [1, 0], [1, 0], [0, 1]]
    >>> interval = bootstrap_interval("exact_match", Y, P, n_resamples=200, random_state=0)
    >>> interval.value, interval.low, interval.high
    (0.75, 0.25, 1.0)
    """
    check_resampling(n_resamples, confidence)
    if method not in ("percentile", "bca"):
        raise ValueError(f"method must be 'percentile' or 'bca'; got {method!r}.")
    order = hierarchy or flat_like(y_true, predicted)
    y_true = as_matrix(by_name(y_true, order, "y_true"), name="y_true")
    predicted = as_matrix(by_name(predicted, order, "predicted"), name="predicted")
    function = get_metric(metric) if isinstance(metric, str) else metric
    weight = None if sample_weight is None else np.asarray(sample_weight)

    def measure(rows: NDArray[np.int64]) -> float:
        drawn = {} if weight is None else {"sample_weight": weight[rows]}
        return float(function(y_true[rows], predicted[rows], hierarchy, **drawn, **options))

    n_samples = y_true.shape[0]
    value = measure(np.arange(n_samples))
    draws = np.array([measure(rows) for rows in draw_bootstraps(n_samples, n_resamples, random_state)])
    draws = draws[~np.isnan(draws)]
    if draws.size == 0 or np.isnan(value):
        return Interval(value, float("nan"), float("nan"), float("nan"))
    draws = centre_draws(draws, value)
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    if method == "bca" and n_samples > 1:
        everyone = np.arange(n_samples)
        tails = _corrected(tails, value, draws, np.array([measure(np.delete(everyone, i)) for i in everyone]))
    ends = interval_of(draws, tails.tolist(), around=value, bounds=getattr(function, "bounds", (-np.inf, np.inf)))
    return Interval(value, *ends, float(draws.std(ddof=1)) if draws.size > 1 else 0.0)


def _corrected(tails: Floats, value: float, draws: Floats, left_out: Floats) -> Floats:
    """Move the two quantiles for bias (z0) and acceleration (a), Efron's eq. (2.3)."""
    below = ((draws < value).sum() + (draws <= value).sum()) / (2 * draws.size)  # ties count half
    z0 = ndtri(np.clip(below, 0.5 / draws.size, 1 - 0.5 / draws.size))
    influence = np.nanmean(left_out) - left_out[~np.isnan(left_out)]
    spread = (influence**2).sum() ** 1.5
    a = (influence**3).sum() / (6 * spread) if spread > 0 else 0.0
    z = z0 + ndtri(tails)
    return np.asarray(ndtr(z0 + z / (1 - a * z)))

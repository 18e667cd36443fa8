"""Rows drawn with replacement, as often as there are rows, and the interval that values over such draws give.

A draw holds about 63 % of the rows, some of them twice, and a measure may not be the same on average for that reason
alone: a rare label that a draw lacks counts 0 in a macro-average, and the best of many thresholds is better where rows
come twice. Quantiles of such draws lie beside the value that they are to surround. So draws whose mean differs from the
value by more than chance are moved until it does not: their spread is what the interval takes from them.
What the interval is for, then, is the mean of the measure over other samples of this size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truepath.parameters import RESAMPLES, SHARE, check_in


def as_generator(random_state: Any) -> np.random.Generator:
    """Return a generator for any of the seeds that scikit-learn takes; a Generator as it is."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31 - 1, size=4))
    return np.random.default_rng(random_state)


def check_resampling(n_resamples: Any, confidence: Any) -> None:
    """Refuse a number of resamples, or a confidence, that makes no sense."""
    check_in("n_resamples", n_resamples, RESAMPLES)
    check_in("confidence", confidence, SHARE)


def draw_bootstraps(n_rows: int, n_draws: int, random_state: Any = None) -> Iterator[NDArray[np.int64]]:
    """Yield draws: row numbers, drawn with replacement, as many as there are rows.

    Examples
    --------
    >>> [rows.size for rows in draw_bootstraps(5, 2, 0)]
    [5, 5]
    """
    generator = as_generator(random_state)
    return (generator.integers(n_rows, size=n_rows) for _ in range(n_draws))


def count_draws(rows: NDArray[np.int64], n_rows: int) -> NDArray[np.float64]:
    """Return how often each row was drawn: the weights of rows that mean the same as the draw.

    Examples
    --------
    >>> count_draws(np.array([0, 2, 2]), 3).tolist()
    [1.0, 0.0, 2.0]
    """
    return np.bincount(rows, minlength=n_rows).astype(np.float64)


#: Draws are moved if their mean is farther from the value than this many standard errors
CHANCE = 3.0


def interval_of(
    draws: ArrayLike,
    confidence: float | Sequence[float],
    *,
    around: float | None = None,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> tuple[float, float]:
    """Return the percentile interval of the draws that are numbers; NaN if none is.

    Parameters
    ----------
    draws : array-like of float
        A value for each draw; NaN where it is undefined.
    confidence : float, or a pair of floats
        How much lies within, such as 0.95; or the two quantiles themselves.
    around : float, optional
        The value on all rows: draws are centred on it, and the interval holds it.
    bounds : pair of float, optional
        The smallest and largest value there is.

    Examples
    --------
    >>> interval_of([0.0, 1.0, 2.0, float("nan")], 0.5)
    (0.5, 1.5)
    >>> interval_of([0.5, 0.6, 0.7] * 10, 0.95, around=0.9)
    (0.8, 1.0)
    """
    known = np.asarray(draws, np.float64)
    known = known[~np.isnan(known)]
    if known.size == 0:
        return float("nan"), float("nan")
    tails = ((1 - confidence) / 2, (1 + confidence) / 2) if isinstance(confidence, (int, float)) else confidence
    if around is None or np.isnan(around):
        low, high = np.quantile(known, np.asarray(tails))
        return float(low), float(high)
    low, high = np.clip(np.quantile(centre_draws(known, around), np.asarray(tails)), *bounds)
    return float(min(low, around)), float(max(high, around))


def centre_draws(draws: NDArray[np.float64], value: float) -> NDArray[np.float64]:
    """Return draws whose mean is the value but for chance.

    Examples
    --------
    >>> centre_draws(np.array([0.25, 0.5, 0.75] * 10), 0.875)[:3].tolist()
    [0.625, 0.875, 1.125]
    """
    bias = draws.mean() - value
    by_chance = CHANCE * draws.std() / np.sqrt(draws.size)
    return draws - bias if abs(bias) > by_chance else draws

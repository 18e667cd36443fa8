"""Rows drawn with replacement, as often as there are rows, and the interval that values over such draws give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def as_generator(random_state: Any) -> np.random.Generator:
    """Return a generator for any of the seeds that scikit-learn takes; a Generator as it is."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31 - 1, size=4))
    return np.random.default_rng(random_state)


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


def interval_of(draws: ArrayLike, confidence: float | Sequence[float]) -> tuple[float, float]:
    """Return the percentile interval of the draws that are numbers; NaN if none is.

    Parameters
    ----------
    draws : array-like of float
        A value for each draw; NaN where it is undefined.
    confidence : float, or a pair of floats
        How much lies within, such as 0.95; or the two quantiles themselves.

    Examples
    --------
    >>> interval_of([0.0, 1.0, 2.0, float("nan")], 0.5)
    (0.5, 1.5)
    """
    known = np.asarray(draws, np.float64)
    known = known[~np.isnan(known)]
    if known.size == 0:
        return float("nan"), float("nan")
    tails = ((1 - confidence) / 2, (1 + confidence) / 2) if isinstance(confidence, (int, float)) else confidence
    low, high = np.quantile(known, np.asarray(tails))
    return float(low), float(high)

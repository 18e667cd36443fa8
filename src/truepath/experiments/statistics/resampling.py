"""Resampling the predictions of two models in pairs: rows drawn with replacement, predictions swapped within rows.

Predictions are numbered: i is that of the first model for row i, n + i that of the second. A resample is a choice of n
numbers for each of the two. A measure known from sums over rows is computed for many resamples at once by adding up
what the chosen predictions contribute; any other measure is computed for one resample after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from truepath.hierarchy import Hierarchy
from truepath.metrics import Metric
from truepath.resampling import draw_bootstraps, interval_of

Rows = NDArray[np.int64]
Show = Callable[[float, float | None, str], None]

_CELLS = 2**20  # rows times resamples that are added up at once
_SAME = 1e-9


@dataclass(frozen=True)
class PairedMeasure:
    """The difference of a measure between two choices of predictions.

    Attributes
    ----------
    n_samples : int
    difference : callable
        ``difference(first, second)`` for the numbers of the chosen predictions.
    takes_many : bool
        Whether it takes a resample in each row of two matrices (and an ``axis``, which is the last).
    """

    n_samples: int
    difference: Callable[..., Any]
    takes_many: bool

    @property
    def way(self) -> dict[str, Any]:
        """How SciPy has to call it."""
        return {"vectorized": self.takes_many, "batch": max(1, _CELLS // self.n_samples), "axis": -1}

    def showing(self, show: Show, total: int) -> PairedMeasure:
        """Return the same, with each computation of the measure reported to a function."""
        done = 0

        def difference(first: Rows, second: Rows, **axis: int) -> Any:
            nonlocal done
            done += 1 if first.ndim == 1 else len(first)
            show(min(done, total), total, "resamples")
            return self.difference(first, second, **axis)

        return replace(self, difference=difference)


def pair_models(
    metric: Metric, truth: Any, first: Any, second: Any, hierarchy: Hierarchy | None, options: dict[str, Any]
) -> PairedMeasure:
    """Return how two predictions are compared, by adding up where the measure allows it."""
    added = _by_adding(metric, truth, (first, second), hierarchy, options)
    if added is not None:
        return PairedMeasure(truth.shape[0], added, takes_many=True)
    n = truth.shape[0]
    is_sparse = sparse.issparse(first) or sparse.issparse(second)
    both = sparse.vstack([first, second], format="csr") if is_sparse else np.concatenate([first, second])

    def difference(one: Rows, other: Rows) -> float:
        left, right = (metric(truth[rows % n], both[rows], hierarchy, **options) for rows in (one, other))
        return left - right

    return PairedMeasure(n, difference, takes_many=False)


def _by_adding(
    metric: Metric, truth: Any, predicted: tuple[Any, Any], hierarchy: Hierarchy | None, options: dict[str, Any]
) -> Callable[..., Any] | None:
    """Return the difference from sums over rows; None where an option makes the measure something else."""
    if metric.row_terms is None:
        return None
    found = [metric.row_terms(metric, truth, each, hierarchy, **options) for each in predicted]
    given = [one for one in found if one is not None]
    sums = [float(one.value(one.terms.sum(axis=0))) for one in given]
    measured = [metric(truth, each, hierarchy, **options) for each in predicted]
    if len(given) < 2 or not np.allclose(sums, measured, rtol=_SAME, atol=_SAME, equal_nan=True):
        return None
    terms, value = np.vstack([one.terms for one in given]), given[0].value

    def difference(one: Rows, other: Rows, axis: int = -1) -> Any:
        return value(terms[one].sum(axis=-2)) - value(terms[other].sum(axis=-2))

    return difference


def draw_rows(
    pairs: PairedMeasure, value: float, n_resamples: int, confidence: float, generator: np.random.Generator
) -> tuple[float, float]:
    """Return the interval around the difference by draws of rows, the same for both; NaN if it is never defined."""
    n = pairs.n_samples
    draws, at_once = draw_bootstraps(n, n_resamples, generator), pairs.way["batch"] if pairs.takes_many else 1
    values = []
    while block := list(islice(draws, at_once)):
        rows = np.array(block) if pairs.takes_many else block[0]
        values.append(np.atleast_1d(pairs.difference(rows, rows + n)))
    return interval_of(np.concatenate(values), confidence, around=value)


def swap_predictions(pairs: PairedMeasure, n_resamples: int, generator: np.random.Generator) -> float:
    """Return the two-sided p-value of the difference under swaps within rows; NaN if it is not always defined."""
    from scipy.stats import permutation_test

    numbers = np.arange(pairs.n_samples), np.arange(pairs.n_samples) + pairs.n_samples
    found = permutation_test(
        numbers, pairs.difference, permutation_type="samples", n_resamples=n_resamples, rng=generator, **pairs.way
    )
    is_defined = not (np.isnan(found.statistic) or np.isnan(found.null_distribution).any())
    return float(found.pvalue) if is_defined else float("nan")

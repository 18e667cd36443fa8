"""The measures a report shows, with bootstrap intervals that take little time.

Every measure shown is a function of sums over rows: hits, true and predicted labels per row and per class, and
scores counted in bins. A bootstrap draw is a vector of row weights w (how often each row was drawn), so a draw of any
measure comes from w @ sums, and one product gives all draws. The rows drawn are the same for all methods, so
their differences are paired. The pooled area needs the order of all scores; its draws come from the scores in
:data:`N_BINS` bins with equally many positives, shifted by what binning changes in the area itself.

The values are those of :mod:`truepath.metrics`, with their defaults; labels, meanings and digits are the metrics' own.
:func:`truepath.metrics.bootstrap_interval` is the general, slower way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.hierarchy import Hierarchy
from truepath.hierarchy.matrices import dense_blocks
from truepath.metrics import get_metric
from truepath.metrics.inputs import check_label_pair, count_each_row, divide, find_mistakes, has_any
from truepath.metrics.rows import RowTerms
from truepath.metrics.score_bins import bin_scores
from truepath.metrics.uppermost_mistakes import walk_rows
from truepath.report.run import Evaluated, Run
from truepath.resampling import count_draws, draw_bootstraps, interval_of

Floats = NDArray[np.float64]

N_DRAWS = 500
N_BINS = 300
CALIBRATION = (15, 0.1)  # bins and least score, those of the metric's defaults
CONFIDENCE = 0.95
WORK = 2e9  # multiplications spent on draws of class counts, of one method
WEIGHTS_AT_A_TIME = 1 << 22
#: Measures of scores that only the page has; they are known from sums over rows
RANKED = ("precision_at_k", "ndcg_at_k", "r_precision", "expected_calibration_error")


class Measured(NamedTuple):
    """A measure's value, the ends of its interval, and its draws."""

    value: float
    low: float
    high: float
    draws: Floats


By = Mapping[str, Mapping[str, Measured]]  # method -> metric -> value with interval


class Difference(NamedTuple):
    """How much the best method is ahead of another, with a paired interval."""

    value: float
    low: float
    high: float


def draw_intervals(run: Run, random_state: Any = 0) -> dict[str, dict[str, Measured]]:
    """Return method -> measure -> value with interval; rows are drawn once for all methods."""
    return {result.name: _draw_method(run, result, random_state) for result in run.results}


def paired_difference(first: Measured, second: Measured) -> Difference:
    """Return first minus second over the same draws."""
    n_draws = min(first.draws.size, second.draws.size)
    value = first.value - second.value
    return Difference(value, *interval_of(first.draws[:n_draws] - second.draws[:n_draws], CONFIDENCE, around=value))


def _draw_method(run: Run, result: Evaluated, random_state: Any) -> dict[str, Measured]:
    """Put intervals around one method's measures."""
    truth, labels, hierarchy = run.y_true, result.y_pred, run.hierarchy
    values = run.measures[result.name]
    rows = _row_sums(truth, labels, hierarchy)
    bins = _score_bins(truth, result.S) if "auprc" in values else None
    ranked = {name: _score_terms(name, truth, result.S, hierarchy) for name in _names_of_ranked(run, result)}
    values = {**values, **{name: float(row.value(row.terms.sum(axis=0))) for name, row in ranked.items()}}
    draws: dict[str, list[Floats]] = {}
    for weights in _draw_weights(truth.shape[0], truth.nnz + labels.nnz, random_state):
        drawn = {**_row_draws(weights, rows), **_class_draws(weights, truth, labels, hierarchy.costs)}
        if bins is not None:
            drawn["auprc"] = _area_draws(weights @ bins[0], weights @ bins[1])
        drawn |= {name: row.value(weights @ row.terms) for name, row in ranked.items()}
        for key, part in drawn.items():
            draws.setdefault(key, []).append(part)
    joined = {key: np.concatenate(parts) for key, parts in draws.items()}
    if bins is not None:
        whole = np.ones((1, truth.shape[0]))
        joined["auprc"] = joined["auprc"] + values["auprc"] - _area_draws(whole @ bins[0], whole @ bins[1])
    return {key: _surround(key, value, joined[key]) for key, value in values.items()}


def _surround(name: str, value: float, draws: Floats) -> Measured:
    """Put an interval around a value, from its draws."""
    return Measured(value, *interval_of(draws, CONFIDENCE, around=value, bounds=get_metric(name).bounds), draws)


def _draw_weights(n_samples: int, n_stored: int, random_state: Any) -> Iterator[Floats]:
    """Yield blocks of draws, each row of a block saying how often every sample was drawn."""
    draws = draw_bootstraps(n_samples, int(np.clip(WORK / max(n_stored, 1), 100, N_DRAWS)), random_state)
    while block := [count_draws(rows, n_samples) for rows in islice(draws, max(1, WEIGHTS_AT_A_TIME // n_samples))]:
        yield np.array(block)


def _row_sums(truth: Any, labels: Any, hierarchy: Hierarchy) -> Floats:
    """Return what measures averaged over rows need from each row."""
    pair = check_label_pair(truth, labels, hierarchy)
    hits, true, predicted = count_each_row(pair)
    exact = ~has_any(find_mistakes(pair.true, pair.pred))
    overlap = divide(hits, true + predicted - hits, 0.0)
    charged, _ = walk_rows(pair, hierarchy.costs)
    return np.column_stack([hits, true, predicted, exact, overlap, charged]).astype(np.float64)


def _row_draws(weights: Floats, rows: Floats) -> dict[str, Floats]:
    """Turn drawn row sums into the measures made of them."""
    hits, true, predicted, exact, overlap, charged = (weights @ rows).T
    n_samples = rows.shape[0]
    return {
        "hierarchical_f1": divide(2 * hits, true + predicted, 0.0),
        "hierarchical_precision": divide(hits, predicted, 0.0),
        "hierarchical_recall": divide(hits, true, 0.0),
        "jaccard_score": overlap / n_samples,
        "exact_match": exact / n_samples,
        "h_loss": charged / n_samples,
    }


def _class_draws(weights: Floats, truth: Any, labels: Any, costs: Floats) -> dict[str, Floats]:
    """Turn drawn class counts into macro F1 and the HMC-loss with one lambda per class."""
    n_samples = truth.shape[0]
    hits, true, predicted = (weights @ M.astype(np.float64) for M in (truth.multiply(labels).tocsr(), truth, labels))
    beta = 2 * true / n_samples  # lambda = negatives / positives, so 2 / (1 + lambda) = 2 positives / all
    charge = (2 - beta) * (true - hits) + beta * (predicted - hits)
    return {
        "macro_f1": divide(2 * hits, true + predicted, 0.0).mean(axis=1),
        "hmc_loss": charge @ costs / n_samples,
    }


def _score_bins(truth: Any, S: Any) -> tuple[Floats, Floats]:
    """Count each row's positive and negative cells in score bins, highest scores first."""
    positives = np.concatenate([scores[true] for _, (true, scores) in dense_blocks(truth, S)])
    edges = np.unique(np.quantile(positives, np.linspace(0, 1, N_BINS + 1)[1:], method="lower"))
    counts = np.zeros((2, truth.shape[0], edges.size + 1))
    for rows, (true, scores) in dense_blocks(truth, S):
        place = edges.size - np.searchsorted(edges, scores, side="right")  # 0 is the highest bin
        cell = place + (edges.size + 1) * np.arange(place.shape[0])[:, None]
        for side, chosen in ((0, true), (1, ~true)):
            tally = np.bincount(cell[chosen], minlength=place.shape[0] * (edges.size + 1))
            counts[side, rows] = tally.reshape(place.shape[0], -1)
    return counts[0], counts[1]


def _names_of_ranked(run: Run, result: Evaluated) -> list[str]:
    """Return the measures of scores that a method has: calibration is for scores from 0 to 1."""
    if result.S is None or run.y_true.nnz == 0:
        return []
    is_share = result.S.min() >= 0 and result.S.max() <= 1
    return [name for name in RANKED if is_share or name != "expected_calibration_error"]


def _score_terms(name: str, truth: Any, S: Any, hierarchy: Hierarchy) -> RowTerms:
    """Return what each row adds to a measure of scores that is known from sums over rows."""
    metric = get_metric(name)
    found = _calibration_terms(truth, S) if metric.row_terms is None else metric.row_terms(metric, truth, S, hierarchy)
    assert found is not None
    return found


def _calibration_terms(truth: Any, S: Any) -> RowTerms:
    """Return the scores of each row in bins: how many, how many of them true, and their sum."""
    n_bins, least = CALIBRATION
    terms = bin_scores(truth, S, n_bins, min_score=least, by="row")
    return RowTerms(np.concatenate(terms, axis=1), _calibration_error_of)


def _calibration_error_of(sums: Floats) -> Floats:
    n, k, total = np.split(sums, 3, axis=-1)
    return divide(np.abs(k - total).sum(axis=-1), n.sum(axis=-1), 0.0)


def _area_draws(positives: Floats, negatives: Floats) -> Floats:
    """Return the average precision of binned scores, one per draw."""
    tp, fp = np.cumsum(positives, axis=1), np.cumsum(negatives, axis=1)
    return np.asarray((positives * divide(tp, tp + fp, 0.0)).sum(axis=1) / np.maximum(tp[:, -1], 1.0))

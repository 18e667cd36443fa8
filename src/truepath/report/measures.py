"""The measures a report shows, in words, with bootstrap intervals that cost next to nothing.

Every measure shown is a function of sums over rows: hits, true and predicted labels of a row; of a class; scores
counted in bins. A bootstrap draw is a vector of row weights w (how often each row was drawn), so a draw of any
measure comes from w @ sums, and one product gives all draws. The rows drawn are the same for all methods, which
makes their differences paired. The pooled area needs the order of all scores; its draws come from the scores in
:data:`N_BINS` bins with equally many positives, shifted by what binning changes in the area itself.

The values are those of :mod:`truepath.metrics`; :func:`truepath.metrics.bootstrap_interval` is the general, slower way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath import metrics
from truepath.hierarchy import Hierarchy
from truepath.metrics.counts import count_rows, divide, find_mistakes, has_any
from truepath.metrics.h_loss import walk_rows
from truepath.metrics.inputs import check_label_pair, row_blocks
from truepath.report.evaluated import Evaluated, Subject

__all__ = [
    "CONFIDENCE",
    "MEASURES",
    "Difference",
    "Measure",
    "Measured",
    "measure_all",
    "paired_difference",
    "values_only",
]

Floats = NDArray[np.float64]

N_DRAWS = 500
N_BINS = 300
CONFIDENCE = 0.95
WORK = 2e9  # multiplications spent on draws of class counts, of one method
WEIGHTS_AT_A_TIME = 1 << 22


class Measure(NamedTuple):
    """A measure in words."""

    key: str
    label: str
    meaning: str
    greater_is_better: bool = True


MEASURES = (
    Measure("f1", "Hierarchical F1", "balance of precision and recall over all labels, ancestors included"),
    Measure("precision", "Precision", "share of the predicted labels that are right"),
    Measure("recall", "Recall", "share of the true labels that are found"),
    Measure("auprc", "AU(PRC)", "area under the pooled precision-recall curve: how well scores rank, any threshold"),
    Measure("macro_f1", "Macro F1", "mean F1 of the labels that occur: rare labels weigh as much as common ones"),
    Measure("jaccard", "Jaccard", "mean overlap of a row's true and predicted label sets"),
    Measure("exact", "Exact match", "share of rows with every label right"),
    Measure("h_loss", "H-loss", "cost of a row's uppermost mistakes, high ones dear", False),
    Measure("hmc_loss", "HMC-loss", "cost of all mistakes, misses and false alarms balanced per label", False),
)


class Measured(NamedTuple):
    """A measure's value, the ends of its interval, and its draws."""

    value: float
    low: float
    high: float
    draws: Floats


class Difference(NamedTuple):
    """How much the best method is ahead of another, with a paired interval."""

    value: float
    low: float
    high: float


def measure_all(subject: Subject, random_state: Any = 0) -> dict[str, dict[str, Measured]]:
    """Return method -> measure -> value with interval; rows are drawn once for all methods."""
    return {result.name: _measure(subject, result, random_state) for result in subject.results}


def paired_difference(first: Measured, second: Measured) -> Difference:
    """Return first minus second over the same draws."""
    n_draws = min(first.draws.size, second.draws.size)
    low, high = _ends(first.draws[:n_draws] - second.draws[:n_draws])
    return Difference(first.value - second.value, low, high)


def values_only(subject: Subject, result: Evaluated) -> dict[str, float]:
    """Compute every measure of one method, without intervals; AU(PRC) needs scores and a true label."""
    truth, labels, hierarchy = subject.y_true, result.y_pred, subject.hierarchy
    precision, recall, f1 = metrics.hierarchical_precision_recall_f1(truth, labels, hierarchy)
    values = {"f1": f1, "precision": precision, "recall": recall}
    values["macro_f1"] = metrics.macro_f1(truth, labels, zero_division=np.nan)
    values["jaccard"] = metrics.jaccard_score(truth, labels, zero_division=1.0)
    values["exact"] = metrics.exact_match(truth, labels)
    values["h_loss"] = metrics.h_loss(truth, labels, hierarchy)
    values["hmc_loss"] = metrics.hmc_loss(truth, labels, hierarchy)
    if result.S is not None and truth.nnz:
        values["auprc"] = metrics.auprc(truth, result.S)
    return {m.key: float(values[m.key]) for m in MEASURES if m.key in values}


def _measure(subject: Subject, result: Evaluated, random_state: Any) -> dict[str, Measured]:
    """Compute every measure of one method, and draw it."""
    truth, labels, hierarchy = subject.y_true, result.y_pred, subject.hierarchy
    values = values_only(subject, result)
    rows = _row_sums(truth, labels, hierarchy)
    bins = _score_bins(truth, result.S) if "auprc" in values else None
    draws: dict[str, list[Floats]] = {}
    for weights in _draw_weights(truth.shape[0], truth.nnz + labels.nnz, random_state):
        drawn = {**_row_draws(weights, rows), **_class_draws(weights, truth, labels, hierarchy.costs)}
        if bins is not None:
            drawn["auprc"] = _area_draws(weights @ bins[0], weights @ bins[1])
        for key, part in drawn.items():
            draws.setdefault(key, []).append(part)
    joined = {key: np.concatenate(parts) for key, parts in draws.items()}
    if bins is not None:
        whole = np.ones((1, truth.shape[0]))
        joined["auprc"] = joined["auprc"] + values["auprc"] - _area_draws(whole @ bins[0], whole @ bins[1])
    return {key: Measured(value, *_ends(joined[key]), joined[key]) for key, value in values.items()}


def _ends(draws: Floats) -> tuple[float, float]:
    """Return the percentile interval of the draws that are numbers."""
    draws = draws[~np.isnan(draws)]
    if draws.size == 0:
        return float("nan"), float("nan")
    low, high = np.quantile(draws, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def _draw_weights(n_samples: int, n_stored: int, random_state: Any) -> Iterator[Floats]:
    """Yield blocks of draws, each row of a block saying how often every sample was drawn."""
    generator = np.random.default_rng(random_state)
    left = int(np.clip(WORK / max(n_stored, 1), 100, N_DRAWS))
    step = max(1, WEIGHTS_AT_A_TIME // n_samples)
    while left > 0:
        size = min(step, left)
        yield np.array(
            [np.bincount(generator.integers(n_samples, size=n_samples), minlength=n_samples) for _ in range(size)],
            np.float64,
        )
        left -= size


def _row_sums(truth: Any, labels: Any, hierarchy: Hierarchy) -> Floats:
    """Return what measures averaged over rows need of each row."""
    pair = check_label_pair(truth, labels, hierarchy)
    hits, true, predicted = count_rows(pair)
    exact = ~has_any(find_mistakes(pair.true, pair.pred))
    overlap = divide(hits, true + predicted - hits, 1.0)
    charged, _ = walk_rows(pair, hierarchy.costs)
    return np.column_stack([hits, true, predicted, exact, overlap, charged]).astype(np.float64)


def _row_draws(weights: Floats, rows: Floats) -> dict[str, Floats]:
    """Turn drawn row sums into the measures made of them."""
    hits, true, predicted, exact, overlap, charged = (weights @ rows).T
    n_samples = rows.shape[0]
    return {
        "f1": divide(2 * hits, true + predicted, 0.0),
        "precision": divide(hits, predicted, 0.0),
        "recall": divide(hits, true, 0.0),
        "jaccard": overlap / n_samples,
        "exact": exact / n_samples,
        "h_loss": charged / n_samples,
    }


def _class_draws(weights: Floats, truth: Any, labels: Any, costs: Floats) -> dict[str, Floats]:
    """Turn drawn class counts into macro F1 and the HMC-loss with a lambda per class."""
    n_samples = truth.shape[0]
    hits, true, predicted = (weights @ M.astype(np.float64) for M in (truth.multiply(labels).tocsr(), truth, labels))
    f1 = divide(2 * hits, true + predicted, np.nan)
    defined = ~np.isnan(f1)
    beta = 2 * true / n_samples  # lambda = negatives / positives, so 2 / (1 + lambda) = 2 positives / all
    charge = (2 - beta) * (true - hits) + beta * (predicted - hits)
    return {
        "macro_f1": divide(np.where(defined, f1, 0.0).sum(axis=1), defined.sum(axis=1), np.nan),
        "hmc_loss": charge @ costs / n_samples,
    }


def _score_bins(truth: Any, S: Any) -> tuple[Floats, Floats]:
    """Count each row's positive and negative cells in score bins, highest scores first."""
    positives = np.concatenate([scores[true] for _, (true, scores) in row_blocks(truth, S)])
    edges = np.unique(np.quantile(positives, np.linspace(0, 1, N_BINS + 1)[1:], method="lower"))
    counts = np.zeros((2, truth.shape[0], edges.size + 1))
    for rows, (true, scores) in row_blocks(truth, S):
        place = edges.size - np.searchsorted(edges, scores, side="right")  # 0 is the highest bin
        cell = place + (edges.size + 1) * np.arange(place.shape[0])[:, None]
        for side, chosen in ((0, true), (1, ~true)):
            tally = np.bincount(cell[chosen], minlength=place.shape[0] * (edges.size + 1))
            counts[side, rows] = tally.reshape(place.shape[0], -1)
    return counts[0], counts[1]


def _area_draws(positives: Floats, negatives: Floats) -> Floats:
    """Return the average precision of binned scores, one a draw."""
    tp, fp = np.cumsum(positives, axis=1), np.cumsum(negatives, axis=1)
    return np.asarray((positives * divide(tp, tp + fp, 0.0)).sum(axis=1) / np.maximum(tp[:, -1], 1.0))

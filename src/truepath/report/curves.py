"""What the scores show beyond the labels: the pooled curve, every single threshold, calibration."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truepath.metrics import precision_recall_curve
from truepath.metrics.inputs import divide
from truepath.metrics.score_bins import bin_scores

Floats = NDArray[np.float64]

N_THRESHOLDS = 101
N_POINTS = 240
N_BINS = 10


class Calibration(NamedTuple):
    """Cells by score, in ten bins of equal width: how many, their mean score, the share that is true."""

    edges: Floats
    counts: NDArray[np.int64]
    score: Floats
    share: Floats


class Curves(NamedTuple):
    """Curves of one method; ``recall`` and ``precision`` are thinned for drawing, thresholds a regular grid."""

    recall: Floats
    precision: Floats
    threshold: Floats
    at_precision: Floats
    at_recall: Floats
    at_f1: Floats
    calibration: Calibration | None


def trace_curves(y_true: Any, y_score: Any) -> Curves:
    """Trace one method's curves, all labels pooled; needs a positive cell."""
    curve = precision_recall_curve(y_true, y_score)
    low, high = min(0.0, float(curve.thresholds[0])), max(1.0, float(curve.thresholds[-1]))
    grid = np.linspace(low, high, N_THRESHOLDS)
    place = np.searchsorted(
        curve.thresholds, grid.astype(curve.thresholds.dtype), side="right"
    )  # score > threshold, as decoders do
    precision, recall = curve.precision[place], curve.recall[place]
    precision = np.where(recall > 0, precision, np.nan)  # nothing predicted any more: no precision
    f1 = np.where(recall > 0, divide(2 * precision * recall, precision + recall, 0.0), 0.0)
    kept = _thin(curve.recall, curve.precision)
    calibration = _calibrate(y_true, y_score) if low >= 0 and high <= 1 else None
    return Curves(curve.recall[kept], curve.precision[kept], grid, precision, recall, f1, calibration)


def _thin(recall: Floats, precision: Floats) -> NDArray[np.intp]:
    """Choose the points of a curve that can be distinguished when drawn: the ends of each narrow strip of recall."""
    strip = np.round(recall * N_POINTS).astype(np.int64)
    first = np.flatnonzero(np.diff(strip, prepend=-1))
    last = np.append(first[1:] - 1, recall.size - 1)
    kept = np.unique(np.concatenate([first, last]))
    return kept[(recall[kept] > 0) | (kept < recall.size - 1)]


def _calibrate(y_true: Any, S: Any) -> Calibration:
    """Count cells by score; those that score exactly 0 are left out."""
    count, true_count, total = bin_scores(y_true, S, N_BINS).sum(axis=1)
    means = divide(total, count, np.nan), divide(true_count, count, np.nan)
    return Calibration(np.linspace(0, 1, N_BINS + 1), count.astype(np.int64), *means)

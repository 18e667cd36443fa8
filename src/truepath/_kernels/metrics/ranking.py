"""Loops over scores in order: how many negatives lie between positives, and sweeps of a falling threshold."""

from __future__ import annotations

from typing import Any

from numpy import zeros
from numpy.typing import NDArray

from truepath._kernels.jit import kernel

__all__ = ["bin_scores", "sweep_thresholds"]

Array = NDArray[Any]


@kernel
def bin_scores(points: Array, scores: Array, weight: Array, tied: Array, between: Array) -> None:
    """Add each score's weight to the ascending ``points``: to ``tied[j]`` when it equals point j, else to the gap.

    ``between[j]`` gathers what lies below point j and above point j - 1. O(len(scores) * log len(points)).
    """
    for i in range(scores.size):
        low, length = 0, points.size
        while length > 0:  # lower bound
            half = length >> 1
            if points[low + half] < scores[i]:
                low += half + 1
                length -= half + 1
            else:
                length = half
        if low < points.size and points[low] == scores[i]:
            tied[low] += weight[i]
        else:
            between[low] += weight[i]


@kernel
def sweep_thresholds(
    ends: Array, rows: Array, mass: Array, is_true: Array, true_mass: Array, scored: Array, weight: Array, out: Array
) -> None:
    """Lower the threshold step by step and write what CAFA's measures need at each step.

    Step k adds the cells up to ``ends[k]`` (cells come in order of falling score) to the predictions. Row k of
    ``out`` becomes: the sum over rows of scored * precision, of scored over rows with a prediction, and of
    scored * recall; then the weighted masses of true cells not predicted and of false cells predicted.
    """
    n_rows = true_mass.size
    hit, predicted = zeros(n_rows), zeros(n_rows)
    precision, covered, recall, missed, false = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(n_rows):
        missed += weight[i] * true_mass[i]
    cell = 0
    for k in range(ends.size):
        while cell < ends[k]:
            i, m = rows[cell], mass[cell]
            s, w = scored[i], weight[i]
            if predicted[i] > 0.0:
                precision -= s * (hit[i] / predicted[i])
            elif m > 0.0:
                covered += s
            predicted[i] += m
            if is_true[cell]:
                recall -= s * (hit[i] / true_mass[i]) if true_mass[i] > 0.0 else 0.0
                hit[i] += m
                recall += s * (hit[i] / true_mass[i]) if true_mass[i] > 0.0 else 0.0
                missed -= w * m
            else:
                false += w * m
            if predicted[i] > 0.0:
                precision += s * (hit[i] / predicted[i])
            cell += 1
        out[k, 0], out[k, 1], out[k, 2], out[k, 3], out[k, 4] = precision, covered, recall, missed, false

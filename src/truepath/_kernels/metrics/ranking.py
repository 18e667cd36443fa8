"""Loops over scores in order: how many negatives lie between positives, and sweeps of a falling threshold."""

from __future__ import annotations

from typing import Any

from numpy import bool_, int64, zeros
from numpy.typing import NDArray

from truepath._kernels.arrays import sort_numbers
from truepath._kernels.jit import inner, kernel

Array = NDArray[Any]


@kernel
def bin_scores(points: Array, scores: Array, weight: Array, tied: Array, between: Array) -> None:
    """Add each score's weight to the ascending ``points``: to ``tied[j]`` when it equals point j, else to the gap.

    ``between[j]`` gathers what lies below point j and above point j - 1. O(len(scores) * log len(points)).
    """
    for i in range(scores.size):
        k = _passed(points, scores[i])
        if k > 0 and points[k - 1] == scores[i]:
            tied[k - 1] += weight[i]
        else:
            between[k] += weight[i]


@kernel
def sweep_rows(
    indptr: Array,
    columns: Array,
    scores: Array,
    true_ptr: Array,
    true_columns: Array,
    mass: Array,
    thresholds: Array,
    scored: Array,
    weight: Array,
    out: Array,
) -> None:
    """Add to ``out[k]`` what CAFA's measures gain when a falling threshold reaches ``thresholds[k]`` (ascending).

    Scores and truth are CSR; a column counts with its mass, not at all where that is 0. Summed from the last row up,
    the columns of ``out`` are: the sum over rows of scored * precision, of scored over rows with a prediction, of
    scored * recall, and the weighted masses of true cells predicted and of all cells predicted.
    O(cells * log thresholds).
    """
    hit_at, mass_at = zeros(thresholds.size), zeros(thresholds.size)
    is_touched, touched = zeros(thresholds.size, bool_), zeros(thresholds.size, int64)
    is_true = zeros(mass.size, bool_)
    for i in range(indptr.size - 1):
        if weight[i] == 0.0 and scored[i] == 0.0:
            continue
        true_mass, n_touched = 0.0, 0
        for c in range(true_ptr[i], true_ptr[i + 1]):
            is_true[true_columns[c]] = True
            true_mass += mass[true_columns[c]]
        for c in range(indptr[i], indptr[i + 1]):
            m = mass[columns[c]]
            k = _passed(thresholds, scores[c]) - 1
            if m == 0.0 or k < 0:
                continue
            if not is_touched[k]:
                is_touched[k] = True
                touched[n_touched] = k
                n_touched += 1
            mass_at[k] += m
            if is_true[columns[c]]:
                hit_at[k] += m
        sort_numbers(touched[:n_touched])
        _add_row(touched[:n_touched], hit_at, mass_at, is_touched, true_mass, scored[i], weight[i], out)
        for c in range(true_ptr[i], true_ptr[i + 1]):
            is_true[true_columns[c]] = False


@inner
def _passed(thresholds: Array, score: float) -> int:
    """Return how many of the ascending thresholds a score reaches."""
    low, length = 0, thresholds.size
    while length > 0:
        half = length >> 1
        if thresholds[low + half] <= score:
            low += half + 1
            length -= half + 1
        else:
            length = half
    return low


@inner
def _add_row(
    touched: Array,
    hit_at: Array,
    mass_at: Array,
    is_touched: Array,
    true_mass: float,
    scored: float,
    weight: float,
    out: Array,
) -> None:
    """Add one row's changes, from its highest threshold down, and clear its counts."""
    hit, predicted, precision, recall = 0.0, 0.0, 0.0, 0.0
    for t in range(touched.size - 1, -1, -1):
        k = touched[t]
        if predicted == 0.0:
            out[k, 1] += scored
        hit += hit_at[k]
        predicted += mass_at[k]
        out[k, 0] += scored * (hit / predicted - precision)
        precision = hit / predicted
        if true_mass > 0.0:
            out[k, 2] += scored * (hit / true_mass - recall)
            recall = hit / true_mass
        out[k, 3] += weight * hit_at[k]
        out[k, 4] += weight * mass_at[k]
        hit_at[k], mass_at[k], is_touched[k] = 0.0, 0.0, False


@kernel
def mark_true(indptr: Array, columns: Array, true_ptr: Array, true_columns: Array, n_columns: int, out: Array) -> None:
    """Set ``out[c]`` for the cells of a CSR matrix that another one has too."""
    is_true = zeros(n_columns, bool_)
    for i in range(indptr.size - 1):
        for c in range(true_ptr[i], true_ptr[i + 1]):
            is_true[true_columns[c]] = True
        for c in range(indptr[i], indptr[i + 1]):
            out[c] = is_true[columns[c]]
        for c in range(true_ptr[i], true_ptr[i + 1]):
            is_true[true_columns[c]] = False


@kernel
def sweep_sorted(
    order: Array,
    rows: Array,
    cell_mass: Array,
    scores: Array,
    is_true: Array,
    true_mass: Array,
    thresholds: Array,
    scored: Array,
    weight: Array,
    out: Array,
) -> None:
    """Do what :func:`sweep_rows` does, cell by cell in falling order: faster where thresholds are very many."""
    hit, predicted = zeros(true_mass.size), zeros(true_mass.size)
    k = thresholds.size
    for at in range(order.size):
        c = order[at]
        while k > 0 and thresholds[k - 1] > scores[c]:
            k -= 1
        if k == 0:
            break
        i, m = rows[c], cell_mass[c]
        if m == 0.0:
            continue
        before = hit[i] / predicted[i] if predicted[i] > 0.0 else 0.0
        if predicted[i] == 0.0:
            out[k - 1, 1] += scored[i]
        predicted[i] += m
        if is_true[c]:
            hit[i] += m
            out[k - 1, 2] += scored[i] * (m / true_mass[i])
            out[k - 1, 3] += weight[i] * m
        out[k - 1, 0] += scored[i] * (hit[i] / predicted[i] - before)
        out[k - 1, 4] += weight[i] * m

"""Calibration errors against loops over cells."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import hierarchies, label_matrices, score_matrices
from truepath.metrics import (
    brier_score,
    evaluate,
    expected_calibration_error,
    level_calibration_error,
    score_log_loss,
)


def loop_over_cells(Y, S, columns, n_bins, min_score):
    """The definition, a bin after the other."""
    cells = [(S[i, v], Y[i, v]) for i in range(len(S)) for v in columns if S[i, v] > min_score]
    total = 0.0
    for b in range(n_bins):
        own = [(s, y) for s, y in cells if b == min(int(s * n_bins), n_bins - 1)]
        if own:
            scores, true = zip(*own)
            total += len(own) / len(cells) * abs(np.mean(scores) - np.mean(true))
    return total


@settings(max_examples=25)
@given(hierarchies(max_nodes=6), st.data(), st.integers(1, 8))
def test_the_error_is_the_mean_over_bins(hierarchy, data, n_bins):
    S = data.draw(score_matrices(hierarchy, n_rows=4, min_rows=4))
    Y = data.draw(label_matrices(hierarchy, n_rows=4, min_rows=4))
    options = {"n_bins": n_bins, "min_score": 0.1}
    wanted = loop_over_cells(Y, S, range(hierarchy.n_nodes), **options)
    assert expected_calibration_error(Y, S, **options) == pytest.approx(wanted)
    levels = [loop_over_cells(Y, S, level, **options) for level in hierarchy.levels]
    assert level_calibration_error(Y, S, hierarchy, **options).tolist() == pytest.approx(levels)


def test_proper_scores_of_a_level():
    Y, S = np.array([[1, 0], [1, 1]], bool), np.array([[0.5, 0.0], [1.0, 0.25]])
    assert brier_score(Y, S, nodes=[1]) == pytest.approx(0.75**2 / 2)
    assert score_log_loss(Y, S, nodes=[0]) == pytest.approx(np.log(2) / 2)
    assert score_log_loss([[1]], [[0.0]]) == pytest.approx(-np.log(1e-7))


def test_margins_are_measured_unless_probabilities_are_asked_for():
    Y, S = [[1, 0]], [[2.5, -1.0]]
    assert evaluate(Y, y_score=S)["auprc"] == 1.0
    with pytest.raises(ValueError, match="probabilities"):
        evaluate(Y, y_score=S, metrics=["brier_score"])

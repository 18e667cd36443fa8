"""Measures by sums over rows: weighing the terms is weighing the rows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import sparse

from truepath import Hierarchy, metrics

DIAMOND = Hierarchy.from_edges([("a", "c"), ("b", "c"), ("c", "d"), ("b", "e")])
BY_ROWS = [name for name in metrics.list_metrics() if metrics.get_metric(name).row_terms is not None]
OPTIONS = [{"nodes": None}, {"nodes": [1, 3, 4]}, {"zero_division": 0.25}, {"zero_division": np.nan}]


@pytest.mark.parametrize("name", BY_ROWS)
def test_weighted_sums_are_weighted_rows(name):
    metric, rng = metrics.get_metric(name), np.random.default_rng(0)
    Y = DIAMOND.close(rng.random((9, 5)) < 0.2)
    S = rng.random((9, 5))
    Y[0], S[0] = False, 0.0  # a row without anything: 0 / 0
    predicted = S > 0.6 if metric.needs == "labels" else S  # not closed
    possible = [options for options in OPTIONS if all(map(metric.takes, options))]
    for form, options in itertools.product((np.asarray, sparse.csr_array), possible):
        found = metric.row_terms(metric, form(Y), form(predicted), DIAMOND, **options)
        for weight in (np.ones(9), rng.integers(0, 3, 9), np.arange(9) == 0, np.arange(9) == 1):
            expected = metric(Y, predicted, DIAMOND, sample_weight=weight, **options)
            assert found.value(weight @ found.terms) == pytest.approx(expected, abs=1e-12, nan_ok=True)
        several = rng.integers(1, 3, (4, 9))
        expected = [metric(Y, predicted, DIAMOND, sample_weight=weight, **options) for weight in several]
        assert found.value(several @ found.terms).tolist() == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("average", ["macro", "samples", "levels"])
def test_other_means_are_not_known_from_sums(average):
    for name in ("hierarchical_precision", "hierarchical_recall", "hierarchical_f1"):
        metric = metrics.get_metric(name)
        assert metric.row_terms(metric, np.ones((1, 5)), np.ones((1, 5)), DIAMOND, average=average) is None

"""Measures of the best labels: against scikit-learn and by hand, sparse scores of a few labels, levels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import ndcg_score

from truepath import Hierarchy, metrics

HIERARCHY = Hierarchy.from_paths(["a/1", "a/2", "b/1"])


def data(n_samples=50, n_nodes=12):
    rng = np.random.default_rng(0)
    Y = rng.random((n_samples, n_nodes)) < 0.2
    Y[:, 0] |= ~Y.any(axis=1)
    return Y, rng.random(Y.shape)


@pytest.mark.parametrize("k", [1, 5, 12])
def test_gains_are_those_of_scikit_learn(k):
    Y, S = data()
    assert metrics.ndcg_at_k(Y, S, k=k) == pytest.approx(ndcg_score(Y, S, k=k))


def test_the_best_labels_alone_are_enough():
    Y, S = data()
    few = np.where(S >= -np.sort(-S, axis=1)[:, [4]], S, 0.0)
    for name in ("precision_at_k", "ndcg_at_k", "psp_at_k"):
        full = metrics.get_metric(name)(Y, S, k=5)
        assert metrics.get_metric(name)(sparse.csr_array(Y), sparse.csr_array(few), k=5) == pytest.approx(full)


def test_labels_not_stored_come_between_the_positive_and_the_negative():
    S = sparse.csr_array([[0.0, -0.5, 0.0, 0.3]])
    for v, place in ((3, 1), (0, 2), (2, 3), (1, 4)):
        Y = np.arange(4)[None] == v
        hits = [metrics.precision_at_k(Y, S, k=k) * k for k in (1, 2, 3, 4)]
        assert hits == pytest.approx([float(place <= k) for k in (1, 2, 3, 4)])


def test_k_is_cut_to_the_classes_and_checked():
    Y, S = data(n_nodes=3)
    assert metrics.precision_at_k(Y, S, k=9) == metrics.precision_at_k(Y, S, k=3)
    with pytest.raises(ValueError, match="k must be an integer >= 1"):
        metrics.ndcg_at_k(Y, S, k=0)
    with pytest.raises(ValueError, match="greater than 0"):
        metrics.psp_at_k(Y, S, propensities=[0.0, 1.0, 1.0])


def test_propensities_of_training_rows():
    Y, S = data()
    p = metrics.label_propensities(Y)
    expected = 1 / (1 + (np.log(50) - 1) * 2.5**0.55 * np.exp(-0.55 * np.log(Y.sum(axis=0) + 1.5)))
    np.testing.assert_allclose(p, expected)
    assert metrics.psp_at_k(Y, S) == metrics.psp_at_k(Y, S, propensities=p)
    assert metrics.psp_at_k(Y, S, propensities=np.ones(12), k=1) == pytest.approx(metrics.precision_at_k(Y, S, k=1))


def test_on_each_level_alone():
    Y = HIERARCHY.encode([["a/1"], ["b"], ["a/2", "b/1"]])
    S = np.random.default_rng(0).random(Y.shape)
    found = metrics.by_level("precision_at_k", Y, S, HIERARCHY, k=1)
    expected = [
        metrics.precision_at_k(Y, S, HIERARCHY, k=1, nodes=["a", "b"]),
        metrics.precision_at_k(Y[[0, 2]], S[[0, 2]], HIERARCHY, k=1, nodes=["a/1", "a/2", "b/1"]),
    ]
    assert found.tolist() == pytest.approx(expected)
    assert np.isnan(metrics.by_level("exact_match", Y[[1]], Y[[1]], HIERARCHY)[1])


@pytest.mark.parametrize("name", ["precision_at_k", "ndcg_at_k", "r_precision"])
def test_resamples_by_sums_over_rows(name):
    Y, S = data()
    metric = metrics.get_metric(name)
    terms = metric.row_terms(metric, Y, S, None)
    assert terms.value(terms.terms.sum(axis=0)) == pytest.approx(metric(Y, S))

"""Measures of the best labels: against scikit-learn and by hand, sparse scores of a few labels, levels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import ndcg_score

from truepath import Hierarchy, metrics
from truepath.metrics.ranking.at_k import best_columns

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


def test_entries_of_a_row_may_come_in_any_order():
    S = sparse.csr_array((np.array([0.2, -0.5, 0.3, 0.1]), np.array([4, 1, 0, 2]), np.array([0, 4])), shape=(1, 6))
    assert best_columns(S, 6).tolist() == [[0, 4, 2, 3, 5, 1]]
    assert S.indices.tolist() == [4, 1, 0, 2]  # what is given stays as it is


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


def test_rows_without_labels_count_as_told():
    Y, S = np.array([[1, 0, 1], [0, 0, 0]], bool), np.array([[0.9, 0.8, 0.1], [0.3, 0.2, 0.1]])
    rest = {
        "precision_at_k": (0.5, {"k": 2, "out_of": "attainable"}),
        "ndcg_at_k": (1 / (1 + 1 / np.log2(3)), {"k": 2}),
        "r_precision": (0.5, {}),
    }
    for name, (value, options) in rest.items():
        metric = metrics.get_metric(name)
        assert metric(Y, S, **options) == pytest.approx(value / 2)
        assert metric(Y, S, zero_division=1.0, **options) == pytest.approx((value + 1) / 2)
        assert metric(Y, S, zero_division=np.nan, **options) == pytest.approx(value)
        assert metric(Y, S, zero_division=1.0, sample_weight=[1, 3], **options) == pytest.approx((value + 3) / 4)
    assert metrics.psp_at_k(Y[[1]], S[[1]]) == 0.0
    assert metrics.psp_at_k(Y[[1]], S[[1]], zero_division=0.25) == 0.25

"""Calibration: against direct optimisation, pooled where labels are rare, and never at the expense of the ranking."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from truepath import Hierarchy
from truepath.combiners import Calibrator
from truepath.combiners.calibration.bins import EDGES, count_scores
from truepath.metrics import auprc, expected_calibration_error

TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
METHODS = ["isotonic", "sigmoid", "beta"]


def draw_scores(n_rows=4000, seed=0, shift=-1.0):
    """True probabilities down the tree, labels by them, and scores whose logits are too small."""
    rng = np.random.default_rng(seed)
    p = expit(rng.normal(0.5, 1.5, (n_rows, TREE.n_nodes)))
    for v in range(TREE.n_nodes):
        for u in TREE.parents(v):
            p[:, v] = np.minimum(p[:, v], p[:, u])
    uniform = rng.random((n_rows, 1))
    return expit(logit(p) + shift), np.broadcast_to(uniform, p.shape) < p, p


@pytest.mark.parametrize("method", [*METHODS, "auto"])
def test_scores_become_probabilities(method):
    S, Y, _ = draw_scores()
    new, truth, p = draw_scores(seed=1)
    found = Calibrator(method, hierarchy=TREE).fit(S, Y).transform(new)
    assert expected_calibration_error(truth, found) < 0.2 * expected_calibration_error(truth, new)
    assert np.abs(found - p).mean() < 0.03
    assert TREE.is_coherent(found)
    if method == "auto":
        assert auprc(truth, found) >= auprc(truth, new) - 0.002


@pytest.mark.parametrize("method", ["sigmoid", "beta"])
def test_one_map_is_the_least_log_loss(method):
    S, Y, _ = draw_scores(300)
    bins = count_scores(S, Y)
    n, k = bins.n.sum(axis=0), bins.k.sum(axis=0)
    left, right = np.log(bins.x), -np.log1p(-bins.x)

    def loss(theta):
        a, b, c = theta if method == "beta" else (theta[0], theta[0], theta[1])
        z = a * left + b * right + c
        start = np.ones(len(theta))
        start[-1] = 0.0
        return n @ np.logaddexp(0, z) - k @ z + ((theta - start) ** 2).sum() / 2

    size = 3 if method == "beta" else 2
    best = minimize(loss, np.ones(size), method="BFGS", options={"gtol": 1e-8}).x
    fitted = Calibrator(method, pooling=np.inf, hierarchy=TREE).fit(S, Y)
    np.testing.assert_allclose(fitted.maps_[0], best, atol=1e-4)
    assert (fitted.maps_ == fitted.maps_[0]).all()


def test_a_rare_label_follows_its_siblings():
    S, Y, _ = draw_scores()
    Y = Y.copy()
    S[6:, 2], Y[6:, 2] = 0.0, False  # six rows of a/2 are left
    fitted = Calibrator("sigmoid", hierarchy=TREE).fit(S, Y)
    other, sibling = fitted.maps_[2], fitted.maps_[1]
    assert np.abs(other - sibling).max() < 0.3
    alone = Calibrator("sigmoid", pooling=1e-6, hierarchy=TREE).fit(S, Y).maps_[2]
    assert np.abs(alone - sibling).max() > 0.5


def test_what_scores_nothing_stays_so_and_order_is_kept():
    S, Y, _ = draw_scores(200)
    S[:, 4] = 0.0
    for method in METHODS:
        found = Calibrator(method, pooling=np.inf, hierarchy=Hierarchy.flat(TREE.names)).fit(S, Y).transform(S)
        assert (found[:, 4] == 0).all()
        for v in range(4):
            assert (np.diff(found[np.argsort(S[:, v]), v]) >= 0).all()
            if method == "isotonic":
                assert np.unique(found[:, v]).size == np.unique(S[:, v]).size


def test_auto_leaves_good_scores_alone():
    rng = np.random.default_rng(3)
    p = np.repeat(rng.random((100, 1)), 2, axis=1)
    Y = np.arange(100)[:, None] % 2 == np.array([[0, 1]])
    p[Y] = 0.999
    p[~Y] = 0.001
    fitted = Calibrator().fit(p, Y)
    assert fitted.tried_[0].name == "as they are"
    assert [one.name for one in fitted.tried_ if one.weight] == [fitted.method_ or "as they are"]
    assert np.abs(fitted.transform(p) - p).max() < 0.01
    few = Calibrator().fit(p[:20], Y[:20])
    assert (few.method_, few.pooling_, few.tried_) == ("sigmoid", np.inf, [])


def test_bins_hold_all_scores_above_nothing():
    S = np.array([[0.0, 1e-9, 0.5], [1.0, 1 - 1e-9, 0.5]])
    bins = count_scores(S, S > 0.4)
    assert bins.n.sum(axis=1).tolist() == [1.0, 2.0, 2.0]
    assert bins.k.sum(axis=1).tolist() == [1.0, 1.0, 2.0]
    assert bins.x.size == EDGES.size - 1
    assert (np.diff(bins.x) > 0).all()


@pytest.mark.parametrize("options", [{"method": "platt"}, {"pooling": 0}])
def test_what_is_refused(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        Calibrator(**options).fit([[0.5]], [[1]])
    with pytest.raises(ValueError, match="probabilities"):
        Calibrator("beta").fit([[1.5]], [[1]])

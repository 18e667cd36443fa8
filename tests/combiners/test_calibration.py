"""Calibration: against direct optimisation, pooled where labels are rare, and never at the expense of the ranking."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import minimize
from scipy.special import expit, logit

from strategies import hierarchies
from truepath import Hierarchy
from truepath.combiners import Calibrator
from truepath.combiners.calibration.bins import EDGES, ScoreBins, count_scores, group_siblings
from truepath.combiners.calibration.families import BetaMaps, SigmoidMaps
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


@pytest.mark.parametrize("family", [SigmoidMaps(), BetaMaps()])
def test_maps_are_the_least_loss_where_slopes_end_at_nothing(family):
    """Labels that fall with the score, on one side or on both, and priors far from them."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(12))
    F = family.features(x)
    n = rng.integers(0, 60, (30, 12)).astype(float)
    truth = expit(F @ rng.normal(0, 3, (F.shape[1], 30))).T
    bins = ScoreBins(n, rng.binomial(n.astype(int), truth).astype(float), x)
    prior = np.abs(rng.normal(0, 2, (30, F.shape[1])))
    found, pooling = family.fit(bins, prior, 0.5), 0.5
    bounds = [(0, None)] * (F.shape[1] - 1) + [(None, None)]
    at_bound = 0
    for theta, count, true, start in zip(found, bins.n, bins.k, prior):

        def loss(t, count=count, true=true, start=start):
            z, p = F @ t, expit(F @ t)
            value = count @ np.logaddexp(0, z) - true @ z + pooling / 2 * ((t - start) ** 2).sum()
            return value, F.T @ (count * p - true) + pooling * (t - start)

        best = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options={"ftol": 1e-14, "gtol": 1e-8})
        assert loss(theta)[0] <= best.fun + 1e-7
        np.testing.assert_allclose(theta, best.x, atol=1e-4)
        at_bound += bool((theta[:-1] == 0).any())
    assert 5 < at_bound < 30


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


@given(hierarchies(max_nodes=8))
def test_groups_are_the_children_of_each_parent_from_the_top_down(h):
    groups = group_siblings(h)
    assert groups.by_depth[0].tolist() == [h.n_nodes]
    below = [v for level in groups.by_depth[1:] for v in level.tolist()]
    assert below == [v for level in h.levels for v in level.tolist() if h.children(v).size]
    for v in range(h.n_nodes):
        above = h.parents(v).tolist() or [h.n_nodes]
        assert groups.of_label[[v]].toarray()[0, above].tolist() == [1 / len(above)] * len(above)


def test_scores_that_are_left_alone_are_so_for_held_out_rows_too():
    rng = np.random.default_rng(0)
    p = rng.random((3000, 2)).round(2)
    calibrator = Calibrator()
    held_out = calibrator.fit_held_out(p, rng.random(p.shape) < p)
    assert calibrator.method_ is None
    np.testing.assert_array_equal(held_out, p)


def test_held_out_rows_are_mapped_by_maps_of_other_rows():
    S, Y, _ = draw_scores(300)
    calibrator = Calibrator("isotonic", hierarchy=TREE)
    held_out = calibrator.fit_held_out(S, Y)
    assert held_out.shape == S.shape
    assert 0.001 < np.abs(held_out - calibrator.transform(S)).mean() < 0.1
    alike = Calibrator("isotonic", hierarchy=TREE).fit_held_out(S, Y, np.full(300, 1.0))
    np.testing.assert_array_equal(alike, held_out)
    weighted = Calibrator("isotonic", hierarchy=TREE).fit_held_out(S, Y, 1.0 + 9.0 * Y[:, 0])
    assert weighted[:, 0].mean() > held_out[:, 0].mean() + 0.1


def test_a_new_label_takes_the_mean_map_of_its_parents():
    h = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "c")])
    rng = np.random.default_rng(0)
    S = np.sort(rng.random((200, 3)))[:, ::-1]
    calibrator = Calibrator("sigmoid", hierarchy=h).fit(S, h.close(S > 0.5 + 0.3 * rng.random(S.shape)))
    diff = h.edit().add("d", ["a", "b"]).add("e").diff()
    maps = calibrator.update(diff).maps_
    old, new = h.index, diff.new.index
    np.testing.assert_array_equal(maps[new("c")], calibrator.maps_[old("c")])
    np.testing.assert_allclose(maps[new("d")], calibrator.maps_[[old("a"), old("b")]].mean(axis=0))
    np.testing.assert_allclose(maps[new("e")], calibrator.maps_.mean(axis=0))

"""Guards against thresholds that are fitted to noise: by hand, and how strong they are by fitting anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import hierarchies
from truepath import Hierarchy, metrics
from truepath.decoders import MultiThreshold, SingleThreshold
from truepath.decoders.base import HeldOutScores
from truepath.decoders.thresholds.guards import STRENGTHS, inherit_rare, shrink_thresholds
from truepath.resampling import deal_folds, split_folds

CHAIN = Hierarchy.from_edges([("a", "b"), ("b", "c")])
DIAMOND = Hierarchy.from_edges([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
BELOW = np.nextafter(0.1, -np.inf)  # just below the lowest score


def held_out(hierarchy, Y=None):
    """Scores from .1 to .9, and labels."""
    S = np.linspace(0.9, 0.1, 2 * hierarchy.n_nodes).reshape(2, -1)
    return HeldOutScores(S, Y, None, hierarchy)


@pytest.mark.parametrize(
    ("towards", "single", "t", "expected"),
    [
        ("single", 0.4, [0.2, 0.5, 0.8], [0.35, 0.425, 0.5]),
        ("parent", 0.4, [0.2, 0.5, 0.8], [0.35, 0.3875, 0.490625]),
        ("single", 0.4, [-np.inf, 0.5, 0.8], [0.325, 0.425, 0.5]),
        ("parent", 0.4, [-np.inf, 0.5, 0.8], [0.325, 0.36875, 0.4765625]),
        ("single", -np.inf, [-np.inf, -np.inf, 0.5], [BELOW, BELOW, 0.2]),
    ],
)
def test_thresholds_move_part_of_the_way(towards, single, t, expected):
    found = shrink_thresholds(np.array(t), 0.75, towards, single, held_out(CHAIN))
    np.testing.assert_allclose(found, expected, rtol=1e-15)
    np.testing.assert_array_equal(shrink_thresholds(np.array(t), 0, towards, single, held_out(CHAIN)), t)


def test_thresholds_move_towards_the_largest_of_their_parents():
    found = shrink_thresholds(np.array([0.2, 0.4, 0.6, 0.8]), 0.5, "parent", 0.2, held_out(DIAMOND))
    np.testing.assert_allclose(found, [0.2, 0.3, 0.4, 0.6])


@given(hierarchies(), st.sampled_from(STRENGTHS), st.sampled_from(["parent", "single"]), st.integers(0, 99))
def test_thresholds_that_never_fall_stay_so(h, strength, towards, seed):
    rng = np.random.default_rng(seed)
    t = rng.random(h.n_nodes)
    t[rng.random(h.n_nodes) < 0.2] = -np.inf
    for v in range(h.n_nodes):
        t[v] = max([t[v], *t[h.parents(v)]])
    found = shrink_thresholds(t, strength, towards, rng.random(), held_out(h))
    assert (found[h.edges[:, 0]] <= found[h.edges[:, 1]]).all()


def test_rare_classes_take_the_threshold_of_their_parents():
    Y = DIAMOND.encode([["b", "c"], ["b"]])
    t = np.array([0.2, 0.4, 0.6, 0.8])
    assert inherit_rare(t, 1, 0.5, held_out(DIAMOND, Y)).tolist() == [0.2, 0.4, 0.6, 0.6]  # the larger of .4 and .6
    assert inherit_rare(t, 2, 0.5, held_out(DIAMOND, Y)).tolist() == [0.2, 0.4, 0.2, 0.4]
    assert inherit_rare(t, 3, 0.5, held_out(DIAMOND, Y)).tolist() == [0.5, 0.5, 0.5, 0.5]
    assert inherit_rare(t, 0, 0.5, held_out(DIAMOND, Y)).tolist() == t.tolist() == [0.2, 0.4, 0.6, 0.8]


MEASURES = {"micro_f1": metrics.micro_f1, "hmc_loss": metrics.hmc_loss, "h_loss": metrics.h_loss}


@pytest.mark.parametrize("objective", MEASURES)
@pytest.mark.parametrize("towards", ["parent", "single"])
@pytest.mark.parametrize("grouped", [False, True])
def test_the_strength_is_the_best_on_rows_left_out(objective, towards, grouped):
    h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    rng, strengths = np.random.default_rng(0), set()
    for _ in range(5):
        S = np.sort(rng.random((30, 3)), axis=1)[:, [2, 1, 0, 2, 1]]
        Y = h.close(rng.random(S.shape) < 0.8 * S)
        groups = np.arange(30) // 2 if grouped else None
        decoder = MultiThreshold(objective, hierarchy=h, shrink=towards, cv=3)
        decoder.fit(S, Y, **({} if groups is None else {"groups": groups}))
        reached = np.zeros(len(STRENGTHS))
        for train, test in split_folds(deal_folds(Y, 3, 0, groups)):
            t = MultiThreshold(objective, hierarchy=h).fit(S[train], Y[train]).thresholds_
            single = SingleThreshold(objective, hierarchy=h).fit(S[train], Y[train]).threshold_
            for j, strength in enumerate(STRENGTHS):
                moved = shrink_thresholds(t, strength, towards, single, HeldOutScores(S[train], None, None, h))
                value = MEASURES[objective](Y[test], S[test] > moved, h)
                reached[j] += test.size * (value if objective == "micro_f1" else -value)
        assert reached[STRENGTHS.index(decoder.strength_)] == pytest.approx(reached.max())
        assert decoder.objective_value_ == pytest.approx(MEASURES[objective](Y, S > decoder.thresholds_, h))
        strengths.add(decoder.strength_)
    assert len(strengths) > 1

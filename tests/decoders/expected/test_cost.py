"""The set of least expected cost: against all closed sets of small hierarchies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
import oracles_expected
from strategies import hierarchies, score_matrices, trees
from truepath import Hierarchy
from truepath.decoders import ExpectedCost, Threshold

TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1"])


@given(st.data(), st.sampled_from([0.5, 1.0, 3.0]), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_no_closed_set_costs_less(data, alpha, seed):
    h = data.draw(hierarchies(max_nodes=8))
    S = data.draw(score_matrices(h, n_rows=3))
    wrong, missed = np.random.default_rng(seed).integers(0, 5, (2, h.n_nodes)) / 2
    found = ExpectedCost(wrong, missed, hierarchy=h, alpha=alpha).predict(S)
    assert h.is_closed(found)
    closed = np.array(list(oracles.closed_sets(h)))
    for s, y in zip(S, found):
        cost = (closed * wrong * (1 - s)).sum(axis=1) + (~closed * alpha * missed * s).sum(axis=1)
        mine = (y * wrong * (1 - s)).sum() + (~y * alpha * missed * s).sum()
        assert mine == pytest.approx(cost.min(), abs=1e-9)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_no_closed_set_has_a_smaller_h_loss(data):
    h = data.draw(trees(max_nodes=7))
    S = data.draw(score_matrices(h, n_rows=2))
    found = ExpectedCost(hierarchy=h, loss="uppermost").predict(S)
    assert h.is_closed(found)
    for s, y in zip(S, found):
        sets, p = oracles_expected.many_paths(h, s)
        loss = [oracles_expected.expected_h_loss(A, sets, p, h, h.costs) for A in [y, *oracles.closed_sets(h)]]
        assert loss[0] == pytest.approx(min(loss), abs=1e-9)


def test_equal_costs_are_a_threshold():
    S = np.array([[0.9, 0.6, 0.3, 0.4, 0.2], [0.5, 0.3, 0.1, 0.8, 0.7]])
    for alpha in (0.5, 1.0, 4.0):
        expected = Threshold(1 / (1 + alpha), hierarchy=TREE).predict(S)
        np.testing.assert_array_equal(ExpectedCost(hierarchy=TREE, alpha=alpha).predict(S), expected)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"alpha": -1}, "alpha"),
        ({"loss": "some"}, "loss"),
        ({"wrong_costs": [1.0]}, "wrong_costs must be a number or one number per node"),
        ({"missed_costs": {"a/1": -1.0}}, "missed_costs must be finite and not negative"),
        ({"wrong_costs": {"a/3": 1.0}}, "a/3"),
    ],
)
def test_what_is_refused(options, said):
    with pytest.raises((ValueError, KeyError), match=said):
        ExpectedCost(hierarchy=TREE, **options).predict(np.full((1, 5), 0.5))


def test_the_uppermost_mistakes_need_a_tree():
    dag = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    with pytest.raises(ValueError, match="needs a tree"):
        ExpectedCost(hierarchy=dag, loss="uppermost").predict(np.full((1, 3), 0.5))

"""How often greedy and exact agree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_leaf
from strategies import dags, trees
from truepath import Hierarchy
from truepath.decoders.leaves.weights import posterior_weights
from truepath.hierarchy.arcs import arc_pointers
from truepath.papers.bi2012.agreement import nested_agreement


@settings(max_examples=30)
@given(st.one_of(trees(max_nodes=9, min_nodes=3), dags(max_nodes=8, min_nodes=3)), st.integers(0, 2**32 - 1))
def test_against_the_definition(h, seed):
    C = np.random.default_rng(seed).uniform(0.05, 0.95, (4, arc_pointers(h)[1].size))
    found = nested_agreement(None, h, 3, conditional=C)
    w = posterior_weights(None, h, C)
    k_max = min(3, h.leaves.size)
    reached, nested = np.zeros((4, k_max)), np.ones((4, k_max))
    for i in range(4):
        best = oracles_leaf.best_by_size(w.nodes[i], w.root[i], h)
        values = oracles_leaf.algorithm_1(w.nodes[i], w.root[i], h, k_max)[1]
        for k in range(k_max):
            reached[i, k] = values[k] >= best[k][0] - 1e-9
            if k:
                nested[i, k] = not (best[k - 1][1][0] & ~best[k][1][0]).any()
    assert found.k.tolist() == list(range(1, k_max + 1))
    assert found.reached == pytest.approx(reached.mean(axis=0))
    assert found.nested == pytest.approx(nested.mean(axis=0))
    assert (found.shortfall >= 0).all()
    assert (found.n_proved == 4).all()


def test_risk_weights_and_marginals():
    h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    found = nested_agreement(np.array([[0.5, 0.5, 0.5, 0.4]]), h, 10, weights="risk", alpha=0.5)
    assert found.k.size == 3  # no more than there are leaves
    assert found.reached[0] == found.reached[-1] == 1


def test_rows_not_proved_in_time_are_left_out():
    rng = np.random.default_rng(0)
    h = Hierarchy.from_parents([[]] + [sorted(set(rng.integers(max(0, v - 60), v, 3).tolist())) for v in range(1, 400)])
    C = rng.uniform(0.2, 0.6, (1, arc_pointers(h)[1].size))
    found = nested_agreement(None, h, 2, conditional=C, time_limit=1e-4)
    assert found.n_proved.tolist() == [0, 0]
    assert np.isnan(found.reached).all()


def test_no_rows():
    with pytest.raises(ValueError, match="no rows"):
        nested_agreement(np.zeros((0, 2)), Hierarchy.flat(2))

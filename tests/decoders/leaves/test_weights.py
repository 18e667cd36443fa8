"""Eq. (6) and Propositions 1, 3 and 4: what the sum of weights means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import oracles
import oracles_leaf
from strategies import dags, hierarchies, label_matrices, trees
from truepath import Hierarchy
from truepath.decoders.leaves.weights import CLIP, balanced_alpha, posterior_weights, risk_weights
from truepath.hierarchy.arcs import arc_pointers
from truepath.metrics import symmetric_loss


@st.composite
def conditionals(draw, hierarchy):
    """One row of conditional scores strictly between 0 and 1."""
    n_arcs = arc_pointers(hierarchy)[1].size
    seed = draw(st.integers(0, 2**32 - 1))
    return np.random.default_rng(seed).uniform(0.02, 0.98, n_arcs)


@given(hierarchies(max_nodes=8), st.data())
def test_sum_of_weights_is_the_log_joint(h, data):
    p = data.draw(conditionals(h))
    w = posterior_weights(None, h, p[None])
    expected, root = oracles_leaf.posterior_weights(p, h)
    assert w.nodes[0] == pytest.approx(expected)
    assert w.root[0] == pytest.approx(root)
    for y in oracles.closed_sets(h):  # Propositions 1 and 4, for every set that respects the hierarchy
        assert w.root[0] + w.nodes[0, y].sum() == pytest.approx(oracles_leaf.log_joint(y, p, h))


@given(trees(max_nodes=8), st.data())
def test_on_a_tree_the_joint_is_a_distribution(h, data):
    p = data.draw(conditionals(h))
    w = posterior_weights(None, h, p[None])
    assert sum(np.exp(w.root[0] + w.nodes[0, y].sum()) for y in oracles.closed_sets(h)) == pytest.approx(1)


@given(dags(max_nodes=8), st.data())
def test_marginals_give_the_same_weights_as_their_ratios(h, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    S = rng.uniform(0.1, 0.9, (3, h.n_nodes))
    for v in range(h.n_nodes):
        S[:, v] *= S[:, h.parents(v)].min(axis=1, initial=1)
    P = np.stack([S[:, v] / (1 if u is None else S[:, u]) for v, u in oracles_leaf.arcs(h)], axis=1)
    of_marginals, of_ratios = posterior_weights(S, h), posterior_weights(None, h, P)
    assert of_marginals.nodes == pytest.approx(of_ratios.nodes)
    assert of_marginals.root == pytest.approx(of_ratios.root)
    assert posterior_weights(S.astype(np.float32), h).nodes == pytest.approx(of_ratios.nodes, rel=1e-4, abs=1e-4)


@settings(max_examples=40)
@given(trees(max_nodes=7), st.data())
def test_risk_weights_give_the_expected_loss(h, data):
    """Proposition 3: the expected loss is a constant less the sum of weights."""
    p = data.draw(conditionals(h))
    alpha = data.draw(st.sampled_from([0.0, 0.1, 1.0, 7.0]))
    sets = list(oracles.closed_sets(h))
    chance = np.exp([oracles_leaf.log_joint(y, p, h) for y in sets])
    S = (chance @ np.array(sets))[None]  # the marginals of that joint
    w = risk_weights(S, h, alpha)
    costs = [oracles.cost(h, v) for v in range(h.n_nodes)]
    constant = (2 * alpha * h.costs / (1 + alpha) * S).sum()
    for y in sets:
        expected = sum(c * oracles_leaf.loss(y, true, costs, alpha) for c, true in zip(chance, sets))
        assert constant - w.root[0] - w.nodes[0, y].sum() == pytest.approx(expected)
    y = sets[-1]
    measured = symmetric_loss(np.array(sets), np.tile(y, (len(sets), 1)), h, alpha=alpha, sample_weight=chance)
    assert constant - w.nodes[0, y].sum() == pytest.approx(measured)  # the metric is the same loss


def test_zero_and_one_are_clipped():
    h = Hierarchy.flat(2)
    w = posterior_weights(np.array([[0.0, 1.0]]), h)
    odds = np.log(CLIP) - np.log(1 - CLIP)
    assert w.nodes[0] == pytest.approx([odds, -odds])
    assert np.isfinite(w.root).all()
    assert (posterior_weights(np.array([[1e-9, 1 - 1e-9]]), h).nodes == w.nodes).all()


@given(hierarchies(max_nodes=6), st.data())
def test_balanced_alpha_counts_labels(h, data):
    Y = data.draw(label_matrices(h))
    if not Y.any():
        with pytest.raises(ValueError, match="balanced"):
            balanced_alpha(Y)
        return
    assert balanced_alpha(Y) == pytest.approx((~Y).sum() / Y.sum())
    assert balanced_alpha(sparse.csr_array(Y)) == pytest.approx((~Y).sum() / Y.sum())
    repeat = np.arange(len(Y)) % 3 + 1
    repeated = np.repeat(Y, repeat, axis=0)
    assert balanced_alpha(Y, repeat.astype(float)) == pytest.approx((~repeated).sum() / repeated.sum())

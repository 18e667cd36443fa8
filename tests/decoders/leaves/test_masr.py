"""MASR end to end."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

import oracles_leaf
from strategies import label_matrices, score_matrices, trees
from truepath import Hierarchy
from truepath.decoders import MASR, ExactLeafMAP


@given(trees(max_nodes=9), st.data())
def test_path_values_are_a_constant_less_the_expected_loss(h, data):
    """The expected loss needs the marginals alone: sum of c+ (1 - p) over the set and of c- p outside it."""
    S = data.draw(score_matrices(h))
    alpha = data.draw(st.sampled_from([0.0, 0.5, 3.0]))
    plus, minus = 2 * h.costs / (1 + alpha), 2 * alpha * h.costs / (1 + alpha)
    path = MASR(alpha, hierarchy=h).predict_path(S)
    for i in range(len(S)):
        for k in range(1, h.leaves.size + 1):
            y = h.close(np.isin(np.arange(h.n_nodes), path.leaves[i, :k])[None])[0]
            expected = (plus * (1 - S[i]))[y].sum() + (minus * S[i])[~y].sum()
            assert (minus * S[i]).sum() - path.values[i, k - 1] == pytest.approx(expected)


@given(trees(max_nodes=8), st.data())
def test_the_exact_risk_is_the_smallest_of_all_sets(h, data):
    S = data.draw(score_matrices(h, n_rows=2))
    alpha = data.draw(st.sampled_from([0.0, 0.5, 3.0]))
    plus, minus = 2 * h.costs / (1 + alpha), 2 * alpha * h.costs / (1 + alpha)

    def risk(y, s):
        return (plus * (1 - s))[y].sum() + (minus * s)[~y].sum()

    sets, _ = oracles_leaf.full_path_sets(h)
    exact = ExactLeafMAP("risk", alpha=alpha, hierarchy=h).predict(S)
    greedy = MASR(alpha, hierarchy=h).predict(S)
    for i in range(len(S)):
        best = min(risk(y, S[i]) for y in sets)
        assert risk(exact[i], S[i]) == pytest.approx(best)
        assert risk(greedy[i], S[i]) >= best - 1e-9


@given(trees(max_nodes=8), st.data())
def test_balanced_alpha_is_learned(h, data):
    Y = data.draw(label_matrices(h).filter(np.any))
    S = np.full(Y.shape, 0.5)
    decoder = MASR(hierarchy=h).fit(S, Y)
    assert decoder.alpha == "balanced"
    assert decoder.alpha_ == pytest.approx((~Y).sum() / Y.sum())
    assert (decoder.predict(S) == MASR(decoder.alpha_, hierarchy=h).predict(S)).all()
    weight = np.arange(len(Y)) + 1
    repeated = np.repeat(Y, weight, axis=0)
    weighted = MASR(hierarchy=h).fit(S, Y, sample_weight=weight)
    assert weighted.alpha_ == pytest.approx((~repeated).sum() / repeated.sum())


def test_larger_alpha_predicts_no_fewer_labels():
    rng = np.random.default_rng(0)
    h = Hierarchy.from_parents([-1 if v < 4 else int(rng.integers(0, v)) for v in range(60)])
    S = rng.random((50, 60))
    for v in range(60):
        S[:, v] *= S[:, h.parents(v)].min(axis=1, initial=1)
    sizes = [ExactLeafMAP("risk", alpha=a, hierarchy=h).predict(S).sum() for a in (0.1, 0.5, 1, 2, 10)]
    assert sizes == sorted(sizes)


def test_wrong_alpha():
    S = [[0.1, 0.2]]
    with pytest.raises(NotFittedError, match="alpha is 'balanced'"):
        MASR().predict(S)
    for alpha in (-1, np.inf, "even", True, None):
        with pytest.raises(ValueError, match="alpha must be"):
            MASR(alpha).predict(S)
        with pytest.raises(ValueError, match="alpha must be"):
            MASR(alpha).fit(S, [[1, 0]])
    with pytest.raises(ValueError, match="requires y"):
        MASR().fit(S)
    assert MASR(3.0).fit(S).alpha_ == 3.0

"""MAS end to end."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_leaf
from strategies import hierarchies, score_matrices
from truepath import Hierarchy
from truepath.decoders import MAS
from truepath.decoders.leaves.weights import CLIP
from truepath.hierarchy.arcs import conditional_from_marginals


@given(hierarchies(max_nodes=9), st.data())
def test_values_on_the_path_are_log_posteriors(h, data):
    S = data.draw(score_matrices(h))
    path = MAS(hierarchy=h).predict_path(S)
    C = conditional_from_marginals(S, h).clip(CLIP, 1 - CLIP)
    for i in range(len(S)):
        for k in range(1, h.leaves.size + 1):
            y = h.close(np.isin(np.arange(h.n_nodes), path.leaves[i, :k])[None])[0]
            assert path.values[i, k - 1] == pytest.approx(oracles_leaf.log_joint(y, C[i], h))


@given(hierarchies(max_nodes=9), st.data())
def test_unknown_k_has_the_largest_posterior(h, data):
    S = data.draw(score_matrices(h))
    path = MAS(hierarchy=h).predict_path(S)
    found = MAS(hierarchy=h).predict(S)[:, h.leaves].sum(axis=1)
    assert (found == path.values.argmax(axis=1) + 1).all()
    shorter = MAS(hierarchy=h).predict_path(S, k_max=1)
    assert (shorter.leaves == path.leaves[:, :1]).all()
    assert (shorter.values == path.values[:, :1]).all()


def test_path_of_no_rows_and_wrong_k_max():
    h = Hierarchy.flat(3)
    assert MAS(hierarchy=h).predict_path(np.zeros((0, 3))).leaves.shape == (0, 3)
    with pytest.raises(ValueError, match="k_max must lie between 1 and the number of leaves, 3; got 4"):
        MAS(hierarchy=h).predict_path([[0.1, 0.2, 0.3]], k_max=4)


def test_ties_go_to_the_smaller_leaf():
    h = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2"])
    path = MAS(hierarchy=h).predict_path(np.full((1, 6), 0.5))
    assert path.leaves.tolist() == [[1, 2, 4, 5]]


def test_a_pencil_example():
    """Two top nodes; the joint of every set written out by hand."""
    h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    S = np.array([[0.8, 0.4, 0.2, 0.5]])  # p(a) = .8, p(1|a) = .5, p(2|a) = .25, p(b) = .5
    path = MAS(hierarchy=h).predict_path(S)
    assert path.leaves.tolist() == [[1, 3, 2]]
    expected = [0.8 * 0.5 * 0.75 * 0.5, 0.8 * 0.5 * 0.75 * 0.5, 0.8 * 0.5 * 0.25 * 0.5]
    assert np.exp(path.values[0]) == pytest.approx(expected)

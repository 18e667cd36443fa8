"""The k best-scored leaves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import hierarchies, score_matrices
from truepath import Hierarchy
from truepath.decoders import TopLeaves


@given(hierarchies(max_nodes=9), st.data())
def test_the_leaves_kept_are_the_best(h, data):
    S = data.draw(score_matrices(h, coherent=False))
    k = data.draw(st.integers(1, h.leaves.size))
    Y = TopLeaves(k, hierarchy=h).predict(S)
    for s, y in zip(S, Y):
        best = sorted(h.leaves.tolist(), key=lambda v: (-s[v], v))[:k]
        assert sorted(best) == np.flatnonzero(y & h.is_leaf).tolist()


def test_scores_of_any_range():
    assert TopLeaves(1).predict([[-3.0, 7.0, 2.0]]).tolist() == [[False, True, False]]


def test_k_must_be_known():
    with pytest.raises(ValueError, match="k is None"):
        TopLeaves(None, hierarchy=Hierarchy.flat(2)).predict([[0.1, 0.2]])

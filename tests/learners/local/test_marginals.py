"""From local estimates to coherent marginals."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracles_learners import path_product
from strategies import hierarchies, score_matrices, trees
from truepath.hierarchy.arcs import arc_pointers, conditional_from_marginals
from truepath.learners.local.marginals import cap_by_parents, chain_arcs, chain_nodes, raise_by_children


@given(st.data())
def test_all_are_coherent(data):
    h = data.draw(hierarchies())
    Q = data.draw(score_matrices(h, coherent=False))
    for rule in (chain_nodes, cap_by_parents, raise_by_children):
        assert h.is_coherent(rule(Q, h))


@given(st.data())
def test_chain_is_the_product_along_the_path(data):
    h = data.draw(hierarchies())
    Q = data.draw(score_matrices(h, coherent=False))
    np.testing.assert_allclose(chain_nodes(Q, h), path_product(Q, h))


@given(st.data())
def test_arcs_and_nodes_agree_on_trees(data):
    h = data.draw(trees())
    Q = data.draw(score_matrices(h, coherent=False))
    np.testing.assert_array_equal(chain_arcs(Q, h), chain_nodes(Q, h))


@given(st.data())
def test_arcs_give_back_coherent_marginals(data):
    """p(v | u) = S[v] / S[u] on every arc leads back to S."""
    h = data.draw(hierarchies())
    S = data.draw(score_matrices(h))
    P = conditional_from_marginals(S, h)
    assert P.shape[1] == arc_pointers(h)[1].size
    np.testing.assert_allclose(chain_arcs(P, h), S, atol=1e-12)


@given(st.data())
def test_coherent_scores_stay_as_they_are(data):
    h = data.draw(hierarchies())
    S = data.draw(score_matrices(h))
    np.testing.assert_array_equal(cap_by_parents(S, h), S)
    np.testing.assert_array_equal(raise_by_children(S, h), S)

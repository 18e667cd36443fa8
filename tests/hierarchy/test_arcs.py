"""Arcs: edges with those from the implicit root."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from oracles_leaf import arcs
from strategies import hierarchies, score_matrices, trees
from truepath import Hierarchy
from truepath.errors import ConstraintError
from truepath.hierarchy.arcs import arc_pointers, conditional_from_marginals, marginals_from_conditional
from truepath.hierarchy.propagation import multiply_down


@given(hierarchies(max_nodes=10))
def test_arcs_are_sorted_by_child_then_parent(h):
    ptr, parent = arc_pointers(h)
    expected = list(arcs(h))
    child = np.repeat(np.arange(h.n_nodes), np.diff(ptr))
    assert [(v, None if u < 0 else u) for v, u in zip(child.tolist(), parent.tolist())] == expected
    assert parent.size == h.n_edges + h.roots.size


@given(trees(max_nodes=10))
def test_on_a_tree_columns_are_nodes(h):
    assert arc_pointers(h)[0].tolist() == list(range(h.n_nodes + 1))


@given(hierarchies(max_nodes=8), st.data())
def test_conditional_times_parent_is_the_marginal(h, data):
    S = data.draw(score_matrices(h, dtype=data.draw(st.sampled_from([np.float32, np.float64]))))
    C = conditional_from_marginals(S, h)
    assert C.dtype == S.dtype
    assert ((C >= 0) & (C <= 1)).all()
    for a, (v, u) in enumerate(arcs(h)):
        above = 1.0 if u is None else S[:, u]
        assert C[:, a] * above == pytest.approx(S[:, v], abs=1e-6)
    assert (conditional_from_marginals(sparse.csr_array(S), h) == C).all()


@given(hierarchies(max_nodes=8), st.data())
def test_conditionals_lead_back_to_the_marginals(h, data):
    S = data.draw(score_matrices(h))
    np.testing.assert_allclose(marginals_from_conditional(conditional_from_marginals(S, h), h), S, atol=1e-12)


@given(trees(max_nodes=8), st.data())
def test_on_a_tree_marginals_are_products_along_the_path(h, data):
    C = data.draw(score_matrices(h, coherent=False))
    np.testing.assert_array_equal(marginals_from_conditional(C, h), multiply_down(C, h))


def test_zero_over_zero_and_incoherent_scores():
    h = Hierarchy.from_paths(["a/1"])
    assert conditional_from_marginals(np.zeros((1, 2)), h).tolist() == [[0.0, 0.0]]
    assert conditional_from_marginals(np.zeros((1, 2)), h, zero_division=0.5).tolist() == [[0.0, 0.5]]
    with pytest.raises(ConstraintError, match=r"row 1, 'a/1' above 'a'.*combiners"):
        conditional_from_marginals(np.array([[0.5, 0.5], [0.2, 0.3]]), h)

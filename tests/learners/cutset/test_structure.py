"""Networks from a file: what the kernels would follow, and tables that are no probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from truepath.learners import ChowLiuTree
from truepath.learners.cutset.structure import LeafTree, OrNode, check_network, check_spanning

PARENT, ORDER, N_STATES = np.array([-1, 0]), np.array([0, 1]), np.array([2, 3])


def _tables():
    factors = np.full((2, 3, 3), -np.inf)
    factors[0, 0, :2] = np.log(1 / 2)
    factors[1, :2, :3] = np.log(1 / 3)
    return factors


def test_a_tree_of_variables_is_sound():
    check_spanning(PARENT, ORDER, N_STATES, _tables())


@pytest.mark.parametrize("value", [-np.inf, np.nan, 1e300, -1000.0, -3.0])
def test_tables_hold_probabilities(value):
    factors = _tables()
    factors[1, 1, 2] = value
    with pytest.raises(ValueError, match="tables"):
        check_spanning(PARENT, ORDER, N_STATES, factors)


@pytest.mark.parametrize(
    ("parent", "order", "n_states"),
    [
        (PARENT.astype(">i4"), ORDER, N_STATES),
        (PARENT, ORDER.astype(">i4"), N_STATES),
        (PARENT, ORDER, N_STATES.astype("i1")),
        (PARENT, ORDER[::-1], N_STATES),
        (PARENT, ORDER, N_STATES + 1),
    ],
)
def test_positions_are_what_the_kernels_take(parent, order, n_states):
    with pytest.raises(ValueError):
        check_spanning(parent, order, n_states, _tables())


def test_every_way_down_meets_every_variable_once():
    n_states = np.array([2, 2])
    even = np.log(np.full((1, 2, 2), 0.5))
    leaf = LeafTree(np.array([0]), np.array([-1]), np.array([0]), np.array([2]), even, 4, 0.0)
    root = OrNode(1, np.log([0.5, 0.5]), (leaf, leaf), 8, 0.0)
    check_network(root, n_states)
    bad = [
        leaf,
        OrNode(0, root.log_weights, (leaf, leaf), 8, 0.0),
        OrNode(1, np.zeros(1), (leaf,), 8, 0.0),
        OrNode(2, root.log_weights, (leaf, leaf), 8, 0.0),
        OrNode(1, root.log_weights, (root, leaf), 8, 0.0),
    ]
    for node in bad:
        with pytest.raises(ValueError, match=r"leaf|OR node"):
            check_network(node, n_states)


def test_nothing_is_impossible_however_small_the_prior():
    X = np.array([[0.0, 0], [1, 1]] * 10)
    model = ChowLiuTree(prior_weight=1e-18).fit(X, X[:, :1].astype(bool))
    assert np.isfinite(model.network_.factors[:, 0, :2]).all()
    assert np.isfinite(model.predict_proba([[0.0, 1.0], [1.0, 0.0]])).all()

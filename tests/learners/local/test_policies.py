"""Training policies against their definitions, set by set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from oracles_learners import policy_rows
from strategies import hierarchies, label_matrices
from truepath import Hierarchy
from truepath.learners import POLICIES, PerNode
from truepath.learners.local.base import LabelView
from truepath.learners.local.policies import resolve_policy


@pytest.mark.parametrize("name", list(POLICIES))
@given(st.data())
def test_rows_follow_the_definition(name, data):
    h = data.draw(hierarchies(max_nodes=6))
    Y = data.draw(label_matrices(h, n_rows=6))
    v = data.draw(st.integers(0, h.n_nodes - 1))
    expected = policy_rows(name, Y, h, v)
    for matrix in (Y, sparse.csr_array(Y)):
        rows, positive = POLICIES[name].select(LabelView(matrix, h), v)
        assert (set(rows[positive].tolist()), set(rows[~positive].tolist())) == expected


def test_by_hand():
    """One row each of a/1, a/2, a and b/1: what each policy makes of the node a."""
    h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    view = LabelView(h.encode([["a/1"], ["a/2"], ["a"], ["b/1"]]), h)
    found = {name: [part.tolist() for part in policy.select(view, 0)] for name, policy in POLICIES.items()}
    everything = [0, 1, 2, 3]
    assert found == {
        "exclusive": [everything, [False, False, True, False]],
        "less_exclusive": [[2, 3], [True, False]],
        "less_inclusive": [everything, [True, True, True, False]],
        "inclusive": [everything, [True, True, True, False]],
        "siblings": [everything, [True, True, True, False]],
        "exclusive_siblings": [[2], [True]],
        "parents": [everything, [True, True, True, False]],
    }


def test_siblings_is_parents_where_paths_are_full():
    h = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2"])
    view = LabelView(h.encode([["a/1"], ["a/2", "b/1"], ["b/2"], ["a/1", "a/2"]]), h)
    for v in range(h.n_nodes):
        for one, other in zip(POLICIES["siblings"].select(view, v), POLICIES["parents"].select(view, v)):
            assert np.array_equal(one, other)


def test_unknown_policy():
    with pytest.raises(ValueError, match="policy must be one of 'exclusive'"):
        resolve_policy("nearest")


@pytest.mark.parametrize("name", list(POLICIES))
def test_every_policy_gives_coherent_scores(name):
    from learners_room import HIERARCHIES, logistic, make_data

    for h in HIERARCHIES.values():
        X, Y = make_data(h)
        S = PerNode(logistic(), hierarchy=h, policy=name).fit(X, Y).predict_proba(X)
        assert h.is_coherent(S)
        assert h.is_closed(S > 0.5)

"""What rows without and with a label weigh and count, on any hierarchy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from strategies import dags
from truepath.learners import SparseLinear
from truepath.learners.linear.class_weights import Sides
from truepath.learners.linear.label_graph import order_labels


@settings(max_examples=40)
@given(dags(max_nodes=8), st.booleans(), st.integers(0, 2**32 - 1))
def test_sides_weigh_what_their_training_rows_weigh(hierarchy, conditional, seed):
    rng = np.random.default_rng(seed)
    Y = hierarchy.close(rng.random((12, hierarchy.n_nodes)) < 0.3)
    weight, graph = rng.random(12), order_labels(hierarchy)
    sides = Sides.of(sparse.csc_array(Y[:, graph.node_of]), graph, weight, conditional=conditional)
    for c, v in enumerate(graph.node_of):
        trains = Y[:, hierarchy.parents(v)].all(axis=1) if conditional else np.ones(12, bool)
        assert sides.above[c] == pytest.approx(weight[trains & Y[:, v]].sum(), abs=1e-12)
        assert sides.below[c] == pytest.approx(weight[trains & ~Y[:, v]].sum(), abs=1e-12)


@given(st.floats(0.1, 1e6), st.floats(0.1, 1e6))
def test_all_rows_together_count_what_they_weigh(below, above):
    sides = Sides(np.array([below]), np.array([above]))
    for name, ratio in (("sqrt", np.sqrt(below / above)), ("balanced", below / above)):
        negative, positive = sides.factors(name)[0]
        assert negative * below + positive * above == pytest.approx(below + above)
        assert positive / negative == pytest.approx(ratio)


def test_roots_raise_a_rare_label_less_than_balance():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.random((300, 1)) < 0.05
    means = [SparseLinear(C=1.0, loss="log", class_weight=w).fit(X, y).predict_proba(X).mean() for w in (None, "sqrt")]
    balanced = SparseLinear(C=1.0, loss="log", class_weight="balanced").fit(X, y).predict_proba(X).mean()
    assert means[0] < means[1] < balanced

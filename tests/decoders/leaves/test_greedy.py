"""The greedy search against Algorithms 1-3 as printed and against brute force under nesting."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_leaf
from strategies import dags, hierarchies, trees
from strategies_leaf import coarse_weights, random_weights
from truepath import Hierarchy
from truepath._kernels.leaves import greedy as leaf_greedy
from truepath._kernels.leaves import greedy_dag as leaf_greedy_dag
from truepath.decoders.leaves.greedy import GreedySearch
from truepath.decoders.leaves.weights import NodeWeights


def full_path(search, weights):
    return search.path(weights, np.full(weights.root.size, search.hierarchy.leaves.size))


@settings(max_examples=200)
@given(hierarchies(max_nodes=14), st.data())
def test_order_and_values_are_those_of_the_printed_algorithm(h, data):
    weights = data.draw(coarse_weights(h))
    path = full_path(GreedySearch(h), weights)
    order, values = oracles_leaf.algorithm_1(weights.nodes[0], weights.root[0], h, h.leaves.size)
    assert path.leaves[0].tolist() == order  # ties included
    assert path.values[0].tolist() == values


@given(hierarchies(max_nodes=14), st.integers(0, 2**32 - 1))
def test_with_any_weights_too(h, seed):
    weights = random_weights(h, seed)
    path = full_path(GreedySearch(h), weights)
    order, values = oracles_leaf.algorithm_1(weights.nodes[0], weights.root[0], h, h.leaves.size)
    assert path.leaves[0].tolist() == order
    assert path.values[0] == pytest.approx(values)


@pytest.mark.parametrize("n_parents", [1, 3])
def test_on_larger_graphs(n_parents):
    rng = np.random.default_rng(n_parents)
    parents = [[]] + [rng.integers(0, v, rng.integers(0, n_parents + 1)).tolist() for v in range(1, 300)]
    h = Hierarchy.from_parents([sorted(set(above)) for above in parents])
    assert h.is_tree == (n_parents == 1)
    weights = random_weights(h, 5, n_rows=3)
    path = full_path(GreedySearch(h), weights)
    for i in range(3):
        order, values = oracles_leaf.algorithm_1(weights.nodes[i], weights.root[i], h, h.leaves.size)
        assert path.leaves[i].tolist() == order
        assert path.values[i] == pytest.approx(values)


@given(st.one_of(trees(max_nodes=12), dags(max_nodes=10)), st.integers(0, 2**32 - 1))
def test_optimal_wherever_the_optima_are_nested(h, seed):
    """Proposition 2."""
    weights = random_weights(h, seed)
    path = full_path(GreedySearch(h), weights)
    before = np.zeros(h.n_nodes, bool)
    for k, (best, sets) in enumerate(oracles_leaf.best_by_size(weights.nodes[0], weights.root[0], h)):
        assert path.values[0, k] <= best + 1e-9  # never better than the best
        if len(sets) > 1 or (before & ~sets[0]).any():
            break
        assert path.values[0, k] == pytest.approx(best)
        before = sets[0]


@given(st.one_of(trees(max_nodes=12), dags(max_nodes=10)), st.data())
def test_values_are_those_of_the_sets(h, data):
    weights = data.draw(coarse_weights(h))
    search = GreedySearch(h)
    path = full_path(search, weights)
    for k in range(1, h.leaves.size + 1):
        Y = search.decode(weights, np.array([k]))
        assert set(np.flatnonzero(Y[0] & h.is_leaf)) == set(path.leaves[0, :k])
        assert weights.root[0] + weights.nodes[0, Y[0]].sum() == path.values[0, k - 1]
    unknown = search.decode(weights, None)
    assert unknown[0, h.leaves].sum() == path.values[0].argmax() + 1


@given(st.one_of(trees(max_nodes=8), dags(max_nodes=8)), st.data())
def test_compiled_and_plain_agree(h, data):
    """The kernels against themselves as plain Python."""
    weights = data.draw(coarse_weights(h))
    compiled = full_path(GreedySearch(h), weights)
    with pytest.MonkeyPatch.context() as patch:
        for module in (leaf_greedy, leaf_greedy_dag):
            for name, function in list(vars(module).items()):
                if hasattr(function, "py_func"):
                    patch.setattr(module, name, function.py_func)
        plain = full_path(GreedySearch(h), weights)
    assert (plain.leaves == compiled.leaves).all()
    assert (plain.values == compiled.values).all()


def test_no_rows_and_one_node():
    for h in (Hierarchy.flat(1), Hierarchy.from_parents([-1, 0]), Hierarchy.from_parents([-1, -1, [0, 1]])):
        search = GreedySearch(h)
        nothing = NodeWeights(np.zeros((0, h.n_nodes)), np.zeros(0))
        assert search.decode(nothing, None).shape == (0, h.n_nodes)
        assert search.decode(NodeWeights(np.full((1, h.n_nodes), -1.0), np.zeros(1)), None).all()

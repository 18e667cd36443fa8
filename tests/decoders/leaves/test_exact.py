"""The exact optimum against brute force, and against the greedy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import oracles_leaf
from strategies import dags, trees
from strategies_leaf import coarse_weights, random_weights
from truepath import Hierarchy
from truepath._kernels.leaves import exact as leaf_exact
from truepath.decoders import MAS, ExactLeafMAP
from truepath.decoders.leaves.dag_optimum import DagOptimum
from truepath.decoders.leaves.greedy import GreedySearch
from truepath.decoders.leaves.tree_optimum import TreeOptimum
from truepath.decoders.leaves.weights import NodeWeights


def check_against_brute_force(optimum, weights, hierarchy):
    """Every k, and unknown k: the value is the largest, and it is that of the set returned."""
    brute = oracles_leaf.best_by_size(weights.nodes[0], weights.root[0], hierarchy)
    for k in [*range(1, hierarchy.leaves.size + 1), None]:
        Y, value, gap = optimum.solve(weights, None if k is None else np.array([k]))
        best = max(value for value, _ in brute) if k is None else brute[k - 1][0]
        assert value[0] == pytest.approx(best, abs=1e-9)
        assert weights.root[0] + weights.nodes[0, Y[0]].sum() == pytest.approx(best, abs=1e-9)
        assert oracles_leaf.has_full_paths(Y[0], hierarchy)
        assert k is None or Y[0, hierarchy.leaves].sum() == k
        assert gap[0] == 0


@settings(max_examples=150)
@given(trees(max_nodes=15), st.data())
def test_trees_with_ties(h, data):
    check_against_brute_force(TreeOptimum(h, h.leaves.size), data.draw(coarse_weights(h)), h)


@settings(max_examples=150)
@given(trees(max_nodes=15, min_nodes=8), st.integers(0, 2**32 - 1))
def test_trees_with_any_weights(h, seed):
    check_against_brute_force(TreeOptimum(h, h.leaves.size), random_weights(h, seed), h)


@settings(max_examples=40)
@given(dags(max_nodes=12, min_nodes=4), st.integers(0, 2**32 - 1))
def test_dags(h, seed):
    check_against_brute_force(DagOptimum(h, 10.0), random_weights(h, seed), h)


@settings(max_examples=40)
@given(dags(max_nodes=12), st.data())
def test_dags_with_ties(h, data):
    check_against_brute_force(DagOptimum(h, 10.0), data.draw(coarse_weights(h)), h)


@given(trees(max_nodes=30), st.integers(0, 2**32 - 1))
def test_never_worse_than_the_greedy(h, seed):
    weights = random_weights(h, seed, n_rows=3)
    n_leaves = h.leaves.size
    path = GreedySearch(h).path(weights, np.full(3, n_leaves))
    optimum = TreeOptimum(h, n_leaves)
    assert (optimum.solve_all(weights, n_leaves)[1] >= path.values - 1e-9).all()
    assert (optimum.solve(weights, None)[1] >= path.values.max(axis=1) - 1e-9).all()


@given(trees(max_nodes=15), st.data())
def test_all_k_at_once_and_one_by_one_agree(h, data):
    weights = data.draw(coarse_weights(h))
    n_leaves = h.leaves.size
    optimum = TreeOptimum(h, n_leaves)
    Y, value, _ = optimum.solve_all(weights, n_leaves)
    for k in range(1, n_leaves + 1):
        one = TreeOptimum(h, k).solve(weights, np.array([k]))
        assert (Y[:, k - 1] == one[0]).all()
        assert value[:, k - 1] == one[1]
        within = optimum.solve(weights, np.array([k]))  # tables laid out for more leaves than asked
        assert (within[0] == one[0]).all()


@given(trees(max_nodes=8), st.data())
def test_compiled_and_plain_agree(h, data):
    weights = data.draw(coarse_weights(h))
    n_leaves = h.leaves.size
    k = np.array([data.draw(st.integers(1, n_leaves))])

    def solutions():
        optimum = TreeOptimum(h, n_leaves)
        return [*optimum.solve(weights, None), *optimum.solve(weights, k), *optimum.solve_all(weights, n_leaves)]

    compiled = solutions()
    with pytest.MonkeyPatch.context() as patch:
        for name, function in list(vars(leaf_exact).items()):
            if hasattr(function, "py_func"):
                patch.setattr(leaf_exact, name, function.py_func)
        plain = solutions()
    assert all((a == b).all() for a, b in zip(compiled, plain))


def test_ties_go_to_fewer_leaves_and_smaller_numbers():
    h = Hierarchy.flat(4)
    optimum = TreeOptimum(h, 2)
    zeros = NodeWeights(np.array([[-1.0, 0.0, 0.0, -1.0], [1.0, 0.0, 1.0, 1.0]]), np.zeros(2))
    assert optimum.solve(zeros, None)[0].astype(int).tolist() == [[0, 1, 0, 0], [1, 0, 1, 1]]
    assert optimum.solve(zeros, np.array([1, 2]))[0].astype(int).tolist() == [[0, 1, 0, 0], [1, 0, 1, 0]]


def large_dag(n_nodes=400):
    rng = np.random.default_rng(0)
    parents = [[]] + [sorted(set(rng.integers(max(0, v - 60), v, 3).tolist())) for v in range(1, n_nodes)]
    return Hierarchy.from_parents(parents)


def test_the_greedy_answers_when_time_is_up():
    h = large_dag()
    C = np.random.default_rng(1).uniform(0.2, 0.6, (2, h.n_edges + h.roots.size))
    exact = ExactLeafMAP(k=5, time_limit=1e-4, hierarchy=h)
    with pytest.warns(ConvergenceWarning, match=r"2 of 2 rows .* predict_with_gaps"):
        Y = exact.predict(None, conditional=C)
    again, gaps = exact.predict_with_gaps(None, conditional=C)
    assert (gaps > 0).all()
    assert gaps.shape == (2,)
    assert (again == Y).all()
    assert (MAS(k=5, hierarchy=h).predict(None, conditional=C) == Y).all()


def test_gap_is_zero_where_proved():
    h = Hierarchy.from_parents([-1, -1, [0, 1], [0], [1]])
    exact = ExactLeafMAP(hierarchy=h)
    Y, gaps = exact.predict_with_gaps([[0.6, 0.5, 0.4, 0.3, 0.2]] * 3)
    assert gaps.tolist() == [0, 0, 0]
    assert (Y == exact.predict([[0.6, 0.5, 0.4, 0.3, 0.2]] * 3)).all()


def test_risk_needs_marginals_and_alpha():
    h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    S = [[0.8, 0.4, 0.2, 0.5]]
    with pytest.raises(NotFittedError, match="fit"):
        ExactLeafMAP("risk", hierarchy=h).predict(S)
    with pytest.raises(ValueError, match="marginals"):
        ExactLeafMAP("risk", alpha=1.0, hierarchy=h).predict(S, conditional=S)
    with pytest.raises(ValueError, match="'map', 'risk'"):
        ExactLeafMAP("posterior", hierarchy=h).predict(S)
    with pytest.raises(ValueError, match="'map', 'risk'"):
        ExactLeafMAP("posterior", hierarchy=h).fit(S, [[1, 1, 0, 0]])
    fitted = ExactLeafMAP("risk", hierarchy=h).fit(S, [[1, 1, 0, 0]])
    assert fitted.alpha_ == 1.0
    assert h.decode(fitted.predict(S)) == h.decode(ExactLeafMAP("risk", alpha=1.0, hierarchy=h).predict(S))

"""The corrections against their brute-force twins, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

import oracles_combiners as twins
from strategies import hierarchies, label_matrices, score_matrices, trees
from truepath import Hierarchy
from truepath.combiners import (
    BayesianAggregation,
    Isotonic,
    MaxUp,
    MeanOfPaths,
    MinDown,
    PathProduct,
    TopDown,
    TruePathRule,
)
from truepath.data import make_ontology_like
from truepath.errors import HierarchyError

CASES = [
    (MaxUp(), twins.max_up, {}),
    (MinDown(), twins.min_down, {}),
    (TopDown(), twins.top_down, {}),
    (TopDown(0.5), twins.top_down, {"threshold": 0.5}),
    (PathProduct(), twins.path_product, {}),
    (PathProduct(dag="all"), twins.path_product, {"dag": "all"}),
    (TruePathRule(), twins.true_path_rule, {}),
    (TruePathRule("free"), twins.true_path_rule, {"threshold": "free"}),
    (TruePathRule(0.25, weight=0.25), twins.true_path_rule, {"threshold": 0.25, "weight": 0.25}),
    (TruePathRule("free", weight=0.5), twins.true_path_rule, {"threshold": "free", "weight": 0.5}),
    (TruePathRule(0.25, descendants=True), twins.true_path_rule, {"threshold": 0.25, "descendants": True}),
    (
        TruePathRule("free", weight=0.75, descendants=True),
        twins.true_path_rule,
        {"threshold": "free", "weight": 0.75, "descendants": True},
    ),
    (MeanOfPaths(project=None), twins.mean_of_paths, {}),
    (Isotonic(), twins.isotonic, {}),
]


@pytest.mark.parametrize(("combiner", "twin", "options"), CASES, ids=[str(case[0]) for case in CASES])
@settings(max_examples=25)
@given(data=st.data())
def test_equals_its_twin(combiner, twin, options, data):
    h = data.draw(hierarchies(max_nodes=8))
    S = data.draw(score_matrices(h, coherent=False))
    found = combiner.set_params(hierarchy=h).transform(S)
    np.testing.assert_allclose(found, twin(S, h, **options), atol=1e-9)


@settings(max_examples=25)
@given(data=st.data())
def test_isotonic_equals_the_max_min_formula(data):
    h = data.draw(hierarchies(max_nodes=6))
    S = data.draw(score_matrices(h, n_rows=2, coherent=False))
    np.testing.assert_allclose(Isotonic(hierarchy=h).transform(S), twins.isotonic_by_sets(S, h), atol=1e-12)


@pytest.mark.parametrize("max_parents", [1, 2, 4])
def test_isotonic_equals_the_quadratic_programme_on_larger_graphs(max_parents):
    rng = np.random.default_rng(max_parents)
    for _ in range(12):
        n_nodes = int(rng.integers(15, 45))
        parents = [
            rng.choice(v, min(v, rng.integers(0, max_parents + 1)), replace=False).tolist() for v in range(n_nodes)
        ]
        h = Hierarchy.from_parents([above or [-1] for above in parents])
        S = rng.normal(size=(4, n_nodes))
        np.testing.assert_allclose(Isotonic(hierarchy=h).transform(S), twins.isotonic(S, h), atol=1e-6)


@pytest.mark.parametrize("max_parents", [2, 4])
def test_isotonic_has_a_certificate_on_large_graphs(max_parents):
    # Karush-Kuhn-Tucker: x = s + what flows from children to parents, all flow >= 0 and between equal scores
    rng = np.random.default_rng(max_parents)
    parents = [[-1], *(rng.choice(v, min(v, rng.integers(1, max_parents + 1)), replace=False) for v in range(1, 1500))]
    h = Hierarchy.from_parents([list(above) for above in parents])
    S = np.vstack([rng.random(h.n_nodes), rng.random(h.n_nodes) / h.depth + 0.05 * rng.normal(size=h.n_nodes)])
    X = Isotonic(hierarchy=h).transform(S)
    assert h.is_coherent(X)
    for s, x in zip(S, X):
        u, v = h.edges[x[h.edges[:, 0]] == x[h.edges[:, 1]]].T
        ones, number = np.ones(u.size), np.arange(u.size)
        inflow = sparse.csr_array((np.r_[ones, -ones], (np.r_[u, v], np.r_[number, number])), (h.n_nodes, u.size))
        solved = optimize.linprog(ones, A_eq=inflow, b_eq=x - s, bounds=(0, None), method="highs")
        assert solved.status == 0, solved.message


def test_isotonic_rows_do_not_depend_on_each_other():
    rng = np.random.default_rng(0)
    parents = [[-1], *(rng.choice(v, min(v, rng.integers(1, 4)), replace=False) for v in range(1, 300))]
    h = Hierarchy.from_parents([list(above) for above in parents])
    S = rng.random((6, h.n_nodes))
    whole = Isotonic(hierarchy=h).transform(S)
    for i in range(6):
        np.testing.assert_array_equal(Isotonic(hierarchy=h).transform(S[i : i + 1]), whole[i : i + 1])


def test_isotonic_of_scores_that_differ_in_the_last_digit():
    # The mean of a block may exceed its largest score by rounding, and so a node that was left out
    h = make_ontology_like(3_000, random_state=0)
    S = 0.1 - 1e-17 * np.random.default_rng(0).integers(0, 4, (20, h.n_nodes))
    X = Isotonic(hierarchy=h).transform(S)
    assert h.is_coherent(X)
    np.testing.assert_allclose(X, 0.1, rtol=1e-12)


def test_isotonic_on_a_deep_graph_of_one_block():
    n_nodes = 3000
    h = Hierarchy.from_parents([[v - 1, v // 2] if v > 2 else [v - 1] for v in range(n_nodes)])
    rising = np.linspace(0, 1, n_nodes)[None]  # every node exceeds its parents
    np.testing.assert_allclose(Isotonic(hierarchy=h).transform(rising), 0.5, atol=1e-12)


@settings(max_examples=60)
@given(data=st.data())
def test_isotonic_never_moves_away_from_a_coherent_truth(data):
    h = data.draw(hierarchies(max_nodes=9))
    S = data.draw(score_matrices(h, 4, 4, coherent=False))
    nearest = Isotonic(hierarchy=h).transform(S)
    for truth in (data.draw(label_matrices(h, 4, 4)), data.draw(score_matrices(h, 4, 4, coherent=True))):
        before, after = ((M - truth) ** 2 for M in (S, nearest))
        assert (after.sum(axis=1) <= before.sum(axis=1) + 1e-12).all()


@settings(max_examples=25)
@given(data=st.data())
def test_isotonic_lies_between_min_down_and_max_up(data):
    h = data.draw(hierarchies(max_nodes=9))
    S = data.draw(score_matrices(h, coherent=False))
    nearest = Isotonic(hierarchy=h).transform(S)
    assert (nearest >= MinDown(hierarchy=h).transform(S) - 1e-12).all()
    assert (nearest <= MaxUp(hierarchy=h).transform(S) + 1e-12).all()


@settings(max_examples=30)
@given(data=st.data())
def test_tree_and_dag_kernels_agree_on_trees(data):
    from truepath._kernels.combiners.isotonic.dag import project_dag

    h = data.draw(trees(max_nodes=12))
    S = data.draw(score_matrices(h, coherent=False))
    found = S.copy()
    order = np.lexsort((h.edges[:, 1], h.edges[:, 0])).astype(np.int32)
    project_dag(found, h.parent_ptr, h.parent_idx, h.child_ptr, h.child_idx, order)
    np.testing.assert_allclose(found, Isotonic(hierarchy=h).transform(S), atol=1e-12)


def test_max_up_on_sparse_rows_takes_unsorted_and_repeated_entries():
    h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    S = sparse.csr_array((np.array([0.25, 0.5, 0.25]), np.array([4, 2, 4]), np.array([0, 3])), shape=(1, 5))
    assert MaxUp(hierarchy=h).transform(S).toarray().tolist() == [[0.5, 0.0, 0.5, 0.5, 0.5]]
    with pytest.raises(ValueError, match="Negative values"):
        MaxUp(hierarchy=h).transform(-S)


def test_top_down_at_zero_is_min_down():
    h = Hierarchy.from_edges([("a", "c"), ("b", "c"), ("c", "d")])
    S = np.random.default_rng(0).random((20, 4))
    np.testing.assert_array_equal(TopDown(hierarchy=h).transform(S), MinDown(hierarchy=h).transform(S))


def test_long_chains_do_not_underflow_into_incoherence():
    h = Hierarchy.from_parents(list(range(-1, 2999)))
    S = np.full((1, 3000), 0.5)
    for combiner in (PathProduct(hierarchy=h), Isotonic(hierarchy=h), TruePathRule(hierarchy=h)):
        assert h.is_coherent(combiner.transform(S))
    falling = np.linspace(0, 1, 3000)[None]  # every node exceeds its parent: one block
    np.testing.assert_allclose(Isotonic(hierarchy=h).transform(falling), 0.5)


def test_wrong_options_are_refused():
    S = np.full((2, 2), 0.5)
    for combiner, words in [
        (TruePathRule("never"), "threshold must be a number or 'free'"),
        (TruePathRule(weight=2), r"weight must lie in \[0, 1\]"),
        (TruePathRule(project=None), "project must be"),
        (PathProduct(dag="sum"), "dag must be one of 'min', 'all'"),
        (MeanOfPaths(project="up"), "project must be one of"),
    ]:
        with pytest.raises(ValueError, match=words):
            combiner.transform(S)
    with pytest.raises(ValueError, match="Negative values"):
        PathProduct().transform(-S)


# ------------------------------------------------------------------------------------------ Bayesian aggregation


@pytest.mark.parametrize("likelihood", ["gaussian", "binned"])
@settings(max_examples=25)
@given(data=st.data())
def test_bayesian_aggregation_equals_enumeration(likelihood, data):
    h = data.draw(trees(max_nodes=7))
    Y, S = data.draw(label_matrices(h, 6, 6)), data.draw(score_matrices(h, 6, 6, coherent=False))
    combiner = BayesianAggregation(likelihood, n_bins=3, hierarchy=h).fit(S, Y)
    evidence = combiner.likelihood_.log_ratio(S)
    np.testing.assert_allclose(combiner.transform(S), twins.tree_posterior(evidence, combiner.prior_, h), atol=1e-9)


def test_bayesian_aggregation_likelihoods_by_hand():
    h = Hierarchy.flat(["a", "b"])
    S, Y = np.array([[0.0, 0.5], [0.25, 0.5], [0.75, 0.5], [1.0, 0.5]]), np.array([[0, 0], [0, 0], [1, 0], [1, 0]])
    gaussian = BayesianAggregation(hierarchy=h).fit(S, Y)
    assert gaussian.prior_.tolist() == [0.5, 1 / 6]
    ratio = gaussian.likelihood_.log_ratio(np.array([[0.5, 0.5], [1.0, 0.9]]))
    assert ratio[:, 1].tolist() == [0.0, 0.0]  # a class without positives says nothing
    assert ratio[0, 0] == pytest.approx(0.0)
    assert ratio[1, 0] == pytest.approx(0.5 * ((0.875 / 0.25) ** 2 - (0.125 / 0.25) ** 2))  # variance 0.1875 / 3
    binned = BayesianAggregation("binned", n_bins=2, hierarchy=h).fit(S, Y)
    assert binned.likelihood_.log_ratio(S)[:, 0] == pytest.approx(np.log([1 / 3, 1 / 3, 3, 3]))
    spread = BayesianAggregation("binned", n_bins=2, hierarchy=h).fit(S[:, [0, 0]], Y).likelihood_
    assert spread.log_ratio(S[:, [0, 0]])[:, 1].tolist() == [0.0] * 4


def test_bayesian_aggregation_says_that_it_needs_a_tree():
    h = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    Y, S = h.encode([["c"], ["a"], ["b"], ["a", "b"]]), np.random.default_rng(0).random((4, 3))
    with pytest.raises(HierarchyError, match="exact on trees only, and 'c' has several parents"):
        BayesianAggregation(hierarchy=h).fit(S, Y)
    approximate = BayesianAggregation(dag="spanning_tree", hierarchy=h).fit(S, Y)
    assert h.is_coherent(approximate.transform(S))
    for options, words in [
        ({"likelihood": "beta"}, "likelihood must be"),
        ({"dag": "ignore"}, "dag must be"),
        ({"smoothing": 0}, "smoothing must be positive"),
    ]:
        with pytest.raises(ValueError, match=words):
            BayesianAggregation(hierarchy=h, **options).fit(S, Y)

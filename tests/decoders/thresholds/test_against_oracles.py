"""Threshold searches against the pseudo-code read aloud and against brute force, on small trees and DAGs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import oracles_decoders as naive
from strategies import dags, hierarchies, label_matrices, score_matrices, trees
from truepath.decoders import MultiThreshold, SingleThreshold
from truepath.decoders.thresholds.cut_points import find_cut_points
from truepath.decoders.thresholds.searches import best_h_loss, best_micro_f1, hmc_prices, solve_monotone, whole_costs
from truepath.metrics import h_loss, hmc_loss, micro_f1


@st.composite
def problems(draw, graphs, max_rows=6, distinct=None, dtypes=(np.float32, np.float64)):
    """Draw (S, Y, hierarchy) with as many rows of scores as of labels."""
    hierarchy = draw(graphs)
    n_rows = draw(st.integers(1, max_rows))
    Y = draw(label_matrices(hierarchy, n_rows, n_rows))
    dtype = draw(st.sampled_from(dtypes))
    S = draw(score_matrices(hierarchy, n_rows, n_rows, distinct=distinct, dtype=dtype))
    return S, Y, hierarchy


def prices_of(S, Y, hierarchy):
    n_pos = Y.sum(axis=0)
    return hmc_prices(n_pos, len(Y) - n_pos, hierarchy)


SINGLE = {
    "micro_f1": lambda Y, P, h: -micro_f1(Y, P),
    "hmc_loss": lambda Y, P, h: naive.priced(Y, P, *prices_of(None, Y, h)[:2], range(h.n_nodes)),
    "h_loss": lambda Y, P, h: naive.h_loss(Y, P, h, whole_costs(h.costs, len(Y))[0].tolist()),
    "class_distribution": lambda Y, P, h: sum(
        c * int(d) ** 2
        for c, d in zip(whole_costs(h.costs, float(len(Y)) ** 2)[0].tolist(), P.sum(axis=0) - Y.sum(axis=0))
    ),
    "label_cardinality": lambda Y, P, h: int(((P.sum(axis=1) - Y.sum(axis=1)) ** 2).sum()),
}
VALUE = {
    "micro_f1": lambda Y, P, h: micro_f1(Y, P),
    "hmc_loss": lambda Y, P, h: hmc_loss(Y, P, h),
    "h_loss": lambda Y, P, h: h_loss(Y, P, h),
    "class_distribution": lambda Y, P, h: np.sqrt(h.costs @ (P.mean(axis=0) - Y.mean(axis=0)) ** 2),
    "label_cardinality": lambda Y, P, h: np.sqrt(((P.sum(axis=1) - Y.sum(axis=1)) ** 2).sum()),
}


@pytest.mark.parametrize("objective", SINGLE)
@given(problem=problems(hierarchies(max_nodes=7)))
@settings(max_examples=60)
def test_single_threshold_is_algorithm_1(objective, problem):
    S, Y, hierarchy = problem
    expected, _ = naive.best_single(S, lambda P: SINGLE[objective](Y, P, hierarchy), lambda a, b: a < b)
    for scores in (S, sparse.csr_array(S)):
        decoder = SingleThreshold(objective, hierarchy=hierarchy, ties="published").fit(scores, Y)
        assert decoder.threshold_ == expected
        P = S > expected
        assert decoder.objective_value_ == pytest.approx(VALUE[objective](Y, P, hierarchy), abs=1e-9)
        assert decoder.n_unlabeled_ == (~P.any(axis=1)).sum()
        cuts = np.unique(S)
        values = [VALUE[objective](Y, S > t, hierarchy) for t in cuts]
        np.testing.assert_allclose(decoder.curve_.at(cuts), values, atol=1e-9)
        everything = VALUE[objective](Y, S > -np.inf, hierarchy)
        assert decoder.curve_.lowest == pytest.approx(everything, abs=1e-9)


@given(problem=problems(hierarchies(max_nodes=7)))
@settings(max_examples=80)
def test_greedy_searches_are_the_repaired_pseudo_code(problem):
    S, Y, hierarchy = problem
    prices = prices_of(S, Y, hierarchy)
    expected = {
        ("h_loss", None): naive.algorithm_3(S, Y, hierarchy),
        ("hmc_loss", None): naive.algorithm_4(S, Y, hierarchy, prices.miss, prices.alarm),
        ("micro_f1", "top_down"): naive.algorithm_5(S, Y, hierarchy, "top_down"),
        ("micro_f1", "bottom_up"): naive.algorithm_5(S, Y, hierarchy, "bottom_up"),
        ("class_distribution", None): naive.class_distribution(S, Y, hierarchy),
    }
    for (objective, order), t in expected.items():
        for scores, labels in ((S, Y), (sparse.csr_array(S), sparse.csr_array(Y))):
            decoder = MultiThreshold(objective, "greedy", hierarchy=hierarchy, order=order, ties="published")
            decoder.fit(scores, labels)
            assert decoder.thresholds_.tolist() == t.tolist(), (objective, order)
            value = VALUE[objective](Y, S > t, hierarchy)
            assert decoder.objective_value_ == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("objective", SINGLE)
@given(problem=problems(hierarchies(max_nodes=5), max_rows=5))
@settings(max_examples=25)
def test_no_single_threshold_is_better(objective, problem):
    S, Y, hierarchy = problem
    decoder = SingleThreshold(objective, hierarchy=hierarchy).fit(S, Y)
    losses = {t: SINGLE[objective](Y, S > t, hierarchy) for t in [-np.inf, *np.unique(S).tolist()]}
    best = pytest.approx(min(losses.values()), rel=1e-12)  # costs such as 1/3 are rounded to whole units
    assert SINGLE[objective](Y, decoder.predict(S), hierarchy) == best
    assert decoder.objective_value_ == pytest.approx(VALUE[objective](Y, decoder.predict(S), hierarchy), abs=1e-9)
    all_labels = losses.pop(-np.inf)
    if all_labels == min(losses.values()) or all_labels != pytest.approx(min(losses.values()), rel=1e-12):
        assert np.isfinite(decoder.threshold_) == (min(losses.values()) <= all_labels)


@given(problem=problems(hierarchies(max_nodes=7)))
@settings(max_examples=25)
def test_midpoints_label_the_scores_given_alike(problem):
    S, Y, hierarchy = problem
    for objective in ("micro_f1", "hmc_loss", "class_distribution"):
        for scores in (S, sparse.csr_array(S)):
            middle = MultiThreshold(objective, hierarchy=hierarchy).fit(scores, Y)
            lowest = MultiThreshold(objective, hierarchy=hierarchy, ties="published").fit(scores, Y)
            assert ((S > middle.thresholds_) == (S > lowest.thresholds_)).all()
            assert (middle.thresholds_ >= lowest.thresholds_).all()
            assert naive.is_monotone(middle.thresholds_, hierarchy)
            assert middle.objective_value_ == lowest.objective_value_


@given(problem=problems(dags(max_nodes=7)))
@settings(max_examples=60)
def test_h_loss_on_a_dag_takes_the_best_of_three(problem):
    S, Y, hierarchy = problem
    one = SingleThreshold("h_loss", hierarchy=hierarchy).fit(S, Y).threshold_
    candidates = [
        naive.algorithm_3(S, Y, hierarchy),
        naive.algorithm_3(S, Y, hierarchy, inherits=True),
        np.full(hierarchy.n_nodes, one),
    ]
    losses = [h_loss(Y, S > t, hierarchy) for t in candidates]
    decoder = MultiThreshold("h_loss", "auto" if not hierarchy.is_tree else "greedy", hierarchy=hierarchy).fit(S, Y)
    expected = losses[0] if hierarchy.is_tree else min(losses)
    assert decoder.objective_value_ == pytest.approx(expected, abs=1e-9)
    assert h_loss(Y, decoder.predict(S), hierarchy) == pytest.approx(expected, abs=1e-9)


@given(problem=problems(hierarchies(max_nodes=4, max_parents=3), max_rows=4, distinct=3))
@settings(max_examples=60)
def test_optimal_searches_equal_brute_force(problem):
    S, Y, hierarchy = problem
    weight = np.ones(len(S), np.int64)
    prices, cuts = prices_of(S, Y, hierarchy), find_cut_points(S, Y, weight)
    vectors = list(naive.monotone_vectors(S, hierarchy))
    losses = [naive.priced(Y, S > t, prices.miss, prices.alarm, range(hierarchy.n_nodes)) for t in vectors]
    best = np.min([t for t, loss in zip(vectors, losses) if loss == min(losses)], axis=0)
    scores = [naive.micro_f1(Y, S > t) for t in vectors]
    solvers = ("cut", "tree") if hierarchy.is_tree else ("cut",)
    for solver in solvers:
        t = solve_monotone(cuts, prices.miss, prices.alarm, hierarchy, solver)
        assert t.tolist() == best.tolist(), solver  # the smallest of the best
        t = best_micro_f1(cuts, hierarchy, solver)
        assert naive.is_monotone(t, hierarchy)
        assert naive.micro_f1(Y, S > t) == max(scores)
        if hierarchy.is_tree:
            t, loss = best_h_loss(S, Y, weight, hierarchy, solver)
            costs = whole_costs(hierarchy.costs, float(len(Y)))[0].tolist()
            least = min(naive.h_loss(Y, S > v, hierarchy, costs) for v in vectors)
            assert naive.h_loss(Y, S > t, hierarchy, costs) == least
            assert loss == pytest.approx(h_loss(Y, S > t, hierarchy), abs=1e-9)


@given(problem=problems(trees(max_nodes=9), max_rows=12))
@settings(max_examples=80)
def test_dynamic_programme_equals_cut(problem):
    S, Y, hierarchy = problem
    weight = np.ones(len(S), np.int64)
    cuts, prices = find_cut_points(S, Y, weight), prices_of(S, Y, hierarchy)
    by_tree, by_cut = (
        solve_monotone(cuts, prices.miss, prices.alarm, hierarchy, solver).tolist() for solver in ("tree", "cut")
    )
    assert by_tree == by_cut
    assert best_micro_f1(cuts, hierarchy, "tree").tolist() == best_micro_f1(cuts, hierarchy, "cut").tolist()
    by_tree, by_cut = (best_h_loss(S, Y, weight, hierarchy, solver)[0].tolist() for solver in ("tree", "cut"))
    assert by_tree == by_cut


@given(problem=problems(dags(max_nodes=9), max_rows=8))
@settings(max_examples=60)
def test_optimal_is_never_worse(problem):
    S, Y, hierarchy = problem
    for objective, sign in (("micro_f1", -1), ("hmc_loss", 1), *([("h_loss", 1)] if hierarchy.is_tree else [])):
        best = MultiThreshold(objective, "optimal", hierarchy=hierarchy).fit(S, Y)
        greedy = MultiThreshold(objective, "greedy", hierarchy=hierarchy).fit(S, Y)
        single = SingleThreshold(objective, hierarchy=hierarchy).fit(S, Y)
        for other in (greedy, single):
            assert sign * best.objective_value_ <= sign * other.objective_value_ + 1e-9
        assert best.objective_value_ == pytest.approx(VALUE[objective](Y, best.predict(S), hierarchy), abs=1e-9)


@given(problem=problems(hierarchies(max_nodes=6), dtypes=(np.float64,)), data=st.data())
@settings(max_examples=40)
def test_weights_equal_repetition(problem, data):
    S, Y, hierarchy = problem
    weight = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(S), max_size=len(S)).filter(any)))
    S[weight == 0] = S[np.flatnonzero(weight)[0]]  # else rows of weight 0 add cut points of their own
    repeated = (np.repeat(S, weight, axis=0), np.repeat(Y, weight, axis=0))
    decoders = [SingleThreshold(name, hierarchy=hierarchy) for name in SINGLE]
    decoders += [
        MultiThreshold(name, "greedy", hierarchy=hierarchy)
        for name in ("micro_f1", "hmc_loss", "h_loss", "class_distribution")
    ]
    decoders += [MultiThreshold(name, "auto", hierarchy=hierarchy) for name in ("micro_f1", "hmc_loss", "h_loss")]
    for decoder in decoders:
        weighted = decoder.fit(S, Y, weight)
        t, value = weighted.thresholds_.copy(), weighted.objective_value_
        plain = decoder.fit(*repeated)
        assert t.tolist() == plain.thresholds_.tolist()
        assert value == pytest.approx(plain.objective_value_, abs=1e-9)

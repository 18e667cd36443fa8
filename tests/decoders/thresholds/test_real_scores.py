"""Threshold searches on real scores: equal to naive twins, to each other, and never worse than simpler ones."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import oracles_decoders as naive
from truepath.decoders import MultiThreshold, SingleThreshold
from truepath.decoders.thresholds.cut_points import find_cut_points
from truepath.decoders.thresholds.searches import best_h_loss, best_micro_f1, hmc_prices, solve_monotone
from truepath.papers.triguero2016.strategies import compare_strategies


def equal_to_naive(S, Y, hierarchy):
    n_pos = Y.sum(axis=0)
    prices = hmc_prices(n_pos, len(Y) - n_pos, hierarchy)
    twins = {
        ("h_loss", None): lambda: naive.algorithm_3(S, Y, hierarchy),
        ("hmc_loss", None): lambda: naive.algorithm_4(S, Y, hierarchy, prices.miss, prices.alarm),
        ("micro_f1", "top_down"): lambda: naive.algorithm_5(S, Y, hierarchy, "top_down"),
        ("micro_f1", "bottom_up"): lambda: naive.algorithm_5(S, Y, hierarchy, "bottom_up"),
        ("class_distribution", None): lambda: naive.class_distribution(S, Y, hierarchy),
    }
    for (objective, order), twin in twins.items():
        found = (
            MultiThreshold(objective, "greedy", hierarchy=hierarchy, order=order, ties="published")
            .fit(S, Y)
            .thresholds_
        )
        assert found.tolist() == twin().tolist(), (objective, order)


@pytest.mark.slow
def test_greedy_equals_naive_on_imclef07a(imclef07a):
    S, Y, hierarchy = imclef07a("val")
    equal_to_naive(S[:400], Y[:400], hierarchy)


@pytest.mark.slow
def test_greedy_equals_naive_on_seq_fun(forest_scores):
    S, Y, hierarchy = forest_scores("seq_FUN")
    equal_to_naive(S[:60], Y[:60], hierarchy)


@pytest.mark.slow
def test_greedy_equals_naive_on_cellcycle_go(forest_scores):
    S, Y, hierarchy = forest_scores("cellcycle_GO")
    kept = hierarchy.subgraph(np.flatnonzero(Y[:60].sum(axis=0) >= 3))
    columns = hierarchy.indices(kept.names)
    assert not kept.is_tree
    equal_to_naive(S[:60][:, columns], Y[:60][:, columns], kept)


def check_solvers_agree(S, Y, hierarchy):
    weight, n_pos = np.ones(len(S), np.int64), Y.sum(axis=0)
    cuts = find_cut_points(S, Y, weight)
    prices = hmc_prices(n_pos, len(Y) - n_pos, hierarchy)
    pairs = {
        "hmc_loss": lambda solver: solve_monotone(cuts, prices.miss, prices.alarm, hierarchy, solver),
        "micro_f1": lambda solver: best_micro_f1(cuts, hierarchy, solver),
        "h_loss": lambda solver: best_h_loss(S, Y, weight, hierarchy, solver)[0],
    }
    for objective, solve in pairs.items():
        assert solve("tree").tolist() == solve("cut").tolist(), objective


def check_never_worse(S, Y, hierarchy):
    exact = ["micro_f1", "hmc_loss"] + (["h_loss"] if hierarchy.is_tree else [])
    for objective in exact:
        sign = -1 if objective == "micro_f1" else 1
        best = sign * MultiThreshold(objective, "optimal", hierarchy=hierarchy).fit(S, Y).objective_value_
        for other in (
            SingleThreshold(objective, hierarchy=hierarchy),
            MultiThreshold(objective, "greedy", hierarchy=hierarchy),
        ):
            assert best <= sign * other.fit(S, Y).objective_value_ + 1e-12


def test_exact_searches_on_imclef07a(imclef07a):
    check_solvers_agree(*imclef07a("val"))
    check_never_worse(*imclef07a("val"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["seq_FUN", "cellcycle_FUN"])
def test_exact_searches_on_trees(forest_scores, name):
    check_solvers_agree(*forest_scores(name))
    check_never_worse(*forest_scores(name))


@pytest.mark.slow
def test_cellcycle_go(forest_scores):
    """Top-down, Algorithm 5 collapses there; bottom-up it does not, and the optimum is above both."""
    S, Y, hierarchy = forest_scores("cellcycle_GO")
    check_never_worse(S, Y, hierarchy)
    f1 = {
        order: MultiThreshold("micro_f1", "greedy", hierarchy=hierarchy, order=order).fit(S, Y).objective_value_
        for order in ("top_down", "bottom_up", None)
    }
    single = SingleThreshold("micro_f1", hierarchy=hierarchy).fit(S, Y).objective_value_
    assert f1["top_down"] < single < f1["bottom_up"] == f1[None]


def test_comparison_is_the_papers_tables(imclef07a):
    S, Y, hierarchy = imclef07a("val")
    table = compare_strategies(S, Y, *imclef07a("test")[:2], hierarchy)
    by_name = {(row.measure, row.strategy): row for row in table}
    assert round(by_name["micro_f1", "EM(MTS, greedy)"].test, 4) == 0.8080
    assert round(by_name["hmc_loss", "EM(MTS, greedy)"].valid, 4) == 0.0440
    assert by_name["h_loss", "EM(MTS, optimal)"].valid < by_name["h_loss", "EM(MTS, greedy)"].valid


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["forest-like", "continuous"])
def test_memory_stays_below_four_times_the_scores(dtype, kind):
    """No (n, m, m) array, no pile of copies: scores with many ties, and all distinct, which is the worst case."""
    from truepath import Hierarchy

    rng = np.random.default_rng(0)
    parents = [-1 if v < 5 else int(rng.integers(0, v)) for v in range(600)]
    hierarchy = Hierarchy.from_parents(parents)
    S = rng.random((1500, 600))
    if kind == "forest-like":
        S = np.round(S**8, 2)
    for v in range(600):
        for u in hierarchy.parents(v):
            S[:, v] = np.minimum(S[:, v], S[:, u] * (0.9 if kind == "continuous" else 1))
    S = S.astype(dtype)
    Y = hierarchy.close(rng.random(S.shape) < S**3)
    decoders = [
        SingleThreshold(name, hierarchy=hierarchy)
        for name in ("micro_f1", "hmc_loss", "h_loss", "class_distribution", "label_cardinality")
    ]
    decoders += [
        MultiThreshold(name, method, hierarchy=hierarchy)
        for name in ("micro_f1", "hmc_loss", "h_loss")
        for method in ("optimal", "greedy")
    ]
    decoders += [MultiThreshold("class_distribution", hierarchy=hierarchy)]
    for decoder in decoders:
        decoder.fit(S[:50], Y[:50])  # compiles
        tracemalloc.start()
        decoder.fit(S, Y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak <= 4 * S.nbytes, (decoder, peak / S.nbytes)

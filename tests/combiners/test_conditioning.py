"""Scores given which labels are allowed: against enumeration, and what holds for any scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from oracles_allowed import closed_sets, condition, paths, probabilities_of_sets, random_hierarchy
from strategies import hierarchies, score_matrices
from truepath import Hierarchy
from truepath.combiners import condition_scores
from truepath.combiners.conditioning import restrict_scores
from truepath.combiners.dag_inference import plan_elimination
from truepath.hierarchy import AllowedLabels

H = Hierarchy.from_paths(["a/1", "a/2", "b"])
S = np.array([[0.5, 0.25, 0.25, 0.5]])


def draw_case(rng, most_parents, most_nodes):
    hierarchy = random_hierarchy(rng, int(rng.integers(1, most_nodes + 1)), most_parents)
    allowed = rng.random(hierarchy.n_nodes) < rng.choice([0.2, 0.5, 0.8])
    allowed[rng.integers(hierarchy.n_nodes)] = True
    return hierarchy, allowed, hierarchy.close(allowed[None])[0]


@pytest.mark.parametrize("most_parents", [1, 3])
def test_any_number_of_paths_as_by_enumeration(most_parents):
    rng, n_cases = np.random.default_rng(most_parents), 0
    for case in range(40):
        hierarchy, allowed, possible = draw_case(rng, most_parents, 12 if case % 20 == 0 else 8)
        c = rng.random(hierarchy.n_nodes)
        c[rng.random(c.size) < 0.1], c[rng.random(c.size) < 0.1] = 0.0, 1.0
        Y = closed_sets(hierarchy)
        p = probabilities_of_sets(Y, c, hierarchy)
        wanted = condition(Y, p, possible)
        if wanted is not None:
            n_cases += 1
            found = condition_scores((p @ Y)[None], hierarchy, allowed)[0]
            np.testing.assert_allclose(found, wanted, atol=1e-9, rtol=0)
    assert n_cases > 30


@pytest.mark.slow
@pytest.mark.parametrize("most_parents", [1, 3])
def test_three_hundred_cases_of_up_to_twelve_labels(most_parents):
    rng = np.random.default_rng(7)
    for _ in range(150):
        hierarchy, allowed, possible = draw_case(rng, most_parents, 12)
        c = rng.random(hierarchy.n_nodes)
        Y = closed_sets(hierarchy)
        p = probabilities_of_sets(Y, c, hierarchy)
        found = condition_scores((p @ Y)[None], hierarchy, allowed)[0]
        np.testing.assert_allclose(found, condition(Y, p, possible), atol=1e-9, rtol=0)


@pytest.mark.parametrize("most_parents", [1, 3])
def test_one_path_as_by_enumeration(most_parents):
    rng = np.random.default_rng(most_parents)
    for _ in range(60):
        hierarchy, allowed, possible = draw_case(rng, most_parents, 12)
        ends = rng.random(hierarchy.n_nodes + 1) * (rng.random(hierarchy.n_nodes + 1) < 0.7) + 1e-6
        ends /= ends.sum()
        Y = paths(hierarchy)
        found = condition_scores((ends @ Y)[None], hierarchy, AllowedLabels(allowed, paths="one"))[0]
        np.testing.assert_allclose(found, condition(Y, ends, possible), atol=1e-9, rtol=0)


@given(st.data())
def test_what_holds_for_any_coherent_scores(data):
    hierarchy = data.draw(hierarchies(max_nodes=8))
    S = data.draw(score_matrices(hierarchy))
    flags = st.lists(st.booleans(), min_size=hierarchy.n_nodes, max_size=hierarchy.n_nodes).filter(any)
    allowed = np.array([data.draw(flags) for _ in S])
    for options in ({"paths": "many"}, {"paths": "one"}, {"renormalize": False}):
        found = condition_scores(S, hierarchy, AllowedLabels(allowed, **options))
        assert hierarchy.is_coherent(found)
        assert not found[~hierarchy.close(allowed)].any()
        assert found.min(initial=0) >= 0
        assert found.max(initial=0) <= 1
        alone = [condition_scores(s[None], hierarchy, AllowedLabels(a, **options))[0] for s, a in zip(S, allowed)]
        np.testing.assert_array_equal(found, alone)
        thin = condition_scores(sparse.csr_array(S), hierarchy, AllowedLabels(sparse.csr_array(allowed), **options))
        np.testing.assert_array_equal(thin.toarray(), found)
        everything = AllowedLabels(np.ones(hierarchy.n_nodes, bool), **options)
        np.testing.assert_array_equal(condition_scores(S, hierarchy, everything), S)
        assert condition_scores(S.astype(np.float32), hierarchy, AllowedLabels(allowed, **options)).dtype == np.float32


def test_beyond_what_fits_in_a_table_each_label_depends_on_one_parent():
    rng = np.random.default_rng(0)
    n_top = 14
    edges = [(f"n{u}", "below") for u in range(n_top)] + [("below", "last"), ("n0", "other")]
    hierarchy = Hierarchy.from_edges(edges)
    allowed = hierarchy.encode([["other", *(f"n{u}" for u in range(n_top))]], sparse_output=False)[0]
    assert plan_elimination(hierarchy, allowed.tobytes()) is None
    S = np.sort(rng.random((5, n_top)))[:, ::-1]
    S = np.hstack([S, S[:, -1:] / 2, S[:, -1:] / 4, S[:, :1] / 2])[
        :, np.argsort(hierarchy.indices([*(f"n{u}" for u in range(n_top)), "below", "last", "other"]))
    ]
    found = condition_scores(S, hierarchy, allowed)
    least, below = hierarchy.index(f"n{n_top - 1}"), hierarchy.index("below")
    c, s = S[:, below] / S[:, least], S[:, least]
    np.testing.assert_allclose(found[:, least], s * (1 - c) / (1 - s + s * (1 - c)))
    assert hierarchy.is_coherent(found)


def test_what_needs_something_else_that_is_forbidden_does_not_matter(monkeypatch):
    diamond = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    allowed = np.array([name == "a" for name in diamond.names])
    S = np.array([[0.4, 0.9, 0.3]])
    exact = condition_scores(S, diamond, allowed)
    monkeypatch.setattr("truepath.combiners.conditioning.plan_elimination", lambda *given: None)
    np.testing.assert_allclose(condition_scores(S, diamond, allowed), exact)
    np.testing.assert_allclose(exact, S * allowed)


def test_a_row_that_is_certain_of_something_forbidden_keeps_what_else_is_certain():
    certain = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.5]])
    for options in ({"paths": "many"}, {"paths": "one"}):
        found = condition_scores(certain[:1], H, AllowedLabels(["a/2", "b"], **options))
        np.testing.assert_array_equal(found, [[1.0, 0.0, 0.0, 0.0]])
    diamond = Hierarchy.from_edges([("a", "c"), ("b", "c")])
    found = condition_scores([[1.0, 1.0, 1.0]], diamond, AllowedLabels([True, True, False]))
    assert np.isfinite(found).all()
    assert found[0, 2] == 0


def test_scores_that_are_no_probabilities_can_only_be_masked():
    with pytest.raises(ValueError, match=r"renormalize=False"):
        condition_scores([[-1.0, -2.0, -3.0, 2.0]], H, ["b"])
    found = condition_scores([[-1.0, -2.0, -3.0, 2.0]], H, AllowedLabels(["b"], renormalize=False))
    assert found.tolist() == [[0.0, 0.0, 0.0, 2.0]]


def test_sets_found_before_are_taken_as_they_are():
    sets = AllowedLabels(["a/2", "b"]).resolve(H, 1)
    np.testing.assert_array_equal(condition_scores(S, H, sets), restrict_scores(S, H, sets))

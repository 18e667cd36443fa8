"""What combiners make of contributions: they add up to the combined score, and come from the scores it is made of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import hierarchies, trees
from truepath import Hierarchy
from truepath.adapters.contributions import Contributions, ScorePart
from truepath.combiners import FAEL, Blend, FAELBlend, Isotonic, KernelFAEL, MaxUp, MinDown, PathProduct
from truepath.registry import COMBINERS

MEMBERS = [member for member in COMBINERS.members() if hasattr(member(), "contributions")]
TREES_ONLY = {member.name for member in MEMBERS if "a tree" in member.needs}


def make_part(n_nodes, seed):
    """Scores of one row that are linear in three features, in [0, 1]."""
    rng = np.random.default_rng(seed)
    base, values = rng.uniform(0.3, 0.7, n_nodes), rng.uniform(-0.1, 0.1, (3, n_nodes)).round(3)
    return ScorePart(base + values.sum(axis=0), lambda v: Contributions(v, values[:, v], base[np.asarray(v)], "linear"))


def make_fitted(member, h, n_sources=1, seed=0):
    rng = np.random.default_rng(seed)
    Y = h.close(rng.random((12, h.n_nodes)) < 0.4)
    parts = [np.clip(0.4 * Y + 0.6 * rng.random(Y.shape), 0, 1) for _ in range(n_sources)]
    options = {"gamma": 0.5} if member is KernelFAEL else {}
    return member(hierarchy=h, **options).fit(parts if n_sources > 1 else parts[0], Y)


@pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
@settings(max_examples=15)
@given(data=st.data())
def test_they_add_up_to_the_score(member, data):
    h = data.draw((trees if member.name in TREES_ONLY else hierarchies)(max_nodes=7))
    nodes = data.draw(st.lists(st.integers(0, h.n_nodes - 1), min_size=1, max_size=4, unique=True))
    n_sources = 2 if getattr(member, "accepts_many", False) else 1
    combiner = make_fitted(member, h, n_sources)
    parts = [make_part(h.n_nodes, seed) for seed in range(n_sources)]
    found = combiner.contributions(parts, nodes)
    S = [part.scores[None, :] for part in parts]
    assert found.nodes.tolist() == nodes
    np.testing.assert_allclose(found.output, combiner.transform(S if n_sources > 1 else S[0])[0, nodes], atol=1e-9)


@pytest.mark.parametrize(
    ("member", "related", "choose"), [(MaxUp, "descendants", np.argmax), (MinDown, "ancestors", np.argmin)]
)
@given(h=hierarchies(max_nodes=8), seed=st.integers(0, 9))
def test_corrections_pass_on_those_of_the_score_that_counts(member, related, choose, h, seed):
    part = make_part(h.n_nodes, seed)
    found, own = member(hierarchy=h).contributions([part], range(h.n_nodes)), part.everything()
    for v in range(h.n_nodes):
        others = np.append(v, getattr(h, related)(v))
        counts = others[choose(part.scores[others])]
        np.testing.assert_array_equal(found.values[:, v], own.values[:, counts])


def test_the_projection_passes_on_the_means_of_what_it_joins():
    h = Hierarchy.from_paths(["a/b", "c"])
    a, b, c = h.index("a"), h.index("a/b"), h.index("c")
    scores, values = np.empty(3), np.zeros((3, 3))
    scores[[a, b, c]] = 0.2, 0.6, 0.9
    values[[0, 1, 2], [a, b, c]] = 0.1, 0.5, 0.8
    part = ScorePart(scores, lambda v: Contributions(v, values[:, v], np.full(len(v), 0.1), "linear"))
    found = Isotonic(hierarchy=h).contributions([part], [c, b, a])
    np.testing.assert_allclose(found.values.T, [[0, 0, 0.8], [0.05, 0.25, 0], [0.05, 0.25, 0]])
    np.testing.assert_allclose(found.output, [0.9, 0.4, 0.4])


@pytest.mark.parametrize("dag", ["min", "all"])
def test_products_share_what_two_factors_make_together(dag):
    """Shapley values of a product of two numbers, each with features of its own."""
    h = Hierarchy.from_paths(["a/b"])
    values = np.array([[0.3, 0.0], [0.0, 0.4]])
    part = ScorePart(np.array([0.8, 0.6]), lambda v: Contributions(v, values[:, v], np.array([0.5, 0.2])[v], "linear"))
    found = PathProduct(hierarchy=h, dag=dag).contributions([part], [1])
    first = ((0.8 - 0.5) * 0.2 + (0.8 - 0.5) * 0.6) / 2
    second = ((0.6 - 0.2) * 0.5 + (0.6 - 0.2) * 0.8) / 2
    np.testing.assert_allclose(found.values[:, 0], [first, second])
    assert found.base[0] == pytest.approx(0.5 * 0.2)


def test_a_blend_adds_up_its_sources_by_their_weights():
    h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    blend = make_fitted(Blend, h, 2).set_params(project=None)
    parts = [make_part(h.n_nodes, seed) for seed in range(2)]
    found, weights = blend.contributions(parts, [2, 0]), blend.source_weights()[[2, 0]]
    expected = sum(part.contributions(np.array([2, 0])).values * weights[:, k] for k, part in enumerate(parts))
    np.testing.assert_allclose(found.values, expected)


@given(h=hierarchies(max_nodes=7), seed=st.integers(0, 9))
def test_all_ancestors_are_factors(h, seed):
    part = make_part(h.n_nodes, seed)
    found = PathProduct(hierarchy=h, dag="all").contributions([part], range(h.n_nodes))
    np.testing.assert_allclose(
        found.output, [part.scores[np.append(v, h.ancestors(v))].prod() for v in range(h.n_nodes)]
    )


def test_votes_and_the_intercept_are_the_score_before_it_is_made_coherent():
    h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    model = make_fitted(FAEL, h).set_params(project=None)
    scores = make_part(h.n_nodes, 0).scores
    votes = model.votes(scores, [3, 1])
    expected = model.transform(scores[None, :])[0, [3, 1]]
    np.testing.assert_allclose(np.clip(votes.sum(axis=0) + np.asarray(model.intercept_)[[3, 1]], 0, 1), expected)


@pytest.mark.parametrize("step", ["add new under a", "merge a/1; a/2 into both"])
def test_a_blend_for_a_changed_hierarchy_adds_up_too(step):
    h = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
    diff = h.edit().apply(step).diff()
    blend = make_fitted(FAELBlend, h, 2).update(diff)
    parts = [make_part(diff.new.n_nodes, seed) for seed in range(2)]
    nodes = list(range(diff.new.n_nodes))
    expected = blend.transform([part.scores[None, :] for part in parts])[0]
    np.testing.assert_allclose(blend.contributions(parts, nodes).output, expected, atol=1e-9)
    assert not blend.is_scored_.all()

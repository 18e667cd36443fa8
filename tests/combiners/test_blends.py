"""Blends of several sources: what they are given, what they say about themselves, and how they follow a hierarchy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from truepath import Hierarchy
from truepath.combiners import FAEL, Blend, FAELBlend, GreedyBlend, KernelFAEL

TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2"])


def make_sources(h=TREE, noises=(0.2, 0.5), n_rows=60, seed=0):
    rng = np.random.default_rng(seed)
    Y = h.close(rng.random((n_rows, h.n_nodes)) < 0.2)
    return [np.clip(0.5 * Y + noise * rng.random(Y.shape), 0, 1) for noise in noises], Y


@pytest.mark.parametrize("groups", [[0, 1], np.zeros((6, 1), int), np.zeros(6), "leaf"])
def test_groups_that_are_not_one_number_per_node_are_refused(groups):
    S, Y = make_sources()
    with pytest.raises(ValueError, match="groups must"):
        Blend(groups, hierarchy=TREE).fit(S, Y)


def test_nodes_of_one_group_share_the_weights_of_their_least_squares():
    S, Y = make_sources()
    groups = np.array([7, 7, 3, 3, 7, 7])
    blend = Blend(groups, hierarchy=TREE, project=None).fit(S, Y)
    for g in (3, 7):
        nodes = groups == g
        plain = LinearRegression(fit_intercept=False, positive=True)
        plain.fit(np.column_stack([part[:, nodes].ravel() for part in S]), Y[:, nodes].ravel())
        np.testing.assert_allclose(blend.source_weights()[nodes], np.tile(plain.coef_, (nodes.sum(), 1)), atol=1e-9)


def test_sources_without_any_score_get_no_weight():
    Y = make_sources()[1]
    assert not Blend(hierarchy=TREE).fit([np.zeros(Y.shape)] * 2, Y).weights_.any()


@pytest.mark.parametrize("kind", [Blend, GreedyBlend, FAEL, FAELBlend])
def test_a_dense_and_a_sparse_source_are_the_same_as_two_dense_ones(kind):
    S, Y = make_sources()
    S[1][S[1] < 0.2] = 0
    mixed = [S[0], sparse.csr_array(S[1])]
    expected = kind(hierarchy=TREE).fit(S, Y).transform(S)
    np.testing.assert_allclose(kind(hierarchy=TREE).fit(mixed, Y).transform(mixed), expected, atol=1e-12)


def test_a_wrong_score_is_told_with_its_matrix():
    S, Y = make_sources()
    S[1][3, 2] = np.nan
    with pytest.raises(ValueError, match=r"S\[1\]"):
        Blend(hierarchy=TREE).fit(S, Y)
    with pytest.raises(ValueError, match=r"(?<!\])\bS\b(?!\[)"):
        FAEL(hierarchy=TREE).fit(S[1], Y)


@pytest.mark.parametrize("kind", [Blend, GreedyBlend, FAEL, FAELBlend])
def test_what_sources_count_is_known_after_fit_only(kind):
    with pytest.raises(NotFittedError):
        kind(hierarchy=TREE).source_weights()
    S, Y = make_sources()
    assert kind(hierarchy=TREE).fit(S, Y).source_weights().shape == (TREE.n_nodes, 2)


@pytest.mark.parametrize("groups", ["global", "level", "node"])
def test_the_sources_of_a_fael_blend_count_one_together(groups):
    S, Y = make_sources()
    blend = FAELBlend(groups, hierarchy=TREE).fit(S, Y)
    weights = blend.source_weights()
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    final, base = blend.final_.source_weights(), blend.blend_.source_weights()
    np.testing.assert_allclose(weights, final[:, :2] + final[:, 2:].sum(axis=1)[:, None] * base)
    assert [one.name for one in blend.tried_] == ["linear FAEL", "kernel FAEL"]
    np.testing.assert_allclose([one.weight for one in blend.tried_], blend.weights_[:, 2:].mean(axis=0))


def test_weights_of_rows_decide_between_sources():
    """The source that is right where rows count."""
    rng = np.random.default_rng(1)
    Y = TREE.close(rng.random((80, TREE.n_nodes)) < 0.3)
    good, noise = 0.8 * Y, rng.random(Y.shape)
    first = np.arange(80)[:, None] < 40
    S = [np.where(first, good, noise), np.where(first, noise, good)]
    for counts, best in (([5.0, 1.0], 0), ([1.0, 5.0], 1)):
        weight = np.repeat(counts, 40)
        blend = GreedyBlend(hierarchy=TREE).fit(S, Y, sample_weight=weight)
        again = GreedyBlend(hierarchy=TREE).fit(
            [np.repeat(part, weight.astype(int), axis=0) for part in S], np.repeat(Y, weight.astype(int), axis=0)
        )
        assert blend.weights_[0].argmax() == best
        np.testing.assert_allclose(blend.weights_, again.weights_)


def test_levels_are_not_told_apart_where_a_half_has_no_positive():
    S = [np.full((2, TREE.n_nodes), 0.5), np.full((2, TREE.n_nodes), 0.25)]
    Y = np.zeros((2, TREE.n_nodes), bool)
    Y[0, 0] = True
    assert GreedyBlend("auto", hierarchy=TREE).fit(S, Y).weights_.shape == (1, 2)


def test_a_merged_label_lends_equal_parts_and_a_split_one_is_the_sum_of_its_parts():
    S, Y = make_sources()
    blend = FAELBlend(hierarchy=TREE).fit(S, Y)
    diff = TREE.edit().merge(["a/1", "a/2"], into="both").split("b/1", ["x", "y"]).diff()
    new = diff.new
    scores = np.linspace(0.1, 0.9, new.n_nodes)
    read = blend.update(diff).reads_.T @ scores  # what each old label is read from
    both, x, y, other = (scores[new.index(name)] for name in ("both", "x", "y", "b/2"))
    expected = {"a/1": both / 2, "a/2": both / 2, "b/1": x + y, "b/2": other}
    assert {name: pytest.approx(read[TREE.index(name)]) for name in expected} == expected


@pytest.mark.parametrize("spread", [0.0, 0.3])
def test_gamma_is_one_over_the_variance_of_all_scores(spread):
    h = Hierarchy.flat(5)
    S = 0.1 + spread * np.random.default_rng(0).random((40, 5))
    made = KernelFAEL(hierarchy=h, gamma="scale").fit(S, S > 0.2)
    assert made.gamma_ == pytest.approx(1 / (5 * S.var()) if spread else 1.0)
    of_sparse = KernelFAEL(hierarchy=h, gamma="scale").fit(sparse.csr_array(S), S > 0.2)
    assert of_sparse.gamma_ == pytest.approx(made.gamma_)

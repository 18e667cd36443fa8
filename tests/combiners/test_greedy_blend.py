"""Greedy blends against a literal forward selection, and FAEL on top of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import average_precision_score

from truepath import Hierarchy
from truepath.combiners import Blend, FAELBlend, GreedyBlend

TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2", "c"])


def make_sources(noises, n_rows=60, seed=0):
    """Draw labels, and scores that are the labels under noise."""
    rng = np.random.default_rng(seed)
    Y = TREE.close(rng.random((n_rows, TREE.n_nodes)) < 0.15)
    return [np.clip(0.5 * Y + rng.normal(0.2, noise, Y.shape), 0, 1).astype(np.float32) for noise in noises], Y


def plain_selection(sources, Y, n_steps, patience):
    """Forward selection with replacement, literally."""
    chosen, best, result = [], -1.0, None
    since = 0
    for _ in range(n_steps):
        areas = [
            average_precision_score(Y.ravel(), sum(sources[k] for k in [*chosen, j]).ravel())
            for j in range(len(sources))
        ]
        chosen.append(int(np.argmax(areas)))
        since += 1
        if max(areas) > best:
            best, result, since = max(areas), np.bincount(chosen, minlength=len(sources)) / len(chosen), 0
        if since == patience:
            break
    return result, best


@pytest.mark.parametrize("seed", range(3))
def test_equals_the_literal_selection(seed):
    sources, Y = make_sources([0.3, 0.35, 0.6], seed=seed)
    blend = GreedyBlend(hierarchy=TREE, n_steps=8).fit(sources, Y)
    weights, area = plain_selection(sources, Y, 8, 4)
    assert_array_equal(blend.weights_[0], weights)
    assert blend.area_ == pytest.approx(area, abs=1e-6)


@pytest.mark.parametrize("seed", [1, 45])
def test_the_selection_ends_after_four_steps_without_a_gain(seed):
    """The best weights come after three steps without a gain; a fifth would find better ones for seed 45 only."""
    sources, Y = make_sources([0.3, 0.35, 0.6], n_rows=30, seed=seed)
    found = GreedyBlend(hierarchy=TREE, n_steps=15).fit(sources, Y).weights_[0]
    sooner, right, later = (plain_selection(sources, Y, 15, patience)[0].tolist() for patience in (3, 4, 5))
    assert found.tolist() == right != sooner
    assert (right != later) == (seed == 45)


def test_a_blend_is_no_worse_than_its_best_source():
    sources, Y = make_sources([0.3, 0.5])
    best = max(average_precision_score(Y.ravel(), S.ravel()) for S in sources)
    assert GreedyBlend(hierarchy=TREE).fit(sources, Y).area_ >= best


def test_levels_get_their_own_weights_where_that_pays():
    rng = np.random.default_rng(0)
    sources, Y = make_sources([0.05, 0.05], n_rows=400)
    noise = rng.random(Y.shape).astype(np.float32)
    deep = TREE.depth > 1
    upper, lower = sources
    upper[:, deep], lower[:, ~deep] = noise[:, deep], noise[:, ~deep]  # each source knows one level
    blend = GreedyBlend("auto", hierarchy=TREE).fit([upper, lower], Y)
    assert blend.weights_.tolist() == [[1, 0], [0, 1]]
    same, Y = make_sources([0.3, 0.3])
    assert GreedyBlend("auto", hierarchy=TREE).fit([same[0], same[0]], Y).weights_.shape == (1, 2)


def test_many_cells_are_judged_on_a_part_of_the_rows():
    sources, Y = make_sources([0.3, 0.5], n_rows=300)
    few = GreedyBlend(hierarchy=TREE, max_cells=100 * TREE.n_nodes)
    assert few._draw_rows(*Y.shape).size == 100
    assert few.fit(sources, Y).weights_.shape == (1, 2)


def test_no_positive_gives_equal_weights():
    sources, Y = make_sources([0.3, 0.5])
    assert GreedyBlend(hierarchy=TREE).fit(sources, np.zeros_like(Y)).weights_.tolist() == [[0.5, 0.5]]


def plain_leaving_out(sources, Y, weights, max_loss):
    """Backward elimination, literally."""

    def area(some):
        return average_precision_score(Y.ravel(), sum(w * S for w, S in zip(some, sources)).ravel())

    least = area(weights) - max_loss
    while np.count_nonzero(weights) > 1:
        fewer = [np.where(np.arange(weights.size) == k, 0, weights) for k in np.flatnonzero(weights)]
        best = max(fewer, key=area)
        if area(best) < least:
            break
        weights = best / best.sum()
    return weights


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("max_loss", [0.001, 0.02])
def test_sources_that_hardly_count_are_left_out(seed, max_loss):
    sources, Y = make_sources([0.3, 0.33, 0.36, 0.4], seed=seed)
    whole, pruned = (GreedyBlend(hierarchy=TREE, max_loss=loss).fit(sources, Y) for loss in (0.0, max_loss))
    expected = plain_leaving_out([S.astype(float) for S in sources], Y, whole.weights_[0], max_loss)
    assert_allclose(pruned.weights_[0], expected)
    assert pruned.area_ >= whole.area_ - max_loss
    assert np.count_nonzero(pruned.weights_) <= np.count_nonzero(whole.weights_)


def test_what_another_source_is_made_of_stays():
    """Leaving it out would save nothing: the other one needs its scores anyway."""
    sources, Y = make_sources([0.3, 0.33, 0.36], seed=0)
    alone = GreedyBlend(hierarchy=TREE, max_loss=0.5).fit(sources, Y).weights_[0]
    best = int(np.argmax(alone))
    assert np.count_nonzero(alone) == 1
    made_of = np.zeros((3, 3), bool)
    made_of[best] = True
    whole = GreedyBlend(hierarchy=TREE).fit(sources, Y)
    kept = GreedyBlend(hierarchy=TREE, max_loss=0.5).fit(sources, Y, made_of=made_of)
    assert np.count_nonzero(whole.weights_) > 1
    assert kept.weights_.any(axis=0)[best] or np.count_nonzero(kept.weights_) == 1


def test_groups_of_nodes_lose_a_source_together():
    sources, Y = make_sources([0.3, 0.3, 0.6], n_rows=200)
    blend = GreedyBlend("level", hierarchy=TREE, max_loss=1.0).fit(sources, Y)
    assert np.count_nonzero(blend.weights_.any(axis=0)) == 1
    assert_allclose(blend.weights_.sum(axis=1), 1)


@pytest.mark.parametrize("kind", [GreedyBlend, FAELBlend])
def test_a_loss_is_not_negative(kind):
    sources, Y = make_sources([0.3, 0.5])
    with pytest.raises(ValueError, match="max_loss"):
        kind(hierarchy=TREE, max_loss=-0.1).fit(sources, Y)


@pytest.mark.parametrize("make", [lambda: Blend(hierarchy=TREE), lambda: FAELBlend(hierarchy=TREE, max_loss=0.05)])
def test_a_blend_without_sources_that_do_not_count_scores_the_same(make):
    sources, Y = make_sources([0.2, 0.9, 0.3, 0.9], n_rows=150)
    sources[1][:] = sources[3][:] = 0.0
    blend = make().fit(sources, Y)
    counting = np.flatnonzero(blend.source_weights().any(axis=0))
    assert 0 < counting.size < 4
    smaller, some = blend.take_sources(counting), [sources[k] for k in counting]
    assert_array_equal(smaller.transform(some), blend.transform(sources))
    assert_array_equal(smaller.source_weights(), blend.source_weights()[:, counting])
    changed = TREE.edit().rename("c", "d").diff()
    assert_array_equal(smaller.update(changed).transform(some), blend.update(changed).transform(sources))


def test_fael_on_top_learns_what_the_sources_cannot_say():
    """Label c is the opposite of a: no average of scores knows, a regression on all nodes does."""
    sources, Y = make_sources([0.2, 0.25], n_rows=300)
    Y[:, TREE.index("c")] = ~Y[:, TREE.index("a")]
    train, test = slice(0, 200), slice(200, None)
    rng = np.random.default_rng(1)
    for S in sources:
        S[:, TREE.index("c")] = rng.random(len(S))
    fael = FAELBlend(hierarchy=TREE)
    held_out = fael.fit_held_out([S[train] for S in sources], Y[train])
    plain = GreedyBlend(hierarchy=TREE).fit([S[train] for S in sources], Y[train])
    new = [S[test] for S in sources]
    gained, before = (average_precision_score(Y[test].ravel(), m.transform(new).ravel()) for m in (fael, plain))
    assert gained > before + 0.05
    assert fael.weights_[0, 2:].sum() > 0.3
    assert_allclose(fael.weights_.sum(axis=1), 1)
    assert held_out.shape == Y[train].shape
    assert TREE.is_coherent(held_out)


def test_rows_of_weight_zero_do_not_count():
    sources, Y = make_sources([0.2, 0.3], n_rows=80)
    weight = (np.arange(80) % 2).astype(float)
    weighted, half = FAELBlend(hierarchy=TREE), FAELBlend(hierarchy=TREE)
    held_out = weighted.fit_held_out(sources, Y, weight)
    held_out_of_half = half.fit_held_out([S[1::2] for S in sources], Y[1::2])
    assert_allclose(weighted.transform(sources), half.transform(sources), atol=1e-6)
    assert_allclose(held_out[1::2], held_out_of_half, atol=1e-6)

"""Greedy blends against a literal forward selection, and FAEL on top of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import average_precision_score

from truepath import Hierarchy
from truepath.combiners import FAELBlend, GreedyBlend

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

"""Boosted trees as a learner: rounds against the definition, scores, missing values, categories, early stopping."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit

from learners_room import DAG, TREE, make_data
from oracles_boosted import log_odds, raised, steps
from strategies import hierarchies
from truepath.errors import TruePathError
from truepath.learners import BoostedTrees
from truepath.learners.boosted import rounds as rounds_of
from truepath.learners.boosted import training
from truepath.learners.boosted.bins import bin_table
from truepath.learners.boosted.growth import Rules
from truepath.learners.boosted.rounds import Rounds, RoundSettings
from truepath.learners.boosted.targets import TrainedOn
from truepath.metrics import auprc


def make_rounds(seed, n_rows=40, n_labels=5, n_jobs=None, l2=0.1):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(n_rows, 3)), sparse.csr_array(rng.random((n_rows, n_labels)) < 0.3)
    weight = rng.integers(1, 3, n_rows).astype(float)
    settings = RoundSettings(0.3, l2, 1.0, 3, 7, 64, Rules(6, 2.0), n_jobs)
    base = np.linspace(-2, 2, n_labels)
    table = bin_table(X, {}, weight, 64, None)
    given = (table, Y, TrainedOn.all_of(Y), weight, np.linspace(0.5, 1, n_labels))
    return Rounds(*given, base, settings, rng), Y.toarray(), weight


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), n_rows=st.integers(2, 90), n_labels=st.sampled_from([1, 5, 64, 65, 300]))
def test_rounds_do_as_defined(seed, n_rows, n_labels):
    """Steps, probabilities and the sketch after a round are what sums over rows and labels say."""
    rounds, Y, weight = make_rounds(seed, n_rows, n_labels)
    for _ in range(3):
        before = np.hstack(rounds.blocks)[:, :n_labels].astype(float)
        (done,) = rounds.run(1)
        leaf_of = done.tree.leaf_of
        more, fewer = (steps(before, Y, weight, leaf_of, 0.1, 0.3, 0.02 * factor) for factor in (0.99, 1.01))
        found = np.where(more == fewer, done.steps[: len(more)], more)  # where rounding decides, either will do
        np.testing.assert_allclose(found[np.unique(leaf_of)], more[np.unique(leaf_of)], atol=2e-3)
        odds = np.log(before / (1 - before)) + done.steps[leaf_of]
        P = np.hstack(rounds.blocks)[:, :n_labels]
        np.testing.assert_allclose(P, expit(odds), atol=2e-6)
        for c in range(7):
            mine = rounds.cell_of[np.arange(n_labels) % 64] == c
            wanted = ((Y - P)[:, mine] * rounds.signs[:n_labels][mine]).sum(axis=1) * weight
            np.testing.assert_allclose(rounds.sketch[:, c], wanted, atol=1e-3)
        np.testing.assert_array_equal(rounds.sketch[:, 7], weight)


def test_squares_of_a_sketch_are_those_of_the_gradients_on_average():
    rounds, Y, weight = make_rounds(0, 6, 90)
    P = np.hstack(rounds.blocks)[:, :90]
    true = ((weight[:, None] * (Y - P)) ** 2 * np.linspace(0.5, 1, 90)).sum(axis=1)
    found = np.mean([(rounds._sketch_anew()[:, :7] ** 2).sum(axis=1) for _ in range(3000)], axis=0)
    np.testing.assert_allclose(found, true, rtol=0.15)


def test_probabilities_never_stick():
    rounds, *_ = make_rounds(0)
    for _ in rounds.run(300):
        pass
    P = np.hstack(rounds.blocks)[:, :5]
    assert (P > 0).all()
    assert (P < 1).all()


@settings(max_examples=20, deadline=None)
@given(hierarchies(max_nodes=6), st.integers(0, 1000), st.booleans())
def test_scores_are_what_a_walk_down_the_trees_adds_up(h, seed, with_gaps):
    X, Y = make_data(h, n_samples=40, seed=seed)
    rng = np.random.default_rng(seed)
    X[:, 1] = rng.integers(0, 70, len(X))  # categories: more than bits in a word
    if with_gaps:
        X[rng.random(X.shape) < 0.2] = np.nan
    learner = BoostedTrees(hierarchy=h, max_iter=4, max_leaves=5, min_leaf_weight=1, categorical_features=[1]).fit(X, Y)
    new = np.concatenate([X, X[:3]])
    new[-3:, 1] = 99  # not seen
    coded = new.copy()
    values = learner.categories_[1]
    coded[:, 1] = [np.searchsorted(values, v) if v in values else np.nan for v in new[:, 1]]
    S = expit(log_odds(learner, coded))
    S = np.where(np.isfinite(learner.constant_), learner.constant_, S)
    np.testing.assert_allclose(learner.predict_proba(new), raised(S, h), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("h", [TREE, DAG], ids=["tree", "dag"])
def test_training_and_scoring_agree(h, monkeypatch):
    """What a round believes of its rows is what the kept trees say of them."""
    kept = []
    monkeypatch.setattr(training, "Rounds", lambda *args: kept.append(Rounds(*args)) or kept[-1])
    X, Y = make_data(h, n_samples=120)
    X[::5, 2] = np.nan
    learner = BoostedTrees(hierarchy=h, max_iter=30, max_leaves=8).fit(X, Y)
    believed = np.hstack(kept[-1].blocks)[:, : h.n_nodes]
    S = expit(training.sum_steps(learner.trees_, X, {}, learner.base_))
    np.testing.assert_allclose(S, np.clip(believed, 1e-7, 1 - 1e-6), atol=1e-5)


def test_threads_have_the_same_bits(monkeypatch):
    monkeypatch.setattr(rounds_of, "LEAST_WORK", 0)
    monkeypatch.setattr(rounds_of, "BLOCK", 64)
    (one, *_), (two, *_) = (make_rounds(0, 100, 300, n_jobs=n) for n in (1, 2))
    for a, b in zip(one.run(5), two.run(5)):
        np.testing.assert_array_equal(a.steps, b.steps)
    np.testing.assert_array_equal(one.sketch, two.sketch)


def test_held_out_scores_do_not_know_their_rows():
    """Labels by chance: held-out scores are no better than chance, those of the fit are."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(300, 6)), TREE.close(rng.random((300, TREE.n_nodes)) < 0.2)
    learner = BoostedTrees(hierarchy=TREE, max_iter=60)
    S = learner.fit_held_out(X, Y)
    chance = Y.mean()
    assert auprc(Y, learner.predict_proba(X)) > 2 * chance
    assert auprc(Y, S) < 1.25 * auprc(Y, np.tile(Y.mean(axis=0), (300, 1)))


def test_held_out_scores_are_those_of_a_fit_on_the_others(monkeypatch):
    monkeypatch.setattr(training, "MOST_SCORES", 0)  # one part alone
    X, Y = make_data(TREE, n_samples=100)
    learner = BoostedTrees(hierarchy=TREE, max_iter=5)
    S = learner.fit_held_out(X, Y)
    left_out = np.isfinite(S[:, 0])
    assert left_out.sum() == 20
    np.testing.assert_array_equal(
        learner.predict_proba(X), BoostedTrees(hierarchy=TREE, max_iter=5).fit(X, Y).predict_proba(X)
    )
    given = BoostedTrees(hierarchy=TREE, max_iter=5)._take(X, Y, None, None).take(np.flatnonzero(~left_out))
    trees, base, _ = training.grow_trees(given, learner._settings(given), learner._stopping())
    margins = training.sum_steps(trees, X[left_out], {}, base)
    np.testing.assert_allclose(S[left_out], learner._to_scores(margins), rtol=1e-6)


def test_groups_are_left_out_together():
    X, Y = make_data(TREE, n_samples=60)
    X, Y, groups = np.repeat(X, 2, axis=0), np.repeat(Y, 2, axis=0), np.repeat(np.arange(60), 2)
    Y = np.random.default_rng(0).permutation(Y[::2]).repeat(2, axis=0)  # labels by chance, alike within groups
    learner = BoostedTrees(hierarchy=TREE, max_iter=40, learning_rate=0.3, min_leaf_weight=1)
    apart, together = (learner.fit_held_out(X, Y, groups=g) for g in (None, groups))
    assert auprc(Y, apart) > auprc(Y, together) + 0.2


def test_stopping_early_keeps_the_best_round():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    Y = TREE.close((X @ rng.normal(size=(5, TREE.n_nodes)) + 2 * rng.normal(size=(400, TREE.n_nodes))) > 1.5)
    learner = BoostedTrees(hierarchy=TREE, learning_rate=0.3, n_iter_no_change=40).fit(X, Y)
    assert 20 <= learner.n_iter_ < 300
    assert learner.n_iter_ % 20 == 0
    assert len(learner.trees_) == learner.n_iter_


def test_labels_deep_down_count_less():
    """Two columns explain a shallow label and a deep one equally well: weights choose the shallow one's."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 2)).astype(float)
    flat = np.zeros((400, TREE.n_nodes), bool)
    c, a1 = TREE.index("c"), TREE.index("a/1")
    flat[:, c], flat[:, a1], flat[:, TREE.index("a")] = X[:, 0], X[:, 1], True
    for w0, first in ((0.3, 0), (1.0, None)):
        learner = BoostedTrees(hierarchy=TREE, max_iter=10, max_leaves=2, w0=w0, subsample=1.0).fit(X, flat)
        asked = {tree.link[0, 0] for tree in learner.trees_[:2]}
        assert asked == {first} or first is None


def test_importances_find_the_columns_that_matter():
    X, Y = make_data(TREE, n_samples=300)
    X = np.column_stack([X, np.random.default_rng(1).normal(size=(300, 5))])
    learner = BoostedTrees(hierarchy=TREE, max_iter=30, learning_rate=0.1).fit(X, Y)
    assert learner.feature_importances_[:5].sum() > 0.7
    assert learner.feature_weights().shape == (10, TREE.n_nodes)
    assert learner.feature_weights("level").shape == (10, TREE.height)


@pytest.mark.parametrize("method", ["shapley", "path"])
def test_contributions_add_up_to_the_score(method):
    X, Y = make_data(DAG, n_samples=80)
    learner = BoostedTrees(hierarchy=DAG, max_iter=10, max_leaves=6).fit(X, Y)
    nodes = np.arange(DAG.n_nodes)
    for i in range(5):
        found = learner.contributions(X[i : i + 1], nodes, method=method)
        np.testing.assert_allclose(found.output, learner.predict_proba(X[i : i + 1])[0], atol=1e-9)


def test_a_table_that_does_not_fit_is_refused_before_anything_is_done(monkeypatch):
    monkeypatch.setattr(training, "os", SimpleNamespace(sysconf=lambda name: 10))
    X, Y = make_data(TREE)
    with pytest.raises(TruePathError, match="this machine has"):
        BoostedTrees(hierarchy=TREE).fit(X, Y)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_iter", 0),
        ("learning_rate", 0),
        ("max_leaves", 1),
        ("min_leaf_weight", -1),
        ("l2", 0),
        ("subsample", 1.5),
        ("max_features", 0),
        ("n_sketch", 8),
        ("max_bins", 256),
        ("w0", 0),
        ("n_iter_no_change", 0),
        ("validation_fraction", 1),
    ],
)
def test_errors_name_the_parameter(name, value):
    X, Y = make_data(TREE)
    with pytest.raises(ValueError, match=name):
        BoostedTrees(hierarchy=TREE, **{name: value}).fit(X, Y)

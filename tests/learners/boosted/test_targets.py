"""Boosted trees whose labels are learned from the rows of their parents, against the definition and its twins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import expit

from learners_room import DAG, TREE, make_data
from oracles import below_parents
from oracles_boosted import log_odds, steps
from oracles_combiners import path_product
from strategies import hierarchies
from truepath import Hierarchy
from truepath.learners import BoostedTrees
from truepath.learners.boosted import training
from truepath.learners.boosted.rounds import Rounds
from truepath.metrics import auprc

FEW = {"train_on": "parents", "max_iter": 6, "max_leaves": 5, "min_leaf_weight": 1, "learning_rate": 0.3}
BOTH = pytest.mark.parametrize("h", [TREE, DAG], ids=["tree", "dag"])


def watch_rounds(monkeypatch):
    """Return a list of the rounds that fits will make."""
    kept = []
    monkeypatch.setattr(training, "Rounds", lambda *given: kept.append(Rounds(*given)) or kept[-1])
    return kept


@settings(max_examples=25, deadline=None)
@given(hierarchies(max_nodes=7), st.integers(0, 1000))
def test_a_step_is_that_of_the_rows_that_have_the_parents(h, seed):
    X, Y = make_data(h, n_samples=40, seed=seed)
    weight = np.random.default_rng(seed).integers(1, 3, len(X)).astype(float)
    learner = BoostedTrees(hierarchy=h, subsample=1.0, **FEW)
    taken = learner._take(X, Y, weight, None)
    trains, counted = below_parents(Y, h), weight[:, None] * below_parents(Y, h)
    has, every = (weight[:, None] * Y).sum(axis=0), counted.sum(axis=0)
    base = np.log((has + 0.5) / (every - has + 0.5))
    np.testing.assert_allclose(taken.base(), base, atol=1e-12)
    table = training.bin_table(X, {}, weight, 64, None)
    rounds = taken.rounds(table, learner._settings(taken), base)
    for _ in range(3):
        before = np.hstack(rounds.blocks)[:, : h.n_nodes].astype(float)
        assert ((before > 0) == trains).all()
        (done,) = rounds.run(1)
        leaf_of = done.tree.leaf_of
        more, fewer = (steps(before, Y, weight, leaf_of, 0.1, 0.3, 0.02 * f, trains) for f in (0.99, 1.01))
        found = np.where(more == fewer, done.steps[: len(more)], more)  # where rounding decides, either will do
        np.testing.assert_allclose(found[np.unique(leaf_of)], more[np.unique(leaf_of)], atol=2e-3)


@settings(max_examples=25, deadline=None)
@given(hierarchies(max_nodes=7), st.integers(0, 1000), st.booleans())
def test_scores_are_products_of_what_the_trees_add_up(h, seed, with_gaps):
    X, Y = make_data(h, n_samples=40, seed=seed)
    if with_gaps:
        X[np.random.default_rng(seed).random(X.shape) < 0.2] = np.nan
    learner = BoostedTrees(hierarchy=h, **FEW).fit(X, Y)
    S, trains = expit(log_odds(learner, X)), below_parents(Y, h)
    S[:, (Y == trains).all(axis=0)] = 1.0  # all rows that train a label have it
    S[:, ~Y.any(axis=0)] = 0.0
    np.testing.assert_allclose(learner.predict_proba(X), path_product(S, h), rtol=1e-12, atol=1e-15)


@BOTH
def test_training_and_scoring_agree(h, monkeypatch):
    """What a round believes of the rows that train a label is what the kept trees say of them."""
    kept = watch_rounds(monkeypatch)
    X, Y = make_data(h, n_samples=120)
    X[::5, 2] = np.nan
    learner = BoostedTrees(hierarchy=h, train_on="parents", max_iter=30, max_leaves=8).fit(X, Y)
    believed, trains = np.hstack(kept[-1].blocks)[:, : h.n_nodes], below_parents(Y, h)
    S = expit(training.sum_steps(learner.trees_, X, {}, learner.base_))
    np.testing.assert_allclose(S[trains], np.clip(believed[trains], 1e-7, 1 - 1e-6), atol=1e-5)


def test_labels_without_parents_are_learned_from_all_rows():
    """On a flat set of labels both are the same, to the bit."""
    h = Hierarchy.flat(4)
    X, Y = make_data(h)
    one, other = (BoostedTrees(hierarchy=h, max_iter=20, train_on=rows).fit(X, Y) for rows in ("all", "parents"))
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_a_label_that_all_rows_of_its_parent_have_scores_as_the_parent():
    h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    X, Y = make_data(h, seed=3)
    Y[:, h.index("a/1")], Y[:, h.index("a/2")] = Y[:, h.index("a")], False
    S = BoostedTrees(hierarchy=h, train_on="parents", max_iter=20).fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(S[:, h.index("a/1")], S[:, h.index("a")])
    assert not S[:, h.index("a/2")].any()
    assert np.unique(S[:, h.index("a")]).size > 1


@settings(max_examples=15, deadline=None)
@given(hierarchies(max_nodes=6), st.integers(0, 1000))
def test_weights_are_repeated_rows(h, seed):
    X, Y = make_data(h, n_samples=30, seed=seed)
    weight = np.random.default_rng(seed).integers(0, 4, len(X))
    weight[0] = 1
    once, many = (BoostedTrees(hierarchy=h, subsample=1.0, **FEW) for _ in range(2))
    once.fit(X, Y, weight), many.fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0))
    np.testing.assert_allclose(once.predict_proba(X), many.predict_proba(X), atol=1e-5)


@BOTH
def test_sparse_rows_are_learned_from_as_dense_ones(h):
    X, Y = make_data(h, n_samples=100)
    X = np.where(X > 0.8, np.round(X), 0.0)
    dense, listed = (BoostedTrees(hierarchy=h, **FEW).fit(form(X), Y) for form in (np.asarray, sparse.csr_array))
    np.testing.assert_allclose(dense.predict_proba(X), listed.predict_proba(X), atol=1e-6)


@BOTH
@pytest.mark.parametrize("method", ["shapley", "path"])
def test_contributions_add_up_to_the_score(h, method):
    X, Y = make_data(h, n_samples=80)
    learner = BoostedTrees(hierarchy=h, **FEW).fit(X, Y)
    for row in X[:5, None]:
        found = learner.contributions(row, np.arange(h.n_nodes), method=method)
        np.testing.assert_allclose(found.output, learner.predict_proba(row)[0], atol=1e-9)
        np.testing.assert_allclose(found.base + found.values.sum(axis=0), found.output, atol=1e-9)


@BOTH
def test_update_finds_steps_again_from_the_rows_of_the_parents(h):
    X, Y = make_data(h, n_samples=120)
    learner = BoostedTrees(hierarchy=h, **FEW).fit(X, Y)
    same = learner.update(h.diff(h), X[::-1], Y[::-1])
    np.testing.assert_allclose(same.predict_proba(X), learner.predict_proba(X), atol=1e-5)
    diff = h.edit().remove(str(h.names[-1])).diff()
    fewer = diff.transfer(sparse.csr_array(Y)).toarray()
    assert auprc(fewer, learner.update(diff, X, fewer).predict_proba(X)) > 1.2 * fewer.mean()


def test_scores_of_rows_left_out_and_early_stopping_are_of_products():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    Y = TREE.close((X @ rng.normal(size=(5, TREE.n_nodes)) + rng.normal(size=(300, TREE.n_nodes))) > 1)
    learner = BoostedTrees(hierarchy=TREE, train_on="parents", max_iter=100, n_iter_no_change=20)
    S = learner.fit_held_out(X, Y)
    left_out = np.isfinite(S[:, 0])
    assert left_out.sum() == 30
    np.testing.assert_allclose(S[left_out], learner.predict_proba(X[left_out]), rtol=1e-5)
    scores = []
    for n_rounds in (20, learner.n_iter_, 100):
        given = BoostedTrees(hierarchy=TREE, train_on="parents", max_iter=n_rounds, learning_rate=0.15)
        given.fit(X[~left_out], Y[~left_out])
        scores.append(auprc(Y[left_out], given.predict_proba(X[left_out])))
    assert scores[1] == max(scores)


@pytest.mark.parametrize("value", ["labels", None, 1])
def test_other_rows_are_refused(value):
    X, Y = make_data(TREE)
    with pytest.raises(ValueError, match="train_on must be"):
        BoostedTrees(hierarchy=TREE, train_on=value).fit(X, Y)

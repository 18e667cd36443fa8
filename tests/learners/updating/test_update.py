"""Learners under a changed hierarchy: only what changed is learned, and nothing else moves by a bit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from truepath import Hierarchy
from truepath.learners import (
    BinaryRelevance,
    GlobalNaiveBayes,
    PCTForest,
    PCTree,
    PerNode,
    SparseLinear,
    update_learner,
)

H = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2"])


def rows(n_rows=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5))
    names = np.where(X[:, 0] > 0, np.where(X[:, 1] > 0, "a/1", "a/2"), np.where(X[:, 2] > 0, "b/1", "b/2"))
    return X, [[name] for name in names]


ONE_PER_LABEL = [
    SparseLinear(hierarchy=H, train_on="parents"),
    SparseLinear(hierarchy=H, train_on="all"),
    PerNode(LogisticRegression(), hierarchy=H),
    BinaryRelevance(LogisticRegression(), hierarchy=H),
]


@pytest.mark.parametrize("learner", ONE_PER_LABEL, ids=str)
def test_a_new_label_is_learned_and_no_other_changes(learner):
    X, labels = rows()
    learner.fit(X, H.encode(labels))
    diff = H.edit().add("a/3", "a").rename("b", "c").diff()
    fresh = [["a/3"] if x[3] > 1 and label[0] == "a/1" else [label[0].replace("b", "c")] for x, label in zip(X, labels)]
    new = update_learner(learner, diff, X, diff.new.encode(fresh))
    before, after = learner.predict_proba(X), new.predict_proba(X)
    old_names = [name.replace("c", "b") for name in diff.new.names if name != "a/3"]
    kept = diff.new.indices([name for name in diff.new.names if name != "a/3"])
    np.testing.assert_array_equal(after[:, kept], before[:, H.indices(old_names)])
    whole = type(learner)(**{**learner.get_params(deep=False), "hierarchy": diff.new}).fit(X, diff.new.encode(fresh))
    v = diff.new.index("a/3")
    truth = diff.new.encode(fresh)[:, v]
    assert after[truth, v].mean() > after[~truth, v].mean() + 0.1
    assert np.abs(after[:, v] - whole.predict_proba(X)[:, v]).mean() < 0.05


@pytest.mark.parametrize(
    "learner", [PCTree(hierarchy=H), PCTForest(hierarchy=H, n_estimators=8, random_state=0)], ids=str
)
def test_leaves_are_counted_again(learner):
    X, labels = rows()
    learner.fit(X, H.encode(labels))
    diff = H.edit().merge(["b/1", "b/2"], "b/12").add("b/3", "b").diff()
    Y = diff.transfer(H.encode(labels))
    Y[:20, diff.new.index("b/3")] = Y[:20, diff.new.index("b")]
    new = update_learner(learner, diff, X, Y)
    S = new.predict_proba(X)
    assert diff.new.is_coherent(S)
    np.testing.assert_allclose(S[:, diff.new.index("b/12")], S[:, diff.new.index("b")], atol=1e-6)
    assert np.abs(S[:, diff.new.index("a/1")] - learner.predict_proba(X)[:, H.index("a/1")]).mean() < 0.1
    few = update_learner(learner, diff, X[:3], Y[:3]).predict_proba(X)  # most leaves are reached by no row
    assert diff.new.is_coherent(few)
    assert few[:, diff.new.index("a")].mean() > 0.2


def test_what_is_refused():
    X, labels = rows(40)
    other = Hierarchy.flat(["p"]).edit().add("q").diff()
    learner = SparseLinear(hierarchy=H).fit(X, H.encode(labels))
    with pytest.raises(ValueError, match="does not start from"):
        update_learner(learner, other, X, labels)
    bayes = GlobalNaiveBayes(hierarchy=H).fit(X, H.encode(labels))
    with pytest.raises(ValueError, match="GlobalNaiveBayes cannot be updated"):
        update_learner(bayes, H.edit().add("d").diff(), X, labels)

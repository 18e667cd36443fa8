"""Held-out scores: one method of a learner, reached through pipelines, whoever wrote the learner."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from truepath import HierarchicalClassifier, Hierarchy
from truepath.adapters.fitting import fit_held_out, scores_own_rows
from truepath.errors import CapabilityError
from truepath.learners import BinaryRelevance, MultiLabelKernelRidge, PCTForest, Stack, TableBlend
from truepath.registry import LEARNERS

TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
DAG = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "c"), ("b", "c"), ("c", "d")])


def make_rows(hierarchy, n_rows=60, seed=0):
    rng = np.random.default_rng(seed)
    Y = hierarchy.close(rng.random((n_rows, hierarchy.n_nodes)) < 0.3)
    return Y + rng.normal(0, 0.6, Y.shape), Y


class MeanOfOthers(BaseEstimator):
    """Not of truepath: scores the share of rows that have a label; its own rows by all others."""

    def fit(self, X, y):
        self.share_ = y.mean(axis=0)
        return self

    def fit_held_out(self, X, y):
        self.fit(X, y)
        return (y.sum(axis=0) - y) / (len(y) - 1)

    def predict_proba(self, X):
        return np.tile(self.share_, (len(X), 1))


LEARNING = {
    "forest": PCTForest(n_estimators=25, random_state=0),
    "kernel": MultiLabelKernelRidge(gamma=1.0, alpha=0.5, n_folds=5),
    "stack": Stack([PCTForest(n_estimators=25, random_state=0), MeanOfOthers()], combiner="greedy-blend"),
    "blend": TableBlend(members=["forest", "kernel ridge, rbf"]),
}


@pytest.mark.parametrize("hierarchy", [TREE, DAG], ids=["tree", "dag"])
@pytest.mark.parametrize("name", LEARNING)
def test_a_fit_that_returns_held_out_scores_is_the_fit(name, hierarchy):
    X, Y = make_rows(hierarchy)
    alone = clone(LEARNING[name]).set_params(hierarchy=hierarchy)
    S = alone.fit_held_out(X, Y)
    assert S.shape == Y.shape
    again = clone(alone).fit(X, Y)
    assert np.array_equal(alone.predict_proba(X), again.predict_proba(X))
    assert not hasattr(alone, "held_out_scores_")  # nobody asked for it


def test_a_rows_own_labels_do_not_enter_its_held_out_scores():
    """The labels of one row are turned round: the scores of others may move, its own may not.

    Where every row is left out by itself: folds are dealt by labels.
    """
    X, Y = make_rows(TREE)
    other = Y.copy()
    other[7] = TREE.close(~Y[[7]])[0]
    for learner in (LEARNING["forest"], MultiLabelKernelRidge(gamma=1.0, alpha=0.5)):
        one, two = (clone(learner).set_params(hierarchy=TREE).fit_held_out(X, labels) for labels in (Y, other))
        np.testing.assert_allclose(one[7], two[7], atol=1e-9)
        assert np.abs(one - two).max() > 1e-3


def test_steps_of_a_pipeline_are_fitted_and_kept():
    X, Y = make_rows(TREE)
    pipeline = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), LEARNING["kernel"]))
    pipeline[-1][-1].set_params(hierarchy=TREE)
    held_out, fitted = fit_held_out(pipeline, X, Y)
    assert np.array_equal(held_out.rows, np.arange(len(X)))
    assert np.array_equal(fitted.predict_proba(X), clone(pipeline).fit(X, Y).predict_proba(X))
    rows = StandardScaler().fit_transform(StandardScaler().fit_transform(X))
    assert np.array_equal(held_out.S, clone(pipeline[-1][-1]).fit_held_out(rows, Y))
    assert not hasattr(pipeline[0], "mean_")


def test_a_learner_of_others_has_the_capability_by_having_the_method():
    X, Y = make_rows(TREE)
    assert scores_own_rows(MeanOfOthers())
    model = HierarchicalClassifier(MeanOfOthers(), hierarchy=TREE, cv="own").fit(X, Y)
    assert model.n_held_out_ == len(X)
    held_out, _ = fit_held_out(MeanOfOthers(), X, Y)
    assert np.allclose(held_out.S[0], np.delete(Y, 0, axis=0).mean(axis=0))


def test_what_cannot_is_refused_by_naming_what_can():
    X, Y = make_rows(TREE)
    assert not scores_own_rows(GridSearchCV(LEARNING["forest"], {"n_estimators": [2]}))  # it chose on all rows
    assert not scores_own_rows(PCTForest(bootstrap=False))
    with pytest.raises(CapabilityError, match="PCTForest") as refused:
        fit_held_out(BinaryRelevance(LogisticRegression(), hierarchy=TREE), X, Y)
    offering = {member.__name__ for member in LEARNERS.members() if hasattr(member, "fit_held_out")}
    assert set(refused.value.others) == offering >= {"PCTForest", "Stack", "TableBlend", "MultiLabelKernelRidge"}

"""Calibration, margins as probabilities, and what cannot score or weigh."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from learners_room import TREE, exclusive_data, logistic, make_data
from truepath import Hierarchy
from truepath.learners import BinaryRelevance, PerLevel, PerNode, PerParent

LOCAL = [PerNode, PerParent, PerLevel, BinaryRelevance]


class OnlyPredicts(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), int)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("cls", LOCAL)
def test_calibration_lowers_the_loss_of_a_sure_learner(cls, method):
    X, Y = make_data(TREE, n_samples=600, seed=2)
    tree = DecisionTreeClassifier(random_state=0)  # says 0 or 1
    train, test = slice(0, 400), slice(400, 600)

    def brier(calibrate):
        S = cls(tree, hierarchy=TREE, calibrate_each=calibrate).fit(X[train], Y[train]).predict_proba(X[test])
        return np.mean((S - Y[test]) ** 2)

    assert brier(method) < brier(None)


def test_calibration_needs_two_of_each():
    h = Hierarchy.flat(1)
    X, Y = np.arange(6.0)[:, None], np.array([[0], [0], [0], [0], [0], [1]])
    S = BinaryRelevance(logistic(), hierarchy=h, calibrate_each="sigmoid").fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(S, BinaryRelevance(logistic(), hierarchy=h).fit(X, Y).predict_proba(X))


def test_margins_become_probabilities():
    X, Y = exclusive_data()
    svm = LinearSVC(random_state=0)
    S = BinaryRelevance(svm, hierarchy=TREE).fit(X, Y).predict_proba(X)
    own = clone(svm).fit(X, Y[:, 0].astype(int)).decision_function(X)
    np.testing.assert_allclose(S[:, 0], expit(own))
    P = PerParent(svm, hierarchy=TREE).fit(X, Y).predict_conditional_proba(X)
    rows = Y[:, TREE.index("a")]
    below = TREE.children("a")
    target = np.where(Y[:, below].any(axis=1), Y[:, below].argmax(axis=1), 3)
    own = clone(svm).fit(X[rows], target[rows]).decision_function(X)
    np.testing.assert_allclose(P[:, below], softmax(own, axis=1)[:, :3])


def test_what_cannot_score_or_weigh_is_refused():
    X, Y = make_data(TREE)
    with pytest.raises(TypeError, match="neither predict_proba nor decision_function"):
        PerNode(OnlyPredicts(), hierarchy=TREE).fit(X, Y)
    with pytest.raises(ValueError, match="KNeighborsClassifier does not take it"):
        PerNode(KNeighborsClassifier(), hierarchy=TREE).fit(X, Y, sample_weight=np.ones(len(X)))
    with pytest.raises(ValueError, match="calibrate_each must be None"):
        PerNode(logistic(), hierarchy=TREE, calibrate_each="platt").fit(X, Y)
    pipeline = make_pipeline(SimpleImputer(), logistic())
    with pytest.raises(ValueError, match="last step of a pipeline inside calibration"):
        PerNode(pipeline, hierarchy=TREE, calibrate_each="sigmoid").fit(X, Y, sample_weight=np.ones(len(X)))

"""Learners of other libraries, as users have them: what the adapters must accept."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from truepath import Hierarchy
from truepath.learners import BinaryRelevance

TREE = Hierarchy.from_paths(["a/1", "a/2", "b/1", "c"])
DAG = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "c"), ("b", "c"), ("a", "d"), (None, "e")])


class Duck:
    """Only ``fit`` and ``predict_proba``: no parameters, no tags, no base class."""

    def __init__(self, shrink=0.0):
        self.shrink = shrink

    def fit(self, X, y):
        self.mean = np.asarray(y, float).mean(axis=0)
        self.weights = np.linalg.lstsq(np.asarray(X), np.asarray(y, float) - self.mean, rcond=None)[0]
        return self

    def predict_proba(self, X):
        return np.clip(np.asarray(X) @ self.weights * (1 - self.shrink) + self.mean, 0, 1)


class ListOfVectors(Duck):
    """One vector of scores per label."""

    def predict_proba(self, X):
        return list(super().predict_proba(X).T)


class MyClassifier(ClassifierMixin, BaseEstimator):
    """A classifier whose author set no tags: scikit-learn takes it as one for a single label."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        assert np.ndim(y) == 1
        self.share_ = float(np.mean(y))
        return self

    def predict_proba(self, X):
        return np.tile([1 - self.share_, self.share_], (len(X), 1))

    def predict(self, X):
        return np.full(len(X), self.share_ > 0.5).astype(int)


def logistic():
    return LogisticRegression(solver="liblinear")  # quick on few rows, whatever the number of threads


def search(estimator, **grid):
    return GridSearchCV(estimator, grid, cv=2)


FOREIGN = {
    "logistic": logistic,
    "svc": SVC,
    "mine": MyClassifier,
    "pipeline": lambda: make_pipeline(StandardScaler(), logistic()),
    "pipeline with selection": lambda: make_pipeline(SelectKBest(k=2), logistic()),
    "pipeline of pipelines": lambda: make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), logistic())),
    "search": lambda: search(logistic(), C=[1.0]),
    "search in a pipeline": lambda: make_pipeline(StandardScaler(), search(logistic(), C=[1.0])),
    "forest": lambda: RandomForestClassifier(10, random_state=0),
    "search over a forest": lambda: search(RandomForestClassifier(5, random_state=0), max_depth=[1, 3]),
    "search over ours": lambda: search(BinaryRelevance(logistic()), estimator__C=[1.0]),
    "neighbours": KNeighborsClassifier,
    "network": lambda: MLPClassifier((4,), solver="lbfgs", max_iter=20, random_state=0),
    "ridge": RidgeClassifier,
    "multi-output": lambda: MultiOutputClassifier(logistic()),
    "pipeline of multi-output": lambda: make_pipeline(StandardScaler(), MultiOutputClassifier(logistic())),
    "search over multi-output": lambda: search(MultiOutputClassifier(logistic()), estimator__C=[1.0]),
    "chain": lambda: ClassifierChain(logistic()),
    "chain of margins": lambda: ClassifierChain(SVC()),
    "one-vs-rest": lambda: OneVsRestClassifier(logistic()),
    "one-vs-rest of margins": lambda: OneVsRestClassifier(SVC()),
    "dummy": DummyClassifier,
    "duck": Duck,
    "list of vectors": ListOfVectors,
}
#: Those through which weights cannot reach anyone who would use them
WEIGHTLESS = {"mine", "neighbours", "duck", "list of vectors"}
WEIGHTLESS |= {name for name in FOREIGN if name.startswith(("chain", "one-vs-rest"))}


def make_data(hierarchy, n_samples=60, seed=0, constant=True):
    """Rows and labels that can be learned; the last label is never there, or there like the others."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 4))
    raw = X @ rng.normal(size=(4, hierarchy.n_nodes)) + rng.normal(size=(n_samples, hierarchy.n_nodes)) * 0.3
    raw = raw > np.quantile(raw, 0.8, axis=0)
    if constant:
        raw[:, -1] = False
    Y = hierarchy.close(raw)
    return X, Y

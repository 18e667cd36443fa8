"""Every learner of the room, ready to be fitted: a new member is tested by existing."""

from __future__ import annotations

import inspect

import numpy as np
from sklearn.linear_model import LogisticRegression

import truepath.learners as room
from truepath import Hierarchy
from truepath.learners import HierarchicalLearner, Policy

NOT_LEARNERS = {"HierarchicalLearner", "POLICIES", "Policy", "Stack"}  # a stack is made of learners: test_stack.py
LEARNERS = sorted(
    name
    for name in room.__all__
    if name not in NOT_LEARNERS
    and isinstance(getattr(room, name), type)
    and issubclass(getattr(room, name), HierarchicalLearner)
)
# Beside the estimator and the hierarchy: what keeps the suite quick and the answer well defined
SETTINGS = {
    "SiblingLasso": {"alpha": 0.02, "tol": 1e-10, "max_iter": 20_000},
    "AdaBoostMH": {"n_estimators": 20},
    "HAdaBoostMH": {"n_estimators": 20},
    "BaggedCutsetNetworks": {"n_estimators": 4, "random_state": 0},
    "PCTForest": {"n_estimators": 8, "random_state": 0},
}
TREES_ONLY = {"HMCLabelPowerset"}
OWN_BASE = {"AdaBoostMH", "HAdaBoostMH", "BaggedCutsetNetworks"}  # their base is no plain classifier
# Members that draw bootstrap samples or otherwise count rows: a weight of two is not the same as two rows
WEIGHT_IS_NOT_REPETITION = {
    "BaggedCutsetNetworks": "draws bootstrap samples of rows",
    "PCTForest": "draws bootstrap samples of rows",
}
# Members whose probabilities are smoothed: a label that all rows share is likely, not certain
SMOOTHED = {
    "BaggedCutsetNetworks",
    "BayesianChain",
    "ChowLiuTree",
    "CutsetNetwork",
    "NaiveBayesML",
    "RestrictedCutsetNetwork",
    "TreeAugmentedML",
}

TREE = Hierarchy.from_paths(["a/1", "a/2", "a/3", "b/1", "b/2", "c"])
DAG = Hierarchy.from_edges([(None, "a"), (None, "b"), ("a", "c"), ("b", "c"), ("a", "d"), ("c", "e"), ("d", "e")])
HIERARCHIES = {"tree": TREE, "dag": DAG, "flat": Hierarchy.flat(4), "one": Hierarchy.flat(["only"])}


def logistic(**options):
    return LogisticRegression(tol=1e-10, max_iter=5000, **options)


def make(name, hierarchy=None, **options):
    """Build a learner, with logistic regression where an estimator is wanted."""
    cls = getattr(room, name)
    parameters = inspect.signature(cls).parameters
    if "estimator" in parameters and name not in OWN_BASE:
        options.setdefault("estimator", logistic())
    options = {**SETTINGS.get(name, {}), **options}
    return cls(hierarchy=hierarchy, **{key: value for key, value in options.items() if key in parameters})


def make_data(hierarchy, n_samples=60, n_features=5, seed=0):
    """Draw features and closed labels that depend on them; every row has a label if it can."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    scores = X @ rng.normal(size=(n_features, hierarchy.n_nodes)) + rng.normal(size=(n_samples, hierarchy.n_nodes))
    Y = hierarchy.close(scores > 0.8)
    return X, Y


def cases():
    """Pairs (learner, kind of hierarchy) that fit together."""
    return [(name, kind) for name in LEARNERS for kind in HIERARCHIES if kind != "dag" or name not in TREES_ONLY]


__all__ = ["DAG", "HIERARCHIES", "LEARNERS", "SMOOTHED", "TREE", "Policy", "cases", "logistic", "make", "make_data"]

"""The forest: determinism, weights, out-of-bag scores, growth in steps, wrong parameters."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import average_precision_score

from truepath.learners import PCTForest, PCTree
from truepath.learners.trees import forest as forest_module

SETTINGS = [
    {},
    {"splitter": "random", "bootstrap": False, "max_features": None},
    {"max_features": None},
    {"tree_features": 0.5, "max_samples": 0.7},
    {"max_depth": 4},
    {"weighting": "sum_parent", "w0": 0.9, "min_impurity_decrease": 1e-3},
]


@pytest.mark.parametrize("setting", SETTINGS)
def test_same_bits_for_any_number_of_threads_and_in_steps(problem, setting):
    hierarchy, X, Y = problem
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    one = PCTForest(hierarchy=hierarchy, n_estimators=6, random_state=3, **setting).fit(X, Y).predict_proba(X)
    two = PCTForest(hierarchy=hierarchy, n_estimators=6, random_state=3, n_jobs=2, **setting).fit(X, Y).predict_proba(X)
    grown = PCTForest(hierarchy=hierarchy, n_estimators=2, random_state=3, warm_start=True, **setting).fit(X, Y)
    three = grown.set_params(n_estimators=6).fit(X, Y).predict_proba(X)
    assert np.array_equal(one, two)
    assert np.array_equal(one, three)
    assert not np.array_equal(
        one, PCTForest(hierarchy=hierarchy, n_estimators=6, random_state=4, **setting).fit(X, Y).predict_proba(X)
    )


def test_weights_equal_repetition(problem):
    hierarchy, X, Y = problem
    counts = np.random.default_rng(1).integers(0, 3, X.shape[0])
    repeated = np.repeat(np.arange(X.shape[0]), counts)
    weighted = PCTree(hierarchy=hierarchy).fit(X, Y, sample_weight=counts)
    copied = PCTree(hierarchy=hierarchy).fit(X[repeated], Y[repeated])
    assert np.allclose(weighted.predict_proba(X), copied.predict_proba(X), atol=1e-6)


def test_order_of_rows_does_not_matter(problem):
    hierarchy, X, Y = problem
    order = np.random.default_rng(2).permutation(X.shape[0])
    straight, shuffled = PCTree(hierarchy=hierarchy).fit(X, Y), PCTree(hierarchy=hierarchy).fit(X[order], Y[order])
    assert np.allclose(straight.predict_proba(X), shuffled.predict_proba(X), atol=1e-6)


def test_out_of_bag_scores_come_from_trees_that_did_not_see_the_row(problem):
    hierarchy, X, Y = problem
    forest = PCTForest(hierarchy=hierarchy, n_estimators=30, random_state=0)
    S = forest.fit_held_out(X, Y)
    assert S.shape == Y.shape
    assert not np.isnan(S).any()
    truth = Y.toarray().ravel()
    seen = average_precision_score(truth, forest.predict_proba(X).ravel())
    assert average_precision_score(truth, S.ravel()) < seen - 0.01
    assert np.array_equal(forest.predict_proba(X), clone(forest).fit(X, Y).predict_proba(X))
    few = PCTForest(hierarchy=hierarchy, n_estimators=1, random_state=0).fit_held_out(X, Y)
    assert 0.5 < np.isnan(few[:, 0]).mean() < 0.75  # drawn at least once: 63 %


def test_a_forest_whose_trees_see_every_row_does_not_offer_held_out_scores():
    assert not hasattr(PCTForest(bootstrap=False), "fit_held_out")
    assert hasattr(PCTForest(bootstrap=False, max_samples=0.5), "fit_held_out")


def test_interrupted_growth_goes_on(problem, monkeypatch):
    hierarchy, X, Y = problem
    forest = PCTForest(hierarchy=hierarchy, n_estimators=8, random_state=0, warm_start=True)
    grow, grown = forest_module.grow_tree, []

    def stop_at_five(*args):
        if len(grown) == 5:
            raise KeyboardInterrupt
        grown.append(grow(*args))
        return grown[-1]

    monkeypatch.setattr(forest_module, "grow_tree", stop_at_five)
    with pytest.raises(KeyboardInterrupt):
        forest.fit(X, Y)
    assert 1 <= len(forest.trees_) <= 5
    monkeypatch.undo()
    whole = PCTForest(hierarchy=hierarchy, n_estimators=8, random_state=0).fit(X, Y)
    assert np.array_equal(forest.fit(X, Y).predict_proba(X), whole.predict_proba(X))


def test_progress_goes_to_the_log(problem, caplog):
    hierarchy, X, Y = problem
    with caplog.at_level(logging.DEBUG, "truepath.learners.trees.forest"):
        PCTForest(hierarchy=hierarchy, n_estimators=2, random_state=0).fit(X, Y)
    assert len(caplog.records) == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"w0": 0}, "w0 must be"),
        ({"weighting": "mean"}, "weighting must be one of"),
        ({"min_leaf_weight": -1}, "min_leaf_weight must be"),
        ({"max_features": "half"}, "max_features must be"),
        ({"splitter": "worst"}, "splitter must be"),
        ({"missing": "drop"}, "missing must be"),
        ({"n_estimators": 0}, "n_estimators must be"),
        ({"categorical_features": [99]}, "categorical_features names column 99"),
    ],
)
def test_wrong_parameters_are_named(problem, changes, words):
    hierarchy, X, Y = problem
    with pytest.raises(ValueError, match=words):
        PCTForest(hierarchy=hierarchy, **{"n_estimators": 2, **changes}).fit(X, Y)

"""Learners of other libraries, in a classifier, a stack, a scorer and an experiment, on trees and DAGs."""

from __future__ import annotations

import logging
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from foreign_learners import DAG, FOREIGN, TREE, WEIGHTLESS, Duck, make_data
from truepath import Dataset, HierarchicalClassifier
from truepath.adapters.fitting import takes_weight, weight_argument
from truepath.adapters.prepare import find_hierarchy
from truepath.combiners import Blend
from truepath.data import Split
from truepath.experiments import run_experiment
from truepath.learners import BinaryRelevance, Stack
from truepath.metrics import auprc, get_scorer

QUIET = (
    "ignore:Label .* is present in all training examples",  # scikit-learn's one-vs-rest says so
    "ignore:.*score does not support sample_weight",
    "ignore:lbfgs failed to converge",
    "ignore:.*takes no sample_weight",
)
pytestmark = [pytest.mark.filterwarnings(line) for line in QUIET]
everyone = pytest.mark.parametrize("name", FOREIGN)
both = pytest.mark.parametrize(("hierarchy", "weighted"), [(TREE, False), (DAG, True)], ids=["tree", "DAG and weights"])


def weights(n):
    return np.random.default_rng(1).integers(1, 4, n).astype(float)


@everyone
@both
def test_in_the_classifier(name, hierarchy, weighted):
    X, Y = make_data(hierarchy)
    model = HierarchicalClassifier(FOREIGN[name](), hierarchy=hierarchy, cv=2)
    model.fit(X, Y, sample_weight=weights(len(X)) if weighted else None)
    S = model.predict_proba(X)
    assert S.shape == Y.shape
    assert hierarchy.is_coherent(S)
    assert S[:, -1].max() < 0.05  # never there in training
    assert hierarchy.is_closed(model.predict(X))
    assert auprc(Y, S) > (0.3 if name in ("dummy", "mine") else 0.7)


@everyone
@both
def test_in_a_stack(name, hierarchy, weighted):
    X, Y = make_data(hierarchy)
    stack = Stack([("it", FOREIGN[name]()), Duck()], combiner=Blend(), hierarchy=hierarchy, cv=2)
    S = stack.fit(X, Y, sample_weight=weights(len(X)) if weighted else None).predict_proba(X)
    assert S.shape == Y.shape
    assert hierarchy.is_coherent(S, tolerance=1e-9)
    assert auprc(Y, S) > (0.3 if name in ("dummy", "mine") else 0.7)


@everyone
def test_in_an_experiment(name, tmp_path):
    X, Y = make_data(TREE)
    parts = {"train": Split(X[:40], Y[:40]), "test": Split(X[40:], Y[40:])}
    ds = Dataset("mine", TREE, parts, feature_names=list("wxyz"))
    measures = ["auprc"] if name in ("duck", "list of vectors") else ["auprc", "micro_f1"]
    found = run_experiment({"datasets": [ds], "methods": {"it": FOREIGN[name]()}, "measures": measures}, tmp_path)
    assert [record.error for record in found.records] == [""]
    assert found.records[0].values["auprc"] > 0.3


@pytest.mark.parametrize("name", ["forest", "neighbours", "network", "one-vs-rest", "dummy", "search over a forest"])
def test_by_a_scorer(name):
    """At e4a3823 a label that was constant in training made the scorer of a metric of scores fail."""
    X, Y = make_data(TREE)
    found = cross_validate(FOREIGN[name](), X, Y.astype(int), scoring=get_scorer("auprc"), cv=2, error_score="raise")
    assert (found["test_score"] > 0.2).all()


def test_a_grid_search_scores_a_forest_with_a_constant_label():
    X, Y = make_data(TREE)
    search = GridSearchCV(FOREIGN["forest"](), {"max_depth": [1, 4]}, scoring=get_scorer("auprc"), cv=2)
    search.fit(X, Y.astype(int))
    assert search.best_score_ > 0.5
    assert get_scorer("auprc")(search, X, Y) > 0.8


@everyone
def test_what_takes_weights_is_asked_not_tried(name):
    assert takes_weight(FOREIGN[name]()) == (name not in WEIGHTLESS)


def test_weights_find_their_way():
    w = [1.0]
    nested = FOREIGN["pipeline of pipelines"]()
    assert weight_argument(nested, w) == {"pipeline__logisticregression__sample_weight": w}
    assert weight_argument(FOREIGN["search in a pipeline"](), w) == {"gridsearchcv__sample_weight": w}
    assert weight_argument(FOREIGN["search"](), w) == {"sample_weight": w}
    assert weight_argument(FOREIGN["multi-output"](), w) == {"sample_weight": w}
    assert weight_argument(Duck(), None) == {}
    with pytest.raises(ValueError, match="fit of estimator Duck does not take it"):
        weight_argument(Duck(), w)


# --------------------------------------------------------------------- what was found wrong at e4a3823


def test_a_pipeline_in_a_stack_gets_the_hierarchy_and_the_weights():
    """It was fitted on a flat hierarchy, and without the weights."""
    X, Y = make_data(TREE, constant=False)
    weight = np.where(np.arange(len(X)) < 30, 1.0, 0.0)
    pipeline = make_pipeline(StandardScaler(), BinaryRelevance(LogisticRegression()))
    stack = Stack([pipeline], combiner=Blend(), hierarchy=TREE, cv=2).fit(X, Y, sample_weight=weight)
    inside = stack.learners_[0][-1]
    assert inside.hierarchy_ is TREE
    scaled = StandardScaler().fit(X)
    alone = BinaryRelevance(LogisticRegression(), hierarchy=TREE).fit(scaled.transform(X[:30]), Y[:30])
    np.testing.assert_allclose(stack.learners_[0].predict_proba(X), alone.predict_proba(scaled.transform(X)), atol=1e-3)
    assert pipeline[-1].hierarchy is None  # the one given is left alone


def test_a_plain_classifier_is_fitted_once_per_label_and_the_log_says_so(caplog):
    X, Y = make_data(TREE)
    with caplog.at_level(logging.INFO, logger="truepath.adapters.prepare"):
        model = HierarchicalClassifier(LogisticRegression(C=7), hierarchy=TREE, cv=2).fit(X, Y)
    assert isinstance(model.learner_, BinaryRelevance)
    assert model.learner_.estimator.C == 7
    assert model.combiner_ is None  # BinaryRelevance is coherent by itself
    assert isinstance(model.learner, LogisticRegression)
    lines = [record.getMessage() for record in caplog.records]
    assert lines == ["LogisticRegression predicts one label: fitted once per label, by BinaryRelevance."]


def test_features_before_a_plain_classifier_are_made_once():
    X, Y = make_data(TREE)
    fits = []

    class Counted(StandardScaler):
        def fit(self, X, y=None, sample_weight=None):
            fits.append(len(X))
            return super().fit(X, y, sample_weight)

    pipeline = make_pipeline(Counted(), LogisticRegression())
    model = HierarchicalClassifier(pipeline, hierarchy=TREE, decoder="threshold").fit(X, Y)
    assert isinstance(model.learner_, Pipeline)
    assert fits == [60]


def test_a_scikit_learn_forest_is_scored_out_of_fold():
    """Its out-of-bag attributes are not those of PCTForest: asking for them crashed."""
    X, Y = make_data(TREE)
    model = HierarchicalClassifier(FOREIGN["forest"](), hierarchy=TREE).fit(X, Y)
    assert model.n_held_out_ == len(X)
    with pytest.raises(ValueError, match="cannot score its own training rows"):
        HierarchicalClassifier(FOREIGN["forest"](), hierarchy=TREE, cv="own").fit(X, Y)


def test_an_object_with_fit_and_predict_proba_is_copied_not_used_up():
    X, Y = make_data(TREE)
    given = Duck(shrink=0.1)
    model = HierarchicalClassifier(given, hierarchy=TREE, cv=2).fit(X, Y)
    assert model.learner_.shrink == 0.1
    assert model.learner_ is not given
    assert not hasattr(given, "mean")
    assert clone(model).learner.shrink == 0.1


def test_an_object_with_a_hierarchy_attribute_is_given_one():
    class Knows(Duck):
        hierarchy = None

    X, Y = make_data(TREE)
    model = HierarchicalClassifier(Knows(), hierarchy=TREE, cv=2).fit(X, Y)
    assert model.learner_.hierarchy is TREE
    assert Knows.hierarchy is None
    other = Knows()
    other.hierarchy = DAG
    with pytest.raises(ValueError, match="has another hierarchy"):
        HierarchicalClassifier(other, hierarchy=TREE, cv=2).fit(X, Y)


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (LogisticRegression, r"is the class LogisticRegression, not an object: write LogisticRegression\(...\)"),
        (3, "must have fit and predict_proba"),
        (StandardScaler(), "StandardScaler has neither predict_proba nor decision_function"),
    ],
)
def test_what_cannot_learn_or_score_is_refused(learner, message):
    X, Y = make_data(TREE)
    with pytest.raises(TypeError, match=message):
        HierarchicalClassifier(learner, hierarchy=TREE).fit(X, Y)
    with pytest.raises(TypeError, match=message):
        Stack([learner], hierarchy=TREE).fit(X, Y)


def test_weights_that_no_estimator_takes_are_warned_about():
    X, Y = make_data(TREE)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        HierarchicalClassifier(Duck(), hierarchy=TREE, decoder="threshold").fit(X, Y, sample_weight=weights(len(X)))
    assert any("Duck takes no sample_weight" in str(line.message) for line in caught)


# ------------------------------------------------------------------------------- where the hierarchy is


def test_the_hierarchy_is_found_wherever_it_is():
    X, Y = make_data(TREE)
    ours = BinaryRelevance(LogisticRegression(), hierarchy=TREE)
    model = HierarchicalClassifier(BinaryRelevance(LogisticRegression()), hierarchy=TREE, cv=2)
    search = GridSearchCV(make_pipeline(StandardScaler(), ours), {"binaryrelevance__estimator__C": [1.0]}, cv=2)
    for estimator in (ours, make_pipeline(StandardScaler(), ours), search, model, HierarchicalClassifier(ours)):
        assert find_hierarchy(estimator) is TREE
    assert find_hierarchy(search.fit(X, Y)) is TREE
    assert find_hierarchy(HierarchicalClassifier("forest")) is None
    assert find_hierarchy(LogisticRegression()) is None
    assert find_hierarchy(Duck()) is None

"""What local learners share: overrides, weights, NaN, frames, seeds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from learners_room import TREE, logistic, make, make_data
from truepath import Hierarchy
from truepath.learners import BinaryRelevance, PerLevel, PerNode, PerParent

LOCAL = [PerNode, PerParent, PerLevel, BinaryRelevance]


def test_equal_problems_are_fitted_once():
    X, Y = make_data(Hierarchy.flat(2))
    Y = np.column_stack([Y, Y])
    assert len(BinaryRelevance(logistic()).fit(X, Y).models_) == 2


@pytest.mark.parametrize("cls", LOCAL)
def test_overrides(cls):
    key = {PerNode: "a/1", PerParent: None, PerLevel: 1, BinaryRelevance: "a/1"}[cls]
    X, Y = make_data(TREE)
    other = DummyClassifier(strategy="prior")
    plain = cls(logistic(), hierarchy=TREE).fit(X, Y).predict_proba(X)
    S = cls(logistic(), hierarchy=TREE, estimators={key: other}).fit(X, Y).predict_proba(X)
    assert not np.allclose(S, plain)
    with pytest.raises(ValueError, match="estimators names"):
        cls(logistic(), hierarchy=TREE, estimators={"nowhere": other}).fit(X, Y)


@pytest.mark.parametrize("cls", LOCAL)
def test_weights_reach_the_last_step_of_a_pipeline(cls):
    X, Y = make_data(TREE)
    weight = np.random.default_rng(0).uniform(0.1, 3, len(X))
    inside = cls(make_pipeline(SimpleImputer(), logistic()), hierarchy=TREE).fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(
        inside.predict_proba(X),
        cls(logistic(), hierarchy=TREE).fit(X, Y, sample_weight=weight).predict_proba(X),
        atol=1e-8,
    )


@pytest.mark.slow
@pytest.mark.parametrize("cls", LOCAL)
def test_nan_passes_where_the_estimator_takes_it(cls):
    X, Y = make_data(TREE)
    X[::7, 1] = np.nan
    booster = HistGradientBoostingClassifier(max_iter=3, random_state=0)
    assert np.isfinite(cls(booster, hierarchy=TREE).fit(X, Y).predict_proba(X)).all()
    assert np.isfinite(cls(make_pipeline(SimpleImputer(), logistic()), hierarchy=TREE).fit(X, Y).predict_proba(X)).all()
    with pytest.raises(ValueError, match="NaN"):
        cls(logistic(), hierarchy=TREE).fit(X, Y)


@pytest.mark.parametrize("kind", ["pandas", "polars", "list"])
def test_pipelines_get_x_as_it_is(kind):
    texts = ["red apple", "green apple", "red car", "blue car"] * 3
    Y = [["fruit/apple"], ["fruit/apple"], ["thing/car"], ["thing/car"]] * 3
    if kind == "list":
        pipeline, X = make_pipeline(CountVectorizer(), MultinomialNB()), texts
    else:
        frames = pytest.importorskip(kind)
        from sklearn.compose import make_column_transformer

        pipeline = make_pipeline(make_column_transformer((CountVectorizer(), "text")), MultinomialNB())
        X = frames.DataFrame({"text": texts})
    learner = PerParent(pipeline).fit(X, Y)
    assert learner.hierarchy_.decode(learner.predict(X)) == [tuple(labels) for labels in Y]


def test_frames_of_numbers_set_feature_names():
    pd = pytest.importorskip("pandas")
    X, Y = make_data(TREE)
    frame = pd.DataFrame(X, columns=list("pqrst"))
    learner = PerNode(logistic(), hierarchy=TREE).fit(frame, Y)
    assert learner.feature_names_in_.tolist() == list("pqrst")
    plain = PerNode(logistic(), hierarchy=TREE).fit(X, Y).predict_proba(X)
    np.testing.assert_allclose(learner.predict_proba(frame), plain, rtol=1e-12)


@pytest.mark.parametrize("cls", LOCAL)
def test_seeds_belong_to_problems(cls):
    X, Y = make_data(TREE)
    forest = RandomForestClassifier(3)
    fits = [cls(forest, hierarchy=TREE, random_state=5, n_jobs=n).fit(X, Y).predict_proba(X) for n in (1, 2)]
    assert (fits[0] == fits[1]).all()
    assert not (fits[0] == cls(forest, hierarchy=TREE, random_state=6).fit(X, Y).predict_proba(X)).all()


def test_every_problem_has_its_own_seed():
    X, Y = make_data(Hierarchy.flat(3))
    learner = BinaryRelevance(make_pipeline(SimpleImputer(), DecisionTreeClassifier()), random_state=0).fit(X, Y)
    seeds = {model.models_[0][-1].random_state for model in learner.models_}
    assert len(seeds) == 3
    kept = BinaryRelevance(DecisionTreeClassifier(random_state=9)).fit(X, Y)
    assert {model.models_[0].random_state for model in kept.models_} == {9}


def test_random_state_object_is_drawn_from():
    X, Y = make_data(TREE)
    forest = RandomForestClassifier(3)
    one, two = (
        PerNode(forest, hierarchy=TREE, random_state=np.random.RandomState(1)).fit(X, Y).predict_proba(X)
        for _ in range(2)
    )
    assert (one == two).all()


def test_default_estimator_settings_are_used():
    X, Y = make_data(TREE)
    weak = make("per-node", TREE, estimator=LogisticRegression(C=1e-6)).fit(X, Y).predict_proba(X)
    assert np.ptp(weak, axis=0).max() < 0.01

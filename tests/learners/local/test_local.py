"""What the local learners add: groups, overrides, calibration, weights, frames, NaN, seeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from learners_room import DAG, TREE, logistic, make, make_data
from truepath import Hierarchy
from truepath.hierarchy.arcs import arc_pointers
from truepath.learners import BinaryRelevance, PerLevel, PerNode, PerParent

LOCAL = [PerNode, PerParent, PerLevel, BinaryRelevance]


def exclusive_data(seed=0):
    """Rows with one path each, some of which stop early."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 4))
    labels = np.array(["a/1", "a/2", "a/3", "b/1", "b/2", "c", "a"])[(X[:, 0] * 2 + X[:, 1] + 3).astype(int).clip(0, 6)]
    return X, TREE.encode(labels.tolist())


# ------------------------------------------------------------------ groups


def test_per_parent_is_one_classifier_an_arc():
    """On a DAG, column (u, v) is a classifier of v on the rows that carry u."""
    X, Y = make_data(DAG, n_samples=100)
    P = PerParent(logistic(), hierarchy=DAG, labels="independent").fit(X, Y).predict_conditional_proba(X)
    arc_ptr, arc_parent = arc_pointers(DAG)
    for v in range(DAG.n_nodes):
        for arc in range(arc_ptr[v], arc_ptr[v + 1]):
            rows = np.ones(len(X), bool) if arc_parent[arc] < 0 else Y[:, arc_parent[arc]]
            own = logistic().fit(X[rows], Y[rows, v]).predict_proba(X)[:, 1]
            np.testing.assert_allclose(P[:, arc], own, atol=1e-6)


def test_exclusive_siblings_become_one_multi_class_problem():
    X, Y = exclusive_data()
    learner = PerParent(logistic(), hierarchy=TREE).fit(X, Y)
    P = learner.predict_conditional_proba(X)
    assert len(learner.models_) == 3  # the root, a and b
    below_a = TREE.children("a")
    rows = Y[:, TREE.index("a")]
    target = np.where(Y[:, below_a].any(axis=1), Y[:, below_a].argmax(axis=1), 3)
    expected = logistic().fit(X[rows], target[rows]).predict_proba(X)[:, :3]
    np.testing.assert_allclose(P[:, below_a], expected, atol=1e-6)
    np.testing.assert_allclose(P[:, TREE.roots].sum(axis=1), 1)


def test_siblings_policy_leaves_stops_out():
    X, Y = exclusive_data()
    P = PerParent(logistic(), hierarchy=TREE, policy="siblings").fit(X, Y).predict_conditional_proba(X)
    below_a = TREE.children("a")
    rows = Y[:, below_a].any(axis=1)
    expected = logistic().fit(X[rows], Y[rows][:, below_a].argmax(axis=1)).predict_proba(X)
    np.testing.assert_allclose(P[:, below_a], expected, atol=1e-6)
    with pytest.raises(ValueError, match="policy must be 'parents' or 'siblings'"):
        PerParent(logistic(), hierarchy=TREE, policy="inclusive").fit(X, Y)


def test_joint_hands_over_label_sets():
    X, Y = make_data(TREE, n_samples=100)
    forest = RandomForestClassifier(5, random_state=0)
    auto = PerLevel(forest, hierarchy=TREE).fit(X, Y)
    assert len(auto.models_) == TREE.height
    first = TREE.levels[0]
    own = clone(forest).fit(X, Y[:, first].astype(int)).predict_proba(X)
    expected = np.column_stack([columns[:, 1] for columns in own])
    np.testing.assert_allclose(auto.predict_proba(X)[:, first], expected)
    np.testing.assert_allclose(
        PerLevel(KNeighborsClassifier(), hierarchy=TREE, labels="joint").fit(X, Y).predict_proba(X),
        PerLevel(KNeighborsClassifier(), hierarchy=TREE, labels="independent").fit(X, Y).predict_proba(X),
    )


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("exclusive", "some rows have several labels"),
        ("joint", "LogisticRegression does not"),
        ("together", "labels must be 'auto'"),
    ],
)
def test_groups_that_cannot_be(labels, message):
    with pytest.raises(ValueError, match=message):
        PerParent(logistic(), hierarchy=TREE, labels=labels).fit(*make_data(TREE))


def test_flat_collapses_to_binary_relevance():
    h = Hierarchy.flat(4)
    X, Y = make_data(h)
    expected = BinaryRelevance(logistic(), hierarchy=h).fit(X, Y).predict_proba(X)
    for learner in (
        PerNode(logistic(), hierarchy=h, policy="parents"),
        PerParent(logistic(), hierarchy=h),
        PerLevel(logistic(), hierarchy=h),
    ):
        np.testing.assert_array_equal(learner.fit(X, Y).predict_proba(X), expected)


def test_equal_problems_are_fitted_once():
    X, Y = make_data(Hierarchy.flat(2))
    Y = np.column_stack([Y, Y])
    assert len(BinaryRelevance(logistic()).fit(X, Y).models_) == 2


def test_leaves_only():
    X, Y = make_data(TREE)
    S = BinaryRelevance(logistic(), hierarchy=TREE, leaves_only=True).fit(X, Y).predict_proba(X)
    every = (
        BinaryRelevance(logistic(), hierarchy=Hierarchy.flat(TREE.leaves.size))
        .fit(X, Y[:, TREE.leaves])
        .predict_proba(X)
    )
    np.testing.assert_allclose(S[:, TREE.leaves], every)
    np.testing.assert_allclose(S[:, TREE.index("a")], S[:, TREE.children("a")].max(axis=1))


# ------------------------------------------------------------------ estimators


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


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("cls", LOCAL)
def test_calibration_lowers_the_loss_of_a_sure_learner(cls, method):
    X, Y = make_data(TREE, n_samples=600, seed=2)
    tree = DecisionTreeClassifier(random_state=0)  # says 0 or 1
    train, test = slice(0, 400), slice(400, 600)

    def brier(calibrate):
        S = cls(tree, hierarchy=TREE, calibrate=calibrate).fit(X[train], Y[train]).predict_proba(X[test])
        return np.mean((S - Y[test]) ** 2)

    assert brier(method) < brier(None)


def test_calibration_needs_two_of_each():
    h = Hierarchy.flat(1)
    X, Y = np.arange(6.0)[:, None], np.array([[0], [0], [0], [0], [0], [1]])
    S = BinaryRelevance(logistic(), hierarchy=h, calibrate="sigmoid").fit(X, Y).predict_proba(X)
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


class OnlyPredicts(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), int)


def test_what_cannot_score_or_weigh_is_refused():
    X, Y = make_data(TREE)
    with pytest.raises(TypeError, match="neither predict_proba nor decision_function"):
        PerNode(OnlyPredicts(), hierarchy=TREE).fit(X, Y)
    with pytest.raises(ValueError, match="KNeighborsClassifier does not take it"):
        PerNode(KNeighborsClassifier(), hierarchy=TREE).fit(X, Y, sample_weight=np.ones(len(X)))
    with pytest.raises(ValueError, match="calibrate must be None"):
        PerNode(logistic(), hierarchy=TREE, calibrate="platt").fit(X, Y)
    pipeline = make_pipeline(SimpleImputer(), logistic())
    with pytest.raises(ValueError, match="last step of a pipeline inside calibration"):
        PerNode(pipeline, hierarchy=TREE, calibrate="sigmoid").fit(X, Y, sample_weight=np.ones(len(X)))


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


# ------------------------------------------------------------------ what X may be


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


# ------------------------------------------------------------------ seeds


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

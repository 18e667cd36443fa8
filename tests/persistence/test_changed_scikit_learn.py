"""Objects of scikit-learn from files: what was changed to something that no fit gives is refused when it is loaded."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from truepath import HierarchicalClassifier
from truepath.errors import ModelFileError
from truepath.learners import SparseLinear
from truepath.persistence import load, save

X = np.random.default_rng(0).normal(size=(30, 3))
TEXTS = ["red green", "green blue", "blue red red"] * 10
TWO, THREE = np.arange(30) % 2, np.arange(30) % 3
BOTH = np.stack([TWO, THREE], axis=1)


def boosting():
    return HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=5).fit(X, TWO)


FITTED = {
    "two classes": lambda: LogisticRegression().fit(X, TWO),
    "three classes": lambda: LogisticRegression().fit(X, THREE),
    "names": lambda: LogisticRegression().fit(X, np.array(["x", "y"])[TWO]),
    "bayes": lambda: GaussianNB().fit(X, THREE),
    "tree": lambda: DecisionTreeClassifier().fit(X, THREE),
    "tree of two outputs": lambda: DecisionTreeClassifier().fit(X, BOTH),
    "forest": lambda: RandomForestClassifier(3).fit(X, TWO),
    "boosting": boosting,
    "pipeline": lambda: make_pipeline(StandardScaler(), LogisticRegression()).fit(X, TWO),
    "nothing between": lambda: make_pipeline("passthrough", LogisticRegression()).fit(X, TWO),
    "imputer": lambda: SimpleImputer().fit(X),
    "imputer of float32": lambda: SimpleImputer().fit(X.astype(np.float32)),
    "texts": lambda: TfidfVectorizer().fit(TEXTS),
}


@pytest.mark.parametrize("name", FITTED)
def test_what_a_fit_gives_is_loaded(name, tmp_path):
    model = FITTED[name]()
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    asked = TEXTS if name == "texts" else X
    method = "predict" if hasattr(model, "predict") else "transform"
    found, wanted = (getattr(each, method)(asked) for each in (again, model))
    assert (found != wanted).sum() == 0


@pytest.mark.parametrize(
    ("name", "changed", "said"),
    [
        ("two classes", {"classes_": [0, 1]}, "are no classes"),
        ("two classes", {"classes_": np.array([[0, 1]])}, "are no classes"),
        ("two classes", {"classes_": np.array([0, 1], complex)}, "are no classes"),
        ("two classes", {"classes_": np.array([0])}, "is one class"),
        ("two classes", {"classes_": np.array([1, 0])}, "are not in order"),
        ("two classes", {"classes_": np.array([0.5, 0.5])}, "are not in order"),
        ("two classes", {"classes_": np.arange(3)}, "has shape"),
        ("three classes", {"classes_": np.arange(2)}, "has shape"),
        ("bayes", {"var_": np.zeros((3, 3))}, "var_ of a GaussianNB"),
        ("tree", {"classes_": np.array([2, 1, 0])}, "are not in order"),
        ("tree", {"n_classes_": 2}, "number of its classes"),
        ("tree of two outputs", {"classes_": [np.arange(2), np.arange(2)]}, "number of its classes"),
        ("tree", {"n_features_in_": 1}, "does not exist"),
        ("forest", {"n_features_in_": 1}, "does not exist"),
        ("boosting", {"_n_features": 3, "n_features_in_": 1}, "does not exist"),
        ("texts", {"vocabulary_": {"red": 0, "green": 1, "blue": 3}}, "places that are not those"),
        ("texts", {"vocabulary_": {"red": 0, "green": 1, "blue": 1.5}}, "is no vocabulary"),
        ("texts", {"token_pattern": "("}, "is no pattern"),
        ("texts", {"analyzer": "letters"}, "analyzer of a TfidfVectorizer"),
    ],
)
def test_what_no_fit_gives_is_refused(name, changed, said, tmp_path):
    model = FITTED[name]()
    vars(model).update(changed)
    save(model, tmp_path / "model")
    with pytest.raises(ModelFileError, match=said):
        load(tmp_path / "model")


NARROW = SimpleImputer().fit(X[:, :2])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda steps: tuple(steps), "are no steps"),
        (lambda steps: [list(step) for step in steps], "are no steps"),
        (lambda steps: [("a", NARROW), *steps], "n_features = 2, not 3"),
        (lambda steps: [*steps[:-1], ("a", NARROW), steps[-1]], "n_features = 2, not 3"),
        (lambda steps: [("a", LogisticRegression().fit(X, TWO)), *steps], "cannot transform"),
    ],
)
def test_steps_of_a_learner_that_do_not_fit_are_refused(change, said, tmp_path):
    learner = make_pipeline(StandardScaler(), "passthrough", SparseLinear())
    model = HierarchicalClassifier(learner, cv=2).fit(X, [["a"] if two else ["b"] for two in TWO])
    save(model, tmp_path / "model")
    load(tmp_path / "model")
    vars(model.learner_)["steps"] = change(model.learner_.steps)
    save(model, tmp_path / "model")
    with pytest.raises(ModelFileError, match=said):
        load(tmp_path / "model")

"""A fit checks its labels once, however many parts they are handed to; what users give is always checked."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from foreign_learners import DAG, TREE, make_data
from truepath import HierarchicalClassifier, Hierarchy
from truepath.combiners import Blend
from truepath.errors import ConstraintError
from truepath.hierarchy import check_labels, checks
from truepath.hierarchy.checks import already_checked
from truepath.learners import BinaryRelevance, PCTForest, Stack


@pytest.fixture
def counted(monkeypatch):
    """Count how often labels are really looked at: as a matrix, or by name."""
    calls = []
    look, encode = checks.find_unclosed, Hierarchy.encode

    def count_look(Y, hierarchy):
        calls.append("checked")
        return look(Y, hierarchy)

    def count_encode(self, *args, **options):
        calls.append("encoded")
        return encode(self, *args, **options)

    monkeypatch.setattr(checks, "find_unclosed", count_look)
    monkeypatch.setattr(Hierarchy, "encode", count_encode)
    return calls


def logistic():
    return BinaryRelevance(LogisticRegression())


MODELS = {
    "folds": lambda h: HierarchicalClassifier(logistic(), "fael", "multi", hierarchy=h, cv=3),
    "pipeline": lambda h: HierarchicalClassifier(
        make_pipeline(StandardScaler(), logistic()), "fael", "multi", hierarchy=h, cv=3
    ),
    "out of bag": lambda h: HierarchicalClassifier(PCTForest(n_estimators=5, random_state=0), "fael", hierarchy=h),
    "plain classifier": lambda h: HierarchicalClassifier(LogisticRegression(), "fael", hierarchy=h, cv=2),
    "stack": lambda h: Stack([logistic(), LogisticRegression()], combiner=Blend(), hierarchy=h, cv=2),
    "stack in a classifier": lambda h: HierarchicalClassifier(
        Stack([logistic()], combiner=Blend(), cv=2), decoder="multi", hierarchy=h, cv=2
    ),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "CSR"])
def test_labels_are_checked_once_per_fit(name, form, counted):
    """At e4a3823 "folds" checked them eight times and more."""
    X, Y = make_data(DAG, constant=False)
    MODELS[name](DAG).fit(X, form(Y))
    assert counted == ["checked"]


def test_label_names_are_encoded_once_per_fit(counted):
    X, Y = make_data(TREE)
    MODELS["folds"](TREE).fit(X, TREE.decode(Y))
    assert counted.count("encoded") == 1
    assert counted.count("checked") <= 1


def test_the_answer_is_the_same_with_and_without_the_mark(monkeypatch):
    X, Y = make_data(DAG)
    marked = MODELS["folds"](DAG).fit(X, Y)
    monkeypatch.setattr(checks, "is_checked", lambda Y, hierarchy: False)
    unmarked = MODELS["folds"](DAG).fit(X, Y)
    assert (marked.predict_proba(X) == unmarked.predict_proba(X)).all()
    assert (marked.predict(X) == unmarked.predict(X)).all()


def test_the_mark_holds_for_one_object_one_hierarchy_and_one_block():
    open_labels = np.zeros((1, TREE.n_nodes), bool)
    open_labels[0, TREE.index("a/1")] = True
    with already_checked(open_labels, TREE):
        assert check_labels(open_labels, TREE) is open_labels
        for given, hierarchy in (
            (open_labels.copy(), TREE),
            (open_labels, Hierarchy.from_paths(["a/1", "a/2", "b/1", "c"])),
        ):
            with pytest.raises(ConstraintError):
                check_labels(given, hierarchy)
    with pytest.raises(ConstraintError):
        check_labels(open_labels, TREE)


def test_a_model_does_not_trust_the_same_array_twice():
    X, Y = make_data(TREE)
    model = HierarchicalClassifier(logistic(), hierarchy=TREE, cv=2).fit(X, Y)
    Y[0] = False
    Y[0, TREE.index("a/1")] = True
    with pytest.raises(ConstraintError, match="'a/1' without 'a'"):
        model.fit(X, Y)

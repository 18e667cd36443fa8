"""Node scores from whatever a learner returns."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from foreign_learners import FOREIGN, TREE, Duck, MyClassifier, make_data
from learners_room import LEARNERS, members
from truepath import HierarchicalClassifier, Hierarchy
from truepath.adapters import node_scores
from truepath.adapters.fitting import class_scores, fit_learner
from truepath.adapters.prepare import prepare
from truepath.adapters.varying import VaryingLabels
from truepath.errors import TruePathError
from truepath.learners import BinaryRelevance, Stack

S = np.array([[0.1, 0.9], [0.4, 0.6], [0.3, 0.2]])
X = np.zeros((3, 1))


class Returns:
    """Returns what it was given, whatever is asked."""

    def __init__(self, value, classes=None):
        self.value = value
        if classes is not None:
            self.classes_ = classes

    def predict_proba(self, X):
        return self.value


class Margins:
    def __init__(self, value):
        self.value = value

    def decision_function(self, X):
        return self.value


def pair(p):
    return np.column_stack([1 - p, p])


@pytest.mark.parametrize(
    "learner",
    [
        Returns(S),
        Returns(S.tolist()),
        Returns(sparse.csr_array(S)),
        Returns(S.astype(np.float32)),
        Returns(list(S.T)),
        Returns([column[:, None] for column in S.T]),
        Returns([pair(column) for column in S.T]),
        Returns([pair(column) for column in S.T], [np.array([0, 1])] * 2),
        Returns([pair(column)[:, ::-1] for column in S.T], [np.array([1, 0])] * 2),
        Margins(np.log(S / (1 - S))),
        Margins(list(np.log(S / (1 - S)).T)),
    ],
)
def test_every_shape_becomes_one_matrix(learner):
    found = node_scores(learner, X, 2)
    assert isinstance(found, np.ndarray)
    assert found.dtype.kind == "f"
    np.testing.assert_allclose(found, S, rtol=1e-6)


@pytest.mark.parametrize(
    "learner",
    [
        Returns(S[:, 1]),
        Returns(S[:, 1:]),
        Returns(pair(S[:, 1])),
        Returns(pair(S[:, 1]), np.array([0, 1])),
        Returns([pair(S[:, 1])]),
        Margins(np.log(S[:, 1] / (1 - S[:, 1]))),
    ],
)
def test_one_label_may_come_as_a_vector_or_two_classes(learner):
    np.testing.assert_allclose(node_scores(learner, X, 1), S[:, 1:])


def test_whole_numbers_become_floats():
    assert node_scores(Returns(np.eye(3, 2, dtype=int)), X, 2).dtype == np.float64


def test_a_label_that_was_constant_scores_what_it_was():
    Y = np.array([[0, 1, 0], [0, 1, 1], [0, 1, 1]])
    forest = RandomForestClassifier(5, random_state=0).fit(np.arange(3.0)[:, None], Y)
    found = node_scores(forest, np.arange(3.0)[:, None], 3)
    assert (found[:, 0] == 0).all()
    assert (found[:, 1] == 1).all()
    one = RandomForestClassifier(2, random_state=0).fit(X, [0, 0, 0])
    assert (node_scores(one, X, 1) == 0).all()
    assert (node_scores(RandomForestClassifier(2, random_state=0).fit(X, [1, 1, 1]), X, 1) == 1).all()


def test_one_label_of_ours_is_taken_as_it_is():
    ours = BinaryRelevance(LogisticRegression()).fit(np.arange(4.0)[:, None], [[0], [0], [1], [1]])
    assert (node_scores(ours, np.arange(4.0)[:, None], 1) == ours.predict_proba(np.arange(4.0)[:, None])).all()


@pytest.mark.parametrize("learner", [Returns(S), Margins(S), Returns(list(S.T))])
def test_scores_of_another_width_are_refused(learner):
    with pytest.raises(ValueError, match=r"returned the shape \(3, 2\), not \(n_samples, 5\)"):
        node_scores(learner, X, 5)
    assert node_scores(learner, X).shape == (3, 2)


def test_margins_of_labels_that_never_vary_are_not_asked_for():
    rows = np.arange(6.0)[:, None]
    Y = np.column_stack([rows[:, 0] > 2, np.zeros(6), np.ones(6)]).astype(bool)
    h = Hierarchy.flat(3)
    for given in (RidgeClassifier(), make_pipeline(StandardScaler(), RidgeClassifier())):
        found = node_scores(fit_learner(prepare(given, h), rows, Y), rows, 3)
        assert found[:, 1:].tolist() == [[0.0, 1.0]] * 6
        assert ((found[:, 0] > 0.5) == Y[:, 0]).all()
    assert isinstance(prepare(RidgeClassifier(), h), VaryingLabels)
    assert isinstance(prepare(prepare(RidgeClassifier(), h), h).estimator, RidgeClassifier)  # and not wrapped twice


def test_nothing_varies():
    model = VaryingLabels(RidgeClassifier()).fit(X, [[1, 0]] * 3)
    assert model.estimator_ is None
    assert model.predict_proba(X).tolist() == [[1.0, 0.0]] * 3
    assert model.predict(X).tolist() == [[True, False]] * 3


def test_class_scores_leave_room_for_classes_never_seen():
    rows = np.arange(6.0)[:, None]
    svc = SVC().fit(rows, [0, 0, 0, 3, 3, 3])
    found = class_scores(svc, rows, 5)
    np.testing.assert_allclose(found[:, 3], expit(svc.decision_function(rows)))
    assert (found[:, [1, 2, 4]] == 0).all()


H2 = Hierarchy.from_paths(["a/b"])


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_scores_that_are_no_numbers_name_learner_row_and_label(value):
    wrong = S.copy()
    wrong[1, 1] = value
    with pytest.raises(TruePathError, match=r"matrix of Returns holds .* in row 1, label 'a/b'. Check what"):
        node_scores(Returns(wrong), X, 2, hierarchy=H2)
    with pytest.raises(TruePathError, match="in row 1, column 1"):
        node_scores(Returns(wrong), X, 2)
    with pytest.raises(TruePathError, match="in row 17, label 'a/b'"):
        node_scores(Returns(list(wrong.T)), X, 2, hierarchy=H2, rows=np.array([9, 17, 3]))


def test_scores_out_of_range_are_clipped_by_rounding_and_refused_beyond():
    assert node_scores(Returns(S + 0.1 + 1e-12), X, 2).max() == 1.0
    with pytest.raises(TruePathError, match=r"found 1.4 in row 0, label 'a/b'. A learner whose scores are not"):
        node_scores(Returns(S + 0.5), X, 2, hierarchy=H2)
    assert node_scores(Margins(S + 1e300), X, 2).max() == 1.0  # margins may be any finite numbers


class Fails(Duck):
    """Scores NaN for one row of X."""

    def predict_proba(self, X):
        return np.where(np.asarray(X)[:, :1] == 7.0, np.nan, super().predict_proba(X))


def test_a_classifier_and_a_stack_name_the_row_and_the_label():
    rows, Y = make_data(TREE)
    rows[33, 0] = 7.0
    for model in (HierarchicalClassifier(Fails(), hierarchy=TREE), Stack([Fails(), Duck()], hierarchy=TREE, cv=2)):
        with pytest.raises(TruePathError, match="matrix of Fails holds NaN or infinity in row 33, label 'a'"):
            model.fit(rows, Y)


class FailsPerLabel(MyClassifier):
    """A classifier for one label that scores NaN for one row of X."""

    def predict_proba(self, X):
        P = np.full((len(X), self.classes_.size), 1 / self.classes_.size)
        return np.where(np.asarray(X)[:, :1] == 7.0, np.nan, P)


@pytest.mark.parametrize("name", [n for n in LEARNERS if "a classifier or pipeline" in members()[n].needs] + ["hbr"])
def test_local_learners_name_the_row_and_the_label(name):
    rows, Y = make_data(TREE)
    model = members()[name](FailsPerLabel(), hierarchy=TREE).fit(rows, Y)
    assert np.isfinite(model.predict_proba(rows)).all()
    rows[5, 0] = 7.0
    with pytest.raises(TruePathError, match=r"matrix of FailsPerLabel .*holds NaN or infinity in row 5, label '"):
        model.predict_proba(rows)


@pytest.mark.filterwarnings("ignore:Label .* is present in all training examples")
@pytest.mark.filterwarnings("ignore:lbfgs failed to converge")
@pytest.mark.parametrize("name", sorted(set(FOREIGN) - {"search over ours"}))
def test_foreign_learners_score_from_zero_to_one(name):
    rows, Y = make_data(TREE)
    S = node_scores(fit_learner(prepare(FOREIGN[name](), TREE), rows, Y), rows * 50, TREE.n_nodes, hierarchy=TREE)
    assert S.min() >= 0
    assert S.max() <= 1

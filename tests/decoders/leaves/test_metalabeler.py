"""Learning the number of leaves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator

from strategies import hierarchies, label_matrices
from truepath import Hierarchy
from truepath.decoders import MetaLabeler
from truepath.decoders.leaves.metalabeler import count_path_ends

EXPECTED_FAILURES = {
    "check_dtype_object": "numbers of labels come as numbers, not as objects",
}


@pytest.mark.parametrize(
    ("estimator", "check"),
    list(estimator_checks_generator(MetaLabeler(), expected_failed_checks=EXPECTED_FAILURES, mark="xfail")),
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@given(hierarchies(max_nodes=9), st.data())
def test_path_ends_are_labels_without_labelled_children(h, data):
    Y = data.draw(label_matrices(h))
    expected = [sum(not y[h.children(v)].any() for v in np.flatnonzero(y)) for y in Y]
    assert count_path_ends(Y, h).tolist() == count_path_ends(sparse.csr_array(Y), h).tolist() == expected


@given(hierarchies(max_nodes=9), st.data())
def test_a_memory_gives_the_numbers_back(h, data):
    Y = data.draw(label_matrices(h))
    X = np.arange(len(Y))[:, None]
    counts = np.clip(count_path_ends(Y, h), 1, h.leaves.size)
    model = MetaLabeler(DecisionTreeClassifier(), hierarchy=h)
    assert (model.fit(X, Y).predict(X) == counts).all()
    assert (model.fit(X, counts).predict(X) == counts).all()
    assert (model.counts_ == np.unique(counts)).all()


def test_one_number_needs_no_model():
    model = MetaLabeler().fit([[0.0], [1.0]], [2, 2])
    assert model.estimator_ is None
    assert model.predict([[5.0]] * 3).tolist() == [2, 2, 2]
    assert model.predict(sparse.csr_array((2, 1))).tolist() == [2, 2]


def test_rows_without_labels_count_as_one():
    assert MetaLabeler().fit([[0.0], [1.0]], [0, 0]).predict([[0.0]]).tolist() == [1]


def test_missing_values_pass_where_the_estimator_takes_them():
    X = [[np.nan], [1.0], [2.0], [3.0]]
    assert MetaLabeler(DecisionTreeClassifier()).fit(X, [1, 1, 2, 2]).predict(X[1:]).tolist() == [1, 2, 2]
    with pytest.raises(ValueError, match="NaN"):
        MetaLabeler().fit(X, [1, 1, 2, 2])


def test_sparse_features_and_the_default_model():
    X = sparse.csr_array(np.repeat([[0.0, 1.0], [3.0, 0.0]], 10, axis=0))
    assert MetaLabeler().fit(X, np.repeat([1, 3], 10)).predict(X[[0, 19]]).tolist() == [1, 3]


def test_sample_weight_goes_to_estimators_that_take_it():
    X, counts = np.zeros((3, 1)), np.array([1, 1, 2])
    model = MetaLabeler(DecisionTreeClassifier())
    assert model.fit(X, counts).predict(X).tolist() == [1, 1, 1]
    assert model.fit(X, counts, sample_weight=[1, 1, 5]).predict(X).tolist() == [2, 2, 2]


def test_manners():
    inner = DecisionTreeClassifier()
    model = MetaLabeler(inner)
    with pytest.raises(NotFittedError):
        model.predict([[0.0]])
    model.fit([[0.0], [1.0]], [1, 2])
    assert model.estimator_ is not inner
    assert not hasattr(inner, "tree_")
    assert not hasattr(clone(model), "counts_")
    for wrong in ([0.5, 1.0], [-1, 2], [np.nan, 1]):
        with pytest.raises(ValueError, match="whole number"):
            model.fit(np.zeros((len(wrong), 1)), wrong)
    with pytest.raises(ValueError, match="1 rows but y has 2"):
        model.fit([[0.0]], [1, 2])
    with pytest.raises(ValueError, match="2 columns"):
        MetaLabeler(hierarchy=Hierarchy.flat(3)).fit([[0.0]], [[1, 0]])


@pytest.mark.parametrize("counts", [[1, 2, 1], [1, 1, 1]])
@pytest.mark.parametrize(
    "estimator", [KNeighborsClassifier(1), make_pipeline(StandardScaler(), KNeighborsClassifier(1))]
)
def test_weights_the_estimator_cannot_use_are_refused(estimator, counts):
    X = [[0.0], [1.0], [2.0]]
    with pytest.raises(ValueError, match="fit of estimator KNeighborsClassifier does not take it"):
        MetaLabeler(estimator).fit(X, counts, sample_weight=[1.0, 2.0, 1.0])
    assert MetaLabeler(estimator).fit(X, counts).predict(X).tolist() == counts


def test_weights_reach_the_last_step_of_a_pipeline():
    X, counts = [[0.0], [0.0], [0.0]], [1, 1, 2]
    for estimator in (DecisionTreeClassifier(), make_pipeline(StandardScaler(), DecisionTreeClassifier())):
        assert MetaLabeler(estimator).fit(X, counts).predict([[0.0]]).tolist() == [1]
        assert MetaLabeler(estimator).fit(X, counts, [1.0, 1.0, 5.0]).predict([[0.0]]).tolist() == [2]

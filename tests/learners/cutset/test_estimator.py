"""What all estimators over discrete features do alike: weights, missing values, pickling."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from learners_room import make_rows
from truepath import Hierarchy
from truepath.learners import (
    BaggedCutsetNetworks,
    BayesianChain,
    ChowLiuTree,
    CutsetNetwork,
    NaiveBayesML,
    RestrictedCutsetNetwork,
    TreeAugmentedML,
)

ESTIMATORS = [
    BaggedCutsetNetworks(n_estimators=2, random_state=0),
    BayesianChain(),
    ChowLiuTree(),
    CutsetNetwork(),
    NaiveBayesML(),
    NaiveBayesML(labels="chain"),
    RestrictedCutsetNetwork(),
    TreeAugmentedML(),
    TreeAugmentedML(labels="chain"),
]


def test_weights_are_repetitions():
    X, Y = make_rows(30)
    weight = np.arange(30) % 3
    once = RestrictedCutsetNetwork().fit(X, Y, sample_weight=weight)
    again = RestrictedCutsetNetwork().fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0))
    assert once.log_likelihood_ == pytest.approx(again.log_likelihood_)
    X[0] = 9  # a value of a row that weighs nothing is unknown
    assert RestrictedCutsetNetwork().fit(X, Y, sample_weight=weight).log_likelihood_ == once.log_likelihood_
    with pytest.raises(ValueError, match="whole numbers"):
        RestrictedCutsetNetwork().fit(X, Y, sample_weight=np.full(30, 0.5))


@pytest.mark.parametrize("model", ESTIMATORS, ids=str)
def test_common_behaviour(model):
    hierarchy = Hierarchy.from_parents([-1, 0, 0])
    X, Y = make_rows()
    Y = hierarchy.close(Y)
    fitted = clone(model).set_params(hierarchy=hierarchy).fit(sparse.csr_array(X), sparse.csr_array(Y))
    S = fitted.predict_proba(X)
    assert hierarchy.is_coherent(S)
    assert ((S >= 0) & (S <= 1)).all()
    assert hierarchy.is_closed(fitted.predict(X))
    copy = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copy.predict(X), fitted.predict(X))
    missing = X.copy()
    missing[0, 0] = np.nan
    assert np.isfinite(fitted.predict_proba(missing)).all()
    with pytest.raises(ValueError, match="NaN"):
        clone(model).fit(missing, Y)
    with pytest.raises(ValueError, match="LAIM"):
        RestrictedCutsetNetwork(max_states=2, discretize=None).fit(X, Y)

"""A bag of networks is the mixture of its members."""

import numpy as np

from learners_room import make_rows
from truepath.learners import (
    BaggedCutsetNetworks,
)


def test_mixture_averages_its_members():
    X, Y = make_rows()
    bag = BaggedCutsetNetworks(n_estimators=3, random_state=1).fit(X, Y)
    joint = np.exp([member.joint_log_proba(X, Y) for member in bag.estimators_]).mean(axis=0)
    np.testing.assert_allclose(bag.joint_log_proba(X, Y), np.log(joint))
    sets = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
    listed = np.array([np.exp(bag.joint_log_proba(np.tile(x, (8, 1)), sets)) for x in X[:3]])
    np.testing.assert_allclose(bag.predict_marginals(X[:3]), listed @ sets / listed.sum(axis=1)[:, None], atol=1e-10)
    again = BaggedCutsetNetworks(n_estimators=3, random_state=1, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(bag.predict_proba(X), again.predict_proba(X))
    drawn_X, drawn_Y = bag.sample(7, random_state=0)
    assert drawn_X.shape == (7, 5)
    assert drawn_Y.shape == (7, 3)

"""Naive Bayes per label, written out."""

import numpy as np
import pytest

from learners_room import make_rows
from truepath.learners import BayesianChain, NaiveBayesML


def test_naive_bayes_is_literal():
    X, Y = make_rows(40, 1, 3)
    S = NaiveBayesML().fit(X, Y).predict_proba(X[:5])
    for i in range(5):
        odds = []
        for value in (False, True):
            rows = X[Y[:, 0] == value]
            p = (len(rows) + 1) / (len(X) + 2)
            for j in range(3):
                p *= ((rows[:, j] == X[i, j]).sum() + 1) / (len(rows) + 3)
            odds.append(p)
        assert S[i, 0] == pytest.approx(odds[1] / sum(odds))


def test_a_label_that_all_rows_have_is_nobodys_parent():
    learner = BayesianChain().fit([[0], [1], [0], [1]], np.array([[1, 0], [1, 1]] * 2))
    assert learner.parents_ == {0: [], 1: []}
    assert learner.predict([[1]]).tolist() == [[True, True]]

"""Naive Bayes per label, written out."""

import pytest

from learners_room import make_rows
from truepath.learners import (
    NaiveBayesML,
)


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

"""Groups of labels: joint where the classifier takes label sets, refused where it cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier

from learners_room import TREE, logistic, make_data
from truepath.learners import PerLevel, PerParent


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

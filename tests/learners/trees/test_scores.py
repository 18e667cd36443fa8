"""Scores: coherent to the last bit, at most one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import dags, label_matrices
from truepath import Hierarchy
from truepath.learners import PCTForest


@settings(max_examples=40)
@given(dags(max_nodes=8), st.data(), st.integers(0, 1000))
def test_scores_are_coherent_to_the_last_bit(hierarchy, data, seed):
    Y = data.draw(label_matrices(hierarchy, n_rows=20, min_rows=4))
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((len(Y), 3)) < 0.2, np.nan, rng.integers(0, 5, (len(Y), 3)))
    missing = data.draw(st.sampled_from(["surrogate", "learned", "fractional"]))
    forest = PCTForest(hierarchy=hierarchy, n_estimators=7, min_leaf_weight=1.5, missing=missing, random_state=seed)
    forest.fit(X, Y, sample_weight=rng.random(len(Y)) + 0.1)
    for S in (forest.predict_proba(X), forest.predict_proba(X.astype(np.float32))):
        edges = hierarchy.edges
        assert (S[:, edges[:, 0]] >= S[:, edges[:, 1]]).all()
        assert S.min() >= 0
        assert S.max() <= 1


def test_rows_sent_both_ways_score_at_most_one():
    """The parts of a row with missing values may add up to one and a last bit, here of the label that all rows have."""
    hierarchy = Hierarchy.from_paths(["a/1", "a/2", "b"])
    rng = np.random.default_rng(978)
    Y = hierarchy.close(rng.random((60, 4)) < [1.0, 0.4, 0.4, 0.4])
    X = np.where(rng.random((60, 5)) < 0.3, np.nan, rng.integers(0, 5, (60, 5)))
    forest = PCTForest(hierarchy=hierarchy, n_estimators=7, min_leaf_weight=1.5, missing="fractional", random_state=0)
    assert forest.fit(X, Y, sample_weight=rng.random(60) + 0.1).predict_proba(X).max() == 1

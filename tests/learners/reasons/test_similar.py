"""The training rows behind a prediction, and what matters to labels and levels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from truepath import HierarchicalClassifier, Hierarchy
from truepath.learners import MultiLabelKernelRidge, PCTForest, SparseLinear, TableBlend, similar_rows, top_features

H = Hierarchy.from_paths(["a/1", "a/2", "b/1"])


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    names = np.where(X[:, 0] > 0, np.where(X[:, 1] > 0, "a/1", "a/2"), "b/1")
    return X, H.encode([[name] for name in names])


def test_kernels_vote_by_rows(rows):
    X, Y = rows
    learner = MultiLabelKernelRidge("rbf", gamma=1.0, alpha=0.1, hierarchy=H, project=None).fit(X, Y)
    found = similar_rows(learner, X[:1], X, len(X))
    assert (found.rows[0], found.likeness[0], found.measure) == (0, 1.0, "kernel")
    assert (np.diff(found.likeness) <= 0).all()
    sums = found.votes.sum(axis=0)
    np.testing.assert_allclose(np.clip(sums, 0, 1), learner.predict_proba(X[:1])[0], atol=1e-9)
    assert similar_rows(learner, X[:1], X[:20], 3).votes is None


def test_trees_compare_by_leaves(rows):
    X, Y = rows
    forest = PCTForest(hierarchy=H, n_estimators=5, random_state=0).fit(X, Y)
    found = similar_rows(forest, X[3:4], X, 4)
    assert (found.rows[0], found.likeness[0], found.measure) == (3, 1.0, "shared leaves")
    assert found.likeness.size == 4
    assert set(np.round(found.likeness * 5, 9)) <= {0, 1, 2, 3, 4, 5}
    blend = TableBlend(hierarchy=H, members=["forest"]).fit(X, Y)
    assert similar_rows(blend, X[3:4], X, 1).measure == "shared leaves"


def test_others_compare_by_features(rows):
    X, Y = rows
    gaps = X.copy()
    gaps[0, 2] = np.nan
    for given in (X, sparse.csr_array(X)):
        learner = SparseLinear(hierarchy=H).fit(given, Y)
        found = similar_rows(learner, given[:1], given, 2)
        assert (found.rows[0], found.measure) == (0, "cosine")
        assert found.likeness[0] == pytest.approx(1.0)
    model = HierarchicalClassifier("pct", hierarchy=H, decoder="threshold").fit(gaps, Y)
    assert similar_rows(model, gaps[:1], gaps, 1).likeness[0] == 1.0


def test_what_matters_to_a_level(rows):
    X, Y = rows
    linear = SparseLinear(hierarchy=H).fit(X, Y)
    found = top_features(linear, 3, by="level")
    assert list(found) == ["level 1", "level 2"]
    weights = np.abs(linear.coef_.toarray())[:, H.levels[0]].mean(axis=1)
    assert dict(found["level 1"])["x0"] == pytest.approx(weights[0])
    trees = top_features(PCTForest(hierarchy=H, n_estimators=5, random_state=0).fit(X, Y), 1, by="level")
    assert trees["level 1"][0][0] == "x0"
    with pytest.raises(ValueError, match="by must be"):
        top_features(linear, by="row")

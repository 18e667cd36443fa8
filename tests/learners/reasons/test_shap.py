"""The package shap explains our models: learners, classifiers, and a label at a time."""

from __future__ import annotations

import numpy as np
import pytest

from truepath import HierarchicalClassifier, Hierarchy
from truepath.learners import PCTree, SparseLinear

shap = pytest.importorskip("shap", reason="shap is in the extra 'test'")

H = Hierarchy.from_paths(["a/1", "a/2", "b"])


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    names = np.where(X[:, 0] > 0, np.where(X[:, 1] > 0, "a/1", "a/2"), "b")
    return X, H.encode([[name] for name in names])


@pytest.mark.parametrize(
    "model",
    [SparseLinear(hierarchy=H), PCTree(hierarchy=H), HierarchicalClassifier("pct", hierarchy=H, decoder="threshold")],
    ids=lambda model: type(model).__name__,
)
def test_values_add_up_to_the_scores(rows, model):
    X, Y = rows
    S = model.fit(X, Y).predict_proba(X[:3])
    explainer = shap.KernelExplainer(model.predict_proba, X[:10])
    values = np.asarray(explainer.shap_values(X[:3], silent=True, l1_reg=False))
    assert values.shape == (3, 3, H.n_nodes)
    np.testing.assert_allclose(explainer.expected_value + values.sum(axis=1), S, atol=1e-9)
    strength = np.abs(values).mean(axis=0)
    assert strength[0, 0] > strength[2, 0]  # column 0 decides on the first label

"""What features add to the scores of linear local classifiers: against integrals, and adding up."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from truepath import Hierarchy
from truepath.adapters.capabilities import offers
from truepath.adapters.contributions import ask_contributions
from truepath.learners import BinaryRelevance, PerLevel, PerNode, PerParent
from truepath.learners.local.reasons import is_linear, linear_contributions

H = Hierarchy.from_paths(["a/1", "a/2", "b/1", "b/2", "c"])
NODES = np.arange(H.n_nodes)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 5))
Y = H.encode([[H.names[H.leaves[k]]] for k in np.argmax(X + RNG.normal(0, 0.5, X.shape), axis=1)])


@pytest.mark.parametrize("estimator", [LogisticRegression(), RidgeClassifier()], ids=lambda e: type(e).__name__)
def test_a_softmax_shares_out_its_integral(estimator):
    y = np.argmax(X[:, :3], axis=1)
    model = estimator.fit(X, y)
    assert is_linear(model)
    found = linear_contributions(model, X[:1], 4)
    t = (np.arange(4000) + 0.5) / 4000
    margins = model.intercept_ + t[:, None] * (model.coef_ @ X[0])
    P = np.exp(margins) / np.exp(margins).sum(axis=1, keepdims=True)
    wanted = np.zeros((5, 4))
    for j in range(5):
        moved = model.coef_[:, j] * X[0, j]
        wanted[j, :3] = (P * (moved - P @ moved[:, None])).mean(axis=0)
    np.testing.assert_allclose(found.values, wanted, atol=1e-6)
    np.testing.assert_allclose(found.output[:3], P[-1], atol=1e-3)


@pytest.mark.parametrize(
    "make",
    [
        lambda e: BinaryRelevance(e, hierarchy=H),
        lambda e: BinaryRelevance(e, hierarchy=H, leaves_only=True),
        lambda e: PerNode(e, hierarchy=H),
        lambda e: PerNode(e, hierarchy=H, policy="exclusive"),
        lambda e: PerNode(e, hierarchy=H, policy="inclusive"),
        lambda e: PerParent(e, hierarchy=H),
        lambda e: PerLevel(e, hierarchy=H),
    ],
)
@pytest.mark.parametrize("steps", [(), (StandardScaler(with_mean=False),)])
def test_linear_local_classifiers_add_up(make, steps):
    learner = make(make_pipeline(*steps, LogisticRegression()) if steps else LogisticRegression()).fit(X, Y)
    for rows in (X, sparse.csr_array(X)):
        found = ask_contributions(learner, rows[:1], NODES)
        assert found.method == "linear"
        np.testing.assert_allclose(
            learner.contributions(rows[:1], NODES).output, learner.predict_proba(rows[:1])[0], atol=1e-9
        )
    weights = learner.feature_weights()
    for k, v in enumerate(H.leaves):
        assert np.argmax(weights[:, v]) == k
    assert learner.feature_weights(by="level").shape == (5, 2)


def test_others_are_asked_without_a_feature():
    learner = BinaryRelevance(DecisionTreeClassifier(max_depth=2, random_state=0), hierarchy=H).fit(X, Y)
    assert not offers(learner, "contributions")
    assert ask_contributions(learner, X[:1], NODES).method == "leave-one-out"
    assert offers(BinaryRelevance(LogisticRegression(), hierarchy=H).fit(X, Y), "contributions")
    for steps in (
        [PCA(3)],
        [SimpleImputer(add_indicator=True)],
        [ColumnTransformer([("kept", "passthrough", [2, 0])])],
    ):
        inside = PerNode(make_pipeline(*steps, LogisticRegression()), hierarchy=H).fit(X, Y)
        assert ask_contributions(inside, X[:1], NODES).method in ("linear", "leave-one-out")
    assert not offers(inside, "contributions")

"""What features add: against all orders for trees, the weights for linear models, and the words of users."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import GaussianNB

from oracles_reasons import shapley_values
from truepath import HierarchicalClassifier, Hierarchy
from truepath.errors import CapabilityError
from truepath.learners import BinaryRelevance, PCTForest, PCTree, SparseLinear, contributions, top_features

H = Hierarchy.from_paths(["a/1", "a/2", "b/1"])
NODES = np.arange(H.n_nodes)


def rows(seed=0, n_rows=60, missing=0.2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4))
    X[:, 3] = rng.integers(0, 4, n_rows)
    names = np.where(X[:, 0] > 0, np.where(X[:, 1] > 0, "a/1", "a/2"), np.where(X[:, 3] > 1, "b/1", "b"))
    X[rng.random(X.shape) < missing] = np.nan
    return X, H.encode([[name] for name in names])


@pytest.mark.parametrize("missing", ["learned", "fractional", "surrogate"])
@pytest.mark.parametrize("nominal", [None, [3]])
def test_shapley_values_are_those_of_all_orders(missing, nominal):
    X, Y = rows()
    tree = PCTree(hierarchy=H, missing=missing, categorical_features=nominal, min_leaf_weight=2).fit(X, Y)
    for x in X[:6]:
        found = contributions(tree, x[None, :], NODES)
        phi, base = shapley_values(tree._trees()[0], x, H.n_nodes)
        np.testing.assert_allclose(found.values, phi, atol=1e-9)
        np.testing.assert_allclose(found.base, base, atol=1e-9)
        np.testing.assert_allclose(found.output, tree.predict_proba(x[None, :])[0], atol=1e-7)  # leaves hold float32


@pytest.mark.parametrize("method", ["shapley", "path"])
def test_contributions_of_forests_sum_to_the_score(method):
    X, Y = rows(1, missing=0.0)
    forest = PCTForest(hierarchy=H, n_estimators=7, random_state=0).fit(X, Y)
    for x in X[:4]:
        found = contributions(forest, x[None, :], [1, 4], method=method)
        assert found.method == method
        np.testing.assert_allclose(
            found.base + found.values.sum(axis=0), forest.predict_proba(x[None, :])[0, [1, 4]], atol=1e-6
        )
    plain = contributions(forest, X[:1], NODES, method="path")
    assert plain.features.tolist() == ["x0", "x1", "x2", "x3"]


def test_linear_contributions_sum_to_the_margin():
    X, Y = rows(2, missing=0.0)
    learner = SparseLinear(hierarchy=H, loss="log", train_on="all").fit(X, Y)
    found = contributions(learner, sparse.csr_array(X[:1]), NODES, method="margin")
    margin = X[:1] @ learner.coef_.toarray() + learner.intercept_
    np.testing.assert_allclose(found.output, margin[0], rtol=1e-5)
    top = H.roots
    np.testing.assert_allclose(1 / (1 + np.exp(-found.output[top])), learner.predict_proba(X[:1])[0, top], rtol=1e-4)


def test_any_other_learner_is_asked_without_a_feature():
    X, Y = rows(3, missing=0.0)
    learner = BinaryRelevance(GaussianNB(), hierarchy=H).fit(X, Y)
    found = contributions(learner, X[:1], [0])
    without = X[:1].copy()
    without[0, 0] = 0.0
    assert found.method == "leave-one-out"
    wanted = learner.predict_proba(X[:1])[0, 0] - learner.predict_proba(without)[0, 0]
    assert found.values[0, 0] == pytest.approx(wanted)
    with pytest.raises(ValueError, match="method='shapley' is not offered by BinaryRelevance"):
        contributions(learner, X[:1], [0], method="shapley")
    with pytest.raises(ValueError, match="method must be"):
        contributions(learner, X[:1], [0], method="magic")


def test_the_features_of_a_label():
    X, Y = rows(4, missing=0.0)
    linear = top_features(SparseLinear(hierarchy=H).fit(X, Y), 2)
    assert linear["a"][0][0] == "x0"
    forest = PCTForest(hierarchy=H, n_estimators=5, random_state=0).fit(X, Y)
    found = top_features(forest, 4)
    assert set(found) == set(H.names)
    assert sum(value for _, value in found["a"]) == pytest.approx(1.0)
    assert found["a"][0][0] == "x0"
    with pytest.raises(CapabilityError, match="BinaryRelevance cannot list the features that matter"):
        top_features(BinaryRelevance(GaussianNB(), hierarchy=H).fit(X, Y))


def test_causes_are_words_and_columns():
    texts = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"]
    labels = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3]
    model = HierarchicalClassifier(decoder="best-path").fit(texts, labels)
    shown = model.explain("the cat sleeps", n_causes=2, n_others=0)
    assert shown.method == "linear"
    assert {cause for cause, _ in shown.records[-1].causes} <= {"the", "cat", "sleeps"}
    assert "because of" in str(shown)
    assert "because of (linear)" in shown._repr_html_()
    assert shown.to_dicts()[0]["causes"] == dict(shown.records[0].causes)
    assert "because" not in str(model.explain("the cat sleeps"))
    cells = np.array([["red", "1"], ["blue", "2"], ["red", "1"], ["blue", "3"]] * 5, object)
    model = HierarchicalClassifier("pct", cv=2).fit(cells, [["a"], ["b"], ["a"], ["b"]] * 5)
    causes = model.explain(cells[:1], n_causes=3).records[0].causes
    assert {cause for cause, _ in causes} <= {"x0_red", "x0_blue", "x1"}
    assert causes

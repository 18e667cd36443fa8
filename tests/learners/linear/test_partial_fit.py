"""SparseLinear learns from more rows without the old ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from learners_room import as_plain_hierarchy
from truepath import Hierarchy
from truepath.data import make_hmc
from truepath.learners import SparseLinear
from truepath.metrics import auprc

OPTIONS = [{"loss": "log", "train_on": "parents"}, {}]


@pytest.fixture(scope="module")
def rows():
    ds = make_hmc(900, 12, 20, depth=3, branching=3, random_state=0).merge()
    X = np.maximum(ds["all"].X, 0.0)
    return X / np.linalg.norm(X, axis=1, keepdims=True), np.asarray(ds["all"].y, bool), ds.hierarchy


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_batches_lead_to_about_what_all_rows_lead_to(rows, options):
    X, Y, h = rows
    whole = SparseLinear(hierarchy=h, **options).fit(X[:600], Y[:600])
    first = SparseLinear(hierarchy=h, **options).fit(X[:60], Y[:60])
    parts = SparseLinear(hierarchy=h, **options)
    for start in range(0, 600, 60):
        assert parts.partial_fit(X[start : start + 60], Y[start : start + 60]) is parts
    areas = [auprc(Y[600:], learner.predict_proba(X[600:])) for learner in (first, parts, whole)]
    assert areas[1] > areas[0] + 0.5 * (areas[2] - areas[0])
    assert h.is_coherent(parts.predict_proba(X[600:]))
    np.testing.assert_allclose(parts._seen[1], (X[:600] ** 2).sum(axis=0))


@pytest.mark.parametrize("class_weight", [None, "sqrt", "balanced", {1: 3.0}], ids=str)
@pytest.mark.parametrize("loss", ["log", "squared_hinge"])
def test_without_old_rows_it_is_the_penalised_minimum(loss, class_weight):
    """Nothing was seen before, so that the prior is the penalty."""
    rng = np.random.default_rng(0)
    X, truth = rng.random((80, 3)), rng.random((80, 1)) < 0.4
    options = {"loss": loss, "C": 0.05, "min_weight": 0, "class_weight": class_weight}
    exact = SparseLinear(tol=1e-6, max_iter=1000, **options).fit(X, truth)
    fresh = SparseLinear(**options).fit(X, truth)
    fresh._weights, fresh._intercepts = sparse.csr_array(0 * fresh._weights), np.zeros(1)
    fresh._seen, fresh._sides = (0.0, np.zeros(3)), (np.zeros(1), np.zeros(1))
    fresh.partial_fit(X, truth)
    sign = np.where(truth[:, 0], 1, -1)
    a, n = truth.sum(), len(X)
    roots = n / (np.sqrt(n - a) + np.sqrt(a))
    factors = {
        "None": (1, 1),
        "sqrt": (roots / np.sqrt(n - a), roots / np.sqrt(a)),
        "balanced": (n / 2 / (n - a), n / 2 / a),
    }.get(str(class_weight), (1, 3))

    def value(learner):
        w, b = learner.coef_.toarray()[:, 0], learner.intercept_[0]
        margin = (X @ w + b) * sign
        losses = np.logaddexp(0, -margin) if loss == "log" else np.maximum(0, 1 - margin) ** 2
        return (w**2).sum() / 2 + b**2 / 2 + 0.05 * losses @ np.where(truth[:, 0], factors[1], factors[0])

    assert value(fresh) == pytest.approx(value(exact), rel=2e-3)


def test_labels_that_were_missing_are_learned(rows):
    X, Y, h = rows
    v = int(np.argmax(Y[300:].sum(axis=0)))
    before = np.flatnonzero(~Y[:300, v])
    learner = SparseLinear(hierarchy=h).fit(X[before], Y[before])
    assert learner.intercept_[v] == -np.inf
    rare = int(np.flatnonzero(~Y[:300].any(axis=0))[0]) if (~Y[:300].any(axis=0)).any() else None
    learner.partial_fit(X[300:], Y[300:])
    S = learner.predict_proba(X[300:])[:, v]
    assert S[Y[300:, v]].mean() > S[~Y[300:, v]].mean()
    assert rare is None or np.isfinite(learner.intercept_[rare]) == Y[300:, rare].any()


def test_what_is_refused(rows):
    X, Y, h = rows
    learner = SparseLinear(hierarchy=h).fit(X[:100], Y[:100])
    with pytest.raises(ValueError, match="features"):
        learner.partial_fit(X[:10, :3], Y[:10])
    with pytest.raises(ValueError, match="rows"):
        learner.partial_fit(X[:10], Y[:9])


def test_groups_of_labels_learn_as_labels_do():
    wide = Hierarchy.from_edges([(None, f"t{i}") for i in range(9)] + [("t1", f"c{i}") for i in range(5)])
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(120, 5)), wide.close(rng.random((120, wide.n_nodes)) < 0.15)
    options = {"train_on": "parents", "tol": 1e-10, "max_iter": 5000, "min_weight": 0.0, "C": 1.0}
    learner = SparseLinear(hierarchy=wide, max_children=2, **options).fit(X[:80], Y[:80])
    seen, place = as_plain_hierarchy(learner)
    assert seen.n_nodes > wide.n_nodes
    Z = np.zeros((len(X), seen.n_nodes), bool)
    Z[:, place] = Y
    Z = seen.close(Z)
    plain = SparseLinear(hierarchy=seen, max_children=None, **options).fit(X[:80], Z[:80])
    learner.partial_fit(X[80:], Y[80:])
    plain.partial_fit(X[80:], Z[80:])
    np.testing.assert_allclose(learner.predict_proba(X), plain.predict_proba(X)[:, place], atol=1e-5)


def test_labels_may_be_names():
    learner = SparseLinear().partial_fit([[1.0, 0.0], [0.0, 1.0]], [["a/1"], ["b"]])
    learner.partial_fit(sparse.csr_array([[1.0, 0.0], [0.0, 1.0]]), [["a"], ["b"]], sample_weight=[1.0, 2.0])
    assert learner._seen[0] == 5.0
    with pytest.raises(ValueError, match="c"):
        learner.partial_fit([[1.0, 0.0]], [["c"]])

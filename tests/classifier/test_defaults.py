"""What every default model can do once fitted: be updated, learn more rows, name its best labels."""

from __future__ import annotations

import pickle
import time

import numpy as np
import pandas as pd
import pytest

from truepath import HierarchicalClassifier, Hierarchy
from truepath.adapters.capabilities import grade, offers, reach, update_learner
from truepath.errors import CapabilityError
from truepath.learners import PCTForest, SparseLinear, Stack
from truepath.persistence import load, save

H = Hierarchy.from_edges([("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2")])
LEAVES = ["a1", "a2", "b1", "b2"]


def labels_of(n_rows):
    return [[LEAVES[i % 4]] for i in range(n_rows)]


def texts(n_rows):
    rng = np.random.default_rng(0)
    words = [f"word{k}" for k in range(30)]
    return [f"{label[0]} {label[0][0]} {' '.join(rng.choice(words, 4))}" for label in labels_of(n_rows)]


def table(n_rows, n_columns=6, dtype=np.float64):
    X = np.random.default_rng(0).normal(size=(n_rows, n_columns))
    X[np.arange(n_rows), np.arange(n_rows) % 4] += 2.5
    return X.astype(dtype)


def mixed(n_rows):
    X = table(n_rows)
    kinds = np.array(["red", "green", "blue"])[np.arange(n_rows) % 3]
    return pd.DataFrame({"kind": kinds, "text": texts(n_rows), **{f"x{k}": X[:, k] for k in range(6)}})


#: Rows by the default model that they get
DEFAULTS = {
    "few texts": lambda: texts(40),
    "texts": lambda: texts(160),
    "many texts": lambda: texts(8100),
    "small table": lambda: table(40),
    "table": lambda: table(160),
    "large table": lambda: table(150),
    "embeddings": lambda: table(120, 64, np.float32),
    "mixed frame": lambda: mixed(120),
}
#: What leaves time for one member alone, as 60,000 rows do
SMALL_BUDGET = {"large table": 0.001}


@pytest.fixture(scope="module", params=DEFAULTS)
def fitted(request):
    X = DEFAULTS[request.param]()
    n_rows = len(X)
    options = {"budget": SMALL_BUDGET.get(request.param, "seconds")}
    model = HierarchicalClassifier(hierarchy=H, decoder="single", **options).fit(X, labels_of(n_rows))
    return request.param, model, X, labels_of(n_rows)


def copy_of(model, folder):
    save(model, folder / "model.tp")
    return load(folder / "model.tp")


def test_a_label_is_added_and_one_moved(fitted, tmp_path):
    _, model, X, labels = fitted
    model = copy_of(model, tmp_path)
    before, learner, threshold = model.predict_proba(X), model.learner_, model.decoder_.threshold_
    diff = H.edit().add("a3", "a").rename("b", "c").move("b2").diff()
    Y = diff.transfer(H.encode(labels))
    Y[::8, diff.new.index("a3")] = Y[::8, diff.new.index("a")]
    model.update(diff, X, Y)
    S = model.predict_proba(X)
    assert diff.new.is_coherent(S)
    assert set(diff.new.names[diff.touched]) == {"a", "a1", "a2", "a3", "b1", "b2", "c"}
    by_hand = update_learner(learner, diff, X, Y).predict_proba(X)
    np.testing.assert_array_equal(S, by_hand)
    same = diff.new.indices(["a1", "a2", "b1"])
    # a blend that is fitted anew may do without other members
    assert np.abs(S[:, same] - before[:, H.indices(["a1", "a2", "b1"])]).mean() < 0.06
    np.testing.assert_array_equal(model.decoder_.thresholds_, np.full(diff.new.n_nodes, threshold))
    assert model.predict(X[:5] if not hasattr(X, "iloc") else X.iloc[:5]).shape == (5, diff.new.n_nodes)
    copy = copy_of(model, tmp_path)
    np.testing.assert_array_equal(copy.predict_proba(X), S)
    later = diff.new.edit().remove("a3").diff()
    copy.update(later, X, later.transfer(Y))
    assert copy.hierarchy_ == later.new


def test_labels_are_split_and_merged(fitted, tmp_path):
    _, model, X, labels = fitted
    model = copy_of(model, tmp_path)
    diff = H.edit().merge(["a1", "a2"], "a12").split("b1", ["bx", "by"]).diff()
    Y = diff.transfer(H.encode(labels))
    has_b1 = np.array([row == ["b1"] for row in labels])
    Y[:, diff.new.index("bx")], Y[:, diff.new.index("by")] = has_b1, False
    model.update(diff, X, Y)
    S, v = model.predict_proba(X), diff.new.index("bx")
    assert S[has_b1, v].mean() > S[~has_b1, v].mean() + 0.2
    assert S[:, diff.new.index("by")].max() < 0.3
    assert np.abs(S[:, diff.new.index("a12")] - S[:, diff.new.index("a")]).mean() < 0.1


@pytest.mark.parametrize("among", ["all", "leaves"])
def test_the_best_labels_are_those_of_all_scores(fitted, among):
    _, model, X, _ = fitted
    X = X[:50] if not hasattr(X, "iloc") else X.iloc[:50]
    S, top = model.predict_proba(X), model.predict_top(X, 3, among=among)
    counted = H.leaves if among == "leaves" else np.arange(H.n_nodes)
    for i, s in enumerate(S):
        best = [v for v in sorted(counted, key=lambda v: (-s[v], v)) if s[v] > 0][:3]
        assert top.nodes[i][top.nodes[i] >= 0].tolist() == best
        np.testing.assert_array_equal(top.probabilities[i][: len(best)], s[best])


def test_the_members_can_all_be_updated(fitted):
    _, model, *_ = fitted
    assert offers(model.learner_, "update")
    stack = getattr(reach(model.learner_).member, "stack_", None)
    for learner in [] if stack is None else stack.learners_:
        assert offers(learner, "update")


@pytest.mark.parametrize("options", [{"calibrate": "sigmoid"}, {"calibrate": "isotonic"}, {"combiner": "max-up"}])
def test_a_calibrator_and_a_correction_go_over_as_well(options):
    X, labels = texts(60), labels_of(60)
    model = HierarchicalClassifier(hierarchy=H, cv=3, **options).fit(X, labels)
    before = model.predict_proba(X)
    diff = H.edit().add("a3", "a").add("d").diff()
    Y = diff.transfer(H.encode(labels))
    Y[::4, diff.new.index("a3")] = Y[::4, diff.new.index("a")]
    model.update(diff, X, Y)
    kept = np.flatnonzero(diff.origin >= 0)
    S = model.predict_proba(X)
    np.testing.assert_allclose(S[:, kept], before[:, diff.origin[kept]], atol=1e-12)
    assert diff.new.is_coherent(S)
    assert S[:, diff.new.index("a3")].max() > 0.1


def test_more_rows_are_learned_where_all_parts_can(fitted, tmp_path):
    name, model, X, labels = fitted
    model = copy_of(model, tmp_path)
    n_rows = model.fitted_on_.n_rows
    if name not in ("few texts", "many texts"):
        with pytest.raises(CapabilityError, match=r"TableBlend cannot learn from more rows.* SparseLinear"):
            model.partial_fit(X, labels)
        return
    features, member = model.learner_[0], model.learner_[-1]
    by_hand = load(tmp_path / "model.tp").learner_[-1].partial_fit(features.transform(X[:30]), H.encode(labels[:30]))
    before = model.predict_proba(X)
    assert model.partial_fit(X[:30], labels[:30]) is model
    assert model.fitted_on_.n_rows == n_rows + 30
    np.testing.assert_array_equal(model.predict_proba(X), by_hand.predict_proba(features.transform(X)))
    assert (model.predict_proba(X) != before).any()
    assert member is model.learner_[-1]
    with pytest.raises(ValueError, match="same rows"):
        model.partial_fit(X[:3], labels[:2])


def test_the_first_rows_are_fitted_and_later_ones_help():
    X, labels = texts(90), labels_of(90)
    model = HierarchicalClassifier(hierarchy=H).partial_fit(X[:20], labels[:20])
    few = model.score(X[60:], labels[60:])
    model.partial_fit(X[20:60], labels[20:60])
    assert model.score(X[60:], labels[60:]) >= few


def test_a_stack_passes_more_rows_on():
    X = table(80)
    Y = H.encode(labels_of(80))
    stack = Stack([SparseLinear(), ("second", SparseLinear(C=0.1))], combiner="blend", hierarchy=H).partial_fit(X, Y)
    weights = stack.combiner_.weights_.copy()
    by_hand = [clone_fitted(learner).partial_fit(X[:9], Y[:9]).predict_proba(X) for learner in stack.learners_]
    stack.partial_fit(X[:9], Y[:9])
    np.testing.assert_array_equal(stack.predict_proba(X), stack.combiner_.transform(by_hand))
    np.testing.assert_array_equal(stack.combiner_.weights_, weights)
    assert not hasattr(Stack([SparseLinear(), PCTForest()], hierarchy=H), "partial_fit")


def clone_fitted(learner):
    return pickle.loads(pickle.dumps(learner))


@pytest.mark.parametrize("capability", ["contributions", "features", "update", "export"])
def test_every_default_has_it(fitted, capability):
    assert grade(fitted[1].learner_, capability) != "no"


def test_every_default_is_served(fitted):
    testing = pytest.importorskip("fastapi.testclient")
    from truepath.serve import make_app

    _, model, X, _ = fitted
    is_text = isinstance(X, list)
    rows = X[:2] if is_text else X.iloc[:2].to_dict("records") if hasattr(X, "iloc") else X[:2].tolist()
    expected = [sorted(labels) for labels in model.predict_labels(X[:2])]
    with testing.TestClient(make_app(model)) as client:
        while client.get("/health").status_code == 503:  # it warms up
            time.sleep(0.01)
        answer = client.post("/predict", json={"texts" if is_text else "rows": rows})
        reasons = client.post("/explain", json={"text" if is_text else "row": rows[0]})
    assert answer.status_code == 200, answer.text
    assert [sorted(found["labels"]) for found in answer.json()["predictions"]] == expected
    assert reasons.status_code == 200, reasons.text
    assert sorted(reasons.json()["labels"]) == expected[0]

"""Every default model says what features add, which matter, and which rows are alike; what it says adds up."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from truepath import HierarchicalClassifier
from truepath.adapters import Contributions, Likeness
from truepath.adapters.capabilities import grade, reach
from truepath.classifier import default
from truepath.combiners import Blend
from truepath.learners import (
    HierarchicalLearner,
    SparseLinear,
    Stack,
    TableBlend,
    check_fit_input,
    check_predict_input,
    contributions,
    similar_rows,
    top_features,
)

PATHS = ["animal/cat", "animal/dog", "plant/oak", "plant/tree/fir", "stone"]
WORDS = {path: path.split("/")[-1] for path in PATHS}


def labels_of(n_rows, seed):
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, len(PATHS), n_rows)
    return chosen, [[PATHS[k], PATHS[(k + 1) % len(PATHS)]] if k % 2 else [PATHS[k]] for k in chosen]


def texts(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    _, labels = labels_of(n_rows, seed)
    filler = [f"word{k}" for k in range(400)]
    return [" ".join([*(WORDS[p] for p in own), *rng.choice(filler, 6, replace=False)]) for own in labels], labels


def table(n_rows, n_columns=6, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    chosen, labels = labels_of(n_rows, seed)
    X = rng.normal(size=(n_rows, n_columns))
    X[np.arange(n_rows), chosen] += 2.0
    return X.astype(dtype), labels


def mixed(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X, labels = table(n_rows, seed=seed)
    words, _ = texts(n_rows, seed)
    frame = pd.DataFrame({"text": words, "size": X[:, 0], "weight": X[:, 1], "zero": np.zeros(n_rows)})
    frame["colour"] = rng.choice(["red", "green", "blue"], n_rows)
    frame.loc[rng.random(n_rows) < 0.2, "size"] = np.nan
    return frame, labels


def table_with_gaps(n_rows, seed=0):
    X, labels = table(n_rows, seed=seed)
    X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    return X, labels


#: What people have, and the learner that is chosen for them
DEFAULTS = {
    "few texts": (lambda: texts(40), SparseLinear),
    "texts": (lambda: texts(150), TableBlend),
    "many texts": (lambda: texts(150), SparseLinear),
    "small table": (lambda: table(30), TableBlend),
    "table": (lambda: table(150), TableBlend),
    "table with gaps": (lambda: table_with_gaps(120), TableBlend),
    "large table": (lambda: table(120), TableBlend),
    "embeddings": (lambda: table(120, 64, dtype=np.float32), TableBlend),
    "mixed frame": (lambda: mixed(120), TableBlend),
}


@pytest.fixture(scope="module", params=DEFAULTS)
def fitted(request):
    make, kind = DEFAULTS[request.param]
    X, labels = make()
    with pytest.MonkeyPatch.context() as patched:
        if request.param == "many texts":
            patched.setattr(default, "MOST_ROWS_TO_BLEND", 120)
        budget = 0.3 if request.param == "large table" else "seconds"  # a forest alone
        model = HierarchicalClassifier(budget=budget).fit(X, labels)
    assert isinstance(reach(model.learner_).member, kind)
    return model, X


def row(X, i):
    return X.iloc[i : i + 1] if hasattr(X, "iloc") else X[i : i + 1]


def test_contributions_add_up_to_the_final_scores(fitted):
    model, X = fitted
    for i in range(4):
        found = model.contributions(row(X, i), np.arange(model.hierarchy_.n_nodes))
        np.testing.assert_allclose(found.base + found.values.sum(axis=0), model.predict_proba(row(X, i))[0], atol=1e-9)
        assert np.abs(found.values).sum() > 0
        assert len(found.features) == len(found.values)
        assert "leave-one-out" not in found.method
        some = contributions(model, row(X, i), [3, 1])
        np.testing.assert_allclose(some.output, found.output[[3, 1]], atol=1e-12)


def test_causes_are_those_of_the_final_score(fitted):
    model, X = fitted
    shown = model.explain(row(X, 0), n_causes=2)
    found = model.contributions(row(X, 0), [record.node for record in shown.records])
    for record in shown.records:
        assert [cause for cause, _ in record.causes] == [cause for cause, _ in found.of(record.node, 2)]
    assert shown.method == found.method


def test_features_and_rows(fitted):
    model, X = fitted
    by_label, by_level = top_features(model, 3), top_features(model, 3, by="level")
    assert list(by_label) == model.hierarchy_.names.tolist()
    assert list(by_level) == ["level 1", "level 2", "level 3"]
    assert all(0 < len(found) <= 3 for found in [*by_label.values(), *by_level.values()])
    alike = similar_rows(model, row(X, 2), X, 3)
    assert alike.rows[0] == 2
    assert alike.likeness[0] == pytest.approx(1.0)


def test_words_are_the_causes_of_labels():
    X, labels = texts(150)
    model = HierarchicalClassifier().fit(X, labels)
    for path, word in WORDS.items():
        assert top_features(model, 1)[path][0][0] == word
        v = model.hierarchy_.index(path)
        i = next(i for i, own in enumerate(labels) if own == [path] or path in own)
        assert model.contributions([X[i]], [v]).of(v, 1)[0][0] == word


def test_grades():
    X, labels = table(120)
    exact = TableBlend(members=["forest"], budget=0.1).fit(X[:40], labels[:40])
    assert grade(exact, "contributions") == "exact"
    with_fael = TableBlend(members=["forest"]).fit(X, labels)
    assert grade(with_fael, "contributions") == "approximate"  # kernel FAEL is not a sum


class FirstColumns(HierarchicalLearner):
    """A learner written outside: the score of a label is half the sigmoid of one column, and says so."""

    def __init__(self, *, hierarchy=None):
        self.hierarchy = hierarchy

    def fit(self, X, y, sample_weight=None):
        check_fit_input(self, X, y, sample_weight)
        return self

    def predict_proba(self, X):
        p = 0.5 / (1 + np.exp(-check_predict_input(self, X)[:, :1]))
        return np.repeat(p, self.hierarchy_.n_nodes, axis=1)

    def contributions(self, x, nodes):
        base = np.full(len(nodes), 0.25)
        return Contributions(nodes, self.predict_proba(x)[:, nodes] - base, base, "own", columns=[0])

    def feature_weights(self, by="label"):
        n = self.hierarchy_.n_nodes if by == "label" else self.hierarchy_.height
        return np.eye(self.n_features_in_)[:, :1] * np.ones(n)

    def likeness(self, x, X):
        return Likeness(np.exp(-np.abs(X[:, 0] - x[0, 0])), "first column")


def test_a_learner_from_outside_is_explained_alone_and_in_a_blend():
    X, labels = table(80)
    alone = HierarchicalClassifier(FirstColumns(), decoder="threshold").fit(X, labels)
    found = alone.contributions(X[:1], [0, 2])
    assert (found.method, found.columns.tolist()) == ("own", [0])
    assert alone.explain(X[0], n_causes=1).records[0].causes[0][0] == "x0"
    assert top_features(alone, 1)["animal"] == [("x0", 1.0)]
    assert similar_rows(alone, X[3:4], X, 1).measure == "first column"
    members = [FirstColumns(), SparseLinear(), LogisticRegression()]
    blend = Stack(members, combiner=Blend(project=None))
    model = HierarchicalClassifier(blend, decoder="threshold").fit(X, labels)
    weights = model.learner_.combiner_.weights_[0]
    nodes = np.arange(model.hierarchy_.n_nodes)
    found = model.contributions(X[:1], nodes)
    np.testing.assert_allclose(found.output, model.predict_proba(X[:1])[0], atol=1e-9)
    told = [contributions(member, X[:1], nodes) for member in model.learner_.learners_]
    np.testing.assert_allclose(found.output, weights @ [one.output for one in told], atol=1e-9)
    assert set(found.method.split(" + ")) == {one.method for one, w in zip(told, weights) if w}
    assert similar_rows(model, X[3:4], X, 1).rows.tolist() == [3]
    assert top_features(model, 6)["animal"]


def test_an_updated_blend_is_explained_too():
    X, labels = table(120)
    model = HierarchicalClassifier(TableBlend(keep_held_out=True)).fit(X, labels)  # keeps FAEL, whatever it counts
    combiner = reach(model.learner_).member.stack_.combiner_
    combiner.final_.weights_ = combiner.weights_ = np.full(combiner.weights_.shape, 1 / combiner.weights_.shape[1])
    edit = model.hierarchy_.edit().rename("stone", "rock").add("animal/lion", "animal")
    diff = edit.merge(["plant/oak", "plant/tree"], "plant/wood").diff()
    new = reach(model.update(diff, X, diff.transfer(model.hierarchy_.encode(labels))).learner_).member.stack_
    for x in X[:2]:
        found = new.contributions(x[None, :], np.arange(diff.new.n_nodes))
        np.testing.assert_allclose(found.output, new.predict_proba(x[None, :])[0], atol=1e-9)
        assert found.method == "shapley + slopes"

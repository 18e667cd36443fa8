"""The best labels of each row: against sorting, in every form, in Python and from files."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import refusal_of, run_command
from strategies import dags, score_matrices
from truepath import HierarchicalClassifier, Hierarchy
from truepath.classifier import FittedOn, predict_file
from truepath.combiners import MinDown
from truepath.decoders import Threshold

TEXTS = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"]
LABELS = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3]


class Given:
    """A learner whose features are its scores."""

    def fit(self, X, y):
        self.n_features_in_ = np.shape(X)[1]
        return self

    def predict_proba(self, X):
        return np.asarray(X, float)

    def get_params(self, deep=True):
        return {}


def fitted(hierarchy, S):
    model = HierarchicalClassifier(Given(), MinDown(), Threshold(), hierarchy=hierarchy)
    return model.fit(S, np.zeros(S.shape, bool))


def brute_force(hierarchy, s, k, per, among):
    """Sort labels by score, of equals the smaller number first."""
    order = [v for v in sorted(range(hierarchy.n_nodes), key=lambda v: (-s[v], v)) if s[v] > 0]
    if per == "level":
        return [[v for v in order if hierarchy.depth[v] == d][:k] for d in range(1, hierarchy.height + 1)]
    if among == "leaves":
        return [[v for v in order if hierarchy.is_leaf[v]][:k]]
    if among == "all":
        return [order[:k]]
    best = []
    for m in range(1, len(order) + 1):
        taken = set(order[:m])
        ends = [v for v in order[:m] if not taken & set(map(int, hierarchy.children(v)))]
        if len(ends) > k:
            break
        best = ends
    return [best]


@settings(max_examples=30)
@given(dags(max_nodes=8), st.data(), st.integers(1, 4))
def test_the_best_are_those_that_sorting_finds(hierarchy, data, k):
    S = data.draw(score_matrices(hierarchy, n_rows=2, min_rows=2))
    model = fitted(hierarchy, S)
    for per, among in [("row", "all"), ("row", "leaves"), ("row", "most-specific"), ("level", "all")]:
        top = model.predict_top(S, k, per=per, among=among)
        for i in range(2):
            parts = brute_force(hierarchy, S[i], k, per, among)
            assert top.nodes[i][top.nodes[i] >= 0].tolist() == [v for part in parts for v in part]
            np.testing.assert_array_equal(
                top.probabilities[i][top.nodes[i] >= 0], S[i, top.nodes[i][top.nodes[i] >= 0]]
            )
        assert np.isnan(top.probabilities[top.nodes < 0]).all()


def test_a_learner_that_searches_is_left_to_search(monkeypatch):
    model = HierarchicalClassifier().fit(TEXTS, LABELS)
    S = model.predict_proba(TEXTS)
    whole = {among: model.predict_top(TEXTS, 2, among=among) for among in ("all", "leaves")}
    monkeypatch.setattr(type(model.learner_[-1]), "predict_proba", None)
    for among, wanted in whole.items():
        found = model.predict_top(TEXTS, 2, among=among, batch_size=2)
        np.testing.assert_array_equal(found.nodes, wanted.nodes)
        shown = np.take_along_axis(S, found.nodes, axis=1)
        np.testing.assert_array_equal(found.probabilities, shown)
        assert (np.diff(found.probabilities) <= 0).all()


@settings(max_examples=20)
@given(dags(max_nodes=8), st.data(), st.integers(1, 4))
def test_propensities_rank_labels_by_what_they_are_worth(hierarchy, data, k):
    """No other k labels of a row are worth more in expectation: probability divided by propensity, summed."""
    S = data.draw(score_matrices(hierarchy, n_rows=2, min_rows=2))
    p = np.array(data.draw(st.lists(st.floats(0.1, 1.0), min_size=hierarchy.n_nodes, max_size=hierarchy.n_nodes)))
    model = fitted(hierarchy, S)
    for per, among in [("row", "all"), ("row", "leaves"), ("level", "all")]:
        top = model.predict_top(S, k, per=per, among=among, propensities=p)
        for i in range(2):
            found = top.nodes[i][top.nodes[i] >= 0]
            parts = brute_force(hierarchy, S[i] / p, k, per, among)
            assert found.tolist() == [v for part in parts for v in part]
            np.testing.assert_array_equal(top.probabilities[i][top.nodes[i] >= 0], S[i, found])


def test_a_searching_learner_ranks_by_worth_too():
    model = HierarchicalClassifier().fit(TEXTS, LABELS)
    S = model.predict_proba(TEXTS)
    p = np.linspace(1.0, 0.01, S.shape[1])
    top = model.predict_top(TEXTS, 2, propensities=p, batch_size=2)
    np.testing.assert_array_equal(top.nodes, np.argsort(-S / p, axis=1, kind="stable")[:, :2])
    assert (top.nodes != model.predict_top(TEXTS, 2).nodes).any()


def test_what_a_row_reads_like():
    h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    top = fitted(h, np.zeros((1, 4))).predict_top([[0.9, 0.7, 0.3, 0.2], [0.1, 0.0, 0.0, 0.5]], 2, per="level")
    assert top[0] == [("a", 0.9), ("b", 0.2), ("a/1", 0.7), ("a/2", 0.3)]
    assert list(top)[1] == [("b", 0.5), ("a", 0.1)]
    assert top.names[1].tolist() == ["b", "a", "", ""]
    frame = top.to_frame()
    assert frame.columns.tolist() == ["row", "level", "rank", "label", "probability"]
    assert frame[frame.row == 1].values.tolist() == [[1, 1, 1, "b", 0.5], [1, 1, 2, "a", 0.1]]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"k": 0}, "k must be"),
        ({"per": "column"}, "per must"),
        ({"among": "b"}, "among must"),
        ({"per": "level", "among": "leaves"}, "among must be 'all'"),
        ({"among": "most-specific", "propensities": [1.0, 1.0]}, "propensities go with 'all' and 'leaves'"),
        ({"propensities": [1.0]}, "propensities must"),
        ({"propensities": [1.0, 0.0]}, "propensities must be greater than 0"),
    ],
)
def test_what_is_refused(options, said):
    model = fitted(Hierarchy.flat(2), np.zeros((1, 2)))
    with pytest.raises(ValueError, match=said):
        model.predict_top([[0.1, 0.2]], **options)


@pytest.fixture(scope="module")
def books(tmp_path_factory):
    """A model of texts in a file, and rows to predict."""
    folder = tmp_path_factory.mktemp("books")
    model = HierarchicalClassifier(decoder="best-path").fit(TEXTS, LABELS)
    model.set_fitted_on(FittedOn("table", "books", ("about",), text="about", ids="key")).save(folder / "m.tp")
    (folder / "new.csv").write_text("key,about,price,labels\nx,the oak,1.50,p\ny,a cat,2,q\n")
    return model, folder


def test_files_of_best_labels(books):
    model, folder = books
    top = model.predict_top(["the oak", "a cat"], 2)
    out = io.StringIO()
    predict_file(model, folder / "new.csv", out, top=2, keep=["price"])
    rows = list(csv.reader(io.StringIO(out.getvalue())))
    assert rows[0] == ["key", "price", "label_1", "probability_1", "label_2", "probability_2"]
    assert [[row[0], row[1], row[2], row[4]] for row in rows[1:]] == [
        ["x", "1.50", *top.names[0]],
        ["y", "2", *top.names[1]],
    ]
    assert [float(row[3]) for row in rows[1:]] == top.probabilities[:, 0].tolist()
    out = io.StringIO()
    predict_file(model, folder / "new.csv", out, top=1, per="level", long=True, keep="all")
    rows = list(csv.reader(io.StringIO(out.getvalue())))
    assert rows[0] == ["key", "about", "price", "labels", "level", "rank", "label", "probability"]
    assert rows[1][:7] == ["x", "the oak", "1.50", "p", "1", "1", "plant"]
    assert [row[4] for row in rows[1:]] == ["1", "2", "1", "2"]


def test_the_command(books):
    _, folder = books
    printed, _ = run_command("predict", folder / "m.tp", folder / "new.csv", "--keep", "all")
    assert printed.splitlines()[:2] == ["key,about,price,labels_given,labels", "x,the oak,1.50,p,plant/oak"]
    printed, _ = run_command("predict", folder / "m.tp", folder / "new.csv", "--top", 1, "--format", "json")
    assert [set(row) for row in json.loads(printed)] == [{"key", "label_1", "probability_1"}] * 2
    assert "give top" in refusal_of("predict", folder / "m.tp", folder / "new.csv", "--long")
    assert "no column 'prise'" in refusal_of("predict", folder / "m.tp", folder / "new.csv", "--keep", "prise")


def test_parquet_has_numbers(books, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    model, folder = books
    predict_file(model, folder / "new.csv", tmp_path / "t.parquet", top=3, among="leaves")
    table = parquet.read_table(tmp_path / "t.parquet")
    assert [str(kind) for kind in table.schema.types] == ["string", *["string", "double"] * 3]
    assert (
        table.column("probability_1").to_pylist()
        == model.predict_top(["the oak", "a cat"], 3, among="leaves").probabilities[:, 0].tolist()
    )


def test_notebooks_show_bars():
    model = HierarchicalClassifier(decoder="best-path").fit(TEXTS, LABELS)
    shown = model.predict_top(TEXTS * 4, 1)._repr_html_()
    assert shown.count("<th>") == 20
    assert "and 4 rows more" in shown
    assert "animal" in shown

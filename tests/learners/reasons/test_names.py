"""What features are called: by the columns of arrays where their names are known; and the features of blends."""

import numpy as np
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from truepath import HierarchicalClassifier
from truepath.classifier import FittedOn
from truepath.export import to_onnx
from truepath.learners import SparseLinear, TableBlend, contributions, similar_rows, top_features
from truepath.preprocessing import AutoFeatures

CELLS = np.array([["1.5", "red"], ["9", "blue"], ["1", "red"], ["8", "blue"]] * 4, object)
LABELS = [["a"], ["b"]] * 8


def test_columns_of_arrays_are_called_by_their_names():
    features = AutoFeatures().fit(CELLS)
    assert features.get_feature_names_out(["size", "colour"]).tolist() == ["size", "colour=blue", "colour=red"]
    model = HierarchicalClassifier("linear").fit(CELLS, LABELS)
    model.set_fitted_on(FittedOn("table", "things", ("size", "colour"), n_rows=len(CELLS)))
    assert {name for name, _ in top_features(model)["a"]} <= {"size", "colour=blue", "colour=red"}
    assert "colour=red" in str(model.explain(CELLS[:1], n_causes=2))
    found = contributions(
        model.learner_, CELLS[:1], [0], columns=["only", "two", "three"]
    )  # as many as there are, or none
    assert "x0" in found.features.tolist()


def test_the_first_readable_member_of_a_blend_is_read():
    words = [f"the {name} word{i}" for i in range(60) for name in ("cat", "oak")]
    labels = [[name] for _ in range(60) for name in ("animal", "plant")]
    model = HierarchicalClassifier().fit(words, labels)
    blend = model.learner_[-1]
    assert isinstance(blend, TableBlend)
    assert isinstance(blend.stack_.learners_[0], SparseLinear)
    assert top_features(model, 1)["animal"][0][0] == "cat"


def test_a_row_may_be_a_polars_frame_or_one_text():
    frame = pl.DataFrame({"size": [1.0, 9.0] * 8, "colour": ["red", "blue"] * 8})
    model = HierarchicalClassifier("linear").fit(frame, LABELS)
    assert "colour=red" in str(model.explain(frame[:1], n_causes=2))
    texts = ["a red fox", "the blue sea"] * 8
    model = HierarchicalClassifier("linear").fit(texts, LABELS)
    one, listed = (similar_rows(model, x, texts, 1) for x in ("blue sea", ["blue sea"]))
    assert texts[one.rows[0]] == "the blue sea"
    assert (one.rows, one.likeness) == (listed.rows, listed.likeness)


@pytest.mark.parametrize("model", [HierarchicalClassifier(), SparseLinear()])
def test_a_model_that_is_not_fitted_is_refused_as_such(model):
    with pytest.raises(NotFittedError):
        top_features(model)
    with pytest.raises(NotFittedError):
        similar_rows(model, [[1.0]], [[1.0]])
    with pytest.raises(NotFittedError):
        contributions(model, [[1.0]], [0])


def test_a_classifier_is_found_behind_pipelines_and_searches():
    texts = ["a red fox", "the blue sea"] * 8
    alone = HierarchicalClassifier("linear", random_state=0).fit(texts, LABELS)
    search = GridSearchCV(HierarchicalClassifier("linear", random_state=0), {"decoder": ["single"]}, cv=2)
    search.fit(texts, LABELS)
    assert top_features(search) == top_features(alone)
    assert (
        similar_rows(search, texts[:1], texts).likeness.tolist()
        == similar_rows(alone, texts[0], texts).likeness.tolist()
    )
    behind = make_pipeline(TfidfVectorizer(), HierarchicalClassifier("linear", random_state=0)).fit(texts, LABELS)
    assert {name for name, _ in top_features(behind)["a"]} <= {"red", "fox"}
    assert similar_rows(behind, "the sea", texts, 1).rows == [1]


def test_a_vectorizer_takes_texts_in_an_export():
    onnx = pytest.importorskip("onnxruntime")
    texts = ["a red fox", "the blue sea"] * 8
    inside = HierarchicalClassifier(make_pipeline(TfidfVectorizer(), SparseLinear()))
    for model in (make_pipeline(TfidfVectorizer(), HierarchicalClassifier("linear")), inside):
        file = to_onnx(model.fit(texts, LABELS)).SerializeToString()
        session = onnx.InferenceSession(file, providers=["CPUExecutionProvider"])
        found = session.run(["scores"], {"text": np.array(["red sea"], object)})[0]
        np.testing.assert_allclose(found, model.predict_proba(["red sea"]), atol=1e-6)

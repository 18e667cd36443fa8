"""A classifier under a changed hierarchy."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

from truepath import HierarchicalClassifier, Hierarchy
from truepath.errors import CapabilityError
from truepath.learners import SparseLinear, Stack

TEXTS = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"] * 3
LABELS = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3] * 3


@pytest.mark.parametrize("decoder", ["best-path", "single", "multi"])
def test_a_label_is_added_and_one_renamed(decoder):
    model = HierarchicalClassifier(decoder=decoder, cv=2).fit(TEXTS, LABELS)
    S = model.predict_proba(TEXTS)
    diff = model.hierarchy_.edit().add("plant/elm", "plant").rename("animal", "fauna").diff()
    labels = [["plant/oak", "plant/elm"] if text == "oak leaves" else row for text, row in zip(TEXTS, LABELS)]
    labels = [[name.replace("animal", "fauna") for name in row] for row in labels]
    assert model.update(diff, TEXTS, labels) is model
    kept = [v for v, name in enumerate(model.hierarchy_.names) if name != "plant/elm"]
    np.testing.assert_array_equal(model.predict_proba(TEXTS)[:, kept], S)
    assert model.hierarchy_ == diff.new
    assert model.updated_ == "learned: plant/elm; the other 5 labels as they were"
    assert all("animal" not in name for row in model.predict_labels(TEXTS) for name in row)


def test_rows_that_come_are_learned_by_all_labels_that_they_train():
    model = HierarchicalClassifier(cv=2).fit(TEXTS, LABELS)
    features, threshold = model.learner_[0], model.decoder_.thresholds_
    diff = model.hierarchy_.edit().add("plant/elm", "plant").diff()
    texts, labels = [*TEXTS, "leaves bark", "the tree and leaves bark"], [*LABELS, ["plant/elm"], ["plant/elm"]]
    model.update(diff, texts, labels)
    assert model.learner_[0] is features
    assert model.fitted_on_.n_rows == len(texts)
    fresh = clone(model.learner_[-1]).fit(features.transform(texts), labels)
    np.testing.assert_allclose(model.predict_proba(texts), fresh.predict_proba(features.transform(texts)), atol=1e-12)
    assert model.updated_.startswith("learned: animal, animal/cat, ")
    np.testing.assert_array_equal(model.decoder_.thresholds_, np.full(diff.new.n_nodes, threshold[0]))


@pytest.mark.parametrize("whole", [True, False])
def test_features_that_do_not_know_the_words_are_fitted_anew(whole):
    options = {"decoder": "single", "cv": 2}
    h = HierarchicalClassifier(**options).fit(TEXTS, LABELS).hierarchy_
    model = HierarchicalClassifier(hierarchy=h if whole else None, **options).fit(TEXTS, LABELS)
    new = h.edit().add("robot/drone", ()).done()
    texts, labels = [*TEXTS, "circuits hum", "humming motors"], [*LABELS, ["robot/drone"], ["robot/drone"]]
    model.update(new, texts, labels)
    fresh = HierarchicalClassifier(hierarchy=new, **options).fit(texts, labels)
    np.testing.assert_array_equal(model.predict_proba(texts), fresh.predict_proba(texts))
    np.testing.assert_array_equal(model.decoder_.thresholds_, fresh.decoder_.thresholds_)
    assert model.predict_labels(texts[-2:]) == [("robot/drone",)] * 2
    said = "learned: all 6 labels anew, since the features did not know circuits, hum, humming, motors"
    assert model.updated_ == said
    assert (model.hierarchy is None) == (not whole)


def test_categories_that_are_new_are_learned():
    colours = [["red", "1"], ["blue", "2"], ["green", "3"]] * 20
    names = [["warm"], ["cold"], ["cold"]] * 20
    h = Hierarchy.flat(["warm", "cold"])
    X = np.array(colours, object)
    model = HierarchicalClassifier("linear", hierarchy=h, decoder="single").fit(X, names)
    diff = h.edit().add("pale").diff()
    more = np.vstack([X, np.array([["white", "2"]] * 20, object)])
    model.update(diff, more, [*names, *[["pale"]] * 20])
    assert model.predict_labels(more[-3:]) == [("pale",)] * 3


def test_a_stack_says_that_its_features_are_too_old():
    h = Hierarchy.flat(["a", "b"])
    learners = [make_pipeline(CountVectorizer(), SparseLinear()), make_pipeline(TfidfVectorizer(), SparseLinear())]
    texts, labels = ["red cat", "blue dog", "red dog", "blue cat"] * 3, [["a"], ["b"]] * 6
    stack = Stack(learners, combiner="greedy-blend", hierarchy=h, cv=2).fit(texts, labels)
    diff = h.edit().add("c").diff()
    known = stack.update(diff, texts, [["a"], ["b", "c"]] * 6)
    assert known.hierarchy_ == diff.new
    with pytest.raises(ValueError, match=r"features that the learners do not know: green\."):
        stack.update(diff, [*texts, "green cat"], [*labels, ["c"]])
    model = HierarchicalClassifier(stack, hierarchy=h, decoder="threshold").fit(texts, labels)
    model.update(diff, [*texts, *["green cat"] * 3], [*labels, *[["c"]] * 3])
    assert "anew, since the features did not know green" in model.updated_


@pytest.mark.parametrize("decoder", ["conformal", "conformal-sure"])
def test_promises_about_held_out_rows_must_be_fitted_again(decoder):
    model = HierarchicalClassifier(cv=2, decoder=decoder).fit(TEXTS, LABELS)
    before = model.learner_
    with pytest.raises(CapabilityError, match=r"cannot be updated .* Threshold"):
        model.update(model.hierarchy_.edit().add("x").done(), TEXTS, LABELS)
    assert model.learner_ is before

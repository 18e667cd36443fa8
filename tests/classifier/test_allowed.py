"""Allowed labels through the classifier: every method, blocks of rows, saved sets, other people's decoders."""

from __future__ import annotations

import numpy as np
import pytest

from truepath import HierarchicalClassifier, load_dataset
from truepath.combiners import LabelShares, condition_scores, shift_scores
from truepath.errors import TruePathError, UnknownLabelError
from truepath.hierarchy import AllowedLabels

TEXTS = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a fir tree"] * 2
LABELS = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 2, ["plant/fir"]] * 2
NEW = ["the cat", "a dog", "oak tree", "fir leaves", "a dog below an oak"]
ALLOWED = [["animal"], ["plant"], ["plant/fir"], ["animal/dog", "plant"], ["animal/cat"]]


@pytest.fixture(scope="module")
def many():
    return HierarchicalClassifier(decoder="threshold").fit(TEXTS, LABELS)


@pytest.fixture(scope="module")
def one():
    return HierarchicalClassifier(decoder="best-path").fit(TEXTS, [row[-1:] for row in LABELS])


def flags(model):
    return np.vstack([AllowedLabels(row).resolve(model.hierarchy_).possible.toarray() for row in ALLOWED])


@pytest.mark.parametrize("name", ["many", "one"])
def test_every_method_stays_within_what_is_allowed(name, request):
    model = request.getfixturevalue(name)
    possible, h = flags(model), model.hierarchy_
    S = model.predict_proba(NEW, allowed=ALLOWED)
    paths = "one" if name == "one" else "many"
    np.testing.assert_array_equal(
        S, condition_scores(model.predict_proba(NEW).astype(float), h, AllowedLabels(ALLOWED, paths=paths))
    )
    Y = model.predict(NEW, allowed=ALLOWED)
    assert h.is_closed(Y)
    assert not Y[~possible].any()
    assert not S[~possible].any()
    if name == "one":
        assert (Y & h.is_leaf).sum(axis=1).tolist() == [1] * len(NEW)
    np.testing.assert_array_equal(model.label_and_score(NEW, allowed=ALLOWED)[0], Y)
    np.testing.assert_array_equal(model.label_and_score(NEW, allowed=ALLOWED)[1], S)
    assert model.predict_labels(NEW, allowed=ALLOWED) == h.decode(Y)
    for options in ({}, {"among": "leaves"}, {"per": "level"}, {"among": "most-specific"}):
        top = model.predict_top(NEW, 3, allowed=ALLOWED, **options)
        for i, row in enumerate(top.nodes):
            assert possible[i, row[row >= 0]].all()
            np.testing.assert_array_equal(top.probabilities[i][row >= 0], S[i, row[row >= 0]])
    for i, text in enumerate(NEW):
        found = model.explain(text, allowed=ALLOWED[i])
        assert possible[i, [record.node for record in found.records]].all()
        assert all(record.score == S[i, record.node] for record in found.records)
        assert {record.node for record in found.records if record.predicted} == set(np.flatnonzero(Y[i]))
    thin = model.predict_proba(NEW, allowed=ALLOWED, min_score=0.1)
    np.testing.assert_array_equal(thin.toarray(), np.where(S >= 0.1, S, 0))


@pytest.mark.parametrize("name", ["many", "one"])
def test_blocks_and_rows_alone_have_the_same_bits(name, request):
    model = request.getfixturevalue(name)
    texts, allowed = NEW * 30, ALLOWED * 30
    whole = model.predict_proba(texts, allowed=allowed)
    np.testing.assert_array_equal(model.predict_proba(texts, allowed=allowed, batch_size=64), whole)
    alone = [model.predict_proba([text], allowed=a)[0] for text, a in zip(NEW, ALLOWED)]
    np.testing.assert_array_equal(whole[: len(NEW)], alone)
    labels = model.predict(texts, allowed=allowed)
    np.testing.assert_array_equal(model.predict(texts, allowed=allowed, batch_size=64), labels)
    np.testing.assert_array_equal(labels[: len(NEW)], [model.predict([t], allowed=a)[0] for t, a in zip(NEW, ALLOWED)])


def test_saved_sets_are_kept_with_the_model(one, tmp_path):
    one.set_allowed("garden", ["plant"]).set_allowed("home", ["garden", "animal/cat"])
    one.save(tmp_path / "model.tp")
    again = HierarchicalClassifier.load(tmp_path / "model.tp")
    assert again.allowed_sets_ == {"garden": ("plant",), "home": ("plant", "animal/cat")}
    assert again.predict_labels(["the dog"], allowed="garden")[0][0].startswith("plant/")
    assert again.predict_labels(["the dog"], allowed="home") == one.predict_labels(
        ["the dog"], allowed=["plant", "animal/cat"]
    )
    keys = AllowedLabels(None, by=["garden", "home"])
    assert again.predict_labels(["the cat", "the cat"], allowed=keys)[1] == ("animal/cat",)
    assert "home" not in again.set_allowed("home", None).allowed_sets_


def test_saved_sets_follow_a_changed_hierarchy():
    model = HierarchicalClassifier("linear", decoder="best-path").fit(TEXTS, [row[-1:] for row in LABELS])
    model.set_allowed("trees", ["plant/oak", "plant/fir"]).set_allowed("cats", ["animal/cat"])
    editor = model.hierarchy_.edit()
    editor.rename("plant/oak", "plant/quercus")
    editor.remove("animal/cat")
    diff = editor.diff()
    labels = [[{"plant/oak": "plant/quercus", "animal/cat": "animal"}.get(row[-1], row[-1])] for row in LABELS]
    model.update(diff, TEXTS, labels)
    assert model.allowed_sets_ == {"trees": ("plant/quercus", "plant/fir")}


@pytest.mark.parametrize(
    ("name", "labels", "said"),
    [
        ("plant", ["plant"], "'plant' is a label; a set needs a name of its own"),
        ("garden", ["plnat"], "'plnat', which is not in the hierarchy.*Did you mean 'plant'"),
        ("garden", [], "allowed has no label"),
        ("garden", [1], "labels of the set 'garden' must be names; got 1"),
        ("gardne", None, "no set of labels called 'gardne'"),
    ],
)
def test_sets_that_cannot_be_meant_are_refused(many, name, labels, said):
    with pytest.raises((TruePathError, UnknownLabelError, TypeError), match=said):
        many.set_allowed(name, labels)


def test_a_column_says_which_set_a_row_has():
    import pandas as pd

    frame = pd.DataFrame({"x": [0.1, 0.9] * 6, "z": [1.0, 2.0, 3.0] * 4})
    labels = [["a/1"], ["b"]] * 6
    model = HierarchicalClassifier("linear", decoder="best-path").fit(frame, labels)
    shops = {"north": ["a"], "south": ["b"]}
    new = frame.iloc[:2]
    found = model.predict_labels(new, allowed=AllowedLabels(shops, by=["south", "north"]))
    assert found == [("b",), ("a/1",)]
    by_value = AllowedLabels({0.1: ["b"], 0.9: ["a"]}, by="x")
    assert model.predict_labels(new, allowed=by_value) == [("b",), ("a/1",)]
    with pytest.raises(TruePathError, match="by='y' is not a column of X"):
        model.predict(new, allowed=AllowedLabels(shops, by="y"))
    with pytest.raises(TypeError, match="X is not a data frame"):
        model.predict(new.to_numpy(), allowed=AllowedLabels(shops, by="x"))


class Everything:
    """A decoder of somebody else's, which knows nothing of allowed labels."""

    learns = False

    def __init__(self, hierarchy=None):
        self.hierarchy = hierarchy

    def fit(self, S, y=None, sample_weight=None):
        return self

    def predict(self, S):
        return np.ones(S.shape, bool)


def test_other_decoders_and_learners_that_decide_stay_within_it_too():
    for decoder in (Everything(), None):
        model = HierarchicalClassifier("linear", decoder=decoder).fit(TEXTS, LABELS)
        Y = model.predict(NEW, allowed=ALLOWED)
        assert not Y[~flags(model)].any()
        assert model.hierarchy_.is_closed(Y)


def test_the_learners_own_search_is_left_out():
    model = HierarchicalClassifier("linear").fit(TEXTS, LABELS)
    top = model.predict_top(NEW, 2, allowed="plant")
    assert all(name.startswith("plant") for row in top for name, _ in row)


@pytest.mark.slow
def test_a_real_dag():
    ds = load_dataset("pypi-topics")
    model = HierarchicalClassifier("linear", hierarchy=ds.hierarchy).fit(ds.train.X, ds.train.y)
    allowed = ["Internet", "Software Development :: Libraries"]
    found = model.predict_labels(ds.test.X[:50], allowed=allowed, most_specific=False)
    known = {"Internet", "Software Development", "Software Development :: Libraries"}
    assert all(name in known or name.startswith(tuple(allowed)) for row in found for name in row)


@pytest.fixture(scope="module")
def calibrated():
    return HierarchicalClassifier("linear", decoder="threshold", calibrate="sigmoid", cv=2).fit(TEXTS, LABELS)


def test_priors_reweigh_every_method(calibrated):
    model, h = calibrated, calibrated.hierarchy_
    np.testing.assert_allclose(model.shares_, h.encode(LABELS).mean(axis=0))
    priors = {"animal": 0.9, "plant": 0.05}
    S = model.predict_proba(NEW, priors=priors)
    np.testing.assert_array_equal(S, shift_scores(model.predict_proba(NEW).astype(float), h, model.shares_, priors))
    np.testing.assert_array_equal(model.predict(NEW, priors=priors), S > 0.5)
    np.testing.assert_array_equal(model.label_and_score(NEW, priors=priors)[1], S)
    assert model.predict_top(NEW, 2, priors=priors).probabilities[0, 0] == S[0].max()
    assert model.explain(NEW[0], priors=priors).records[0].score == S[0, model.explain(NEW[0]).records[0].node]
    both = model.predict_proba(NEW, priors=priors, allowed=ALLOWED)
    np.testing.assert_array_equal(both, condition_scores(S, h, ALLOWED))
    groups = LabelShares({"here": priors, "there": model.shares_}, by=["here", "there"] * 2 + ["here"])
    mixed = model.predict_proba(NEW, priors=groups)
    np.testing.assert_array_equal(mixed[::2], S[::2])
    np.testing.assert_allclose(mixed[1::2], model.predict_proba(NEW)[1::2])
    np.testing.assert_array_equal(model.predict_proba(NEW * 30, priors=priors, batch_size=64)[: len(NEW)], S)


def test_priors_need_calibrated_scores(many):
    with pytest.raises(TruePathError, match=r"not calibrated. Fit it with calibrate='auto'"):
        many.predict(NEW, priors={"animal": 0.9})

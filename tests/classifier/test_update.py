"""A classifier under a changed hierarchy."""

from __future__ import annotations

import numpy as np
import pytest

from truepath import HierarchicalClassifier
from truepath.errors import CapabilityError

TEXTS = ["a cat and a dog", "the cat sleeps", "dogs bark", "an oak tree", "oak leaves", "leaves of a tree"] * 3
LABELS = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3] * 3


@pytest.mark.parametrize("decoder", ["best-path", "single", "multi"])
def test_a_label_is_added_and_one_renamed(decoder):
    model = HierarchicalClassifier(decoder=decoder, cv=2).fit(TEXTS, LABELS)
    S = model.predict_proba(TEXTS)
    diff = model.hierarchy_.edit().add("plant/elm", "plant").rename("animal", "fauna").diff()
    more = [*LABELS, ["plant/elm"], ["plant/elm"]]
    labels = [[name.replace("animal", "fauna") for name in row] for row in more]
    assert model.update(diff, [*TEXTS, "oak with bark", "oak and bark"], labels) is model
    kept = [v for v, name in enumerate(model.hierarchy_.names) if name != "plant/elm"]
    np.testing.assert_array_equal(model.predict_proba(TEXTS)[:, kept], S)
    assert model.hierarchy_ == diff.new
    assert model.updated_ == "learned: plant/elm; the other 5 labels as they were"
    assert model.fitted_on_.n_rows == len(more)
    assert all("animal" not in name for row in model.predict_labels(TEXTS) for name in row)


@pytest.mark.parametrize("decoder", ["conformal", "conformal-sure"])
def test_promises_about_held_out_rows_must_be_fitted_again(decoder):
    model = HierarchicalClassifier(cv=2, decoder=decoder).fit(TEXTS, LABELS)
    before = model.learner_
    with pytest.raises(CapabilityError, match=r"cannot be updated .* Threshold"):
        model.update(model.hierarchy_.edit().add("x").done(), TEXTS, LABELS)
    assert model.learner_ is before

"""The local votes behind a final score."""

from __future__ import annotations

import numpy as np
import pytest

from truepath import HierarchicalClassifier
from truepath.combiners import FAEL

X = np.random.default_rng(0).normal(size=(60, 3))
LABELS = [["a/1"] if x[0] > 0 and x[1] > 0 else ["a/2"] if x[0] > 0 else ["b"] for x in X]


def test_fael_says_whose_local_scores_it_adds():
    model = HierarchicalClassifier("pct", FAEL(1.0, project=None), "threshold", cv=3).fit(X, LABELS)
    shown = model.explain(X[0], n_others=9, n_causes=9)
    names = model.hierarchy_.names
    for record in shown.records:
        assert sum(value for _, value in record.votes) == pytest.approx(record.score)
        assert {name for name, _ in record.votes} <= set(names)
    assert "votes: " in str(shown)
    assert "votes: " in shown._repr_html_()
    assert model.explain(X[0]).records[0].votes == ()
    S, Y = model.learner_.predict_proba(X), model.hierarchy_.encode(LABELS)
    with pytest.raises(ValueError, match="several learners"):
        FAEL(hierarchy=model.hierarchy_).fit([S, S], Y).votes(S[0], [0])
    kernel = HierarchicalClassifier("pct", "kernel-fael", cv=3).fit(X, LABELS)
    assert kernel.explain(X[0], n_causes=1).records[0].votes == ()


def test_mandatory_leaves_say_how_likely_a_label_is_given_its_parents():
    model = HierarchicalClassifier("pct", decoder="mas").fit(X, LABELS)
    for record in model.explain(X[0], n_causes=1).records:
        assert record.votes == (("given its parents", record.given_parent),)

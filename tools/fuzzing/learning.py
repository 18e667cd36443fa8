"""Learners and classifiers: coherent scores whatever the rows, labels and names are."""

from __future__ import annotations

import warnings
from inspect import signature
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from fuzzing.checks import check, close, refusable
from fuzzing.drawing import draw_features, draw_hierarchy, draw_labels
from truepath import HierarchicalClassifier, Hierarchy
from truepath.learners import PCTree, Stack
from truepath.learners.network.backend import has_torch
from truepath.registry import COMBINERS, DECODERS, LEARNERS

#: What keeps a case quick
QUICK = {"n_estimators": 3, "max_iter": 200, "alpha": 0.1, "n_epochs": 2, "hidden_layer_sizes": (8,)}


def make(member: Any, h: Hierarchy | None) -> Any:
    """Build a small learner."""
    if member is Stack:
        return Stack([PCTree(random_state=0), PCTree(max_depth=1, random_state=0)], cv=2, hierarchy=h)
    options = {key: value for key, value in QUICK.items() if key in signature(member).parameters}
    if "alpha" in options and member.name != "kernel-ridge":
        del options["alpha"]
    if "a classifier or pipeline" in member.needs:
        options["estimator"] = LogisticRegression(max_iter=50)
    return member(hierarchy=h, **options)


@check("learners", 6)
def learning(rng: np.random.Generator) -> None:
    """One random learner on few rows."""
    members = [member for member in LEARNERS.members() if "torch" not in member.needs or has_torch()]
    member = members[int(rng.integers(len(members)))]
    h = draw_hierarchy(rng, 6, tree=True if "a tree" in member.needs else None)
    n_rows = int(rng.integers(2, 14))
    X, Y = draw_features(rng, n_rows, discrete="discrete features" in member.needs), draw_labels(rng, h, n_rows)
    learner = refusable(lambda: make(member, h).fit(X, Y))
    S = refusable(lambda: learner.predict_proba(X))
    assert S.shape == Y.shape
    assert ((S >= 0) & (S <= 1)).all(), f"{member.name}: scores out of range"
    assert h.is_coherent(S), f"{member.name}: not coherent"
    assert h.is_closed(learner.predict(X))
    rows = rng.permutation(n_rows)
    close(learner.predict_proba(X[rows]), S[rows], f"{member.name}: rows in another order", atol=1e-6)


@check("classifiers", 4)
def classifying(rng: np.random.Generator) -> None:
    """A tree with a random combiner and decoder, labels by name."""
    h = draw_hierarchy(rng, 8)
    n_rows = int(rng.integers(6, 20))
    X, Y = draw_features(rng, n_rows), draw_labels(rng, h, n_rows)
    combiner, decoder = (list(names)[int(rng.integers(len(names)))] for names in (COMBINERS, DECODERS))
    model = HierarchicalClassifier(PCTree(random_state=0), combiner, decoder, hierarchy=h, cv=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        refusable(lambda: model.fit(X, h.decode(Y)))
        found = refusable(lambda: model.predict(X))
    assert h.is_closed(found), f"{combiner}, {decoder}: not closed"
    assert model.predict_labels(X) == h.decode(found)

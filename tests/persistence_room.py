"""Every estimator of the rooms, fitted and ready to be saved, and how to ask it for its answer."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression

import learners_room
from truepath import combiners, decoders, preprocessing
from truepath.classifier import make_preset
from truepath.decoders import Decoder, MetaLabeler
from truepath.learners import POLICIES, PerNode, Stack

TREE = learners_room.TREE
OPTIONS = {"KernelFAEL": {"gamma": 0.5}}
# Presets that keep an estimator which has not been fitted beside the one that has, of each kind that checks itself
PRESETS: dict[str, dict] = {"clus-ens+mts": {}, "h-ada.mh": {}, "rcnet": {}, "tpr": {}, "fael": {}}
ASKED = ("predict_proba", "predict_conditional_proba", "transform", "predict")


def make_scores(seed=1, n_samples=30):
    scores = np.random.default_rng(seed).random((n_samples, TREE.n_nodes))
    return combiners.MinDown(hierarchy=TREE).fit(scores).transform(scores)


def make_data():
    X, Y = learners_room.make_data(TREE, n_samples=40)
    return X.round(), Y


def fitted():
    """Return the estimators by name."""
    X, Y = make_data()
    S = make_scores(n_samples=40)
    models = {f"learners.{name}": learners_room.make(name, TREE).fit(X, Y) for name in learners_room.LEARNERS}
    policy = PerNode(LogisticRegression(), hierarchy=TREE, policy=POLICIES["siblings"])
    models["learners.PerNode with a Policy"] = policy.fit(X, Y)
    models["learners.Stack"] = _stack().fit(X, Y)
    for name in combiners.__all__:
        models[f"combiners.{name}"] = getattr(combiners, name)(hierarchy=TREE, **OPTIONS.get(name, {})).fit(S, Y)
    for name in decoders.__all__:
        cls = getattr(decoders, name)
        if inspect.isclass(cls) and issubclass(cls, (Decoder, MetaLabeler)) and cls is not Decoder:
            models[f"decoders.{name}"] = cls(hierarchy=TREE).fit(S, Y)
    for name, options in PRESETS.items():
        models[f"classifier.{name}"] = make_preset(name, hierarchy=TREE, **options).fit(X, Y)
    for name in preprocessing.__all__:
        models[f"preprocessing.{name}"] = getattr(preprocessing, name)().fit(X, Y)
    return models


def _stack():
    learners = [("all", learners_room.make("binary-relevance")), ("each", learners_room.make("per-node"))]
    parameters = inspect.signature(Stack).parameters
    return Stack(learners, hierarchy=TREE) if "hierarchy" in parameters else Stack(learners)


def answer(name, model):
    """Return what the model says about rows it has not seen, as arrays by method."""
    room = name.partition(".")[0]
    asked = make_scores(seed=2) if room in ("combiners", "decoders") else make_data()[0][::-1].copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {method: getattr(model, method)(asked) for method in ASKED if hasattr(model, method)}
    assert found
    return {key: value.toarray() if hasattr(value, "toarray") else np.asarray(value) for key, value in found.items()}

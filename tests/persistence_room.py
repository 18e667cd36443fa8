"""Every estimator of the registries, fitted and ready to be saved, and how to ask it for its answer."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import learners_room
from truepath import Hierarchy, combiners, preprocessing
from truepath.classifier import HierarchicalClassifier, make_preset
from truepath.decoders import MetaLabeler
from truepath.learners import POLICIES, SparseLinear, Stack
from truepath.metrics import Tried
from truepath.preprocessing import AutoFeatures
from truepath.registry import COMBINERS, DECODERS

TREE = learners_room.TREE
OPTIONS = {"kernel-fael": {"gamma": 0.5}}
# Presets that keep an estimator which has not been fitted beside the one that has, of each kind that checks itself
PRESETS: dict[str, dict] = {"clus-ens+mts": {}, "h-ada.mh": {}, "rcnet": {}, "tpr": {}, "fael": {}}
#: Rows that are no numbers: what a classifier makes of them is kept in its features
WORDS = ("red", "green", "apple", "pear", "old", "new", "ripe", "small")
ROWS = {
    "texts": [f"{WORDS[i % 8]} {WORDS[i // 8]} {WORDS[i * 5 % 7]}" for i in range(40)],
    "table": np.array([[WORDS[i % 3], f"{WORDS[i % 8]} and {WORDS[i // 8]}", i / 7] for i in range(40)], object),
}
ASKED = ("predict_proba", "predict_conditional_proba", "transform", "predict")


# What cannot be fitted here, for want of a package
MISSING = set() if learners_room.is_installed("network") else {"CoherentNetwork", "NetworkInputs", "PiecewiseLinear"}


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
    there = [name for name in learners_room.LEARNERS if learners_room.is_installed(name)]
    models = {f"learners.{name}": learners_room.make(name, TREE).fit(X, Y) for name in there}
    models |= _variants(X, Y)
    models["learners.Stack"] = _stack().fit(X, Y)
    for kind, registry in (("combiners", COMBINERS), ("decoders", DECODERS)):
        for name in registry:
            models[f"{kind}.{name}"] = registry[name](hierarchy=TREE, **OPTIONS.get(name, {})).fit(S, Y)
    models["combiners.binned"] = COMBINERS["bayesian-aggregation"]("binned", hierarchy=TREE).fit(S, Y)
    models["decoders.MetaLabeler"] = MetaLabeler(hierarchy=TREE).fit(S, Y)
    for name, options in PRESETS.items():
        models[f"classifier.{name}"] = make_preset(name, hierarchy=TREE, **options).fit(X, Y)
    models["classifier.tpr"].tried_ = [Tried("tpr", 0.5, "auprc")]  # as where several were
    for name, rows in ROWS.items():
        models[f"classifier.{name}"] = HierarchicalClassifier(
            make_pipeline(AutoFeatures(), SparseLinear()), hierarchy=TREE
        ).fit(rows, Y)
    for name in preprocessing.__all__:
        models[f"preprocessing.{name}"] = getattr(preprocessing, name)().fit(X, Y)
    return models


def _variants(X, Y):
    """Learners with the settings that make them keep other records than by default."""
    of_one_parent = Hierarchy.flat(TREE.n_nodes)
    made = {
        "policy": learners_room.make("per-node", TREE, policy=POLICIES["siblings"]).fit(X, Y),
        "joint": learners_room.make("per-level", TREE, estimator=DecisionTreeClassifier(random_state=0)).fit(X, Y),
        "exclusive": learners_room.make("per-parent", of_one_parent, labels="exclusive").fit(X, np.eye(40, Y.shape[1])),
        "constant": learners_room.make("binary-relevance", TREE).fit(X, np.ones_like(Y)),
        "classifiers": learners_room.make("ada-boost-mh", TREE, estimator=GaussianNB()).fit(X, Y),
        "categories": learners_room.make("global-naive-bayes", TREE, categorical_features=[0]).fit(X - X.min(0), Y),
    }
    if learners_room.is_installed("network"):
        made["pieces"] = learners_room.make("network", TREE, n_pieces=8).fit(X, Y)
    return {f"learners.{name}": model for name, model in made.items()}


def _stack():
    learners = [("all", learners_room.make("binary-relevance")), ("each", learners_room.make("per-node"))]
    return Stack(learners, hierarchy=TREE)


def answer(name, model):
    """Return what the model says about rows it has not seen, as arrays by method."""
    room = name.partition(".")[0]
    asked = make_scores(seed=2) if room in ("combiners", "decoders") else make_data()[0][::-1].copy()
    asked = ROWS.get(name.partition(".")[2], asked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {method: getattr(model, method)(asked) for method in ASKED if hasattr(model, method)}
    assert found
    return {key: value.toarray() if hasattr(value, "toarray") else np.asarray(value) for key, value in found.items()}

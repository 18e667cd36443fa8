"""Presets: found by name, true to their papers where they say so, and usable as the name alone."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from truepath import HierarchicalClassifier
from truepath.classifier import PRESETS, get_preset, make_preset, preset_names
from truepath.combiners import MaxUp, TruePathRule
from truepath.data import make_hmc
from truepath.decoders import BestPath, MultiThreshold, SingleThreshold
from truepath.errors import TruePathError

#: What the papers state of the presets that are tagged published
STATED = {
    # "a random forest of 50 predictive clustering trees" (section 4.1), "a random subset of 1/3 of the training set as
    # validation set"; minimal leaf weight and features per split are those of the authors' log of ImCLEF07A
    "clus-ens+sts": {
        "learner__learner": "PCTForest",
        "learner__learner__n_estimators": 50,
        "learner__learner__min_leaf_weight": 2,
        "learner__learner__max_features": "log2+1",
        "learner__learner__bootstrap": True,
        "learner__learner__splitter": "best",
        "combiner": None,
        "decoder": "SingleThreshold",
        "decoder__objective": "micro_f1",
        "cv": 1 / 3,
    },
    # the same, and Algorithms 3 to 5: greedy
    "clus-ens+mts": {
        "learner__learner": "PCTForest",
        "learner__learner__n_estimators": 50,
        "learner__learner__min_leaf_weight": 2,
        "learner__learner__max_features": "log2+1",
        "combiner": None,
        "decoder": "MultiThreshold",
        "decoder__method": "greedy",
        "decoder__shrink": None,
        "decoder__min_positives": 0,
        "cv": 1 / 3,
    },
    # "a multitask lasso model with logistic loss for each group of sibling nodes", unknown number of labels (2.2.1)
    "mas": {"learner__learner": "SiblingLasso", "combiner": None, "decoder": "MAS", "decoder__k": None},
    # alpha is the ratio of negative to positive labels (section 4.2)
    "masr": {
        "learner__learner": "SiblingLasso",
        "combiner": None,
        "decoder": "MASR",
        "decoder__alpha": "balanced",
        "decoder__k": None,
    },
    # Algorithm 1 with rule (7) in every round; "a one-layer decision tree as the base learner", T = 600; eq. (12): sign
    "h-ada.mh": {
        "learner__learner": "HAdaBoostMH",
        "learner__learner__constraint": "train",
        "learner__learner__max_depth": 1,
        "learner__learner__n_estimators": 600,
        "learner__learner__votes": "discrete",
        "learner__learner__labels": "independent",
        "learner__learner__max_bins": None,
        "learner__learner__single_path": False,
        "learner__learner__n_iter_no_change": None,
        "combiner": None,
        "decoder": None,
    },
}


def test_every_published_preset_is_the_setting_its_paper_states():
    assert {name for name in PRESETS if get_preset(name).published} == set(STATED)
    for name, stated in STATED.items():
        params = make_preset(name).get_params(deep=True)
        for key, value in stated.items():
            found = params[key]
            is_class = isinstance(value, str) and value[0].isupper()
            assert (type(found).__name__ if is_class else found) == value, (name, key)


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_with_a_paper_is_published_or_says_what_differs(name):
    preset = get_preset(name)
    assert preset.summary
    assert not preset.summary.endswith(".")
    if preset.reference:
        assert preset.published == (not preset.differs)
    else:
        assert not preset.published
    assert {"learner"} <= set(preset.parts(0)) <= {"learner", "combiner", "decoder", "cv"}
    assert preset.parts(0)["learner"] is not preset.parts(0)["learner"]


def test_better_variants_have_names_of_their_own():
    """At e4a3823 clus-ens+mts took optimal thresholds, and h-ada.mh clipped the final vote only."""
    assert make_preset("clus-ens+optimal").decoder.method == "auto"
    assert make_preset("h-ada.mh+free").learner[-1].constraint == "predict"


def quick(**options):
    return make_hmc(n_samples=60, n_nodes=8, n_features=5, random_state=0)


def test_a_string_is_a_preset():
    """At e4a3823 it printed a page about tags."""
    ds = quick()
    model = HierarchicalClassifier("clus-ens+mts", hierarchy=ds.hierarchy, random_state=3).fit(ds.train.X, ds.train.y)
    made = make_preset("clus-ens+mts", hierarchy=ds.hierarchy, random_state=3).fit(ds.train.X, ds.train.y)
    assert (model.predict_proba(ds.test.X) == made.predict_proba(ds.test.X)).all()
    assert (model.predict(ds.test.X) == made.predict(ds.test.X)).all()
    assert model.n_held_out_ == made.n_held_out_ < ds.train.X.shape[0]
    assert model.decoder_.method == "greedy"
    assert clone(model).learner == "clus-ens+mts"
    assert model.set_params(learner="forest").learner == "forest"


def test_what_is_given_beside_a_preset_wins():
    ds = quick()
    fit = {"X": ds.train.X, "y": ds.train.y}
    model = HierarchicalClassifier("tpr", hierarchy=ds.hierarchy, cv=2).fit(**fit)
    assert isinstance(model.combiner_, TruePathRule)
    assert isinstance(model.decoder_, SingleThreshold)
    model = HierarchicalClassifier("tpr", "max-up", "multi", hierarchy=ds.hierarchy, cv=2).fit(**fit)
    assert isinstance(model.combiner_, MaxUp)
    assert isinstance(model.decoder_, MultiThreshold)
    assert isinstance(HierarchicalClassifier("lcppn", hierarchy=ds.hierarchy).fit(**fit).decoder_, BestPath)
    own = HierarchicalClassifier("hbr", hierarchy=ds.hierarchy).fit(**fit)
    assert own.decoder_ is None
    assert HierarchicalClassifier("clus-ens+sts", hierarchy=ds.hierarchy, cv="own").fit(**fit).n_held_out_ > 30


def test_an_unknown_preset_is_answered_with_the_nearest():
    with pytest.raises(TruePathError, match=r"no preset is called 'forst'\. Did you mean 'forest'"):
        HierarchicalClassifier("forst").fit(np.eye(4), np.eye(4, dtype=int))


def test_the_default_decoder_is_one_threshold():
    ds = quick()
    assert isinstance(
        HierarchicalClassifier(hierarchy=ds.hierarchy, cv=2).fit(ds.train.X, ds.train.y).decoder_, SingleThreshold
    )

"""Columns of categories in data frames reach the classifiers that know them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

from truepath import HierarchicalClassifier, Hierarchy
from truepath.learners import BinaryRelevance, HMCLabelPowerset, PerLevel, PerNode, PerParent

H = Hierarchy.from_paths(["a/1", "a/2", "b"])
KINDS = np.array(["ash", "birch", "cedar", "dogwood", "elm", "fir"])
LEAVES = np.array(["a/1", "b", "a/2", "a/1", "b", "a/2"])  # no order of the kinds makes few cuts of it


def rows(n=240):
    kind = np.random.default_rng(0).integers(0, 6, n)
    frame = pd.DataFrame({"size": np.zeros(n), "kind": pd.Categorical(KINDS[kind], categories=KINDS)})
    return frame, [[leaf] for leaf in LEAVES[kind]]


def boosted():
    return HistGradientBoostingClassifier(max_iter=15, max_leaf_nodes=3, min_samples_leaf=5, random_state=0)


@pytest.mark.parametrize("learner", [PerNode, PerParent, PerLevel, BinaryRelevance])
def test_categories_reach_gradient_boosting(learner):
    """A tree of three leaves parts six kinds by sets of them at once; by their order it cannot."""
    X, y = rows()
    model = learner(boosted(), hierarchy=H).fit(X, y)
    assert (model.predict(X) == H.encode(y)).all()


def test_the_classifier_passes_them_on_with_held_out_rows():
    X, y = rows()
    model = HierarchicalClassifier(boosted(), hierarchy=H, cv=2).fit(X, y)
    assert (model.predict(X) == H.encode(y)).all()
    assert HMCLabelPowerset(boosted(), hierarchy=H).fit(X, y).score(X, H.encode(y)) == 1


def test_lightgbm_takes_them_too():
    lightgbm = pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    X, y = rows()
    model = PerNode(lightgbm.LGBMClassifier(n_estimators=15, verbose=-1, min_data_per_group=1), hierarchy=H).fit(X, y)
    assert (model.predict(X) == H.encode(y)).all()


def test_polars_frames_and_frames_of_numbers():
    X, y = rows()
    codes = pl.DataFrame({"kind": X["kind"].cat.codes.to_numpy().astype(float)})
    numbers = PerNode(boosted(), hierarchy=H).fit(codes, y)
    assert numbers.n_features_in_ == 1
    with pytest.raises(ValueError, match="convert"):
        PerNode(boosted(), hierarchy=H).fit(X.assign(kind=X["kind"].astype(str)), y)

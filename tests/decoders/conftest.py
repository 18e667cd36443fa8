"""Fixtures of the decoders' tests: published scores, and small forests' scores on benchmark data."""

from __future__ import annotations

import lzma
from functools import cache

import numpy as np
import pytest

from places import SHARED_DATA
from truepath import Hierarchy, load_dataset


@cache
def read_published_scores(part):
    """Return (S, Y, hierarchy) of the published validation ("val") or test scores."""
    path = SHARED_DATA / "reference" / "labelling_imclef07a" / f"{part}.pred.arff.xz"
    with lzma.open(path, "rt") as file:
        lines = [line.strip() for line in file if line.strip()]
    names = [line.split()[1] for line in lines if line.lower().startswith("@attribute")]
    start = next(k for k, line in enumerate(lines) if line.lower().startswith("@data")) + 1
    rows = [line.split(",") for line in lines[start:]]
    truth = [k for k, name in enumerate(names) if name.startswith("class-a-")]
    score = [k for k, name in enumerate(names) if name.startswith("Original-p-")]
    hierarchy = Hierarchy.from_paths([names[k].removeprefix("class-a-") for k in truth])
    assert [names[k].removeprefix("class-a-") for k in truth] == list(hierarchy.names)
    Y = np.array([[float(row[k]) > 0 for k in truth] for row in rows])
    S = np.array([[float(row[k]) for k in score] for row in rows])
    return S, Y, hierarchy


@cache
def make_forest_scores(name, n_trees=10, n_rows=None):
    """Return (S, Y, hierarchy): what a small forest trained on train says of valid, coherent by construction."""
    from sklearn.ensemble import RandomForestRegressor

    data = load_dataset(name, home=SHARED_DATA)
    X_train, X_valid = (np.asarray(part.X, np.float64) for part in (data.train, data.valid))
    mean = np.nanmean(X_train, axis=0)
    X_train, X_valid = (np.where(np.isnan(X), mean, X) for X in (X_train, X_valid))
    forest = RandomForestRegressor(n_trees, min_samples_leaf=5, max_features="sqrt", random_state=0)
    forest.fit(X_train, _dense(data.train.y).astype(np.float32))
    S, Y = forest.predict(X_valid[:n_rows]), _dense(data.valid.y)[:n_rows]
    return S, Y, data.hierarchy


def _dense(Y):
    return Y.toarray() if hasattr(Y, "toarray") else np.asarray(Y)


@pytest.fixture
def imclef07a(shared_data):
    """A function of "val" or "test" that returns published scores, labels and the hierarchy."""
    return read_published_scores


@pytest.fixture
def forest_scores(shared_data):
    """A function of a data set's name (and n_trees, n_rows) that returns held-out scores, labels and the hierarchy."""
    return make_forest_scores

"""What a model was fitted on is a record of its own, saved with it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from truepath import HierarchicalClassifier
from truepath.classifier import FittedOn

Y = np.array([[1, 0], [1, 1], [0, 0], [1, 0]])


def fit(X):
    return HierarchicalClassifier(LogisticRegression(), decoder="threshold").fit(X, Y)


def test_fit_notes_what_it_sees(tmp_path):
    X = np.arange(8.0).reshape(4, 2)
    assert fit(X).fitted_on_ == FittedOn("array", n_rows=4)
    assert fit(pd.DataFrame(X, columns=["x", "y"])).fitted_on_ == FittedOn("frame", columns=("x", "y"), n_rows=4)
    texts = HierarchicalClassifier("linear", decoder="threshold").fit(["red fox", "fox den", "den mud", "red mud"], Y)
    assert texts.fitted_on_ == FittedOn("texts", n_rows=4)


def test_a_reader_replaces_it_and_the_file_keeps_it(tmp_path):
    model = fit(np.arange(8.0).reshape(4, 2))
    record = FittedOn("table", "books", ("title", "pages"), text="title", ids="isbn", n_rows=4)
    assert model.set_fitted_on(record) is model
    model.save(tmp_path / "model.tp")
    loaded = HierarchicalClassifier.load(tmp_path / "model.tp")
    assert loaded.fitted_on_ == record
    with pytest.raises(dataclasses.FrozenInstanceError):
        loaded.fitted_on_.name = "other"
    with pytest.raises(NotFittedError):
        HierarchicalClassifier().set_fitted_on(record)

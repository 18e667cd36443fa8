"""Rows held out of the training: how many there must be."""

import numpy as np
import pytest

from truepath import HierarchicalClassifier, load_dataset
from truepath.classifier.held_out import make_splits


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_two_rows_are_enough_for_folds_that_nobody_asked_for(n_rows):
    ds = load_dataset("toy")
    model = HierarchicalClassifier("linear", hierarchy=ds.hierarchy).fit(ds.train.X[:n_rows], ds.train.y[:n_rows])
    assert model.predict(ds.test.X).shape == ds.test.y.shape


@pytest.mark.parametrize("n_rows", [0, 1])
def test_too_few_rows_are_counted(n_rows):
    with pytest.raises(ValueError, match=f"n_samples={n_rows};"):
        make_splits(2, np.zeros((n_rows, 2)), np.zeros((n_rows, 3), bool), 0)

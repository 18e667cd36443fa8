"""Columns of categories are named in the same ways everywhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from truepath.adapters.categories import find_places, resolve_categorical
from truepath.learners import GlobalNaiveBayes, PCTree
from truepath.preprocessing import AutoFeatures

NAMES = ["colour", "size", "shape"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, [0, 0, 0]),
        ("all", [1, 1, 1]),
        ([], [0, 0, 0]),
        ([2], [0, 0, 1]),
        ((0, -1), [1, 0, 1]),
        (np.array([1]), [0, 1, 0]),
        ([True, False, True], [1, 0, 1]),
        (["size"], [0, 1, 0]),
    ],
)
def test_numbers_names_and_masks(given, expected):
    assert resolve_categorical(given, 3, NAMES).astype(int).tolist() == expected


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("some", ValueError, "categorical_features must be 'all', column numbers, column names, a mask or None"),
        ([3], ValueError, r"categorical_features names column 3, but X has 3 columns \(from 0\)"),
        (["weight"], ValueError, "names column 'weight', but X has 'colour', 'size', 'shape'"),
        ([0.5], TypeError, "got 0.5 among them"),
        ([True, False], TypeError, "a mask or None of 3; got True among them"),
    ],
)
def test_errors_name_the_column(given, error, message):
    with pytest.raises(error, match=message):
        resolve_categorical(given, 3, NAMES)
    with pytest.raises(ValueError, match="X has no column names"):
        resolve_categorical(["size"], 3)


ESTIMATORS = [
    lambda given: PCTree(max_depth=1, min_leaf_weight=1, w0=1.0, categorical_features=given),
    lambda given: GlobalNaiveBayes(categorical_features=given),
    lambda given: AutoFeatures(categorical_features=given),
]


@pytest.mark.parametrize("make", ESTIMATORS, ids=["PCTree", "GlobalNaiveBayes", "AutoFeatures"])
def test_estimators_take_them_alike(make):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 4, (40, 3)).astype(float), columns=NAMES)
    Y = np.column_stack([X["size"] % 2, X["colour"] > 1]).astype(bool)

    def answer(given):
        model = make(given).fit(X, Y)
        found = model.transform(X) if hasattr(model, "transform") else model.predict_proba(X)
        return found.toarray() if hasattr(found, "toarray") else found

    by_number = answer([1])
    assert not np.array_equal(by_number, answer(None))
    for given in (["size"], [False, True, False], np.array([-2])):
        np.testing.assert_array_equal(answer(given), by_number)


def test_places_of_known_values():
    known = np.array([1.0, 4.0, 9.0])
    assert find_places(known, np.array([9.0, 0.0, np.nan, 10.0, 4.0])).tolist() == [2, -1, -1, -1, 1]
    assert find_places(np.empty(0), np.ones(2)).tolist() == [-1, -1]

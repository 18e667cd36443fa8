"""Rows that repeat others are told of, with numbers; rows of few values that are equal by chance are not."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.model_selection import PredefinedSplit

from truepath import HierarchicalClassifier, load_dataset
from truepath.classifier.repeats import number_rows, warn_about_repeats
from truepath.errors import RelatedRowsWarning
from truepath.learners import SparseLinear

RNG = np.random.default_rng(0)
WORDS = [f"word{i}" for i in range(50)]
NUMBERS = RNG.normal(size=(60, 4))
TEXTS = [" ".join(RNG.choice(WORDS, 8)) for _ in range(60)]
COUNTS = sparse.random_array((60, 200), density=0.1, rng=RNG, format="csr")
TABLE = pd.DataFrame({"name": [f"r{i}" for i in range(120)], "x": np.tile(NUMBERS[:, 0], 2), "text": TEXTS * 2})


@pytest.mark.parametrize(
    "X",
    [
        np.tile(NUMBERS, (2, 1)),
        np.tile(NUMBERS, (2, 1)) * (1 + 1e-9 * RNG.normal(size=(120, 1))),
        np.tile(NUMBERS, (2, 1)).tolist(),
        TEXTS + [text.upper().replace(" ", ", ") for text in TEXTS],
        sparse.vstack([COUNTS, COUNTS]),
        TABLE,
        TABLE.to_numpy(object)[:, 1:],
    ],
    ids=["numbers", "nearly", "list", "texts", "sparse", "frame", "cells"],
)
def test_rows_given_twice_are_told_of_with_the_first_pair(X):
    with pytest.warns(RelatedRowsWarning, match=r"\d+ of 120 rows are equal .* \(first: rows 0 and 60\).*groups="):
        warn_about_repeats(X, None)


@pytest.mark.parametrize(
    "X",
    [
        NUMBERS,
        TEXTS,
        COUNTS,
        RNG.integers(0, 3, (500, 4)).astype(float),
        RNG.integers(0, 2, (500, 8)),
        pd.DataFrame(RNG.choice(["red", "green", "blue"], (300, 3)), columns=list("abc")),
        ["a cat", "an oak"] * 50,
        np.zeros((50, 3)),
        sparse.csr_array((50, 3)),
        [{"a": 1}, {"a": 2}],
    ],
    ids=["numbers", "texts", "sparse", "small", "binary", "categories", "short", "constant", "empty", "dicts"],
)
def test_ordinary_rows_and_those_equal_by_chance_are_not(X):
    warn_about_repeats(X, None)


def test_only_rows_with_an_equal_one_on_the_other_side_count():
    X = np.tile(NUMBERS, (2, 1))
    first, second = np.arange(60), np.arange(60, 120)
    with pytest.warns(RelatedRowsWarning, match=r"60 of 120 rows .* \(first: rows 0 and 60\)"):
        warn_about_repeats(X, [(first, second)])
    beside = np.repeat(NUMBERS, 2, axis=0)
    warn_about_repeats(beside, [(first, second)])


def test_a_fit_tells_of_them_unless_groups_are_known_or_nothing_crosses():
    rows = np.repeat(np.arange(60), 2)
    X, y = NUMBERS[rows], [["a/1", "a/2", "b"][k] for k in RNG.integers(0, 3, 60)[rows]]
    model = HierarchicalClassifier(SparseLinear(), decoder="single")
    with pytest.warns(RelatedRowsWarning, match="120 of 120 rows|rows are equal"):
        model.fit(X, [[one] for one in y])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, [[one] for one in y], groups=rows)
        model.set_params(cv=PredefinedSplit(np.where(rows < 20, 0, -1))).fit(X, [[one] for one in y])


def test_missing_values_and_signs_of_zero_are_the_same_number():
    number = number_rows(np.vstack([[[0.0, np.nan, 1.0], [-0.0, np.nan, 1.0]], RNG.normal(size=(20, 3))]))
    assert number[0] == number[1]


def test_data_sets_that_come_along_have_none():
    for name in ("toy", "pypi-topics"):
        for split in load_dataset(name).splits.values():
            warn_about_repeats(split.X, None)

"""Labels as people have them in Python: series, frames of levels, missing ones; numbers say what to write instead."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from truepath import HierarchicalClassifier
from truepath.learners import PCTree

N = 12
X = np.column_stack([np.arange(N) % 2, np.zeros(N)])
NAMES = ["plant/oak" if i % 2 else "animal/cat" for i in range(N)]
LEVELS = pd.DataFrame([name.split("/") for name in NAMES], columns=["kind", "species"])


def fitted(y):
    return HierarchicalClassifier(PCTree(), decoder="best-path").fit(X, y)


RIGHT = {
    "list": NAMES,
    "pandas, from 7 on": pd.Series(NAMES, index=range(7, 7 + N)),
    "pandas string": pd.Series(NAMES, dtype="string"),
    "pandas category": pd.Series(NAMES, dtype="category"),
    "polars": pl.Series(NAMES),
    "pyarrow": pa.array(NAMES),
    "numpy": np.array(NAMES),
    "lists": [[name] for name in NAMES],
    "sets": [{name} for name in NAMES],
    "levels": LEVELS,
    "levels string": LEVELS.astype("string"),
    "levels polars": pl.from_pandas(LEVELS),
    "levels array": LEVELS.to_numpy(),
}


@pytest.mark.parametrize("name", RIGHT)
def test_labels_in_any_form(name):
    assert fitted(RIGHT[name]).predict_labels(X) == [(name,) for name in NAMES]


@pytest.mark.parametrize("missing", [None, "", float("nan"), pd.NA])
def test_levels_that_end_early(missing):
    levels = LEVELS.astype(object)
    levels.iloc[::2, 1] = missing
    assert fitted(levels).predict_labels(X)[:2] == [("animal",), ("plant/oak",)]


WRONG = {
    "None": ([None, *NAMES[1:]], r"row 0 of y is 'None'.*\[\] for a row without labels"),
    "NA": (pd.Series(NAMES, dtype="string").mask(np.arange(N) == 3), r"row 3 of y is '<NA>'.*\[\] for a row"),
    "NaN": ([*NAMES[:-1], np.nan], r"row 11 of y is 'nan'"),
    "None in a list": ([[name, None] for name in NAMES], "row 0 of y holds 'None'.*which is not a label"),
    "numbers": (np.arange(N) % 3, r"got numbers \(0, 1, 2.*\[\[str\(label\)\] for label in y\]"),
    "Int64": (pd.Series(np.arange(N) % 3, dtype="Int64"), r"\[\[str\(label\)\] for label in y\]"),
    "lists of numbers": ([[i % 3] for i in range(N)], r"got numbers.*\[\[str\(label\)\] for label in y\]"),
    "lists of more numbers": ([[i % 3] * (1 + i % 2) for i in range(N)], "got numbers"),
    "sets of numbers": ([{i % 3} for i in range(N)], "row 0 of y holds '0' .int., which is not a label"),
    "levels of numbers": (
        pd.DataFrame({"a": [1, 2] * 6, "b": [11, 22] * 6}),
        r"column 'a' of y holds 2.*astype\(str\)",
    ),
    "nothing": ([[]] * N, "no label in any row"),
    "nothing at all": ([[""]] * N, "empty"),
    "a dict": (dict(enumerate(NAMES)), "one entry per row; got .*dict.*Give a list"),
    "one string": ("animal/cat", "one entry per row; got 'animal/cat'"),
    "one value": (np.array("animal/cat"), "one entry per row; got 'animal/cat'.*Put it in a list"),
    "too few": (NAMES[:5], "X has 12 rows but y has 5"),
    "0/1 with a hole": (pd.DataFrame({"a": [True, None] * 6}, dtype="boolean"), "row 1 of column 'a' is missing"),
    "0/1/2": (np.array([[0, 2]] * N), "got numbers"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_label_says_what_to_write(name):
    y, said = WRONG[name]
    with pytest.raises((ValueError, TypeError), match=said):
        fitted(y)

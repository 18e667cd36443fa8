"""Groups as users give them, and the way they reach what holds out rows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from truepath.adapters.groups import check_groups, groups_argument, warn_about_groups
from truepath.errors import RelatedRowsWarning
from truepath.learners import BinaryRelevance, PCTForest, SparseLinear, TableBlend

NAMES = ["ann", "bob", "ann"]


@pytest.mark.parametrize(
    "given",
    [
        NAMES,
        np.array(NAMES),
        np.array(NAMES, object),
        pd.Series(NAMES, index=[5, 6, 7]),
        pd.Series(NAMES).astype("category"),
        pl.Series(NAMES),
        pa.chunked_array([NAMES]),
        [7, 9, 7],
        [7.5, 9.5, 7.5],
        [7, "7", 7],
    ],
)
def test_any_column_of_values_is_taken(given):
    assert check_groups(given, 3).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (NAMES[:2], r"one value per row, shape \(3,\); got the shape \(2,\)"),
        ([["a"], ["b"], ["c"]], r"one value per row; got \['a'\] in one of them"),
        ("patient", r"groups=X\['patient'\], and X without it"),
        ([1.0, np.nan, 2.0], r"no value in 1 row \(first: row 1\)"),
        (["a", None, None], r"no value in 2 rows \(first: row 1\)"),
        (pd.Series(["a", pd.NA, "b"]), r"no value in 1 row"),
        (["a", "", "b"], r"no value in 1 row"),
    ],
)
def test_what_is_not_one_value_per_row_is_refused(given, words):
    with pytest.raises((ValueError, TypeError), match=words):
        check_groups(given, 3)


def test_groups_reach_the_last_step_and_the_splits_of_a_search():
    groups = np.array([0, 0, 1, 1])
    assert groups_argument(make_pipeline(StandardScaler(), PCTForest()), groups).keys() == {"pctforest__groups"}
    assert groups_argument(SparseLinear(), groups) == {}
    search = GridSearchCV(LogisticRegression(), {})
    assert groups_argument(search, groups).keys() == {"groups"}
    assert isinstance(search.cv, GroupKFold)
    assert search.cv.n_splits == 2
    own = GridSearchCV(LogisticRegression(), {}, cv=ShuffleSplit(3))
    groups_argument(own, groups)
    assert isinstance(own.cv, ShuffleSplit)


@pytest.mark.parametrize(
    ("learner", "name"),
    [
        (BinaryRelevance(GridSearchCV(LogisticRegression(), {})), "GridSearchCV"),
        (BinaryRelevance(HistGradientBoostingClassifier(early_stopping=True)), "HistGradientBoostingClassifier"),
    ],
)
def test_a_part_that_holds_out_rows_without_asking_is_told_of(learner, name):
    with pytest.warns(RelatedRowsWarning, match=name):
        warn_about_groups(learner, np.arange(4))


def test_a_learner_of_truepath_and_plain_ones_are_not():
    warn_about_groups(make_pipeline(StandardScaler(), TableBlend()), np.arange(4))
    warn_about_groups(BinaryRelevance(LogisticRegression()), np.arange(4))


def test_a_group_of_most_rows_is_told_of():
    with pytest.warns(RelatedRowsWarning, match=r"one group holds 4 of 6 rows \(first: row 1\)"):
        warn_about_groups(SparseLinear(), np.array([0, 1, 1, 1, 1, 2]))

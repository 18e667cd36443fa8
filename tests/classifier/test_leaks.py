"""A data frame that still holds the labels is told of when a model is fitted."""

from __future__ import annotations

import warnings

import pandas as pd
import polars as pl
import pytest

from truepath import HierarchicalClassifier
from truepath.errors import InputWarning, LabelsInRowsWarning

TABLE = {"price": [3.0, 1, 4, 1, 5, 9] * 5, "topics": ["a/x; b", "a/y", "b", "b", "a/y", "a/x"] * 5}
LABELS = [cell.split("; ") for cell in TABLE["topics"]]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_column_of_the_labels_is_told_of(frame):
    with pytest.warns(LabelsInRowsWarning, match="column 'topics' of X holds the labels themselves"):
        HierarchicalClassifier("forest").fit(frame(TABLE), LABELS)


@pytest.mark.parametrize("changed", [{}, {"topics": ["a", *TABLE["topics"][1:]]}, {"topics": ["b"] * 30}])
def test_other_columns_are_not(changed):
    table = {"price": TABLE["price"]} | changed
    with warnings.catch_warnings():
        warnings.simplefilter("error", InputWarning)
        HierarchicalClassifier("forest").fit(pd.DataFrame(table), LABELS)


def test_columns_of_lists_and_of_a_single_label_are_told_of():
    with pytest.warns(LabelsInRowsWarning, match="'given'"):
        HierarchicalClassifier("forest").fit(
            pd.DataFrame({"price": TABLE["price"], "given": LABELS}).astype({"given": str}), LABELS
        )
    single = [cells[0] for cells in LABELS]
    with pytest.warns(LabelsInRowsWarning, match="'kind'"):
        HierarchicalClassifier("forest").fit(pd.DataFrame({"price": TABLE["price"], "kind": single}), single)

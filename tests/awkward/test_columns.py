"""Columns as people have them: texts in series, missing values of every kind, dates, words, and row ids."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.pipeline import make_pipeline

from truepath import HierarchicalClassifier
from truepath.errors import LeftOutWarning
from truepath.learners import GlobalNaiveBayes, PCTForest, PCTree, RestrictedCutsetNetwork
from truepath.preprocessing import AutoFeatures

N = 24
TEXTS = ["a cat and a dog", "the cat sleeps", "dogs bark loud", "an oak tree", "oak leaves", "leaves of a tree"] * 4
LABELS = [["animal/cat", "animal/dog"], ["animal/cat"], ["animal/dog"], *[["plant/oak"]] * 3] * 4
ODD = np.arange(N) % 2
Y = ["plant/oak" if odd else "animal/cat" for odd in ODD]
EXPECTED = [(label,) for label in Y]


def holed(values, dtype):
    column = pd.Series(values).astype(dtype)
    column[4] = pd.NA
    return column


def fitted(X):
    learner = make_pipeline(AutoFeatures(impute=False), PCTree())
    return HierarchicalClassifier(learner, decoder="best-path").fit(X, Y)


SERIES = {
    "pandas, from 5 on": pd.Series(TEXTS, index=range(5, 5 + N)),
    "pandas, named rows": pd.Series(TEXTS, index=[f"r{i}" for i in range(N)]),
    "pandas string": pd.Series(TEXTS, dtype="string"),
    "pandas category": pd.Series(TEXTS, dtype="category"),
    "pandas arrow": pd.Series(TEXTS, dtype="string[pyarrow]", index=range(N, 0, -1)),
    "polars": pl.Series(TEXTS),
    "pyarrow": pa.chunked_array([TEXTS[:5], TEXTS[5:]]),
    "numpy": np.array(TEXTS),
    "tuple": tuple(TEXTS),
}


@pytest.mark.parametrize("name", SERIES)
def test_texts_in_a_column(name):
    expected = HierarchicalClassifier("half", cv=2).fit(TEXTS, LABELS).predict_labels(TEXTS)
    model = HierarchicalClassifier("half", cv=2).fit(SERIES[name], LABELS)
    assert model.predict_labels(SERIES[name]) == expected
    assert model.fitted_on_.kind == "texts"
    assert HierarchicalClassifier("linear", cv=2).fit(SERIES[name], LABELS).n_held_out_ == N


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_a_missing_text_has_no_words(missing):
    texts = [missing, *TEXTS[1:]]
    series = pd.Series(texts, dtype=object, index=range(3, 3 + N))
    model = HierarchicalClassifier("half").fit(series, LABELS)
    assert model.predict_labels(series)[1:] == model.predict_labels(TEXTS)[1:]
    assert model.predict_labels(texts)[0] == model.predict_labels([""])[0]


COLUMNS = {
    "Int64": holed(ODD, "Int64"),
    "boolean": holed(ODD.astype(bool), "boolean"),
    "Float64": holed(ODD / 2, "Float64"),
    "string": holed([f"k{odd}" for odd in ODD], "string"),
    "category": pd.Series(pd.Categorical(["odd" if odd else None for odd in ODD])),
    "objects": pd.Series([pd.NA if i == 4 else f"k{odd}" for i, odd in enumerate(ODD)], dtype=object),
    "dates": pd.Series([pd.Timestamp("2024-01-01") + pd.Timedelta(days=int(40 * odd)) for odd in ODD]),
    "dates with zone": pd.Series(pd.to_datetime(["2024-05-01", "2023-05-01"] * 12, utc=True)),
    "dates, one missing": pd.Series(pd.to_datetime(["2024-05-01", "2023-05-01"] * 12)).mask(np.arange(N) == 4),
    "date objects": pd.Series([datetime.date(2020 + int(odd), 1, 1) for odd in ODD], dtype=object),
    "dates as text": pd.Series([f"{2020 + odd}-01-{1 + i:02}" for i, odd in enumerate(ODD)]),
    "spans": pd.Series([pd.Timedelta(hours=int(odd)) for odd in ODD]),
}


@pytest.mark.parametrize("library", [lambda frame: frame, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize("name", COLUMNS)
def test_columns_of_every_type(name, library):
    X = library(pd.DataFrame({"x": COLUMNS[name], "noise": np.zeros(N)}))
    found = fitted(X).predict_labels(X)
    assert [row for i, row in enumerate(found) if i != 4] == [row for i, row in enumerate(EXPECTED) if i != 4]


def test_times_are_days():
    frame = pd.DataFrame({"at": pd.to_datetime(["1970-01-02 00:00", "1970-01-01 06:00", None])})
    np.testing.assert_array_equal(AutoFeatures(impute=False).fit_transform(frame).ravel(), [1, 0.25, np.nan])
    features = AutoFeatures(impute=False).fit(np.array([["1970-01-02"], ["1970-01-01 06:00"], [""]], object))
    assert features.blocks_[0][0] == "time"
    assert features.transform(np.array([["1971-01-01T00:00Z"]], object)).tolist() == [[365.0]]
    with pytest.raises(ValueError, match="column 0 of X held times when fitted; row 0 has 'soon'"):
        features.transform(np.array([["soon"]], object))


WORDS = pd.DataFrame({"size": np.zeros(N), "colour": ["red" if odd else "blue" for odd in ODD]})


@pytest.mark.parametrize("learner", [PCTree, PCTForest, GlobalNaiveBayes, RestrictedCutsetNetwork])
@pytest.mark.parametrize("form", ["pandas", "category", "polars", "array"])
def test_words_are_categories(learner, form):
    X = {"pandas": WORDS.set_axis(range(5, 5 + N)), "category": WORDS.astype({"colour": "category"})}.get(form)
    X = pl.from_pandas(WORDS) if form == "polars" else WORDS.to_numpy(object) if form == "array" else X
    model = learner(categorical_features=["colour"] if form != "array" else [1]).fit(X, Y)
    S, leaves = model.predict_proba(X), model.hierarchy_.indices(["animal/cat", "plant/oak"])
    assert S[:, leaves].argmax(axis=1).tolist() == ODD.tolist()


def test_unseen_and_missing_words():
    model = PCTree(categorical_features=["colour"]).fit(WORDS, Y)
    new = WORDS.assign(colour=["green", None, *WORDS.colour[2:]])
    assert model.predict(new)[2:].tolist() == model.predict(WORDS)[2:].tolist()
    assert "colour in {red}" in model.export_text() or "colour in {blue}" in model.export_text()
    plain = np.column_stack([np.zeros(N), ODD])
    assert not hasattr(model.set_params(categorical_features=[1]).fit(plain, Y), "strings_")


@pytest.mark.parametrize("kind", [int, float])
def test_words_that_are_numbers_in_later_rows(kind):
    """A frame of few rows may hold only those of the words that its reader takes for numbers."""
    codes = ["1" if odd else "2" for odd in ODD]
    X = WORDS.assign(colour=["other", *codes[1:]])
    model = PCTree(categorical_features=["colour"], min_leaf_weight=1).fit(X, Y)
    later = X[1:].astype({"colour": kind})
    np.testing.assert_array_equal(model.predict_proba(later), model.predict_proba(X[1:]))


def test_words_elsewhere_are_refused_with_the_way_out():
    with pytest.raises(ValueError, match=r"column 'colour' of X holds 'blue', which is not a number\. List"):
        PCTree().fit(WORDS, Y)
    with pytest.raises(ValueError, match="Did you mean 'colour'"):
        PCTree(categorical_features=["color"]).fit(WORDS, Y)


IDS = {
    "gene": [f"YAL{i:03}C" for i in range(N)],
    "code": [f"item-{i}" for i in range(N)],
    "isbn": [f"978-0-{i:04}-{i:02}x" for i in range(N)],
    "id": list(range(N)),
    "Unnamed: 0": [str(i) for i in range(N)],
}


@pytest.mark.parametrize("name", IDS)
def test_columns_of_row_ids_are_left_out(name):
    frame = pd.DataFrame({name: IDS[name], "x": ODD})
    features = AutoFeatures()
    with pytest.warns(LeftOutWarning, match=f"column '{name}' has a different value"):
        features.fit(frame)
    assert features.left_out_ == [name]
    assert features.transform(frame).tolist() == [[value] for value in ODD]


KEPT = {
    "size": list(range(N)),
    "url": [f"http://shop/{'fruit' if odd else 'bread'}/{chr(97 + i)}{chr(98 + i)}" for i, odd in enumerate(ODD)],
    "title": [f"book {i} of many" for i in range(N)],
    "day": [f"2024-01-{i + 1:02}" for i in range(N)],
    "group": [f"g{i // 2}" for i in range(N)],
}


@pytest.mark.parametrize("name", KEPT)
def test_other_columns_are_kept(name):
    features = AutoFeatures().fit(pd.DataFrame({name: KEPT[name], "x": ODD}))
    assert features.left_out_ == []


def test_ids_alone_are_taken_as_they_come():
    assert AutoFeatures().fit(pd.DataFrame({"gene": IDS["gene"]})).left_out_ == []
    many = pd.DataFrame({"gene": [f"g{i}" for i in range(600)]})
    with pytest.raises(ValueError, match="column 'gene' of X has no word of two letters or more that two rows share"):
        AutoFeatures().fit(many)


WRONG = {
    "complex": (np.ones((N, 2)) * 1j, "Complex data not supported.*abs"),
    "complex frame": (pd.DataFrame({"z": np.ones(N) * 1j}), "Complex data not supported.*abs"),
    "bytes": ([text.encode() for text in TEXTS], r"bytes, not texts.*decode\(\)"),
    "no words": ([""] * N, "no word of two letters"),
    "no columns": (pd.DataFrame(index=range(N)), "0 feature"),
    "dicts": ([{"x": 1}] * N, r"pandas.DataFrame\(X\)"),
    "dict of columns": ({"x": [1] * N}, r"pandas.DataFrame\(X\)"),
    "one text": (TEXTS[0], "one value.*Put it in a list"),
    "one number": (np.array(3.0), "one value.*Put it in a list"),
    "generator": ((text for text in TEXTS), "generator: put its rows in a list"),
    "lazy frame": (pl.DataFrame({"x": ODD}).lazy(), r"collect\(\)"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.filterwarnings("ignore::polars.exceptions.PerformanceWarning")
def test_what_cannot_be_taken_says_what_to_write(name):
    X, said = WRONG[name]
    with pytest.raises((ValueError, TypeError), match=said):
        fitted(X)

"""A model that was fitted on a file takes data frames with its columns, and predicts what it does for the file."""

import csv

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from truepath.classifier import HierarchicalClassifier, predict_file
from truepath.data import read_scores
from truepath.errors import InputWarning, LeftOutWarning, TruePathError
from truepath.workflow import fit_dataset, open_training

WORDS = ["red", "apple", "pie", "soup", "light", "star", "cell", "plant", "wave"]
LABELS = ["Food/Pie", "Food/Soup", "Science/Biology", "Science/Physics"]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("frames") / "books.csv"
    rng = np.random.default_rng(0)
    with path.open("w", newline="") as sink:
        write = csv.writer(sink).writerow
        write(["key", "title", "pages", "price", "language", "new", "when", "code", "part", "topics"])
        for i in range(60):
            pages, price = "" if i % 7 == 0 else i * 37 % 400, "" if i % 9 == 3 else i % 8 / 4
            language, code = ["fr", "de", "en", ""][rng.integers(4)], ["A1", "7", "9"][i % 3]
            title = " ".join(rng.choice(WORDS, 5))
            write(
                [
                    f"B{i:03}",
                    title,
                    pages,
                    price,
                    language,
                    i % 2 == 0,
                    f"2024-0{1 + i % 9}-11",
                    code,
                    "train",
                    LABELS[i % 4],
                ]
            )
    return path


@pytest.fixture(scope="module")
def model(file, tmp_path_factory):
    fitted = fit_dataset(open_training(file, labels="topics", split="part", ids="key"), "linear", test_share=0).model
    path = tmp_path_factory.mktemp("model") / "books.tp"
    fitted.save(path)
    return HierarchicalClassifier.load(path)


@pytest.fixture(scope="module")
def scores(model, file, tmp_path_factory):
    path = tmp_path_factory.mktemp("scores") / "scores.npz"
    predict_file(model, file, path.with_suffix(".csv"), scores=path)
    return read_scores(path, model.hierarchy_).S


def none_where_missing(frame):
    return frame.astype(object).where(frame.notna(), None)


FRAMES = {
    "as pandas reads it": pd.read_csv,
    "features alone": lambda file: pd.read_csv(file).drop(columns=["key", "part", "topics"]),
    "other order": lambda file: pd.read_csv(file).iloc[:, ::-1],
    "other index": lambda file: pd.read_csv(file).set_index(np.arange(60) % 5),
    "objects": lambda file: pd.read_csv(file).astype(object),
    "None": lambda file: none_where_missing(pd.read_csv(file)),
    "strings": lambda file: pd.read_csv(file, dtype=str, keep_default_na=False),
    "strings, NaN": lambda file: pd.read_csv(file, dtype=str),
    "nullable": lambda file: pd.read_csv(file).convert_dtypes(),
    "categories": lambda file: pd.read_csv(file).astype({"language": "category", "code": "category"}),
    "dates": lambda file: pd.read_csv(file, parse_dates=["when"]),
    "arrow in pandas": lambda file: pd.read_csv(file, dtype_backend="pyarrow"),
    "polars": pl.read_csv,
    "polars, dates": lambda file: pl.read_csv(file, try_parse_dates=True),
    "pyarrow": lambda file: pa.Table.from_pandas(pd.read_csv(file)),
}


@pytest.mark.parametrize("read", FRAMES.values(), ids=FRAMES)
def test_a_frame_gives_the_bits_of_the_file(read, model, file, scores):
    frame = read(file)
    assert np.array_equal(model.predict_proba(frame), scores)
    assert np.array_equal(model.predict_proba(frame, batch_size=1), scores)
    assert model.predict_labels(frame) == model.predict_labels(pd.read_csv(file))
    assert str(model.explain(frame[:1], n_causes=2)) == str(model.explain(pd.read_csv(file)[:1], n_causes=2))


def test_other_ways_to_ask(model, file, scores):
    frame = pd.read_csv(file)
    Y, S = model.label_and_score(frame)
    assert np.array_equal(S, scores)
    assert np.array_equal(Y, model.predict(frame))
    assert model.predict_top(frame, 1)[0] == model.predict_top(frame[:1], 1)[0]
    assert model.score(frame, frame["topics"]) == model.score(pl.read_csv(file), frame["topics"])


def test_a_row_of_pandas_is_explained_like_a_frame_of_it(model, file):
    frame = pd.read_csv(file)
    assert str(model.explain(frame.iloc[2], n_causes=2)) == str(model.explain(frame[2:3], n_causes=2))


def test_two_columns_of_one_name_are_refused(model, file):
    frame = pd.read_csv(file)
    twice = pd.concat([frame, frame[["pages"]]], axis=1)
    alike = pd.DataFrame({1: [0.5, 1.5], "1": [2.0, 3.0]})
    doubled = pa.table([pa.array([1.0, 2.0])] * 2, ["x", "x"])
    for ask, X, name in (
        (model.predict, twice, "pages"),
        (model.explain, twice[:1], "pages"),
        (lambda X: HierarchicalClassifier().fit(X, ["a", "b"]), alike, "1"),
        (lambda X: HierarchicalClassifier().fit(X, ["a", "b"]), doubled, "x"),
    ):
        with pytest.raises(TruePathError, match=f"X has two columns called '{name}'"):
            ask(X)


def test_numbers_among_categories(model, file, scores):
    frame = pd.read_csv(file)
    rows = np.flatnonzero(frame["code"] != "A1")
    for kind in (int, float):
        assert np.array_equal(model.predict_proba(frame.iloc[rows].astype({"code": kind})), scores[rows])


def test_missing_columns_are_named(model, file):
    with pytest.raises(TruePathError, match="X lacks 2 columns that the model was fitted on: 'title', 'language'"):
        model.predict(pd.read_csv(file).drop(columns=["title", "language"]))
    with pytest.raises(TruePathError, match=r"lacks 1 column .*: 'pages'\. Did you mean 'page'"):
        model.explain(pl.read_csv(file).rename({"pages": "page"})[:1])


def test_columns_that_the_file_did_not_have_are_told_of(model, file, scores):
    frame = pd.read_csv(file).assign(shelf=3, weight=1.5)
    with pytest.warns(LeftOutWarning, match="2 columns that the model was not fitted on: 'shelf', 'weight'"):
        assert np.array_equal(model.predict_proba(frame), scores)


def test_a_model_of_texts_takes_its_column_of_a_frame(file):
    model = fit_dataset(open_training(file, labels="topics", text="title"), "linear", test_share=0).model
    frame = pd.read_csv(file)
    assert np.array_equal(model.predict_proba(frame), model.predict_proba(frame["title"]))
    assert str(model.explain(frame[:1])) == str(model.explain(frame["title"][0]))


def test_rows_that_an_index_pairs_otherwise_are_told_of():
    X, labels = pd.DataFrame({"x": range(20)}), pd.Series([f"a/{i % 2}" for i in range(20)])
    with pytest.warns(InputWarning, match=r"the index of y has the rows of X in another order.*y\.loc\[X\.index\]"):
        HierarchicalClassifier("pct", cv=2).fit(X, labels[::-1])
    model = HierarchicalClassifier("pct", cv=2)
    for y in (labels, labels[::-1].to_numpy(), labels.set_axis(range(5, 25)), labels[::-1].loc[X.index]):
        model.fit(X, y)  # which another index tells nothing about

"""What scikit-learn's objects hold: ordinary ones are loaded, changed ones are refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelBinarizer, OneHotEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from truepath.errors import ModelFileError
from truepath.persistence import load, save
from truepath.preprocessing import AutoFeatures

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4))
GAPS = np.where(RNG.random(X.shape) < 0.2, np.nan, X)
EMPTY = np.column_stack([GAPS[:, :3], np.full(30, np.nan)])
CODES = RNG.integers(0, 5, (30, 2)).astype(float)
TEXTS = ["red apple", "green pear", "old pear"] * 10
Y = np.arange(30) % 2
ONE = np.zeros(30)

GOOD = {
    "no intercept": (LinearSVC(fit_intercept=False), X, Y),
    "ridge": (RidgeClassifier(), X, Y),
    "ridge of label sets": (RidgeClassifier(), X, np.column_stack([Y, 1 - Y, Y])),
    "one class of a tree": (DecisionTreeClassifier(), X, ONE),
    "one class of Bayes": (GaussianNB(), X, ONE),
    "tree of texts": (DecisionTreeClassifier(), X, np.array([["a", "b"], ["c", "d"]] * 15)),
    "no idf": (make_pipeline(TfidfVectorizer(use_idf=False), LogisticRegression()), TEXTS, Y),
    "stop words": (make_pipeline(TfidfVectorizer(stop_words=["red"]), LogisticRegression()), TEXTS, Y),
    "indicators": (make_pipeline(SimpleImputer(add_indicator=True), LogisticRegression()), GAPS, Y),
    "an empty column": (make_pipeline(SimpleImputer(), LogisticRegression()), EMPTY, Y),
    "an empty column that is kept": (
        make_pipeline(SimpleImputer(keep_empty_features=True), LogisticRegression()),
        EMPTY,
        Y,
    ),
    "words, and a column without any": (
        make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(), LogisticRegression()),
        np.array([["red", np.nan], [np.nan, np.nan], ["old", np.nan]] * 10, object),
        Y,
    ),
    "cells that are None": (
        make_pipeline(
            SimpleImputer(missing_values=None, strategy="most_frequent"), OneHotEncoder(), LogisticRegression()
        ),
        np.array([["red"], [None], ["old"]] * 10, object),
        Y,
    ),
    "categories with None": (
        make_pipeline(OneHotEncoder(), LogisticRegression()),
        np.array([["red"], [None], ["old"]] * 10, object),
        Y,
    ),
    "categories in the user's order": (
        make_pipeline(OneHotEncoder(categories=[["red", "new", "old"]]), LogisticRegression()),
        np.array([["red"], ["new"], ["old"]] * 10, object),
        Y,
    ),
    "truth values": (make_pipeline(OneHotEncoder(), LogisticRegression()), CODES > 2, Y),
    "encoder that drops all": (
        make_pipeline(OneHotEncoder(drop="first"), LogisticRegression()),
        np.column_stack([CODES, ONE]),
        Y,
    ),
    "constants": (make_pipeline(SimpleImputer(strategy="constant", fill_value=0), LogisticRegression()), GAPS, Y),
    "encoder that drops": (make_pipeline(OneHotEncoder(drop="first"), LogisticRegression()), CODES, Y),
    "encoder of rare ones": (make_pipeline(OneHotEncoder(max_categories=3), LogisticRegression()), CODES, Y),
    "encoder that does both": (
        make_pipeline(OneHotEncoder(drop="if_binary", min_frequency=7, dtype=np.float32), LogisticRegression()),
        CODES,
        Y,
    ),
}


def _fit(model, rows, labels):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # imputers say which columns they leave out
        return model.fit(rows, labels)


@pytest.mark.filterwarnings("ignore:Skipping features")
@pytest.mark.parametrize("name", GOOD)
def test_ordinary_estimators_are_loaded(tmp_path, name):
    model, rows, labels = GOOD[name]
    save(_fit(model, rows, labels), tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict(rows), model.predict(rows))


def test_sparsified_weights_are_loaded(tmp_path):
    model = LogisticRegression().fit(X, Y).sparsify()
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict(X), model.predict(X))


def _encoder(**changes):
    return OneHotEncoder(max_categories=3).fit(CODES), changes


CHANGED = {
    "a column without categories": _encoder(categories_=[np.arange(5.0)]),
    "categories out of order": _encoder(categories_=[np.arange(5.0)[::-1], np.arange(5.0)]),
    "more columns than categories": _encoder(_n_features_outs=[3, 9]),
    "rare ones that do not exist": _encoder(_infrequent_indices=[np.array([7]), None]),
    "a rare one past the last": _encoder(_infrequent_indices=[np.array([0, 1, 5])] * 2),
    "a rare one twice": _encoder(_infrequent_indices=[np.array([0, 1, 1])] * 2),
    "categories twice": _encoder(categories_=[np.array([0.0, 1.0, 2.0, 3.0, 3.0])] * 2),
    "categories in a list": _encoder(categories_=[list(range(5))] * 2),
    "a table of categories": _encoder(categories_=[np.arange(5.0)[:, None]] * 2),
    "categories that are pairs": _encoder(categories_=[np.array([None, 1.0, 2.0, 3.0, (4,)], object)] * 2),
    "a dropped one that does not exist": _encoder(_drop_idx_after_grouping=np.array([9, None], object)),
    "stop words": (TfidfVectorizer().fit(TEXTS), {"stop_words": "auto"}),
    "a pattern of bytes": (TfidfVectorizer().fit(TEXTS), {"token_pattern": b"a"}),
    "a pattern of two groups": (TfidfVectorizer().fit(TEXTS), {"token_pattern": "(a)(b)"}),
    "lengths from 3 to 1": (TfidfVectorizer().fit(TEXTS), {"ngram_range": (3, 1)}),
    "neither pattern nor tokenizer": (TfidfVectorizer().fit(TEXTS), {"token_pattern": None}),
    "an indicator that is not there": (SimpleImputer().fit(X), {"add_indicator": True}),
    "a missing value that is no number": (SimpleImputer().fit(X), {"missing_values": "x"}),
    "lengths from 100 on": (TfidfVectorizer().fit(TEXTS), {"ngram_range": (100, 100)}),
    "lengths up to 100": (TfidfVectorizer().fit(TEXTS), {"ngram_range": (1, 100)}),
    "a binarizer of one class": (RidgeClassifier().fit(X, Y), {"_label_binarizer": LabelBinarizer().fit([1])}),
    "statistics of more columns": (SimpleImputer().fit(X), {"statistics_": np.zeros(5)}),
    "no statistic of a column that is kept": (
        SimpleImputer().fit(X),
        {"statistics_": X[0] * np.nan, "keep_empty_features": True},
    ),
    "a statistic that is a pair": (SimpleImputer().fit(X), {"statistics_": np.array([1.0, 2.0, 3.0, (4,)], object)}),
    "missing cells that are lists": (SimpleImputer().fit(X), {"missing_values": [1]}),
    "a table of numbers of classes": (DecisionTreeClassifier().fit(X, Y), {"n_classes_": np.array([[2]])}),
    "a number of classes": (DecisionTreeClassifier().fit(X, Y), {"n_classes_": 2.0}),
    "a function that cannot be called": (TfidfVectorizer().fit(TEXTS), {"preprocessor": 3}),
    "a type in the place of a function": (TfidfVectorizer().fit(TEXTS), {"tokenizer": list}),
    "an analyzer that is a number": (TfidfVectorizer().fit(TEXTS), {"analyzer": 3}),
    "rare ones for other columns": _encoder(_infrequent_indices=[None]),
    "no rare ones": (OneHotEncoder().fit(CODES), {"_infrequent_enabled": True}),
    "weights of other features": (LogisticRegression().fit(X, Y), {"coef_": np.zeros((1, 5))}),
    "weights of other classes": (LogisticRegression().fit(X, Y), {"coef_": np.zeros((2, 4))}),
    "weights of one row": (LogisticRegression().fit(X, np.arange(30) % 3), {"coef_": np.zeros(4)}),
    "sparse weights of other features": (
        LogisticRegression().fit(X, Y).sparsify(),
        {"coef_": sparse.csr_matrix((1, 5))},
    ),
    "a tree of other features": (
        DecisionTreeClassifier().fit(X, Y),
        {"tree_": DecisionTreeClassifier().fit(X[:, :3], Y).tree_},
    ),
    "a tree of other classes": (
        DecisionTreeClassifier().fit(X, Y),
        {"tree_": DecisionTreeClassifier().fit(X, np.arange(30) % 3).tree_},
    ),
    "other classes": (DecisionTreeClassifier().fit(X, Y), {"classes_": np.arange(3), "n_classes_": 3}),
}


@pytest.mark.parametrize("name", CHANGED)
def test_changed_estimators_are_refused(tmp_path, name):
    model, changes = CHANGED[name]
    vars(model).update(changes)
    save(model, tmp_path / "model")
    with pytest.raises(ModelFileError, match="cannot be rebuilt"):
        load(tmp_path / "model")


@pytest.mark.parametrize("before", [SimpleImputer(), AutoFeatures()])
def test_steps_that_do_not_follow_each_other_are_refused(tmp_path, before):
    model = _fit(make_pipeline(before, LogisticRegression()), EMPTY, Y)
    last = model[-1]
    last.coef_, last.n_features_in_ = np.zeros((1, 9)), 9
    save(model, tmp_path / "model")
    with pytest.raises(ModelFileError, match="cannot be rebuilt"):
        load(tmp_path / "model")


def test_weights_of_other_words_are_refused(tmp_path):
    model = TfidfVectorizer().fit(TEXTS)
    model._tfidf.n_features_in_ += 1
    save(model, tmp_path / "model")
    with pytest.raises(ModelFileError, match="_tfidf"):
        load(tmp_path / "model")

"""AutoFeatures: what a column is, is decided once and from training rows; every table becomes numbers."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.utils.estimator_checks import check_estimator

from truepath import HierarchicalClassifier
from truepath.classifier import default_method
from truepath.errors import LeftOutWarning, UnseenValuesWarning
from truepath.persistence import load, save
from truepath.preprocessing import AutoFeatures
from truepath.preprocessing.column_kinds import table_columns, to_days, to_numbers

TEXTS = ["the red fox jumps", "a lazy dog sleeps", "the dog and the fox", "nothing at all here"]
CELLS = np.array(
    [[text, colour, number] for text, colour, number in zip(TEXTS, "rgrb", ["1", "2.5", "", "-3e2"])], dtype=object
)


def test_texts_become_tf_idf_weights():
    words = TfidfVectorizer(sublinear_tf=True, strip_accents="unicode", dtype=np.float32)
    expected = words.fit_transform(TEXTS)
    for given in (TEXTS, np.array(TEXTS), np.array(TEXTS, dtype=object)):
        assert (AutoFeatures().fit_transform(given) != expected).nnz == 0


def test_embeddings_become_rows_of_length_one():
    X = np.random.default_rng(0).normal(3, 2, (5, 80)).astype(np.float32)
    scaled = AutoFeatures(scale=True).fit(X).transform(X)
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(scaled, X / np.linalg.norm(X, axis=1, keepdims=True), rtol=1e-6)
    np.testing.assert_array_equal(AutoFeatures(impute=False).fit_transform(X), X)
    of_columns = AutoFeatures(scale=True).fit_transform(X.astype(np.float64))
    np.testing.assert_allclose(of_columns.std(axis=0), 1)


def test_embeddings_may_lack_values_later():
    X = np.random.default_rng(0).normal(size=(5, 80)).astype(np.float32)
    features = AutoFeatures(scale=True).fit(X)
    X[0, 0] = np.nan
    np.testing.assert_allclose(np.linalg.norm(features.transform(X), axis=1), 1, rtol=1e-6)


def test_the_kinds_of_columns():
    features = AutoFeatures().fit(CELLS)
    assert [(kind, keys) for kind, keys, _ in features.blocks_] == [("number", [2]), ("category", [1]), ("text", [0])]
    out = features.transform(CELLS)
    assert out[:, [0]].toarray().ravel().tolist() == [1, 2.5, 1, -300]  # the median, 1, where empty
    names = features.get_feature_names_out()
    assert len(names) == out.shape[1]
    assert names[:4].tolist() == ["x2", "x1=b", "x1=g", "x1=r"]


def test_features_say_which_column_they_are_from():
    frame = pd.DataFrame({"title": TEXTS, "about": TEXTS[::-1], "made_in": ["de", "", "de_at", "fr"]})
    names = AutoFeatures().fit(frame).get_feature_names_out().tolist()
    assert names[:4] == ["made_in=(empty)", "made_in=de", "made_in=de_at", "made_in=fr"]
    assert {"fox (title)", "fox (about)"} <= set(names)
    assert len(names) == len(set(names))
    countries = pd.DataFrame({"made_in": ["de"] * 5 + ["de_at", "fr", "it"]})
    few = AutoFeatures(max_categories=2, categorical_features="all").fit(countries)
    assert few.get_feature_names_out().tolist() == ["made_in=de", "made_in=(rare)"]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_frames_and_cells_give_the_same(library):
    columns = {"about": TEXTS, "colour": list("rgrb"), "size": [1.0, 2.5, None, -300.0]}
    found = AutoFeatures().fit_transform(library(columns))
    assert (found != AutoFeatures().fit_transform(CELLS)).nnz == 0
    turned = library({name: columns[name] for name in ("size", "about", "colour")})
    features = AutoFeatures().fit(library(columns))
    if library is pl.DataFrame:  # scikit-learn asks pandas frames for the same order
        assert (features.transform(library(columns)) != found).nnz == 0
    with pytest.raises(ValueError, match="colour"):
        features.transform(turned[["size", "about"]])


def test_columns_are_judged_by_the_training_rows_alone():
    features = AutoFeatures().fit(CELLS)
    new = CELLS.copy()
    new[0] = ["words never seen before", "violet", ""]
    with pytest.warns(UnseenValuesWarning):
        assert features.transform(new[:1]).toarray()[0, 1:].sum() == 0  # unknown category and words are zeros
    new[1, 2] = "much"
    with pytest.raises(ValueError, match=r"column 2 of X held numbers when fitted; row 1 has 'much'"):
        features.transform(new)


def test_numbers_stay_numbers():
    X = np.array([[1.0, np.nan], [3.0, 4.0], [5.0, 8.0]])
    assert np.array_equal(AutoFeatures(impute=False).fit_transform(X), X, equal_nan=True)
    assert AutoFeatures().fit_transform(X)[0, 1] == 6
    scaled = AutoFeatures(scale=True).fit_transform(X)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
    nominal = AutoFeatures(categorical_features=[0]).fit_transform(X)
    assert nominal.shape == (3, 4)


def test_sparse_counts_are_weighted_and_other_sparse_columns_scaled():
    counts = sparse.csr_array(np.array([[2.0, 0, 1], [0, 3, 1]]))
    weighted = AutoFeatures(scale=True).fit_transform(counts)
    assert (weighted != TfidfTransformer(sublinear_tf=True).fit_transform(counts)).nnz == 0
    assert (AutoFeatures().fit_transform(counts) != counts).nnz == 0
    measured = AutoFeatures(scale=True).fit_transform(counts * 0.3)
    assert np.abs(measured).max() == 1
    assert isinstance(AutoFeatures(dense=True).fit_transform(counts), np.ndarray)


def test_a_row_does_not_depend_on_the_batch():
    features = AutoFeatures(scale=True).fit(CELLS)
    whole = features.transform(CELLS).toarray()
    assert (np.vstack([features.transform(CELLS[i : i + 1]).toarray() for i in range(4)]) == whole).all()


def test_what_cannot_be_used_is_named():
    with pytest.raises(ValueError, match="a list of texts, but AutoFeatures was fitted on a sparse matrix"):
        AutoFeatures().fit(sparse.eye_array(3, format="csr")).transform(TEXTS)
    with pytest.raises(ValueError, match="column 2 of X held numbers when fitted; row 0 has 'much'"):
        AutoFeatures().fit(CELLS).transform(np.array([["a", "b", "much"]], object))


@pytest.mark.parametrize("options", [{}, {"scale": True}, {"impute": False, "dense": True}], ids=str)
def test_scikit_learn_checks(options):
    results = check_estimator(AutoFeatures(**options), on_skip=None, on_fail=None)
    assert not {result["check_name"]: result["exception"] for result in results if result["status"] == "failed"}
    assert sum(result["status"] == "passed" for result in results) >= 40


def test_pairs_of_words_count_where_there_are_rows_enough():
    texts = [f"red apple {k % 7}x" if k % 2 else f"apple red {k % 7}x" for k in range(600)]
    names = AutoFeatures().fit(texts).get_feature_names_out().tolist()
    assert {"red apple", "apple red"} <= set(names)
    assert not any(" " in name for name in AutoFeatures().fit(texts[:50]).get_feature_names_out())
    assert AutoFeatures().fit_transform(texts).dtype == np.float32


def test_several_texts_beside_numbers():
    cells = np.array([[f"a red apple {k % 3}", f"from the far south {k % 5}", str(k)] for k in range(30)], dtype=object)
    features = AutoFeatures(scale=True).fit(cells)
    assert [kind for kind, _, _ in features.blocks_] == ["number", "text", "text"]
    assert features.transform(cells).shape == (30, len(features.get_feature_names_out()))


def test_columns_of_numbers_are_read_at_once_and_as_cell_by_cell():
    cells = [None, "", "  ", " 1e3 ", 2, True, np.nan, "-7", np.float32(0.5), "nan"]
    column = np.empty(len(cells), object)
    column[:] = cells
    expected = [np.nan, np.nan, np.nan, 1e3, 2, 1, np.nan, -7, 0.5, np.nan]
    np.testing.assert_array_equal(to_numbers(column, "a"), expected)
    column[7] = "seven"
    with pytest.raises(ValueError, match="column 'a' of X held numbers when fitted; row 7 has 'seven'"):
        to_numbers(column, "a")


@pytest.mark.parametrize("dtype", ["int64", "float32", "Int64", "boolean", "bool"])
def test_columns_of_frames_with_and_without_missing_cells(dtype):
    cells = [1, 0, None] if dtype in ("Int64", "boolean", "float32") else [1, 0, 1]
    columns = table_columns(pd.DataFrame({"a": pd.array(cells, dtype=dtype)}))
    np.testing.assert_array_equal(columns["a"], np.array(cells, float))
    assert columns["a"].dtype == np.float64


def test_days_of_many_cells_are_those_of_each():
    cells = np.array(["1970-01-02", " 1970-01-01 06:00 ", "2024-02-29T12:00:00Z"], object)
    np.testing.assert_array_equal(to_days(cells), [to_days(cells[[i]])[0] for i in range(3)])
    np.testing.assert_array_equal(to_days(np.append(cells, None))[:3], to_days(cells))


def test_fitting_and_transforming_at_once_is_the_same():
    texts = np.array(["a red apple pie", "green soup of peas", "a pie of peas"], object)
    table = np.column_stack([texts, np.array(["1", "", "3"], object), np.array(["fr", "de", "fr"], object)])
    for X in (texts, table, sparse.csr_array(np.eye(3)), np.arange(6.0).reshape(3, 2)):
        for scale in (False, True):
            once = AutoFeatures(scale=scale).fit_transform(X)
            twice = AutoFeatures(scale=scale).fit(X).transform(X)
            dense = [M.toarray() if sparse.issparse(M) else M for M in (once, twice)]
            np.testing.assert_allclose(*dense, rtol=1e-6)
            assert type(once) is type(twice)


def test_a_vocabulary_is_kept_as_one_array(tmp_path):
    texts = [f"word{i} größe{i} thing" for i in range(300)]
    features = AutoFeatures().fit(texts)
    words = features.blocks_[0][2]
    assert features.__getstate__()["blocks_"][0][2].vocabulary_.dtype == np.uint8
    assert isinstance(words.vocabulary_, dict)
    again = pickle.loads(pickle.dumps(features))
    assert again.blocks_[0][2].vocabulary_ == words.vocabulary_
    assert (again.transform(texts) != features.transform(texts)).nnz == 0
    save(features, tmp_path / "features.truepath")
    assert load(tmp_path / "features.truepath").blocks_[0][2].vocabulary_ == words.vocabulary_


def test_tables_mostly_of_texts():
    rows = [[f"the title {i}", f"a longer text of words {i}", i] for i in range(20)]
    assert default_method(pd.DataFrame(rows, columns=["title", "text", "size"])) == "linear"
    assert default_method(pl.DataFrame(rows, schema=["title", "text", "size"], orient="row")) == "linear"
    assert default_method([[*row[1:], i, i] for i, row in enumerate(rows)]) == "blend"  # one text, three numbers
    assert (
        default_method(np.array([[*row[1:], 0, 1, 2] for row in rows * 300], object)) == "text-blend"
    )  # in 6,000 rows


def test_texts_without_blanks_are_cut_into_pieces():
    fruit, drinks = ["我喜欢吃苹果", "苹果很好吃", "新鲜的苹果"], ["我喜欢喝茶", "绿茶很好喝", "新鲜的绿茶"]
    features = AutoFeatures().fit(fruit + drinks)
    assert {"苹果", "绿茶"} <= set(features.get_feature_names_out())
    model = HierarchicalClassifier(cv=2, decoder="best-path").fit(fruit + drinks, [["fruit"]] * 3 + [["drinks"]] * 3)
    assert model.predict_labels(["大苹果", "一杯茶"]) == [("fruit",), ("drinks",)]


def test_columns_of_such_texts_are_no_row_ids():
    about = [
        f"{what}很好吃，我很喜欢"
        for what in ["苹果", "香蕉", "橙子", "葡萄", "桃子", "梨子", "西瓜", "草莓", "樱桃", "芒果", "荔枝", "柠檬"]
    ]
    X = np.array([about, [f"Q{k}" for k in range(12)]], object).T
    with pytest.warns(LeftOutWarning, match="column 1 "):
        features = AutoFeatures().fit(X)
    assert [(kind, keys) for kind, keys, _ in features.blocks_] == [("text", [0])]


def test_sequences_are_cut_into_pieces():
    rng = np.random.default_rng(0)
    sequences = ["".join(rng.choice(list("ACDEFGHIKLMNPQRSTVWY"), 80)) for _ in range(20)]
    assert AutoFeatures().fit(sequences).transform(sequences).shape[1] > 1000
    assert set(map(len, AutoFeatures().fit(sequences).get_feature_names_out())) == {1, 2, 3}


def test_output_that_a_program_chose_for_its_own_transformers_changes_nothing():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "x"]})
    plain = AutoFeatures().fit_transform(frame)
    with sklearn.config_context(transform_output="pandas"):
        AutoFeatures(impute=False, scale=False).fit_transform(np.eye(3))  # warned of a function without names
        found = AutoFeatures(scale=False).fit(np.eye(3)).transform(np.eye(3))
        blocks = [made for *_, made in AutoFeatures().fit(frame).blocks_]
    assert isinstance(found, pd.DataFrame)
    assert len(blocks) == 2
    assert plain.shape == (3, 3)


def test_a_column_of_values_that_no_training_row_had_is_told_of():
    features = AutoFeatures().fit(CELLS)
    strange = CELLS.copy()
    strange[:3, 1] = ["R", "", "G"]
    strange[3, 1] = "b"
    with pytest.warns(UnseenValuesWarning, match=r"column 1 of X: .*\(those had 'b', 'g', 'r'\)"):
        features.transform(strange)
    strange[0, 1] = "r"
    features.transform(strange)  # one of three

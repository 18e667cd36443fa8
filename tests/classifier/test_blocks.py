"""Prediction in blocks of rows: the same bits for any size, any input and any place for the result."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import truepath.classifier.blocks as blocks
from truepath import HierarchicalClassifier
from truepath.data import make_hmc
from truepath.decoders import MAS, Threshold
from truepath.learners import BinaryRelevance, PCTForest
from truepath.preprocessing import AutoFeatures

DATA = make_hmc(500, 12, 15, random_state=0).merge()["all"]
HIERARCHY = make_hmc(500, 12, 15, random_state=0).hierarchy
X, Y = np.ascontiguousarray(DATA.X), DATA.y
NAMES = [f"c{j}" for j in range(X.shape[1])]
SIZES = (7, 64, 436, 437)  # 500 = 436 + 64


def fit(learner=None, decoder=None, rows=X[:200]):
    learner = learner or BinaryRelevance(LogisticRegression())
    return HierarchicalClassifier(learner, decoder=decoder or Threshold(0.4), hierarchy=HIERARCHY).fit(rows, Y[:200])


@pytest.fixture(scope="module")
def linear():
    return fit()


@pytest.fixture(scope="module")
def framed():
    pd = pytest.importorskip("pandas")
    return fit(PCTForest(n_estimators=3, random_state=0), rows=pd.DataFrame(X[:200], columns=NAMES))


@pytest.fixture(scope="module")
def parquet(tmp_path_factory):
    """Three files of 200, 1 and 299 rows, with ids beside the features."""
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    folder = tmp_path_factory.mktemp("parts")
    for k, rows in enumerate([slice(0, 200), slice(200, 201), slice(201, 500)]):
        columns = {name: X[rows, j] for j, name in enumerate(NAMES)}
        table = pyarrow.table({"id": [str(i) for i in range(500)][rows], **columns})
        parquet.write_table(table, folder / f"{k}.parquet")
    return folder


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_the_same_bits_for_any_batch_size(linear, form):
    rows = form(X)
    S, found = linear.predict_proba(rows), linear.predict(rows)
    for size in SIZES:
        np.testing.assert_array_equal(linear.predict_proba(rows, batch_size=size), S)
        np.testing.assert_array_equal(linear.predict(rows, batch_size=size), found)
    assert linear.predict_labels(rows, batch_size=64) == HIERARCHY.decode(found)


def test_conditional_scores_come_block_by_block():
    model = fit(decoder=MAS())
    np.testing.assert_array_equal(model.predict(X, batch_size=64), model.predict(X))


def test_texts_lists_and_frames(linear):
    texts = [f"word{i % 7} word{i % 11}" for i in range(200)]
    model = HierarchicalClassifier(hierarchy=HIERARCHY, decoder="threshold").fit(texts, Y[:200])
    for given in (texts, np.array(texts, object)):
        np.testing.assert_array_equal(model.predict_proba(given, batch_size=64), model.predict_proba(texts))
    np.testing.assert_array_equal(linear.predict_proba(X.tolist(), batch_size=64), linear.predict_proba(X))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_rows_of_frames_are_taken_in_their_order(library):
    frame = getattr(pytest.importorskip(library), "table" if library == "pyarrow" else "DataFrame")
    frame = frame({name: X[:, j] for j, name in enumerate(NAMES)})
    if library == "pandas":
        frame.index = np.arange(500)[::-1]
    learner = make_pipeline(AutoFeatures(), PCTForest(n_estimators=3, random_state=0))
    model = HierarchicalClassifier(learner, decoder="threshold", hierarchy=HIERARCHY).fit(frame, Y)
    np.testing.assert_array_equal(model.predict_proba(frame, batch_size=64), model.predict_proba(frame))


def test_memory_mapped_in_and_out(linear, tmp_path):
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    S = linear.predict_proba(X)
    found = linear.predict_proba(mapped, batch_size=64, out=tmp_path / "S.npy")
    assert isinstance(found, np.memmap)
    np.testing.assert_array_equal(found, S)
    labels = linear.predict(mapped, batch_size=64, out=tmp_path / "Y.npy")
    assert labels.dtype == bool
    np.testing.assert_array_equal(labels, linear.predict(X))
    mine = np.zeros_like(S, dtype=np.float32)
    assert linear.predict_proba(X, batch_size=64, out=mine) is mine
    np.testing.assert_array_equal(mine, S.astype(np.float32))
    assert {file.name for file in tmp_path.iterdir()} == {"X.npy", "S.npy", "Y.npy"}


def test_a_file_appears_whole_or_not_at_all(linear, tmp_path):
    rows = X.copy()
    rows[300, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        linear.predict_proba(rows, batch_size=64, out=tmp_path / "S.npy")
    assert list(tmp_path.iterdir()) == []


def test_only_high_scores(linear):
    S = linear.predict_proba(X)
    for size in (None, 64):
        found = linear.predict_proba(X, min_score=0.1, batch_size=size)
        assert sparse.issparse(found)
        assert found.data.min() >= 0.1
        np.testing.assert_array_equal(found.toarray(), np.where(S >= 0.1, S, 0))
        assert HIERARCHY.is_coherent(found)
    np.testing.assert_array_equal(linear.decoder_.predict(found).toarray(), linear.predict(X))


def test_large_labels_are_sparse(linear, monkeypatch):
    monkeypatch.setattr(blocks, "DENSE_LIMIT", 1000)
    found = linear.predict(X, batch_size=64)
    assert sparse.issparse(found)
    np.testing.assert_array_equal(found.toarray(), linear.predict(X))


def test_parquet_datasets(framed, parquet):
    dataset = pytest.importorskip("pyarrow.dataset").dataset(parquet)
    S = framed.predict_proba(fitted_frame())
    for size in (None, 64, 250):
        np.testing.assert_array_equal(framed.predict_proba(dataset, batch_size=size), S)
    np.testing.assert_array_equal(framed.predict_proba(dataset.scanner().to_reader(), batch_size=64), S)
    np.testing.assert_array_equal(framed.predict(dataset, batch_size=64), framed.predict(fitted_frame()))


def fitted_frame():
    return pytest.importorskip("pandas").DataFrame(X, columns=NAMES)


def test_parquet_datasets_of_numbers_and_of_texts(linear, parquet):
    dataset = pytest.importorskip("pyarrow.dataset").dataset(parquet)
    reader = dataset.scanner(columns=NAMES).to_reader()
    np.testing.assert_array_equal(linear.predict_proba(reader, batch_size=64), linear.predict_proba(X))
    texts = [str(i) for i in range(500)]
    model = HierarchicalClassifier(hierarchy=HIERARCHY, decoder="threshold").fit(texts[:200], Y[:200])
    reader = dataset.scanner(columns=["id"]).to_reader()
    np.testing.assert_array_equal(model.predict_proba(reader, batch_size=64), model.predict_proba(texts))
    with pytest.raises(ValueError, match="fitted on texts; a table of 13 columns"):
        model.predict(dataset)


@pytest.mark.slow  # imports the frames of Dask; the oldest Dask allowed cannot join sparse blocks
def test_dask_arrays_and_frames(linear, framed):
    da = pytest.importorskip("dask.array")
    dd = pytest.importorskip("dask.dataframe")
    lazy = da.from_array(X, chunks=(128, 5))
    S = linear.predict_proba(lazy)
    assert S.shape == (500, HIERARCHY.n_nodes)
    np.testing.assert_array_equal(S.compute(scheduler="sync"), linear.predict_proba(X))
    labels = linear.predict(lazy, batch_size=64)
    assert labels.dtype == bool
    np.testing.assert_array_equal(labels.compute(scheduler="sync"), linear.predict(X))
    high = linear.predict_proba(lazy, min_score=0.1).compute(scheduler="sync")
    np.testing.assert_array_equal(high.toarray(), linear.predict_proba(X, min_score=0.1).toarray())
    frame = dd.from_pandas(fitted_frame(), npartitions=3)
    np.testing.assert_array_equal(
        framed.predict_proba(frame).compute(scheduler="sync"), framed.predict_proba(fitted_frame())
    )


def test_messages_name_the_row_of_the_whole(linear, monkeypatch):
    scores = linear.learner_.predict_proba

    def broken(rows):
        S = scores(rows)
        S[np.asarray(rows)[:, 0] == X[301, 0], 2] = np.nan
        return S

    monkeypatch.setattr(linear.learner_, "predict_proba", broken)
    with pytest.raises(ValueError, match="row 301"):
        linear.predict_proba(X, batch_size=64)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"batch_size": 0}, "batch_size must be an integer >= 1"),
        ({"batch_size": 2.5}, "batch_size must be an integer"),
        ({"min_score": 0}, "min_score must be a number above 0"),
        ({"min_score": 0.1, "out": np.empty((500, 15))}, "leave out min_score, or out"),
        ({"out": np.empty((3, 15))}, r"out must be an array of shape \(500, 15\)"),
        ({"out": "scores.csv"}, r"ends in \.npy"),
    ],
)
def test_errors(linear, options, problem):
    with pytest.raises(ValueError, match=problem):
        linear.predict_proba(X, **options)


def test_no_rows(linear):
    with pytest.raises(ValueError, match="0 sample"):  # scikit-learn's rule
        linear.predict(X[:0])

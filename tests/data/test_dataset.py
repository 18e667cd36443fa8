"""The record itself: splits, merging, splitting, pruning, one-hot columns, the description."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse

import truepath.data as module
from truepath import Hierarchy
from truepath.data import Dataset, Split, load_dataset, make_hmc, stratified_folds, toy_hierarchy


@pytest.fixture
def mixed():
    h = toy_hierarchy()
    X = np.array([[0.5, 2, 0], [1.5, np.nan, 1], [np.nan, 0, np.nan]])
    Y = h.encode([["a/1"], ["b"], []], sparse_output=True)
    part = Split(X, Y, np.array(["r0", "r1", "r2"], object), np.array([1, 1, 0]))
    categories = {1: ("red", "green", "blue"), 2: ("no", "yes")}
    return Dataset("mixed", h, {"train": part, "test": part.take(np.array([1]))}, ["size", "colour", "old"], categories)


def test_all_lists_what_there_is():
    assert set(module.__all__) == {name for name in module.__all__ if hasattr(module, name)}
    assert list(module.__all__) == sorted(module.__all__)
    assert all(getattr(module, name).__doc__ for name in module.__all__)


def test_absent_splits_say_what_there_is(mixed):
    assert not hasattr(mixed, "valid")
    assert "valid" not in mixed
    assert list(mixed) == ["train", "test"]
    with pytest.raises(AttributeError, match="has no split 'valid', only 'train', 'test'"):
        _ = mixed.valid
    with pytest.raises(KeyError, match="has no split 'all'"):
        mixed["all"]


def test_nothing_can_be_set(mixed):
    with pytest.raises(AttributeError):
        mixed.name = "other"
    with pytest.raises(TypeError):
        mixed.splits["new"] = mixed.train


def test_pickles(mixed):
    again = pickle.loads(pickle.dumps(mixed))
    assert again.hierarchy == mixed.hierarchy
    np.testing.assert_array_equal(again.train.X, mixed.train.X)
    assert dict(again.categories) == dict(mixed.categories)


def test_sizes_must_agree(mixed):
    with pytest.raises(ValueError, match="same number of rows"):
        Split(np.zeros((2, 1)), sparse.csr_array((3, 5), dtype=bool))
    with pytest.raises(ValueError, match="has 3 features, feature_names 1"):
        Dataset("d", mixed.hierarchy, mixed.splits, ["x"])
    with pytest.raises(ValueError, match="5 label columns, the hierarchy 2 nodes"):
        Dataset("d", Hierarchy.flat(2), mixed.splits, ["x", "y", "z"])


def test_merge(mixed):
    ds = mixed.merge("train", "test")
    assert list(ds.splits) == ["train"]
    assert ds.train.ids.tolist() == ["r0", "r1", "r2", "r1"]
    assert ds.train.n_written.tolist() == [1, 1, 0, 1]
    assert list(mixed.merge()) == ["all"]
    with pytest.raises(ValueError, match="another split"):
        mixed.merge("train", into="test")


def test_merge_of_dense_and_sparse_is_sparse(mixed):
    thin = Split(sparse.csr_array(mixed.train.X), mixed.train.y)
    ds = Dataset("d", mixed.hierarchy, {"train": mixed.train, "test": thin}, mixed.feature_names)
    whole = ds.merge()["all"]
    assert sparse.issparse(whole.X)
    assert whole.X.shape == (6, 3)
    assert whole.ids is None


def test_describe(mixed):
    found = mixed.describe()
    assert found.sizes == {"train": 3, "test": 1}
    assert (found.n_numeric, found.n_categorical, found.n_classes, found.n_leaves, found.depth) == (1, 2, 5, 3, 2)
    assert found.missing_percent == pytest.approx(100 * 4 / 12)
    assert (found.labels_written, found.labels_closed) == (0.75, 1.0)
    assert (found.partial_percent, found.n_unlabeled, found.kind) == (50.0, 1, "tree")
    assert "1 numeric + 2 categorical" in str(found)
    assert found.to_dict()["n_unused_classes"] == 2


def test_one_hot(mixed):
    ds = mixed.one_hot()
    assert ds.feature_names == ("size", "colour=red", "colour=green", "colour=blue", "old=no", "old=yes")
    expected = [[0.5, 0, 0, 1, 1, 0], [1.5, 0, 0, 0, 0, 1], [np.nan, 1, 0, 0, 0, 0]]
    np.testing.assert_array_equal(ds.train.X, expected)
    assert not ds.categories
    assert ds.one_hot() is ds
    short = mixed.one_hot(drop_binary=True)
    np.testing.assert_array_equal(short.train.X[:, -1], [0, 1, np.nan])
    assert short.feature_names[-1] == "old=yes"


@pytest.mark.parametrize("drop_binary", [True, False])
def test_one_hot_of_sparse_is_that_of_dense(mixed, drop_binary):
    splits = {name: Split(sparse.csr_array(s.X), s.y) for name, s in mixed.splits.items()}
    thin = Dataset("thin", mixed.hierarchy, splits, mixed.feature_names, mixed.categories)
    found = thin.one_hot(drop_binary=drop_binary)
    assert sparse.issparse(found.train.X)
    np.testing.assert_array_equal(found.train.X.toarray(), mixed.one_hot(drop_binary=drop_binary).train.X)
    assert thin.one_hot().n_features == 5


def test_prune_keeps_columns_in_step():
    ds = make_hmc(n_samples=200, n_nodes=25, dag=True, random_state=3)
    small = ds.prune(20)
    assert 0 < small.hierarchy.n_nodes < ds.hierarchy.n_nodes
    for name in ds:
        columns = ds.hierarchy.indices(small.hierarchy.names)
        np.testing.assert_array_equal(small[name].y, ds[name].y[:, columns])
        assert small.hierarchy.is_closed(small[name].y)
    assert small.train.y.sum(axis=0).min() >= 20
    assert ds.prune(1, split="test").hierarchy.n_nodes <= ds.hierarchy.n_nodes


def test_split_keeps_every_row_once_and_labels_in_proportion():
    ds = make_hmc(n_samples=600, n_nodes=20, unlabeled=0.1, random_state=0)
    dealt = ds.split((0.5, 0.25, 0.25), random_state=1)
    assert list(dealt) == ["train", "valid", "test"]
    rows = np.concatenate([split.X for split in dealt.splits.values()])
    whole = ds.merge()["all"].X
    np.testing.assert_array_equal(rows[np.lexsort(rows.T)], whole[np.lexsort(whole.T)])
    assert abs(len(dealt.train) - 300) <= 15
    share = dealt.train.y.sum(axis=0) / ds.merge()["all"].y.sum(axis=0)
    assert np.abs(share - 0.5).max() < 0.1
    again = ds.split((0.5, 0.25, 0.25), random_state=1)
    np.testing.assert_array_equal(again.train.X, dealt.train.X)


def test_split_of_one_part():
    ds = load_dataset("toy").split({"train": 0.75, "valid": 0.25}, 0, of="train")
    assert {name: len(split) for name, split in ds.splits.items()} == {"train": 6, "valid": 2, "test": 4}


@pytest.mark.parametrize(
    ("fractions", "message"),
    [((1.0,), "has 1 numbers"), ((0.5, 0.4), "add up to 1"), ((1.5, -0.5), "must be positive"), ({}, "add up to 1")],
)
def test_bad_fractions(fractions, message):
    with pytest.raises(ValueError, match=message):
        load_dataset("toy").split(fractions)
    with pytest.raises(ValueError, match="splits that are kept"):
        load_dataset("toy").split((0.5, 0.5), of="train")


def test_folds_partition_the_rows():
    Y = make_hmc(n_samples=100, random_state=0).merge()["all"].y
    for matrix in (Y, sparse.csr_array(Y)):
        tests = [test for _, test in stratified_folds(matrix, 4, random_state=0)]
        np.testing.assert_array_equal(np.sort(np.concatenate(tests)), np.arange(100))
    for train, test in stratified_folds(Y, 4, random_state=0):
        assert not set(train) & set(test)
    with pytest.raises(ValueError, match="n_splits must be between 2 and"):
        stratified_folds(Y, 1)


def test_folds_of_rows_without_labels():
    tests = [len(test) for _, test in stratified_folds(np.zeros((10, 3), bool), 5, random_state=0)]
    assert tests == [2] * 5


def test_notebooks_show_what_a_data_set_holds():
    shown = load_dataset("toy")._repr_html_()
    assert "<th>rows</th><td>12 (train 8, test 4)</td>" in shown

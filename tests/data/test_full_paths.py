"""Rows whose paths end in leaves."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import oracles_leaf
from strategies import hierarchies, label_matrices
from truepath import Hierarchy
from truepath.data import Dataset, Split, has_full_paths, keep_full_paths


@given(hierarchies(max_nodes=9), st.data())
def test_full_paths_by_definition(h, data):
    Y = data.draw(label_matrices(h, n_rows=6))
    expected = [oracles_leaf.has_full_paths(y, h) for y in Y]
    assert has_full_paths(Y, h).tolist() == has_full_paths(sparse.csr_array(Y), h).tolist() == expected


def make_dataset():
    h = Hierarchy.from_paths(["a/1", "a/2", "b"])
    train = h.encode([["a/1"], ["a"], ["b", "a/2"], [], ["a/1"]])
    test = h.encode([["a"], ["b"]])
    splits = {
        "train": Split(np.arange(5.0)[:, None], train, np.array(list("vwxyz"), object)),
        "test": Split(np.array([[7.0], [8.0]]), test),
    }
    return Dataset("small", h, splits, ["x"])


def test_keep_full_paths_drops_rows_in_every_split():
    ds = make_dataset()
    full = keep_full_paths(ds)
    assert full.train.X.ravel().tolist() == [0, 2, 4]
    assert full.train.ids.tolist() == ["v", "x", "z"]
    assert full.test.X.ravel().tolist() == [8]
    assert full.hierarchy == ds.hierarchy
    assert len(ds.train) == 5  # the data set given is as it was


def test_the_order_of_the_steps_matters():
    ds = make_dataset()
    rows_first = keep_full_paths(ds).prune(2)
    labels_first = keep_full_paths(ds.prune(2))
    assert list(rows_first.hierarchy.names) == list(labels_first.hierarchy.names) == ["a", "a/1"]
    assert (len(rows_first.train), len(labels_first.train)) == (3, 2)

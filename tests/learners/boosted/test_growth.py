"""Bins, histograms, cuts and the way down, against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from oracles_boosted import best_gain, gain
from truepath.learners.boosted.bins import bin_table
from truepath.learners.boosted.growth import Rules, grow_levels

LANES = 8


def draw_problem(seed, n_rows, n_columns, distinct, missing):
    """Columns of few distinct values with gaps, and a sketch whose last number is the weight of each row."""
    rng = np.random.default_rng(seed)
    X = (
        rng.integers(0, distinct, (n_rows, n_columns)).astype(float)
        if distinct
        else rng.normal(size=(n_rows, n_columns))
    )
    X[rng.random(X.shape) < missing] = np.nan
    sketch = rng.normal(size=(n_rows, LANES)).astype(np.float32)
    sketch[:, -1] = rng.integers(1, 4, n_rows)
    return X, sketch


def grow_all(X, sketch, *, max_leaves=2, least_weight=1.0, categories=None, rows=None, n_jobs=None):
    table = bin_table(X, categories or {}, sketch[:, -1].astype(float), 255, n_jobs)
    rows = np.arange(X.shape[0], dtype=np.int32) if rows is None else rows
    return table, grow_levels(table, sketch, rows, np.arange(X.shape[1]), Rules(max_leaves, least_weight), n_jobs)


problems = {
    "seed": st.integers(0, 10_000),
    "n_rows": st.integers(2, 40),
    "n_columns": st.integers(1, 4),
    "distinct": st.sampled_from([0, 2, 5]),
    "missing": st.sampled_from([0.0, 0.3]),
}


@settings(max_examples=150, deadline=None)
@given(**problems, least_weight=st.sampled_from([0.0, 1.0, 7.0]))
def test_the_first_split_is_the_best_of_all(seed, n_rows, n_columns, distinct, missing, least_weight):
    X, sketch = draw_problem(seed, n_rows, n_columns, distinct, missing)
    _, tree = grow_all(X, sketch, least_weight=least_weight)
    weight, cells = sketch[:, -1].astype(float), sketch[:, :-1].astype(float)
    best = best_gain(X, cells, weight, least_weight)
    if tree.column[0] < 0:
        assert best < 1e-4
        return
    is_left = tree.leaf_of == tree.left[0]
    assert gain(cells, weight, is_left) == pytest.approx(best, rel=1e-4, abs=1e-4)
    assert tree.gain[0] == pytest.approx(best, rel=1e-4, abs=1e-4)
    assert min(weight[is_left].sum(), weight[~is_left].sum()) >= least_weight


@settings(max_examples=60, deadline=None)
@given(**problems, max_leaves=st.integers(2, 12))
def test_every_split_is_the_best_of_its_node(seed, n_rows, n_columns, distinct, missing, max_leaves):
    X, sketch = draw_problem(seed, n_rows, n_columns, distinct, missing)
    _, tree = grow_all(X, sketch, max_leaves=max_leaves)
    below = {t: np.flatnonzero(tree.leaf_of == t) for t in range(tree.column.size)}
    for t in np.flatnonzero(tree.column >= 0)[::-1]:
        below[t] = np.sort(np.concatenate([below[tree.left[t]], below[tree.right[t]]]))
        rows = below[t]
        own, cells = sketch[rows, -1].astype(float), sketch[rows, :-1].astype(float)
        is_left = np.isin(rows, below[tree.left[t]])
        best = best_gain(X[rows], cells, own, 1.0)
        assert gain(cells, own, is_left) == pytest.approx(best, rel=1e-3, abs=1e-3)
    assert (tree.column < 0).sum() <= max_leaves
    assert np.isin(tree.leaf_of, np.flatnonzero(tree.column < 0)).all()


def test_the_nodes_that_gain_most_are_split():
    """Of two nodes with one leaf left to add, the one whose split gains more is split."""
    X = np.repeat([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], 10, axis=0)
    sketch = np.zeros((40, LANES), np.float32)
    sketch[:, 0] = np.repeat([9.0, 7.0, -1.0, -15.0], 10)
    sketch[:, -1] = 1
    _, tree = grow_all(X, sketch, max_leaves=3)
    assert tree.column[: tree.column.size].tolist() == [0, -1, 1, -1, -1]


def test_values_of_a_nominal_column_are_ordered_by_what_they_stand_for():
    """Values 0, 2 and 5 go one way, 1, 3 and 4 the other, which no threshold does."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (200, 1)).astype(float)
    sketch = rng.normal(size=(200, LANES)).astype(np.float32) * 0.1
    sketch[:, 2] += np.isin(X[:, 0], [0, 2, 5]) * 3
    sketch[:, -1] = 1
    _, tree = grow_all(X, sketch, categories={0: np.arange(6.0)})
    side = tree.leaf_of == tree.left[0]
    assert {frozenset(X[side, 0]), frozenset(X[~side, 0])} == {frozenset({0.0, 2.0, 5.0}), frozenset({1.0, 3.0, 4.0})}


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), n_rows=st.integers(2, 60), max_leaves=st.integers(2, 9))
def test_listed_columns_are_like_dense_ones(seed, n_rows, max_leaves):
    X, sketch = draw_problem(seed, n_rows, 4, 5, 0.05)
    X[np.random.default_rng(seed).random(X.shape) < 0.8] = 0.0
    sketch = np.round(sketch * 4)  # sums of small whole numbers have no rounding
    (_, dense), (table, listed) = (
        grow_all(form(X), sketch, max_leaves=max_leaves) for form in (np.asarray, sparse.csr_array)
    )
    assert (table.row_of < 0).any() or n_rows < 10
    for one, other in zip(dense, listed):
        np.testing.assert_array_equal(one, other)


def test_threads_change_nothing(monkeypatch):
    monkeypatch.setattr("truepath.learners.boosted.growth.LEAST_WORK", 0)
    X, sketch = draw_problem(1, 300, 20, 0, 0.1)
    (_, one), (_, two) = (grow_all(X, sketch, max_leaves=16, n_jobs=n) for n in (1, 2))
    for a, b in zip(one, two):
        np.testing.assert_array_equal(a, b)


def test_splits_are_searched_on_the_rows_drawn_and_all_rows_are_sent_down():
    X, sketch = draw_problem(3, 100, 3, 0, 0.0)
    rows = np.arange(0, 100, 2, dtype=np.int32)
    _, whole = grow_all(X, sketch, max_leaves=6, rows=rows)
    changed = sketch.copy()
    changed[1::2] = 99
    _, other = grow_all(X, changed, max_leaves=6, rows=rows)
    np.testing.assert_array_equal(whole.leaf_of, other.leaf_of)


def test_bins():
    """One bin per value if they fit, else shares of the weight; missing values in bin 0; rare categories share one."""
    X = np.array([[0.0, 5.0], [1.0, np.nan], [1.0, 7.0], [3.0, 6.0]])
    table = bin_table(X, {1: np.array([5.0, 6.0, 7.0])}, np.ones(4), 255, None)
    assert table.dense.tolist() == [[1, 2, 2, 3], [1, 0, 3, 2]]
    assert table.columns[0].cuts.tolist() == [0.5, 2.0]
    assert table.n_bins.tolist() == [4, 4]
    many = np.arange(1000.0)[:, None]
    few = bin_table(many, {}, np.ones(1000), 10, None)
    assert np.bincount(few.dense[0])[1:].tolist() == [100] * 10
    nominal = bin_table(many % 30, {0: np.arange(30.0)}, np.where(many[:, 0] % 30 < 3, 5.0, 1.0), 4, None)
    assert nominal.columns[0].bin_of[:3].tolist() == [1, 2, 3]
    assert (nominal.columns[0].bin_of[3:] == 4).all()
    empty = bin_table(np.full((3, 1), np.nan), {}, np.ones(3), 255, None)
    assert empty.dense.tolist() == [[0, 0, 0]]


def test_weights_bin_as_repeated_rows_do():
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(100, 1)), rng.integers(1, 4, 100)
    one = bin_table(X, {}, weight.astype(float), 8, None)
    other = bin_table(np.repeat(X, weight, axis=0), {}, np.ones(weight.sum()), 8, None)
    np.testing.assert_array_equal(one.columns[0].cuts, other.columns[0].cuts)

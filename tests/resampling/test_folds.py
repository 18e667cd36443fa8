"""Folds: every row once, even sizes, every label where it can be, whatever the order of the rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from strategies import dags
from truepath import Hierarchy
from truepath.combiners import Blend, Calibrator
from truepath.combiners.calibration import trials
from truepath.combiners.held_out import cross_transform
from truepath.decoders import ConformalSubtree, MultiThreshold
from truepath.learners import Stack
from truepath.resampling import cross_fit, deal_folds, deal_rows, draw_some, split_folds
from truepath.ridge.kernels import kernel_scale


def periodic(n_rows, n_labels):
    """Rows whose only label is their number modulo the number of labels."""
    return np.eye(n_labels, dtype=bool)[np.arange(n_rows) % n_labels]


@given(dags(max_nodes=8), st.integers(2, 6), st.integers(0, 60), st.integers(0, 3))
def test_every_row_is_in_one_fold_of_even_size_with_its_share_of_rare_labels(hierarchy, n_folds, n_rows, seed):
    rng = np.random.default_rng(seed)
    Y = hierarchy.close(rng.random((n_rows, hierarchy.n_nodes)) < 0.2)
    folds = deal_folds(Y, n_folds, seed)
    assert np.ptp(np.bincount(folds, minlength=n_folds)) <= 1
    assert np.array_equal(folds, deal_folds(sparse.csr_array(Y), n_folds, seed))
    counts = Y.sum(axis=0)
    enough = np.flatnonzero(counts >= n_folds)
    if enough.size:  # all rows of the rarest of these labels are dealt out one after the other
        rarest = enough[np.argmin(counts[enough])]
        assert np.ptp(np.bincount(folds[Y[:, rarest]], minlength=n_folds)) <= 1


@pytest.mark.parametrize("n_folds", [2, 3, 5])
def test_rows_in_periodic_order_give_every_fold_every_label(n_folds):
    Y = periodic(20 * n_folds, n_folds)
    for train, held_out in split_folds(deal_folds(Y, n_folds)):
        assert np.array_equal(Y[held_out].sum(axis=0), np.full(n_folds, 20 // n_folds)) or 20 % n_folds
        assert Y[held_out].any(axis=0).all()
        assert Y[train].any(axis=0).all()


def test_the_seed_shuffles():
    Y = periodic(60, 3)
    assert np.array_equal(deal_folds(Y, 3, 1), deal_folds(Y, 3, 1))
    assert not np.array_equal(deal_folds(Y, 3, 1), deal_folds(Y, 3, 2))
    assert not np.array_equal(deal_rows(60, 3, 1), np.arange(60) % 3)
    assert np.ptp(np.bincount(deal_rows(61, 3))) == 1
    some = draw_some(1000, 10, 0)
    assert some.size == 10 == np.unique(some).size
    assert np.unique(np.diff(some)).size > 1  # not every hundredth


def test_cross_fitting_scores_every_row_by_the_others():
    values = np.random.default_rng(0).random((31, 2))
    splits = split_folds(deal_rows(31, 4))
    found = cross_fit(splits, lambda train, held_out: np.tile(values[train].mean(axis=0), (held_out.size, 1)))
    for train, held_out in splits:
        assert np.allclose(found[held_out], values[train].mean(axis=0))


# --------------------------------------------------------------------- who deals folds, on rows in periodic order


FITTED_ON = []  # outside the learner, whose copies would have their own


class Recording:
    """Records whether the rows that it is fitted on have every label."""

    def fit(self, X, y):
        FITTED_ON.append(np.asarray(y).any(axis=0).all())
        return self

    def predict_proba(self, X):
        return np.full((len(X), 5), 0.5)


def test_a_stack_trains_every_copy_on_every_label():
    FITTED_ON.clear()
    Y = periodic(50, 5)
    Stack([Recording()], combiner="blend", cv=5).fit(np.arange(50.0)[:, None], Y)
    assert FITTED_ON == [True] * 6


def test_combiners_are_cross_fitted_on_every_label(monkeypatch):
    h, Y, seen = Hierarchy.from_paths(list("abcde")), periodic(50, 5), []
    fit = Blend.fit
    monkeypatch.setattr(Blend, "fit", lambda self, S, y, **rest: seen.append(y.any(axis=0).all()) or fit(self, S, y))
    cross_transform(Blend(hierarchy=h), [Y * 0.5, Y * 0.4], Y, None, h, 0)
    assert seen == [True] * 5


def test_a_calibrator_chooses_by_folds_that_have_every_label(monkeypatch):
    """Taken in turn, the two halves of rows in periodic order would have one label each."""
    Y, seen = periodic(200, 2), []
    count = trials.count_scores
    monkeypatch.setattr(
        trials, "count_scores", lambda S, Y, weight: seen.append(Y.any(axis=0).all()) or count(S, Y, weight)
    )
    Calibrator("auto").fit(np.where(Y, 0.7, 0.2), Y)
    assert seen
    assert all(seen)


def test_thresholds_are_shrunk_by_folds_that_have_every_label(monkeypatch):
    Y, seen = periodic(100, 5), []
    search = MultiThreshold._search
    monkeypatch.setattr(
        MultiThreshold, "_search", lambda self, given: seen.append(given.y.any(axis=0).all()) or search(self, given)
    )
    rng = np.random.default_rng(0)
    MultiThreshold(shrink="single", cv=5).fit(np.clip(0.4 * Y + rng.random(Y.shape) / 2, 0, 1), Y)
    assert seen == [True] * 6


def test_a_conformal_decoder_draws_the_rows_that_choose():
    """Of five rows the first and third chose: of rows in periodic order, two labels of five."""
    first, rest = ConformalSubtree()._divide(200)
    assert np.array_equal(np.sort(np.concatenate([first, rest])), np.arange(200))
    assert first.size == 80
    assert np.unique(first % 5).size == 5


def test_the_width_of_a_kernel_does_not_follow_the_period_of_the_rows():
    """Every second row, as a thousand even steps would take them, is one and the same point: they have no distance."""
    X = 10 * np.random.default_rng(0).normal(size=(1999, 2))
    X[::2] = 0.0
    squares = np.sum((X[:, None] - X[None]) ** 2, axis=2)
    assert kernel_scale(X, "rbf", np.ones(1999)) == pytest.approx(np.median(squares[squares > 0]), rel=0.2)
